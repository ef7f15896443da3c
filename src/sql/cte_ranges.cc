// Finding WITH lists without a parser: WITH [RECURSIVE] name [(columns)] [USING KEY (…)] AS [[NOT] MATERIALIZED] (…), …
#include "sql/cte_ranges.h"

#include <algorithm>
#include <limits>

#include "base/ascii.h"

namespace candor::sql {
namespace {

bool is_symbol(const Token& token, char symbol) {
  return token.kind == TokenKind::kSymbol && token.text.size() == 1 && token.text.front() == symbol;
}

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// For each opening parenthesis or bracket the index of what closes it; kNone where nothing does.
std::vector<std::size_t> closing_tokens(const std::vector<Token>& tokens) {
  std::vector<std::size_t> closing(tokens.size(), kNone);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (is_symbol(token, '(') || is_symbol(token, '[') || is_symbol(token, '{')) open.push_back(i);
    const bool closes = is_symbol(token, ')') || is_symbol(token, ']') || is_symbol(token, '}');
    if (closes && !open.empty()) {
      closing[open.back()] = i;
      open.pop_back();
    }
  }
  return closing;
}

}  // namespace

// Reads the list that follows WITH at index `with`; its names are visible up to token `end`.
void CteRanges::read_with(const std::vector<Token>& tokens, std::size_t with, const std::vector<std::size_t>& closing,
                          std::size_t end) {
  const auto word = [&](std::size_t i, std::string_view text) { return i < end && is_word(tokens[i], text); };
  const auto skip_parentheses = [&](std::size_t i) {
    return i < end && is_symbol(tokens[i], '(') && closing[i] != kNone ? closing[i] + 1 : i;
  };
  std::size_t i = with + 1;
  const bool recursive = word(i, "recursive") && !word(i + 1, "as");
  if (recursive) ++i;
  while (i < end && tokens[i].kind != TokenKind::kSymbol) {
    const std::size_t name = i;
    i = skip_parentheses(i + 1);
    if (word(i, "using") && word(i + 1, "key")) i = skip_parentheses(i + 2);
    if (!word(i, "as")) return;
    ++i;
    if (word(i, "not")) ++i;
    if (word(i, "materialized")) ++i;
    const std::size_t body = i;
    i = skip_parentheses(i);
    if (i == body) return;
    ranges_.push_back({recursive ? body : i, end, lower_ascii(identifier(tokens[name]))});
    if (i >= end || !is_symbol(tokens[i], ',')) return;
    ++i;
  }
}

CteRanges::CteRanges(const std::vector<Token>& tokens) {
  const std::vector<std::size_t> closing = closing_tokens(tokens);
  std::size_t statement_end = 0;
  std::vector<std::size_t> ends;  // of the levels around the token
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i >= statement_end) {
      const auto semicolon = std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(i), tokens.end(),
                                          [](const Token& token) { return is_symbol(token, ';'); });
      statement_end = static_cast<std::size_t>(semicolon - tokens.begin()) + 1;
      ends.clear();
    }
    while (!ends.empty() && i >= ends.back()) ends.pop_back();
    const std::size_t level_end =
        std::min({ends.empty() ? tokens.size() : ends.back(), statement_end - 1, tokens.size()});
    if (is_symbol(tokens[i], '(')) ends.push_back(std::min(closing[i], level_end));
    if (is_word(tokens[i], "with")) read_with(tokens, i, closing, level_end);
  }
  std::ranges::sort(ranges_, {}, &Range::start);
}

bool CteRanges::covers(std::size_t token, std::string_view name) {
  for (; started_ < ranges_.size() && ranges_[started_].start <= token; ++started_) {
    std::size_t& end = last_end_[ranges_[started_].name];
    end = std::max(end, ranges_[started_].end);
  }
  const auto found = last_end_.find(lower_ascii(name));
  return found != last_end_.end() && token < found->second;
}

}  // namespace candor::sql
