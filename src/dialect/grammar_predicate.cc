// Predicates: OR, AND, NOT, and everything that compares.
#include <utility>

#include "base/ascii.h"
#include "dialect/grammar.h"

namespace candor::dialect {

using sql::TokenKind;

ExprPtr Grammar::make(ExprKind kind, std::size_t first) {
  if (!count_node()) return nullptr;
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->span = span_from(first);
  return expr;
}

// ANDs and ORs take their terms side by side, so that a long chain is no deep tree.
ExprPtr Grammar::binary(Op op, ExprPtr left, ExprPtr right) {
  if (left == nullptr || right == nullptr || !count_node()) return nullptr;
  const bool chain =
      (op == Op::kAnd || op == Op::kOr) && left->kind == ExprKind::kBinary && left->op == op && !left->grouped;
  const Span span{left->span.start, right->span.end};
  if (chain) {
    left->children.push_back(std::move(right));
    left->span = span;
    return left;
  }
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kBinary;
  expr->op = op;
  expr->span = span;
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(right));
  return expr;
}

ExprPtr Grammar::expression() {
  ExprPtr left = and_expression();
  while (left != nullptr && accept_word("or")) left = binary(Op::kOr, std::move(left), and_expression());
  return left;
}

ExprPtr Grammar::and_expression() {
  ExprPtr left = not_expression();
  while (left != nullptr && accept_word("and")) left = binary(Op::kAnd, std::move(left), not_expression());
  return left;
}

ExprPtr Grammar::not_expression() {
  if (!at_word("not")) return predicate();
  const Level level(*this);
  if (!level) return nullptr;
  const std::size_t first = position_;
  (void)take();
  ExprPtr child = not_expression();
  if (child == nullptr) return nullptr;
  if (child->kind == ExprKind::kExists && !child->grouped) {
    child->negated = !child->negated;
    child->span = span_from(first);
    return child;
  }
  ExprPtr expr = make(ExprKind::kUnary, first);
  if (expr == nullptr) return nullptr;
  expr->op = Op::kNot;
  expr->children.push_back(std::move(child));
  return expr;
}

ExprPtr Grammar::predicate() {
  Chain chain(*this);
  ExprPtr left = concatenation();
  while (left != nullptr && !at_end()) {
    const std::size_t before = position_;
    left = comparison(std::move(left));
    if (position_ == before) break;
    if (!chain.grow()) return nullptr;
  }
  return left;
}

std::optional<Op> Grammar::comparison_operator() const {
  const sql::Token& token = peek();
  if (token.kind == TokenKind::kSymbol) {
    if (token.text == "=" || token.text == "==") return Op::kEqual;
    if (token.text == "<>" || token.text == "!=") return Op::kNotEqual;
    if (token.text == "<") return Op::kLess;
    if (token.text == "<=") return Op::kLessEqual;
    if (token.text == ">") return Op::kGreater;
    if (token.text == ">=") return Op::kGreaterEqual;
    if (token.text == "<=>") return Op::kNotDistinct;
    if (token.text == "&&") return Op::kOverlap;
    if (token.text == "@>") return Op::kContains;
    return std::nullopt;
  }
  if (at_word("overlap") || at_word("overlaps")) return Op::kOverlap;
  if (at_word("contains")) return Op::kContains;
  return std::nullopt;
}

ExprPtr Grammar::comparison(ExprPtr left) {
  if (const std::optional<Op> op = comparison_operator()) {
    if (left->kind == ExprKind::kBinary && is_comparison(left->op) && !left->grouped) {
      (void)unsupported_here("a chain of comparisons", "write a < b AND b < c");
      return nullptr;
    }
    (void)take();
    if (at_word("any") || at_word("some") || at_word("all")) return quantified(std::move(left), *op);
    return binary(*op, std::move(left), concatenation());
  }
  if (at_symbol("<@")) {
    (void)take();
    ExprPtr right = concatenation();
    return binary(Op::kContains, std::move(right), std::move(left));
  }
  if (at_word("is")) return is_predicate(std::move(left));
  if (at_word("isnull") || at_word("notnull")) {
    const std::size_t at = position_;
    ExprPtr expr = make(ExprKind::kIs, at);
    if (expr == nullptr) return nullptr;
    expr->negated = at_word("notnull");
    (void)take();
    expr->span = {left->span.start, span_from(at).end};
    expr->children.push_back(std::move(left));
    return expr;
  }
  const bool negated = at_word("not");
  const std::size_t ahead = negated ? 1 : 0;
  const auto at = [&](std::string_view word) { return at_word(word, ahead); };
  if (!at("in") && !at("like") && !at("ilike") && !at("between") && !at("overlap") && !at("contains")) {
    for (const std::string_view word : {"similar", "rlike", "regexp", "glob", "match", "collate"}) {
      if (at(word)) {
        (void)unsupported_here(
            word == "collate" ? "COLLATE" : "a regular expression",
            word == "collate" ? "write LOWER(column), or ILIKE" : "write LIKE, ILIKE, or MATCH(column, 'text')");
        return nullptr;
      }
    }
    const bool regular = at_symbol("~") || at_symbol("~*") || at_symbol("!~") || at_symbol("!~*");
    const bool path = at_symbol("->") || at_symbol("->>") || at_symbol("#>");
    if (regular) (void)unsupported_here("a regular expression", "write LIKE, ILIKE, or MATCH(column, 'text')");
    if (path) (void)unsupported_here("a path into JSON", "read the column whole and look into it");
    return regular || path ? nullptr : std::move(left);
  }
  if (negated) (void)take();
  if (at_word("in")) return in_predicate(std::move(left), negated);
  if (at_word("between")) return between_predicate(std::move(left), negated);
  if (at_word("like") || at_word("ilike")) return like_predicate(std::move(left), negated);
  const Op op = at_word("overlap") ? Op::kOverlap : Op::kContains;
  (void)take();
  ExprPtr positive = binary(op, std::move(left), concatenation());
  if (positive == nullptr) return nullptr;
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kUnary;
  expr->op = Op::kNot;
  expr->span = positive->span;
  expr->children.push_back(std::move(positive));
  return expr;
}

