// The questions, each a plan of its own lowered like any other.
#include "exec/probes.h"

#include <algorithm>
#include <utility>

#include "base/near_names.h"
#include "bind/literals.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;
using contract::Type;

constexpr std::int64_t kProbeMs = 500;
constexpr std::int64_t kValuesMax = 500;  // different values of a column that are looked at

// A result that says "nothing": no rows, or one row of counts of zero and NULLs.
bool says_nothing(const Outcome& outcome) {
  if (outcome.rows.empty()) return true;
  return outcome.rows.size() == 1 && std::ranges::all_of(outcome.rows.front(), [](const Value& value) {
           return value.is_null() || (value.kind == CellKind::kInteger && value.integer == 0);
         });
}

struct Equality {
  const bind::Relation* relation = nullptr;
  std::size_t column = 0;
  std::string value;
};

void collect_equalities(const BoundExpr& condition, const BoundSelect& plan, std::vector<Equality>& found) {
  if (condition.kind == BoundKind::kAnd) {
    for (const bind::BoundPtr& child : condition.children) collect_equalities(*child, plan, found);
    return;
  }
  const bool equality = condition.kind == BoundKind::kCompare && condition.op == bind::Op::kEqual;
  if (!equality) return;
  const BoundExpr* column = condition.children[0].get();
  const BoundExpr* value = condition.children[1].get();
  if (column->kind != BoundKind::kColumn) std::swap(column, value);
  if (column->kind != BoundKind::kColumn || value->kind != BoundKind::kLiteral || column->type != Type::kString) return;
  for (const auto& relation : plan.from) {
    if (relation->id == column->relation && relation->kind == bind::RelationKind::kScan)
      found.push_back({relation.get(), column->column, value->value.text});
  }
}

// SELECT column, COUNT(*) FROM resource GROUP BY column
std::unique_ptr<BoundSelect> values_of(const Equality& equality) {
  auto plan = std::make_unique<BoundSelect>();
  auto relation = std::make_unique<bind::Relation>();
  relation->id = 0;
  relation->resource = equality.relation->resource;
  relation->columns = equality.relation->columns;
  relation->used.insert(equality.column);
  const auto column = [&] {
    bind::BoundPtr made = bind::make_bound(BoundKind::kColumn, Type::kString, {}, true);
    made->column = equality.column;
    return made;
  };
  plan->from.push_back(std::move(relation));
  plan->items.push_back({column(), "value"});
  bind::BoundPtr count = bind::make_bound(BoundKind::kAggregate, Type::kInteger, {}, false);
  plan->items.push_back({bind::copy_of(*count), "rows"});
  plan->group_by.push_back(column());
  plan->grouped = true;
  plan->order_by.push_back({std::move(count), true, false});
  plan->limit = kValuesMax;
  return plan;
}

void warn_value_not_found(const Equality& equality, const Environment& environment, const CancelToken& cancel,
                          Outcome& outcome) {
  const std::unique_ptr<BoundSelect> plan = values_of(equality);
  const Result<Rows> values =
      run(lower::Lowering(environment.storage).select(*plan), environment, nullptr, kProbeMs, cancel);
  if (!values.ok()) return;
  std::vector<std::string> known;
  std::uint64_t total = 0;
  for (const std::vector<Value>& row : values->rows) {
    if (row[1].kind == CellKind::kInteger) total += static_cast<std::uint64_t>(row[1].integer);
    if (row[0].kind != CellKind::kText) continue;
    if (row[0].text == equality.value) return;
    known.push_back(row[0].text);
  }
  const std::vector<std::string> near = near_names(equality.value, known, 1);
  if (near.empty()) return;
  std::string rows;
  for (const std::vector<Value>& row : values->rows) {
    if (row[0].kind == CellKind::kText && row[0].text == near.front()) rows = std::to_string(row[1].integer);
  }
  const std::string name = equality.relation->columns[equality.column].name;
  const std::string resource = equality.relation->resource->name;
  const bool all = known.size() < static_cast<std::size_t>(kValuesMax);
  outcome.warnings.push_back({"value-not-found",
                              name + " = " + bind::as_sql(text_value(equality.value)) + " matches 0" +
                                  (all ? " of " + std::to_string(total) + " " : " rows of ") + resource + "; " +
                                  bind::as_sql(text_value(near.front())) + " matches " + rows,
                              "write " + name + " = " + bind::as_sql(text_value(near.front()))});
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

void warn_division(const BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                   Outcome& outcome) {
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
    const lower::Lowered lowered =
        lower::Lowering(environment.storage).zero_divisors(plan, divisors, groups, with_where);
    const Result<Rows> rows = run(lowered, environment, nullptr, kProbeMs, cancel);
    known = known && rows.ok();
    zero = rows.ok() && !rows->rows.empty();
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
  if (plan.where != nullptr && says_nothing(outcome)) {
    std::vector<Equality> equalities;
    collect_equalities(*plan.where, plan, equalities);
    for (const Equality& equality : equalities) warn_value_not_found(equality, environment, cancel, outcome);
  }
  warn_division(plan, environment, cancel, outcome);
}

}  // namespace candor::exec
