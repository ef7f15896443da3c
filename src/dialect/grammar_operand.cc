// Operands: arithmetic, literals, columns, parentheses, CASE, intervals, casts.
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

using sql::TokenKind;

ExprPtr Grammar::concatenation() {
  Chain chain(*this);
  ExprPtr left = sum();
  while (left != nullptr && accept_symbol("||")) {
    if (!chain.grow()) return nullptr;
    left = binary(Op::kConcat, std::move(left), sum());
  }
  return left;
}

ExprPtr Grammar::sum() {
  Chain chain(*this);
  ExprPtr left = product();
  while (left != nullptr && (at_symbol("+") || at_symbol("-"))) {
    if (!chain.grow()) return nullptr;
    const Op op = at_symbol("+") ? Op::kAdd : Op::kSubtract;
    (void)take();
    left = binary(op, std::move(left), product());
  }
  return left;
}

ExprPtr Grammar::product() {
  Chain chain(*this);
  ExprPtr left = unary();
  while (left != nullptr) {
    Op op = Op::kNone;
    if (at_symbol("*")) op = Op::kMultiply;
    if (at_symbol("/")) op = Op::kDivide;
    if (at_symbol("//") || at_word("div")) op = Op::kDivideInteger;
    if (at_symbol("%") || at_word("mod")) op = Op::kModulo;
    if (op == Op::kNone) break;
    if (!chain.grow()) return nullptr;
    (void)take();
    left = binary(op, std::move(left), unary());
  }
  return left;
}

ExprPtr Grammar::unary() {
  const bool minus = at_symbol("-");
  if (!minus && !at_symbol("+")) return postfix();
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  (void)take();
  ExprPtr child = unary();
  if (child == nullptr || !minus) return child;
  const bool literal = child->kind == ExprKind::kLiteral && !child->grouped && !child->text.starts_with('-') &&
                       (child->literal == LiteralKind::kInteger || child->literal == LiteralKind::kDecimal ||
                        child->literal == LiteralKind::kReal);
  if (literal) {
    child->text.insert(0, 1, '-');
    child->span = span_from(first);
    return child;
  }
  ExprPtr expr = make(ExprKind::kUnary, first);
  if (expr == nullptr) return nullptr;
  expr->op = Op::kNegate;
  expr->children.push_back(std::move(child));
  return expr;
}

ExprPtr Grammar::postfix() {
  const std::size_t first = position_;
  Chain chain(*this);
  ExprPtr child = primary();
  while (child != nullptr && accept_symbol("::")) {
    if (!chain.grow()) return nullptr;
    ExprPtr cast = make(ExprKind::kCast, first);
    if (cast == nullptr || !type_name(cast->text)) return nullptr;
    cast->span = span_from(first);
    cast->children.push_back(std::move(child));
    child = std::move(cast);
  }
  if (child != nullptr && at_symbol("[") && peek().span.start == child->span.end) {
    (void)unsupported_here("an element of an array by its place", "UNNEST the array, or ask 'x' = ANY(array)");
    return nullptr;
  }
  if (child != nullptr && at_word("at") && at_word("time", 1)) {
    (void)unsupported_here("AT TIME ZONE", "times are UTC; add an INTERVAL");
    return nullptr;
  }
  return child;
}

ExprPtr Grammar::primary() {
  switch (peek().kind) {
    case TokenKind::kNumber:
      if (!at_end()) return number();
      break;
    case TokenKind::kString: {
      const std::size_t first = position_;
      const sql::Token& token = take();
      if (!token.text.starts_with('\'')) {
        (void)unsupported(token.span, "this form of a text", "write the text in single quotes, a quote in it doubled");
        return nullptr;
      }
      ExprPtr text = make(ExprKind::kLiteral, first);
      if (text == nullptr) return nullptr;
      text->literal = LiteralKind::kText;
      text->text = sql::identifier(token);
      return text;
    }
    case TokenKind::kParameter:
      (void)unsupported_here("a parameter", "write the value itself");
      return nullptr;
    case TokenKind::kQuoted:
      return column();
    case TokenKind::kWord:
      return word_primary();
    case TokenKind::kSymbol:
      break;
  }
  if (at_symbol("(")) return parenthesis();
  if (at_symbol("[")) return bracket();
  (void)expected("a value, a column or '('");
  return nullptr;
}

