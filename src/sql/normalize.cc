// One spelling for all layouts of a statement. It depends on the tokens alone, never on the blanks between them, but for
// the two places where blanks carry meaning: between texts that a line break joins, and inside of [a  name] in SQLite.
#include <algorithm>

#include "sql/lexer.h"
#include "sql/scanner.h"

namespace candor::sql {
namespace {

bool is_symbol(const Token& token, std::string_view text) {
  return token.kind == TokenKind::kSymbol && token.text == text;
}

// Words after which a parenthesis is no argument list, and after which a sign is unary.
bool is_clause_word(const Token& token) {
  constexpr std::string_view kWords[] = {
      "all",    "and",    "any",   "as",     "between", "by",     "case",      "distinct",  "else",   "except",
      "exists", "filter", "from",  "having", "in",      "insert", "intersect", "into",      "is",     "join",
      "like",   "limit",  "not",   "offset", "on",      "or",     "over",      "returning", "select", "set",
      "then",   "union",  "using", "values", "when",    "where",  "with"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return is_word(token, word); });
}

bool ends_operand(const Token& token) {
  if (token.kind == TokenKind::kSymbol) return token.text == ")" || token.text == "]" || token.text == "}";
  return !is_clause_word(token);
}

bool is_sign(const Token& token) { return is_symbol(token, "-") || is_symbol(token, "+"); }

// Whether the two stand without a blank. `before` is the token before `left`, if there is one.
bool joined(const Token* before, const Token& left, const Token& right) {
  const bool number = left.kind == TokenKind::kNumber || right.kind == TokenKind::kNumber;
  if (is_symbol(right, ",") || is_symbol(right, ")") || is_symbol(right, "]") || is_symbol(right, "}")) return true;
  if (is_symbol(left, "(") || is_symbol(left, "[") || is_symbol(left, "{")) return true;
  if (is_symbol(left, ".")) return !number && (right.kind != TokenKind::kSymbol || right.text == "*");
  if (is_symbol(right, ".")) return !number && ends_operand(left);
  if (is_symbol(left, "::")) return right.kind == TokenKind::kWord || right.kind == TokenKind::kQuoted;
  if (is_symbol(right, "::")) return ends_operand(left);
  if (is_symbol(right, "(")) {
    return left.kind == TokenKind::kQuoted || (left.kind == TokenKind::kWord && !is_clause_word(left));
  }
  if (is_symbol(right, "[")) return ends_operand(left) && left.kind != TokenKind::kNumber;
  if (is_sign(left) && right.kind == TokenKind::kNumber) return before == nullptr || !ends_operand(*before);
  return false;
}

}  // namespace

std::string normalize(std::string_view sql) {
  std::string text;
  std::string brackets;  // the open parentheses and brackets
  Token before, left, right;
  std::size_t seen = 0;
  Scanner scanner(sql);
  for (; scanner.next(right); before = left, left = right, ++seen) {
    const std::string_view gap =
        seen == 0 ? std::string_view() : sql.substr(left.span.end, right.span.start - left.span.end);
    const bool texts = left.kind == TokenKind::kString && right.kind == TokenKind::kString;
    const bool in_name = !brackets.empty() && brackets.back() == '[' && left.kind != TokenKind::kSymbol &&
                         right.kind != TokenKind::kSymbol;
    if (seen == 0) {
      text.reserve(std::min(sql.size(), std::size_t{1} << 16U));
    } else if (in_name) {
      text += gap;
    } else if (texts && gap.find_first_of("\r\n") != std::string_view::npos) {
      text += '\n';
    } else if (!joined(seen > 1 ? &before : nullptr, left, right) && !is_symbol(right, ";")) {
      text += ' ';
    }
    text += right.text;
    if (right.kind != TokenKind::kSymbol) continue;
    const char first = right.text.front();
    if (first == '(' || first == '[' || first == '{') brackets += first;
    if ((first == ')' || first == ']' || first == '}') && !brackets.empty()) brackets.pop_back();
  }
  while (is_symbol(left, ";") && !text.empty() && text.back() == ';') text.pop_back();
  return text;
}

}  // namespace candor::sql
