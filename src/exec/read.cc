// SELECT: the rows up to the ceiling, what they are a part of, and whether something went wrong in silence.
#include <algorithm>
#include <utility>

#include "exec/order.h"
#include "exec/probes.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

// The rows as JSON are longer than a result may be: how many would fit, and which columns are the widest.
std::optional<Diagnostic> too_large(const Outcome& outcome, std::int64_t chars_max) {
  std::vector<std::size_t> widths(outcome.columns.size(), 0);
  std::size_t total = 2;
  std::size_t fitting = 0;
  bool full = false;
  for (const std::vector<Value>& row : outcome.rows) {
    std::size_t size = row.size() + 2;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::size_t cell = json_size(row[c]);
      widths[c] += cell;
      size += cell;
    }
    total += size;
    full = full || total > static_cast<std::size_t>(chars_max);
    fitting += full ? 0 : 1;
  }
  if (!full) return std::nullopt;
  std::vector<std::size_t> order(widths.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return widths[a] > widths[b]; });
  std::string widest;
  for (std::size_t i = 0; i < order.size() && i < 3; ++i) {
    widest += (i == 0 ? "" : ", ") + outcome.columns[order[i]].name + " (" + std::to_string(widths[order[i]]) + ")";
  }
  return make_error("result-too-large",
                    "the " + std::to_string(outcome.rows.size()) + " rows have " + std::to_string(total) +
                        " characters, result_chars allows " + std::to_string(chars_max),
                    fitting > 0 ? "write LIMIT " + std::to_string(fitting) + ", or leave out the widest columns"
                                : "leave out the widest columns, or shorten them with SUBSTR",
                    "the widest columns are " + widest);
}

void describe(const bind::BoundSelect& plan, const Page& page, std::optional<std::uint64_t> total, std::string reason,
              Outcome& outcome) {
  scope::Ceiling ceiling;
  ceiling.source = page.from_statement ? scope::LimitSource::kStatement : scope::LimitSource::kDefault;
  ceiling.kind =
      page.from_statement && !plan.order_by.empty() ? scope::LimitKind::kTopK : scope::LimitKind::kPagination;
  ceiling.limit = static_cast<std::uint64_t>(page.limit);
  ceiling.offset = static_cast<std::uint64_t>(plan.offset);
  outcome.surface = scope::describe(ceiling, outcome.rows.size(), total, std::move(reason));
  outcome.surface.output_truncated = page.more && !page.from_statement;
  outcome.surface.output_truncated_by = outcome.surface.output_truncated ? "rows_per_statement" : "";
}

}  // namespace

Result<Outcome> read(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel) {
  Outcome outcome;
  Page page = page_of(plan, *environment.contract);
  lower::Lowering::SelectOptions options;
  options.limit = page.limit + 1;
  const lower::Lowered lowered = lower::Lowering(environment.storage).select(plan, options);
  for (const bind::BoundItem& item : plan.items) outcome.columns.push_back({item.name, type_name(item.expr->type)});
  CANDOR_ASSIGN(Rows rows, run(lowered, environment, nullptr, environment.statement_ms, cancel));
  page.more = rows.rows.size() > static_cast<std::size_t>(page.limit);
  if (page.more) rows.rows.resize(static_cast<std::size_t>(page.limit));
  outcome.rows = std::move(rows.rows);
  if (auto failure = too_large(outcome, environment.contract->result_chars)) return *std::move(failure);
  std::optional<std::uint64_t> total;
  if (!page.more && (plan.offset == 0 || !outcome.rows.empty())) {
    total = static_cast<std::uint64_t>(plan.offset) + outcome.rows.size();
  } else if (auto counted = run_count(lower::Lowering(environment.storage).count(plan), environment, nullptr,
                                      environment.count_budget_ms, cancel);
             counted.ok()) {
    total = *counted;
  }
  describe(plan, page, total, total ? "" : "not-counted-within-budget", outcome);
  describe_order(plan, page, environment, cancel, outcome);
  if (plan.from.size() == 1 && plan.from.front()->resource != nullptr)
    outcome.resource = plan.from.front()->resource->name;
  add_warnings(plan, environment, cancel, outcome);
  return outcome;
}

Result<std::uint64_t> count_rows(const contract::Resource& resource, const Environment& environment,
                                 const CancelToken& cancel) {
  return run_count(lower::Lowering(environment.storage).count_all(resource), environment, nullptr,
                   environment.statement_ms, cancel);
}

}  // namespace candor::exec
