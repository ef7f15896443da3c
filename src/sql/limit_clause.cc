// The clauses that a query ends with: ORDER BY, and LIMIT, OFFSET or FETCH.
#include <algorithm>
#include <charconv>
#include <string>

#include "sql/lexer.h"

namespace candor::sql {
namespace {

bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::kSymbol && token.text == text;
}

bool is_any(const Token& token, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (is_word(token, word)) return true;
  }
  return false;
}

// Half-open range of tokens.
struct Range {
  std::size_t begin = 0, end = 0;
  int depth = 0;  // at which its own clauses stand
};

std::optional<std::uint64_t> plain_number(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  if (end != begin + 1 || tokens[begin].kind != TokenKind::kNumber) return std::nullopt;
  std::string digits;
  for (const char c : tokens[begin].text) {
    if (c != '_') digits += c;
  }
  std::uint64_t number = 0;
  const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (done.ec != std::errc{} || done.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// The query without a final semicolon and without parentheses around the whole; empty for more than one statement.
Range query_range(const std::vector<Token>& tokens) {
  Range query{0, tokens.size(), 0};
  const auto semicolon = [&](std::size_t i) { return is_symbol(tokens[i], ";"); };
  while (query.begin < query.end && semicolon(query.begin)) ++query.begin;
  while (query.end > query.begin && semicolon(query.end - 1)) --query.end;
  for (std::size_t i = query.begin; i < query.end; ++i) {
    if (semicolon(i)) return {};
  }
  std::vector<std::size_t> open;
  std::vector<std::size_t> closing(tokens.size(), tokens.size());
  for (std::size_t i = query.begin; i < query.end; ++i) {
    if (is_symbol(tokens[i], "(")) open.push_back(i);
    if (is_symbol(tokens[i], ")") && !open.empty()) {
      closing[open.back()] = i;
      open.pop_back();
    }
  }
  while (query.begin < query.end && is_symbol(tokens[query.begin], "(") && closing[query.begin] == query.end - 1) {
    ++query.begin;
    --query.end;
    ++query.depth;
  }
  return query;
}

// Whether the range is a query: SELECT, FROM …, VALUES, TABLE, PIVOT, WITH before any of them, or parenthesised operands.
bool is_query(const std::vector<Token>& tokens, const Range& range) {
  if (range.begin >= range.end) return false;
  if (is_symbol(tokens[range.begin], "(")) return true;
  const auto reads = [](const Token& token) {
    return is_any(token, {"select", "from", "values", "table", "pivot", "unpivot", "pivot_wider", "pivot_longer"});
  };
  if (!is_word(tokens[range.begin], "with")) return reads(tokens[range.begin]);
  for (std::size_t i = range.begin + 1; i < range.end; ++i) {
    if (tokens[i].depth != range.depth) continue;
    if (is_any(tokens[i], {"insert", "update", "delete", "merge"})) return false;
    // The list of common table expressions is over: a word of these follows a closing parenthesis.
    if (reads(tokens[i]) && is_symbol(tokens[i - 1], ")")) return true;
    if (is_symbol(tokens[i], "(") && is_symbol(tokens[i - 1], ")")) return true;
  }
  return false;
}

// Whether a token can be the last of an expression, so that a clause may begin after it.
bool ends_expression(const Token& token) {
  if (token.kind == TokenKind::kSymbol)
    return token.text.size() == 1 && std::string_view(")]}*%").find(token.text.front()) != std::string_view::npos;
  return !is_any(token, {"select", "distinct", "by", "where", "and", "or",      "not",  "on",   "as",   "having",
                         "from",   "join",     "in", "like",  "is",  "between", "then", "when", "else", "case"});
}

bool begins_expression(const Token& token) {
  if (token.kind == TokenKind::kSymbol) return is_symbol(token, "(") || is_symbol(token, "-") || is_symbol(token, "+");
  return !is_any(token, {"from", "where", "group", "order", "having", "union", "except", "intersect", "as", "asc",
                         "desc", "is", "in", "like", "and", "or", "nulls", "limit"});
}

// Where the words of the ending clauses stand; `end` for those that are absent.
struct Clauses {
  std::size_t limit, offset, fetch, order;
};

Clauses find_clauses(const std::vector<Token>& tokens, const Range& range) {
  Clauses found{range.end, range.end, range.end, range.end};
  for (std::size_t i = range.begin + 1; i < range.end; ++i) {
    const Token& token = tokens[i];
    const Token& last = tokens[i - 1];
    if (token.kind != TokenKind::kWord || token.depth != range.depth || is_word(last, "as") || is_symbol(last, "."))
      continue;
    if (is_word(token, "limit")) found.limit = i;
    if (i + 1 == range.end) continue;
    if (is_word(token, "order") && is_word(tokens[i + 1], "by")) found = {range.end, range.end, range.end, i};
    // OFFSET is a plain name in SQLite: it is a clause where an expression ends before it and another begins after it.
    if (!ends_expression(last)) continue;
    if (is_word(token, "offset") && begins_expression(tokens[i + 1])) found.offset = i;
    if (is_word(token, "fetch") && is_any(tokens[i + 1], {"first", "next"})) found.fetch = i;
  }
  return found;
}

void read_order(std::string_view sql, const std::vector<Token>& tokens, const Range& items,
                std::vector<std::string_view>& order) {
  std::size_t first = items.begin;
  for (std::size_t i = items.begin; i <= items.end; ++i) {
    const bool ends = i == items.end || (tokens[i].depth == items.depth && is_symbol(tokens[i], ","));
    if (!ends) continue;
    if (i > first)
      order.push_back(sql.substr(tokens[first].span.start, tokens[i - 1].span.end - tokens[first].span.start));
    first = i + 1;
  }
}

// LIMIT n | LIMIT skipped, n | OFFSET n [ROW|ROWS], each up to where the next begins.
void read_numbers(const std::vector<Token>& tokens, const Range& range, const Clauses& at, LimitClause& clause) {
  const auto end_of = [&](std::size_t begin) {
    std::size_t end = range.end;
    for (const std::size_t other : {at.limit, at.offset, at.fetch}) {
      if (other > begin && other < end) end = other;
    }
    return end;
  };
  clause.offset = 0;
  if (at.limit < range.end) {
    const std::size_t end = end_of(at.limit);
    clause.limit = plain_number(tokens, at.limit + 1, end);
    if (end == at.limit + 4 && is_symbol(tokens[at.limit + 2], ",")) {
      clause.offset = plain_number(tokens, at.limit + 1, at.limit + 2);
      clause.limit = plain_number(tokens, at.limit + 3, end);
    } else {
      for (std::size_t i = at.limit + 1; i < end; ++i) {
        if (tokens[i].depth == range.depth && is_symbol(tokens[i], ",")) clause.offset.reset();
      }
    }
  }
  if (at.offset < range.end) {
    std::size_t end = end_of(at.offset);
    if (end > at.offset + 2 && is_any(tokens[end - 1], {"row", "rows"})) --end;
    clause.offset = clause.offset == 0 ? plain_number(tokens, at.offset + 1, end) : std::nullopt;
  }
  if (at.fetch < range.end) clause.limit.reset();
}

}  // namespace

std::optional<LimitClause> limit_clause(std::string_view sql) {
  const std::vector<Token> tokens = tokenize(sql);
  const Range range = query_range(tokens);
  if (!is_query(tokens, range)) return std::nullopt;
  const Clauses at = find_clauses(tokens, range);
  const std::size_t begin = std::min({at.limit, at.offset, at.fetch});
  if (begin >= range.end) return std::nullopt;
  LimitClause clause;
  clause.span = {tokens[begin].span.start, tokens[range.end - 1].span.end};
  read_numbers(tokens, range, at, clause);
  if (at.order < range.end) read_order(sql, tokens, {at.order + 2, begin, range.depth}, clause.order);
  return clause;
}

bool is_ordered(std::string_view sql) {
  const std::vector<Token> tokens = tokenize(sql);
  const Range range = query_range(tokens);
  return is_query(tokens, range) && find_clauses(tokens, range).order < range.end;
}

}  // namespace candor::sql