ExprPtr Grammar::number() {
  const std::size_t first = position_;
  const bool minus = accept_symbol("-");
  if (peek().kind != TokenKind::kNumber || at_end()) {
    (void)expected("a number");
    return nullptr;
  }
  std::string digits(take().text);
  std::erase(digits, '_');
  ExprPtr expr = make(ExprKind::kLiteral, first);
  if (expr == nullptr) return nullptr;
  const bool hex = digits.starts_with("0x") || digits.starts_with("0X");
  // "7days" and "0x1F" are read in two parts by some systems.
  const bool glued = !at_end() && peek().kind == TokenKind::kWord && peek().span.start == expr->span.end;
  if (hex || glued) {
    (void)unsupported(expr->span, "this form of a number", "write it in decimal digits");
    return nullptr;
  }
  const bool real = digits.find_first_of("eE") != std::string::npos;
  const bool point = digits.find('.') != std::string::npos;
  expr->literal = real ? LiteralKind::kReal : point ? LiteralKind::kDecimal : LiteralKind::kInteger;
  if (digits.starts_with('.')) digits.insert(0, 1, '0');
  if (digits.ends_with('.')) digits.pop_back();
  expr->text = (minus ? "-" : "") + digits;
  return expr;
}

ExprPtr Grammar::parenthesis() {
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  (void)take();
  if (at_word("select") || at_word("with")) {
    ExprPtr expr = make(ExprKind::kSubquery, first);
    if (expr == nullptr) return nullptr;
    expr->select = subquery();
    if (expr->select == nullptr) return nullptr;
    expr->span = span_from(first);
    return expr;
  }
  ExprPtr list = make(ExprKind::kList, first);
  if (list == nullptr) return nullptr;
  if (accept_symbol(")")) {
    list->span = span_from(first);
    return list;
  }
  if (!expression_list(list->children, ")")) return nullptr;
  if (list->children.size() == 1) {
    ExprPtr child = std::move(list->children.front());
    child->grouped = true;
    return child;
  }
  list->span = span_from(first);
  return list;
}

// [a, b] is an array; [name] a name in the brackets of another system.
ExprPtr Grammar::bracket() {
  const std::size_t first = position_;
  const bool name = peek(1).kind == TokenKind::kWord && at_symbol("]", 2);
  if (name) {
    Span span{peek().span.start, peek(2).span.end};
    (void)take();
    Name written{std::string(take().text), span, false};
    (void)take();
    note_read_as(span, "\"" + written.text + "\"", "quoted-name");
    ExprPtr expr = make(ExprKind::kColumn, first);
    if (expr == nullptr) return nullptr;
    expr->names.push_back(std::move(written));
    return expr;
  }
  return array_elements(first);
}

// The bracket is still to be taken.
ExprPtr Grammar::array_elements(std::size_t first) {
  const Level level(*this);
  if (!level) return nullptr;
  (void)take();
  ExprPtr list = make(ExprKind::kList, first);
  if (list == nullptr) return nullptr;
  list->grouped = true;
  if (!accept_symbol("]") && !expression_list(list->children, "]")) return nullptr;
  list->span = span_from(first);
  return list;
}

ExprPtr Grammar::word_primary() {
  const std::size_t first = position_;
  const auto literal = [&](LiteralKind kind, std::string text) {
    (void)take();
    ExprPtr expr = make(ExprKind::kLiteral, first);
    if (expr != nullptr) {
      expr->literal = kind;
      expr->text = std::move(text);
    }
    return expr;
  };
  if (at_word("null")) return literal(LiteralKind::kNull, "");
  if (at_word("true")) return literal(LiteralKind::kBoolean, "true");
  if (at_word("false")) return literal(LiteralKind::kBoolean, "false");
  const bool before_text = peek(1).kind == TokenKind::kString && peek(1).text.starts_with('\'');
  const bool date = at_word("date");
  if (before_text && (date || at_word("timestamp") || at_word("datetime"))) {
    (void)take();
    std::string text = sql::identifier(peek());
    return literal(date ? LiteralKind::kDate : LiteralKind::kDatetime, std::move(text));
  }
  if (at_word("interval")) return interval();
  if (at_word("case")) return case_expression();
  if (at_word("exists") && at_symbol("(", 1)) {
    (void)take();
    (void)take();
    ExprPtr expr = make(ExprKind::kExists, first);
    if (expr == nullptr) return nullptr;
    expr->select = subquery();
    if (expr->select == nullptr) return nullptr;
    expr->span = span_from(first);
    return expr;
  }
  if (at_word("array") && at_symbol("[", 1)) {
    (void)take();
    return array_elements(first);
  }
  if (at_symbol("(", 1) && (at_word("any") || at_word("some") || at_word("all"))) {
    (void)unsupported_here(std::string(peek().text) + " on the left", "write the value first: 'a' = ANY(array)");
    return nullptr;
  }
  const bool keyword = at_reserved() && !at_word("cast") && !at_word("left") && !at_word("right") && !at_word("unnest");
  const bool call = (at_symbol("(", 1) && !keyword) || at_word("current_date") || at_word("current_timestamp") ||
                    at_word("localtimestamp") || at_word("current_time");
  return call ? function() : column();
}