// x = ANY (array) and x <> ALL (array).
ExprPtr Grammar::quantified(ExprPtr left, Op op) {
  const bool all = at_word("all");
  const Span word = peek().span;
  (void)take();
  if (!expect_symbol("(", "after ANY or ALL")) return nullptr;
  const bool select = at_word("select") || at_word("with");
  const bool fits = (op == Op::kEqual && !all) || (op == Op::kNotEqual && all);
  if (!fits) {
    (void)unsupported(word, all ? "this comparison with ALL" : "this comparison with ANY",
                      "= ANY (…) and <> ALL (…) are there; else write MIN or MAX of a subquery");
    return nullptr;
  }
  auto expr = std::make_unique<Expr>();
  expr->kind = select ? ExprKind::kIn : ExprKind::kInArray;
  expr->negated = all;
  const std::size_t start = left->span.start;
  expr->children.push_back(std::move(left));
  if (select) {
    expr->select = subquery();
    if (expr->select == nullptr) return nullptr;
  } else {
    ExprPtr array = expression();
    if (array == nullptr || !expect_symbol(")", "after the array")) return nullptr;
    expr->children.push_back(std::move(array));
  }
  expr->span = {start, tokens_[position_ - 1].span.end};
  return expr;
}

ExprPtr Grammar::is_predicate(ExprPtr left) {
  (void)take();
  const bool negated = accept_word("not");
  const std::size_t start = left->span.start;
  if (accept_word("distinct")) {
    if (!expect_word("from", "after IS DISTINCT")) return nullptr;
    return binary(negated ? Op::kNotDistinct : Op::kDistinct, std::move(left), concatenation());
  }
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kIs;
  expr->negated = negated;
  if (accept_word("true")) {
    expr->literal = LiteralKind::kBoolean;
    expr->text = "true";
  } else if (accept_word("false")) {
    expr->literal = LiteralKind::kBoolean;
    expr->text = "false";
  } else if (!accept_word("unknown") && !accept_word("null")) {
    // SQLite's IS compares as IS NOT DISTINCT FROM does.
    ExprPtr right = concatenation();
    return binary(negated ? Op::kDistinct : Op::kNotDistinct, std::move(left), std::move(right));
  }
  expr->children.push_back(std::move(left));
  expr->span = {start, tokens_[position_ - 1].span.end};
  return expr;
}

ExprPtr Grammar::in_predicate(ExprPtr left, bool negated) {
  (void)take();
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kIn;
  expr->negated = negated;
  const std::size_t start = left->span.start;
  expr->children.push_back(std::move(left));
  if (!at_symbol("(")) {  // 'a' IN tags
    expr->kind = ExprKind::kInArray;
    ExprPtr array = postfix();
    if (array == nullptr) return nullptr;
    expr->children.push_back(std::move(array));
  } else {
    (void)take();
    if (at_word("select") || at_word("with")) {
      expr->select = subquery();
      if (expr->select == nullptr) return nullptr;
    } else if (!at_symbol(")")) {
      if (!expression_list(expr->children, ")")) return nullptr;
    } else {
      (void)take();
    }
  }
  expr->span = {start, tokens_[position_ - 1].span.end};
  return expr;
}

ExprPtr Grammar::like_predicate(ExprPtr left, bool negated) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kLike;
  expr->fold = at_word("ilike");
  expr->negated = negated;
  (void)take();
  if (at_word("any") || at_word("all") || at_word("some")) {
    (void)unsupported_here("LIKE ANY", "write one LIKE for each pattern, with OR between them");
    return nullptr;
  }
  const std::size_t start = left->span.start;
  ExprPtr pattern = concatenation();
  if (pattern == nullptr) return nullptr;
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(pattern));
  if (accept_word("escape")) {
    ExprPtr escape = primary();
    if (escape == nullptr) return nullptr;
    expr->children.push_back(std::move(escape));
  }
  expr->span = {start, tokens_[position_ - 1].span.end};
  return expr;
}

ExprPtr Grammar::between_predicate(ExprPtr left, bool negated) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kBetween;
  expr->negated = negated;
  (void)take();
  if (at_word("symmetric")) {
    (void)unsupported_here("BETWEEN SYMMETRIC", "write BETWEEN with the lower end first");
    return nullptr;
  }
  const std::size_t start = left->span.start;
  ExprPtr low = concatenation();
  if (low == nullptr || !expect_word("and", "and the upper end of BETWEEN")) return nullptr;
  ExprPtr high = concatenation();
  if (high == nullptr) return nullptr;
  expr->span = {start, high->span.end};
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(low));
  expr->children.push_back(std::move(high));
  return expr;
}

}  // namespace candor::dialect
