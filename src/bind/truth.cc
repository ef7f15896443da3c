// What a condition is for every row, judged from its text alone: constants, a column equal to itself, a column that is
// never NULL compared with NULL, and AND, OR, NOT over these.
#include <optional>

#include "bind/binding.h"

namespace candor::bind {
namespace {

std::optional<int> order_of(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<double> {
    if (value.kind == CellKind::kInteger) return static_cast<double>(value.integer);
    if (value.kind == CellKind::kReal64 || value.kind == CellKind::kDecimal) return value.real;
    return std::nullopt;
  };
  if (a.kind == CellKind::kInteger && b.kind == CellKind::kInteger)
    return a.integer < b.integer ? -1 : a.integer > b.integer ? 1 : 0;
  if (const auto x = number(a), y = number(b); x && y) return *x < *y ? -1 : *x > *y ? 1 : 0;
  if (a.kind == CellKind::kBoolean && b.kind == CellKind::kBoolean) return static_cast<int>(a.integer - b.integer);
  const bool texts =
      a.kind == b.kind && (a.kind == CellKind::kText || a.kind == CellKind::kTemporal || a.kind == CellKind::kOther);
  if (!texts) return std::nullopt;
  const int order = a.text.compare(b.text);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

std::optional<bool> compare_truth(const BoundExpr& expr) {
  const BoundExpr& a = *expr.children[0];
  const BoundExpr& b = *expr.children[1];
  std::optional<int> order;
  if (a.kind == BoundKind::kLiteral && b.kind == BoundKind::kLiteral) {
    if (a.value.is_null() || b.value.is_null()) return std::nullopt;
    order = order_of(a.value, b.value);
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

}  // namespace

std::optional<bool> constant_truth(const BoundExpr& condition) {
  switch (condition.kind) {
    case BoundKind::kLiteral:
      if (condition.value.kind == CellKind::kBoolean) return condition.value.integer != 0;
      return std::nullopt;
    case BoundKind::kNot: {
      const std::optional<bool> inner = constant_truth(*condition.children[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    case BoundKind::kAnd:
    case BoundKind::kOr: {
      const bool decides = condition.kind == BoundKind::kOr;
      bool all_known = true;
      for (const BoundPtr& child : condition.children) {
        const std::optional<bool> known = constant_truth(*child);
        if (known && *known == decides) return decides;
        all_known = all_known && known.has_value();
      }
      return all_known ? std::optional(!decides) : std::nullopt;
    }
    case BoundKind::kCompare:
      return compare_truth(condition);
    case BoundKind::kIsNull: {
      const BoundExpr& child = *condition.children[0];
      if (child.kind == BoundKind::kLiteral) return child.value.is_null();
      return child.nullable ? std::nullopt : std::optional(false);
    }
    case BoundKind::kIsTruth: {
      const std::optional<bool> inner = constant_truth(*condition.children[0]);
      return inner ? std::optional(*inner == condition.truth) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace candor::bind
