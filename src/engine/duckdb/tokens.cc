// The scanner of DuckDB's lexical grammar.
#include "engine/duckdb/tokens.h"

#include <algorithm>
#include <cstddef>

#include "base/ascii.h"

namespace candor::engine::duckdb {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes above ASCII are letters of names, as in the engine, once Unicode blanks were taken out.
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool continues_word(char c) { return starts_word(c) || is_digit(c) || c == '$'; }

// Bytes of the blank at the start of `rest`, 0 when there is none. The engine takes these code points for blanks:
// ASCII's, NBSP, Ogham, U+2000…U+200B, the separators U+2028 and U+2029, U+202F, U+205F, U+3000, and a byte order mark.
std::size_t blank_size(std::string_view rest) {
  const auto at = [&](std::size_t i) -> unsigned { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U; };
  const unsigned first = at(0);
  if (first == ' ' || (first >= 0x09 && first <= 0x0D)) return 1;
  if (first == 0xC2 && at(1) == 0xA0) return 2;
  if (first < 0xE0) return 0;
  const unsigned code = (first << 16U) | (at(1) << 8U) | at(2);
  const bool general = code >= 0xE28080 && code <= 0xE2808B;
  const bool other = code == 0xE19A80 || code == 0xE280A8 || code == 0xE280A9 || code == 0xE280AF || code == 0xE2819F ||
                     code == 0xE38080 || code == 0xEFBBBF;
  return general || other ? 3 : 0;
}

class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}

  std::vector<Token> run() {
    while (skip_blanks_and_comments()) scan_one();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char at(std::size_t i) const { return i < sql_.size() ? sql_[i] : '\0'; }

  bool skip_blanks_and_comments() {
    while (at_ < sql_.size()) {
      if (const std::size_t blank = blank_size(sql_.substr(at_)); blank > 0) {
        at_ += blank;
      } else if (at(at_) == '-' && at(at_ + 1) == '-') {
        while (at_ < sql_.size() && at(at_) != '\n' && at(at_) != '\r') ++at_;
      } else if (at(at_) == '/' && at(at_ + 1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_block_comment() {
    int open = 0;
    while (at_ < sql_.size()) {
      if (at(at_) == '/' && at(at_ + 1) == '*') {
        ++open;
        at_ += 2;
      } else if (at(at_) == '*' && at(at_ + 1) == '/') {
        --open;
        at_ += 2;
        if (open == 0) return;
      } else {
        ++at_;
      }
    }
  }

  void scan_one() {
    const std::size_t start = at_;
    const char c = at(at_);
    if (c == '\'') return add(TokenKind::kString, start, quoted_end(start + 1, '\'', false));
    if (c == '"') return add(TokenKind::kQuoted, start, quoted_end(start + 1, '"', false));
    if ((c == 'e' || c == 'E') && at(at_ + 1) == '\'') {
      return add(TokenKind::kString, start, quoted_end(start + 2, '\'', true));
    }
    if ((c == 'x' || c == 'X' || c == 'b' || c == 'B') && at(at_ + 1) == '\'') {
      return add(TokenKind::kString, start, quoted_end(start + 2, '\'', false));
    }
    if (c == '$') {
      if (const std::size_t end = dollar_end(start); end > 0) return add(TokenKind::kString, start, end);
    }
    if (is_digit(c) || (c == '.' && is_digit(at(at_ + 1)))) return add(TokenKind::kNumber, start, number_end(start));
    if (starts_word(c)) {
      std::size_t end = start + 1;
      while (end < sql_.size() && continues_word(sql_[end]) && blank_size(sql_.substr(end)) == 0) ++end;
      return add(TokenKind::kWord, start, end);
    }
    add_symbol(start);
  }

  void add_symbol(std::size_t start) {
    if (at(start) == ')' && depth_ > 0) --depth_;
    add(TokenKind::kSymbol, start, start + 1);
    if (at(start) == '(') ++depth_;
  }

  [[nodiscard]] std::size_t quoted_end(std::size_t from, char quote, bool backslashes) const {
    for (std::size_t i = from; i < sql_.size(); ++i) {
      if (backslashes && sql_[i] == '\\') {
        ++i;
      } else if (sql_[i] == quote) {
        if (at(i + 1) != quote) return i + 1;
        ++i;
      }
    }
    return sql_.size();
  }

  // The end of $tag$…$tag$, 0 when this is none ($1, a lone dollar).
  [[nodiscard]] std::size_t dollar_end(std::size_t start) const {
    std::size_t i = start + 1;
    if (starts_word(at(i))) {
      while (i < sql_.size() && (starts_word(sql_[i]) || is_digit(sql_[i]))) ++i;
    }
    if (at(i) != '$') return 0;
    const std::string_view tag = sql_.substr(start, i + 1 - start);
    const std::size_t close = sql_.find(tag, i + 1);
    return close == std::string_view::npos ? sql_.size() : close + tag.size();
  }

  [[nodiscard]] std::size_t number_end(std::size_t start) const {
    std::size_t end = start;
    while (end < sql_.size() && (is_digit(sql_[end]) || sql_[end] == '.' || sql_[end] == '_')) ++end;
    if (at(end) == 'e' || at(end) == 'E') {
      std::size_t digits = end + 1;
      if (at(digits) == '+' || at(digits) == '-') ++digits;
      if (is_digit(at(digits))) {
        end = digits;
        while (is_digit(at(end))) ++end;
      }
    }
    return end;
  }

  void add(TokenKind kind, std::size_t start, std::size_t end) {
    tokens_.push_back(Token{kind, Span{start, end}, sql_.substr(start, end - start), depth_});
    at_ = end;
  }

  std::string_view sql_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Token> tokens_;
};

std::string quote(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    quoted.push_back(c);
    if (c == mark) quoted.push_back(mark);
  }
  quoted.push_back(mark);
  return quoted;
}

}  // namespace

std::vector<Token> tokenize(std::string_view sql) { return Scanner(sql).run(); }

bool is_word(const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::kWord && token.text.size() == keyword.size() && lower_ascii(token.text) == keyword;
}

bool is_symbol(const Token& token, char symbol) {
  return token.kind == TokenKind::kSymbol && token.text.size() == 1 && token.text.front() == symbol;
}

bool is_name(const Token& token) { return token.kind == TokenKind::kWord || token.kind == TokenKind::kQuoted; }

std::string name_of(const Token& token) {
  if (token.kind != TokenKind::kQuoted) return std::string(token.text);
  std::string name;
  const std::string_view inner = token.text.substr(1, token.text.size() < 2 ? 0 : token.text.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    name.push_back(inner[i]);
    if (inner[i] == '"') ++i;
  }
  return name;
}

std::string quote_name(std::string_view name) { return quote(name, '"'); }

std::string quote_if_needed(std::string_view name) {
  const bool plain = !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_';
  });
  return plain ? std::string(name) : quote_name(name);
}

std::string quote_text(std::string_view text) { return quote(text, '\''); }

}  // namespace candor::engine::duckdb
