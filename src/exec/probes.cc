// The questions, each a plan of its own lowered like any other.
#include "exec/probes.h"

#include <algorithm>

#include "exec/near_values.h"
#include "exec/questions.h"

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;

// A result that says "nothing": no rows, or one row of counts of zero and NULLs.
bool says_nothing(const Outcome& outcome) {
  if (outcome.rows.empty()) return true;
  return outcome.rows.size() == 1 && std::ranges::all_of(outcome.rows.front(), [](const Value& value) {
           return value.is_null() || (value.kind == CellKind::kInteger && value.integer == 0);
         });
}

using Divisors = std::vector<const BoundExpr*>;

bool has_aggregate(const BoundExpr& expr) {
  return expr.kind == BoundKind::kAggregate ||
         std::ranges::any_of(expr.children, [](const bind::BoundPtr& child) { return has_aggregate(*child); });
}

// Divisors that may be zero. Behind a CASE the author has thought of it.
void collect_divisors(const BoundExpr& expr, Divisors& found) {
  if (expr.kind == BoundKind::kCase) return;
  const bool divides =
      expr.kind == BoundKind::kArithmetic &&
      (expr.op == bind::Op::kDivide || expr.op == bind::Op::kDivideInteger || expr.op == bind::Op::kModulo);
  if (divides && expr.children[1]->kind != BoundKind::kLiteral) found.push_back(expr.children[1].get());
  for (const bind::BoundPtr& child : expr.children) collect_divisors(*child, found);
  if (expr.condition != nullptr) collect_divisors(*expr.condition, found);
}

void warn_division(const BoundSelect& plan, const Questions& questions, Outcome& outcome) {
  Divisors all;
  Divisors of_where;
  for (const bind::BoundItem& item : plan.items) collect_divisors(*item.expr, all);
  if (plan.having != nullptr) collect_divisors(*plan.having, all);
  for (const bind::BoundOrder& order : plan.order_by) collect_divisors(*order.expr, all);
  if (plan.where != nullptr) collect_divisors(*plan.where, of_where);
  Divisors of_groups;
  Divisors of_rows;
  for (const BoundExpr* one : all) (has_aggregate(*one) ? of_groups : of_rows).push_back(one);
  bool known = true;
  bool zero = false;
  const auto ask = [&](const Divisors& divisors, bool groups, bool with_where) {
    if (divisors.empty() || zero) return;
    const auto rows = questions.ask(questions.lowering().zero_divisors(plan, divisors, groups, with_where));
    known = known && rows;
    zero = rows && !rows->empty();
  };
  ask(of_rows, false, of_where.empty());
  ask(of_groups, true, of_where.empty());
  ask(of_where, false, false);
  if (known && !zero) return;
  outcome.warnings.push_back(
      {"division-by-zero",
       zero ? "a division by zero is NULL here"
            : "a division by zero would be NULL here; whether there is one was not counted in time",
       "exclude zero, or say with COALESCE what it shall be"});
}

}  // namespace

void add_warnings(const BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                  Outcome& outcome) {
  const Questions questions(environment, cancel);
  warn_near_values(plan, says_nothing(outcome), questions, outcome);
  warn_division(plan, questions, outcome);
}

}  // namespace candor::exec
