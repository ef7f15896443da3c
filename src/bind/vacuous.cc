// Conditions that say nothing: parts of a WHERE, ON or HAVING that are true or false whatever the row, and parts beside one
// another of which one makes the other pointless. They are answered, with a warning: an agent that wrote one meant another.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/binding.h"
#include "bind/truth.h"

namespace candor::bind {
namespace {

bool has_capital(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}
bool has_small(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

// LOWER(x) = 'Done': what no text in that case can be. ASCII alone: of other letters the engine says what their case is.
bool wrong_case(const BoundExpr& folded, const BoundExpr& literal) {
  if (folded.kind != BoundKind::kFunction || literal.kind != BoundKind::kLiteral) return false;
  if (folded.function == Function::kLower) return has_capital(literal.value.text);
  return folded.function == Function::kUpper && has_small(literal.value.text);
}

std::optional<std::string> never_in_this_case(const BoundExpr& condition) {
  const bool equality = condition.kind == BoundKind::kCompare && condition.op == Op::kEqual;
  const bool like = condition.kind == BoundKind::kLike && !condition.fold;
  if (!equality && !like && condition.kind != BoundKind::kIn) return std::nullopt;
  const auto& parts = condition.children;
  const bool wrong = wrong_case(*parts[0], *parts[1]) || (equality && wrong_case(*parts[1], *parts[0]));
  if (!wrong) return std::nullopt;
  const BoundExpr& folded = parts[0]->kind == BoundKind::kFunction ? *parts[0] : *parts[1];
  return folded.function == Function::kLower ? "write the text in lower case" : "write the text in capitals";
}

// A comparison of one expression with a literal: which values are left by it.
struct Bounds {
  const BoundExpr* condition = nullptr;
  Op op = Op::kNone;
  const Value* value = nullptr;
};

Op mirrored(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreater:
      return Op::kLess;
    case Op::kGreaterEqual:
      return Op::kLessEqual;
    default:
      return op;
  }
}

bool lies(int order, Op op) {
  switch (op) {
    case Op::kEqual:
      return order == 0;
    case Op::kNotEqual:
      return order != 0;
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

bool is_below(Op op) { return op == Op::kLess || op == Op::kLessEqual; }
bool is_above(Op op) { return op == Op::kGreater || op == Op::kGreaterEqual; }

// Whether no value fulfils both.
bool exclude_each_other(const Bounds& a, const Bounds& b) {
  const std::optional<int> order = order_of_values(*a.value, *b.value);
  if (!order) return false;
  if (a.op == Op::kEqual) return !lies(*order, b.op);
  if (b.op == Op::kEqual) return !lies(-*order, a.op);
  const bool touching =
      *order == 0 && (a.op == Op::kLess || a.op == Op::kGreater || b.op == Op::kLess || b.op == Op::kGreater);
  if (is_below(a.op) && is_above(b.op)) return *order < 0 || touching;
  if (is_above(a.op) && is_below(b.op)) return *order > 0 || touching;
  return false;
}

// Whether each value fulfils one of them: no value fulfils the opposites of both.
bool cover_everything(Bounds a, Bounds b) {
  const auto opposite = [](Op op) {
    switch (op) {
      case Op::kEqual:
        return Op::kNotEqual;
      case Op::kNotEqual:
        return Op::kEqual;
      case Op::kLess:
        return Op::kGreaterEqual;
      case Op::kLessEqual:
        return Op::kGreater;
      case Op::kGreater:
        return Op::kLessEqual;
      default:
        return Op::kLess;
    }
  };
  a.op = opposite(a.op);
  b.op = opposite(b.op);
  return exclude_each_other(a, b);
}

std::optional<std::pair<std::size_t, std::size_t>> column_with_literal(const BoundExpr& condition, Bounds& bounds) {
  const bool comparison =
      condition.kind == BoundKind::kCompare && condition.op != Op::kDistinct && condition.op != Op::kNotDistinct;
  if (!comparison) return std::nullopt;
  const BoundExpr* column = condition.children[0].get();
  const BoundExpr* literal = condition.children[1].get();
  bounds = {&condition, condition.op, nullptr};
  if (column->kind != BoundKind::kColumn) {
    std::swap(column, literal);
    bounds.op = mirrored(bounds.op);
  }
  if (column->kind != BoundKind::kColumn || literal->kind != BoundKind::kLiteral || literal->value.is_null())
    return std::nullopt;
  bounds.value = &literal->value;
  return std::pair(column->relation, column->column);
}

}  // namespace

std::optional<PartPair> pointless_pair(const BoundExpr& condition) {
  const bool all = condition.kind == BoundKind::kAnd;
  if (!all && condition.kind != BoundKind::kOr) return std::nullopt;
  constexpr std::size_t kComparedMax =
      8;  // of one column; more are a list of values, and all pairs of it cost too much
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Bounds>> columns;
  for (const BoundPtr& child : condition.children) {
    Bounds one;
    const auto column = column_with_literal(*child, one);
    if (!column) continue;
    std::vector<Bounds>& others = columns[*column];
    for (const Bounds& other : others) {
      if (all ? exclude_each_other(other, one) : cover_everything(other, one))
        return PartPair{other.condition, one.condition};
    }
    if (others.size() < kComparedMax) others.push_back(one);
  }
  return std::nullopt;
}

// Tells the parts that decide by themselves; of NOT and of parts that were told already nothing more.
void Binding::warn_vacuous(const BoundExpr& condition) {
  const auto constant = [&](std::string_view what, std::string hint) {
    warn("constant-predicate", "'" + short_text_of(condition.span) + "' is " + std::string(what), std::move(hint));
  };
  if (condition.kind == BoundKind::kAnd || condition.kind == BoundKind::kOr) {
    for (const BoundPtr& child : condition.children) warn_vacuous(*child);
    const std::optional<PartPair> pair = pointless_pair(condition);
    if (!pair) return;
    const std::string both =
        "'" + short_text_of(pair->first->span) + "' and '" + short_text_of(pair->second->span) + "'";
    if (condition.kind == BoundKind::kAnd) {
      warn("constant-predicate", both + " are never true of one row", "write OR, or IN for one of several values");
    } else {
      warn("constant-predicate", "one of " + both + " is true for every value",
           "write AND, or NOT IN to leave out several values");
    }
    return;
  }
  if (const auto hint = never_in_this_case(condition)) return constant("never true", *hint);
  const std::optional<bool> truth = constant_truth(condition);
  const BoundExpr& inner = condition.kind == BoundKind::kNot ? *condition.children[0] : condition;
  const bool told = inner.kind == BoundKind::kIsNull && inner.children[0]->kind == BoundKind::kColumn;
  if (!truth || told) return;
  const bool of_known = condition.nullable;
  constant(!*truth    ? "true for no row"
           : of_known ? "true for every row but those with NULL"
                      : "true for every row",
           "leave it out, or compare with a column");
}

}  // namespace candor::bind
