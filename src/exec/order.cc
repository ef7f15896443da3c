// Ties at the borders of a page: counted by the database, which alone knows what it takes for equal.
#include "exec/order.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialect/printer.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;

bool ordered_by(const BoundSelect& plan, const BoundExpr& expr) {
  return std::ranges::any_of(plan.order_by, [&](const bind::BoundOrder& one) { return same_expr(*one.expr, expr); });
}

// What the ORDER BY lacks for naming each row. `names` are the columns to add; not `sure`: they may not be enough.
struct Missing {
  std::vector<std::string> names;
  bool sure = true;
};

void missing_groups(const BoundSelect& plan, Missing& missing) {
  for (const bind::BoundPtr& group : plan.group_by) {
    if (ordered_by(plan, *group)) continue;
    const auto item = std::ranges::find_if(
        plan.items, [&](const bind::BoundItem& one) { return bind::same_expr(*one.expr, *group); });
    missing.sure = missing.sure && item != plan.items.end();
    if (item != plan.items.end()) missing.names.push_back(dialect::name_in_sql(item->name));
  }
}

void missing_keys(const BoundSelect& plan, Missing& missing) {
  for (const auto& relation : plan.from) {
    const bool keyed = relation->kind == bind::RelationKind::kScan && !relation->resource->key.empty();
    missing.sure = missing.sure && keyed;
    if (!keyed) continue;
    const contract::Resource& resource = *relation->resource;
    const contract::Column* key = resource.find(resource.key);
    const bind::BoundPtr column = bind::make_bound(BoundKind::kColumn, key->type, {}, false);
    column->relation = relation->id;
    column->column = static_cast<std::size_t>(key - resource.columns.data());
    const auto same = [&](const bind::BoundOrder& one) {
      return one.expr->kind == BoundKind::kColumn && one.expr->relation == column->relation &&
             one.expr->column == column->column;
    };
    if (std::ranges::any_of(plan.order_by, same)) continue;
    missing.sure = missing.sure && key->sortable;
    if (!key->sortable) continue;
    const std::string table = plan.from.size() > 1 ? dialect::name_in_sql(relation->alias) + "." : std::string();
    missing.names.push_back(table + dialect::name_in_sql(key->name));
  }
}

Missing missing_of(const BoundSelect& plan) {
  Missing missing;
  if (plan.distinct) {
    for (const bind::BoundItem& item : plan.items) {
      if (!ordered_by(plan, *item.expr)) missing.names.push_back(item.name);
    }
  } else if (plan.grouped) {
    missing_groups(plan, missing);
  } else {
    missing_keys(plan, missing);
  }
  return missing;
}

std::string hint_of(const Missing& missing) {
  if (missing.names.empty()) return "end the order with columns that no two rows share";
  return "end the order with what names a row: ORDER BY …, " + bind::list_of(missing.names);
}

std::string rows_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " row" : " rows"); }

void warn(const Ties& ties, const Missing& missing, Outcome& outcome) {
  const std::string behind = rows_text(ties.behind) + " behind the last one shown " +
                             (ties.behind == 1 ? "equals" : "equal") + " it under the ORDER BY";
  const std::string before = rows_text(ties.before) + " before the first one shown " +
                             (ties.before == 1 ? "equals" : "equal") + " it under the ORDER BY";
  const std::string both = ties.behind == 0 ? before : ties.before == 0 ? behind : before + ", and " + behind;
  outcome.warnings.push_back({"ties-at-border", both + ": which of them are shown is chance", hint_of(missing)});
}

bool is_random(const BoundSelect& plan) {
  const BoundExpr& first = *plan.order_by.front().expr;
  return first.kind == BoundKind::kFunction && first.function == bind::Function::kRandom;
}

bool is_whole(const Missing& missing) { return missing.sure && missing.names.empty(); }

}  // namespace

Page page_of(const BoundSelect& plan, const contract::Contract& contract) {
  Page page;
  page.from_statement = plan.limit && *plan.limit <= contract.rows_per_statement;
  page.limit = page.from_statement ? *plan.limit : contract.rows_per_statement;
  return page;
}

bool may_tie(const BoundSelect& plan) {
  return !plan.order_by.empty() && !is_random(plan) && !is_whole(missing_of(plan));
}

lower::Lowering::SelectOptions options_of(const BoundSelect& plan, const Page& page) {
  lower::Lowering::SelectOptions options;
  options.limit = page.limit + 1;
  options.with_keys = page.limit > 0 && may_tie(plan);
  if (!options.with_keys || plan.offset == 0) return options;
  options.offset = plan.offset - 1;
  options.limit = page.limit + 2;
  return options;
}

std::optional<Ties> count_places(const BoundSelect& plan, const Page& page, const Environment& environment,
                                 const CancelToken& cancel) {
  const std::int64_t end = plan.offset + page.limit;
  const Result<Rows> rows = run(lower::Lowering(environment.storage).places(plan, plan.offset, end), environment,
                                nullptr, environment.count_budget_ms, cancel);
  if (!rows.ok() || rows->rows.size() != 1 || rows->rows[0].size() != 3) return std::nullopt;
  const std::vector<Value>& counts = rows->rows[0];
  if (counts[0].kind != CellKind::kInteger || counts[1].kind != CellKind::kInteger) return std::nullopt;
  Ties ties;
  if (page.more && counts[0].integer > end) ties.behind = static_cast<std::uint64_t>(counts[0].integer - end);
  // The first row of the page stands at the place of a row before it.
  if (counts[1].integer > plan.offset && counts[2].kind == CellKind::kInteger)
    ties.before = static_cast<std::uint64_t>(plan.offset - counts[2].integer + 1);
  return ties;
}

void describe_order(const BoundSelect& plan, const std::optional<Ties>& ties, Outcome& outcome) {
  if (plan.order_by.empty() || is_random(plan)) return;
  outcome.surface.order = scope::Order::kTotal;
  if (!ties) {
    outcome.surface.order = scope::Order::kUnknown;
    outcome.surface.order_reason = "not-looked-at-within-budget";
    return;
  }
  if (ties->before + ties->behind == 0) return;
  outcome.surface.order = scope::Order::kPartial;
  outcome.surface.ties_at_border = ties->before + ties->behind;
  warn(*ties, missing_of(plan), outcome);
}

}  // namespace candor::exec
