// What a condition is for every row, judged from its text alone: constants, a column equal to itself, a column that is
// never NULL compared with NULL, and AND, OR, NOT over these.
#include "bind/truth.h"

#include <algorithm>
#include <optional>

#include "bind/binding.h"

namespace candor::bind {

std::optional<int> order_of_values(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<double> {
    if (value.kind == CellKind::kInteger) return static_cast<double>(value.integer);
    if (value.kind == CellKind::kReal64 || value.kind == CellKind::kDecimal) return value.real;
    return std::nullopt;
  };
  if (a.kind == CellKind::kInteger && b.kind == CellKind::kInteger)
    return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  if (const auto x = number(a), y = number(b); x && y) {
    // As doubles two decimals can be equal that differ beyond their digits.
    const bool unsure = *x == *y && a.kind == CellKind::kDecimal && b.kind == CellKind::kDecimal && a.text != b.text;
    if (unsure) return std::nullopt;
    return *x < *y ? -1 : *x > *y ? 1 : 0;
  }
  if (a.kind == CellKind::kBoolean && b.kind == CellKind::kBoolean) return static_cast<int>(a.integer - b.integer);
  const bool texts =
      a.kind == b.kind && (a.kind == CellKind::kText || a.kind == CellKind::kTemporal || a.kind == CellKind::kOther);
  if (!texts) return std::nullopt;
  const int order = a.text.compare(b.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

namespace {

std::optional<bool> compare_truth(const BoundExpr& expr) {
  const BoundExpr& a = *expr.children[0];
  const BoundExpr& b = *expr.children[1];
  std::optional<int> order;
  if (a.kind == BoundKind::kLiteral && b.kind == BoundKind::kLiteral) {
    if (a.value.is_null() || b.value.is_null()) return std::nullopt;
    order = order_of_values(a.value, b.value);
  } else if (a.kind == BoundKind::kColumn && same_expr(a, b)) {
    order = 0;  // a column equals itself wherever it is known
  }
  if (!order) return std::nullopt;
  switch (expr.op) {
    case Op::kEqual:
    case Op::kNotDistinct:
      return *order == 0;
    case Op::kNotEqual:
    case Op::kDistinct:
      return *order != 0;
    case Op::kLess:
      return *order < 0;
    case Op::kLessEqual:
      return *order <= 0;
    case Op::kGreater:
      return *order > 0;
    case Op::kGreaterEqual:
      return *order >= 0;
    default:
      return std::nullopt;
  }
}

bool reads_a_row(const BoundExpr& expr) {
  return expr.kind == BoundKind::kColumn || expr.select != nullptr ||
         std::ranges::any_of(expr.children, [](const BoundPtr& child) { return reads_a_row(*child); });
}

std::optional<bool> asked(const BoundExpr& condition, const Evaluate& evaluate) {
  return evaluate && !reads_a_row(condition) ? evaluate(condition) : std::nullopt;
}

// x BETWEEN 5 AND 1.
bool empty_range(const BoundExpr& between) {
  const BoundExpr& low = *between.children[1];
  const BoundExpr& high = *between.children[2];
  if (low.kind != BoundKind::kLiteral || high.kind != BoundKind::kLiteral) return false;
  const std::optional<int> order = order_of_values(low.value, high.value);
  return order && *order > 0;
}

// x LIKE '%' of what is never NULL.
bool matches_anything(const BoundExpr& like) {
  const BoundExpr& pattern = *like.children[1];
  return !like.children[0]->nullable && pattern.kind == BoundKind::kLiteral && !pattern.value.text.empty() &&
         pattern.value.text.find_first_not_of('%') == std::string::npos && like.text != "%";
}

}  // namespace

std::optional<bool> constant_truth(const BoundExpr& condition, const Evaluate& evaluate) {
  switch (condition.kind) {
    case BoundKind::kLiteral:
      if (condition.value.kind == CellKind::kBoolean) return condition.value.integer != 0;
      return std::nullopt;
    case BoundKind::kNot: {
      const std::optional<bool> inner = constant_truth(*condition.children[0], evaluate);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    case BoundKind::kAnd:
    case BoundKind::kOr: {
      const bool decides = condition.kind == BoundKind::kOr;
      bool all_known = true;
      for (const BoundPtr& child : condition.children) {
        const std::optional<bool> known = constant_truth(*child, evaluate);
        if (known && *known == decides) return decides;
        all_known = all_known && known.has_value();
      }
      if (all_known) return !decides;
      return pointless_pair(condition) ? std::optional(decides) : std::nullopt;
    }
    case BoundKind::kCompare:
      if (const std::optional<bool> known = compare_truth(condition)) return known;
      return asked(condition, evaluate);
    case BoundKind::kArrayEqual:
      if (condition.children[0]->kind == BoundKind::kColumn &&
          same_expr(*condition.children[0], *condition.children[1]))
        return true;
      return std::nullopt;
    case BoundKind::kBetween:
      if (empty_range(condition)) return false;
      return asked(condition, evaluate);
    case BoundKind::kLike:
      if (matches_anything(condition)) return true;
      return asked(condition, evaluate);
    case BoundKind::kIsNull: {
      const BoundExpr& child = *condition.children[0];
      if (child.kind == BoundKind::kLiteral) return child.value.is_null();
      return child.nullable ? std::nullopt : std::optional(false);
    }
    case BoundKind::kIsTruth: {
      const std::optional<bool> inner = constant_truth(*condition.children[0], evaluate);
      return inner ? std::optional(*inner == condition.truth) : std::nullopt;
    }
    default:
      return asked(condition, evaluate);
  }
}

}  // namespace candor::bind
