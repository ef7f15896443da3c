// Making, copying and comparing bound expressions.
#include "bind/bound.h"

#include <algorithm>
#include <utility>

#include "bind/binding.h"

namespace candor::bind {

BoundExpr::BoundExpr() = default;
BoundExpr::BoundExpr(BoundExpr&&) noexcept = default;
BoundExpr& BoundExpr::operator=(BoundExpr&&) noexcept = default;
BoundExpr::~BoundExpr() = default;

BoundPtr make_bound(BoundKind kind, std::optional<Type> type, Span span, bool nullable) {
  auto made = std::make_unique<BoundExpr>();
  made->kind = kind;
  made->type = type;
  made->span = span;
  made->nullable = nullable;
  return made;
}

BoundPtr copy_of(const BoundExpr& expr) {
  BoundPtr made = make_bound(expr.kind, expr.type, expr.span, expr.nullable);
  made->op = expr.op;
  made->value = expr.value;
  made->relation = expr.relation;
  made->column = expr.column;
  made->function = expr.function;
  made->aggregate = expr.aggregate;
  made->text = expr.text;
  made->months = expr.months;
  made->days = expr.days;
  made->microseconds = expr.microseconds;
  made->distinct = expr.distinct;
  made->fold = expr.fold;
  made->truth = expr.truth;
  for (const BoundPtr& child : expr.children) made->children.push_back(copy_of(*child));
  for (const BoundOrder& order : expr.order)
    made->order.push_back({copy_of(*order.expr), order.descending, order.nulls_first});
  if (expr.condition != nullptr) made->condition = copy_of(*expr.condition);
  return made;
}

bool same_expr(const BoundExpr& a, const BoundExpr& b) {
  // Two subqueries are never taken for the same: looking into them is not worth it.
  if (a.select != nullptr || b.select != nullptr) return false;
  const bool flat = a.kind == b.kind && a.op == b.op && a.value == b.value && a.relation == b.relation &&
                    a.column == b.column && a.function == b.function && a.aggregate == b.aggregate &&
                    a.text == b.text && a.months == b.months && a.days == b.days && a.microseconds == b.microseconds &&
                    a.distinct == b.distinct && a.fold == b.fold && a.truth == b.truth && a.type == b.type;
  if (!flat || a.children.size() != b.children.size() || a.order.size() != b.order.size() ||
      (a.condition == nullptr) != (b.condition == nullptr)) {
    return false;
  }
  if (a.condition != nullptr && !same_expr(*a.condition, *b.condition)) return false;
  const bool ordered = std::ranges::equal(a.order, b.order, [](const BoundOrder& x, const BoundOrder& y) {
    return x.descending == y.descending && x.nulls_first == y.nulls_first && same_expr(*x.expr, *y.expr);
  });
  return ordered && std::ranges::equal(a.children, b.children,
                                       [](const BoundPtr& x, const BoundPtr& y) { return same_expr(*x, *y); });
}

bool is_number(std::optional<Type> type) {
  return type == Type::kInteger || type == Type::kNumber || type == Type::kDecimal;
}

bool is_time(std::optional<Type> type) { return type == Type::kDate || type == Type::kDatetime; }

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace candor::bind
