// Walking through plans.
#include "exec/divisors.h"

#include <algorithm>

namespace candor::exec {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;

namespace {

bool has_aggregate(const BoundExpr& expr) {
  return expr.kind == BoundKind::kAggregate ||
         std::ranges::any_of(expr.children, [](const bind::BoundPtr& child) { return has_aggregate(*child); });
}

}  // namespace

void collect_divisors(const BoundExpr& expr, Divisors& found) {
  if (expr.kind == BoundKind::kCase) return;
  const bool divides =
      expr.kind == BoundKind::kArithmetic &&
      (expr.op == bind::Op::kDivide || expr.op == bind::Op::kDivideInteger || expr.op == bind::Op::kModulo);
  if (divides && expr.children[1]->kind != BoundKind::kLiteral) found.push_back(expr.children[1].get());
  for (const bind::BoundPtr& child : expr.children) collect_divisors(*child, found);
  if (expr.condition != nullptr) collect_divisors(*expr.condition, found);
}

void collect_selects(const BoundExpr& expr, Selects& found) {
  if (expr.select != nullptr) collect_selects(*expr.select, found);
  for (const bind::BoundPtr& child : expr.children) collect_selects(*child, found);
  if (expr.condition != nullptr) collect_selects(*expr.condition, found);
  for (const bind::BoundOrder& order : expr.order) collect_selects(*order.expr, found);
}

void collect_selects(const BoundSelect& plan, Selects& found) {
  if (std::ranges::find(found, &plan) != found.end()) return;  // a common table expression that is read twice
  found.push_back(&plan);
  for (const auto& relation : plan.from) {
    if (relation->select != nullptr) collect_selects(*relation->select, found);
    if (relation->on != nullptr) collect_selects(*relation->on, found);
  }
  for (const bind::BoundItem& item : plan.items) collect_selects(*item.expr, found);
  if (plan.where != nullptr) collect_selects(*plan.where, found);
  if (plan.having != nullptr) collect_selects(*plan.having, found);
  for (const bind::BoundOrder& order : plan.order_by) collect_selects(*order.expr, found);
}

DivisorsOf::DivisorsOf(const BoundSelect& plan) {
  Divisors all;
  for (const bind::BoundItem& item : plan.items) collect_divisors(*item.expr, all);
  if (plan.having != nullptr) collect_divisors(*plan.having, all);
  for (const bind::BoundOrder& order : plan.order_by) collect_divisors(*order.expr, all);
  if (plan.where != nullptr) collect_divisors(*plan.where, where);
  for (const BoundExpr* one : all) (has_aggregate(*one) ? groups : rows).push_back(one);
}

bind::BoundWarning division_warning(bool known) {
  return {"division-by-zero",
          known ? "a division by zero is NULL here"
                : "a division by zero would be NULL here; whether there is one was not counted",
          "exclude zero, or say with COALESCE what it shall be"};
}

}  // namespace candor::exec