ExprPtr Grammar::column() {
  const std::size_t first = position_;
  ExprPtr expr = make(ExprKind::kColumn, first);
  if (expr == nullptr || !take_names(expr->names, "a column")) return nullptr;
  expr->span = span_from(first);
  return expr;
}

ExprPtr Grammar::case_expression() {
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  (void)take();
  ExprPtr expr = make(ExprKind::kCase, first);
  if (expr == nullptr) return nullptr;
  if (!at_word("when")) {
    ExprPtr operand = expression();
    if (operand == nullptr) return nullptr;
    expr->has_operand = true;
    expr->children.push_back(std::move(operand));
  }
  if (!at_word("when")) return expected("WHEN after CASE"), nullptr;
  while (accept_word("when")) {
    ExprPtr when = expression();
    if (when == nullptr || !expect_word("then", "after WHEN")) return nullptr;
    ExprPtr then = expression();
    if (then == nullptr) return nullptr;
    expr->children.push_back(std::move(when));
    expr->children.push_back(std::move(then));
  }
  if (accept_word("else")) {
    ExprPtr otherwise = expression();
    if (otherwise == nullptr) return nullptr;
    expr->has_else = true;
    expr->children.push_back(std::move(otherwise));
  }
  if (!expect_word("end", "at the end of CASE")) return nullptr;
  expr->span = span_from(first);
  return expr;
}

// INTERVAL '7 days', INTERVAL '7' DAY, INTERVAL 7 DAY.
ExprPtr Grammar::interval() {
  const std::size_t first = position_;
  (void)take();
  const bool quoted = peek().kind == TokenKind::kString;
  std::string number;
  std::string unit;
  if (quoted) {
    const std::string text = sql::identifier(take());
    const std::size_t blank = text.find_first_of(" \t");
    number = text.substr(0, blank);
    if (blank != std::string::npos) unit = text.substr(text.find_last_of(" \t") + 1);
    if (blank != std::string::npos && text.find_first_of(" \t") != text.find_last_of(" \t")) number.clear();
  } else if (peek().kind == TokenKind::kNumber || at_symbol("-")) {
    const bool minus = accept_symbol("-");
    number = (minus ? "-" : "") + std::string(take().text);
  }
  Span span = span_from(first);
  if (unit.empty() && peek().kind == TokenKind::kWord && !number.empty()) unit = std::string(take().text);
  unit = lower_ascii(unit);
  if (unit.size() > 1 && unit.ends_with('s')) unit.pop_back();
  const bool digits = !number.empty() &&
                      number.find_first_not_of("0123456789", number[0] == '-' ? 1 : 0) == std::string::npos &&
                      number.size() <= 9 && number != "-";
  span = span_from(first);
  constexpr std::string_view kUnits[] = {"second", "minute", "hour", "day", "week", "month", "quarter", "year"};
  bool known = false;
  for (const std::string_view one : kUnits) known = known || one == unit;
  if (!digits || !known) {
    (void)unsupported(span, "this INTERVAL", "write one whole number and one unit: INTERVAL '7 days'");
    return nullptr;
  }
  ExprPtr expr = make(ExprKind::kInterval, first);
  if (expr == nullptr) return nullptr;
  expr->text = number;
  expr->names.push_back({unit, span, false});
  return expr;
}

bool Grammar::expression_list(std::vector<ExprPtr>& list, std::string_view close) {
  do {
    ExprPtr expr = expression();
    if (expr == nullptr) return false;
    list.push_back(std::move(expr));
  } while (accept_symbol(","));
  return close.empty() || expect_symbol(close, "after the list");
}

}  // namespace candor::dialect
