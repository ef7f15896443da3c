// SELECT: the rows up to the ceiling, what they are a part of, and whether something went wrong in silence.
#include <algorithm>
#include <utility>

#include "exec/border.h"
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

// What the page is a part of, and which rows outside of it tie with its own.
struct Around {
  std::optional<std::uint64_t> total;
  std::optional<Ties> ties = Ties{};
};

class Looking {
 public:
  Looking(const bind::BoundSelect& plan, const Page& page, const Environment& environment, const CancelToken& cancel)
      : plan_(plan), page_(page), environment_(environment), cancel_(cancel) {}

  // `total`: known already.
  Around around(const Borders& borders, bool may_tie, std::optional<std::uint64_t> total) {
    Around made;
    made.total = total;
    if (environment_.count_budget_ms == 0) {  // nothing is to be counted, however short it would take
      if (may_tie) made.ties.reset();
      return made;
    }
    const auto values = may_tie ? borders.counted_by() : std::vector<lower::Lowering::Border>();
    if (!values.empty()) {
      if (count_at_once(borders, values, made)) return made;
    }
    if (!made.total) made.total = count();
    if (may_tie) made.ties = count_places(plan_, page_, environment_, cancel_);
    return made;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> count() const {
    const auto counted = run_count(lower::Lowering(environment_.storage).count(plan_), environment_, nullptr,
                                   environment_.count_budget_ms, cancel_);
    return counted.ok() ? std::optional(*counted) : std::nullopt;
  }

  // False: it has to be counted in another way. What was not done in time is not begun again.
  bool count_at_once(const Borders& borders, const std::vector<lower::Lowering::Border>& values, Around& made) const {
    const auto rows = run(lower::Lowering(environment_.storage).count_equal(plan_, values), environment_, nullptr,
                          environment_.count_budget_ms, cancel_);
    if (!rows.ok()) {
      made.ties.reset();
      return rows.error().code == "statement-timeout" || cancel_.cancelled();
    }
    std::vector<std::uint64_t> counts;
    for (const Value& count : rows->rows.front()) counts.push_back(static_cast<std::uint64_t>(count.integer));
    if (!made.total) made.total = counts.front();
    counts.erase(counts.begin());
    made.ties = borders.ties(counts);
    return made.ties.has_value();
  }

  const bind::BoundSelect& plan_;
  const Page& page_;
  const Environment& environment_;
  const CancelToken& cancel_;
};

// DuckDB's columns may have a collation, by which texts are equal that are not the same; elsewhere that ends with the read.
bool has_exact_texts(const lower::Storage& storage) {
  return storage.target != lower::Target::kDuckdb ||
         std::ranges::all_of(storage.tables, [](const auto& entry) { return entry.second.collated.empty(); });
}

}  // namespace

Result<Outcome> read(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel) {
  Outcome outcome;
  Page page = page_of(plan, *environment.contract);
  const lower::Lowering::SelectOptions options = options_of(plan, page);
  const lower::Lowered lowered = lower::Lowering(environment.storage).select(plan, options);
  for (const bind::BoundItem& item : plan.items) outcome.columns.push_back({item.name, type_name(item.expr->type)});
  CANDOR_ASSIGN(Rows rows, run(lowered, environment, nullptr, environment.statement_ms, cancel));
  page.more = rows.rows.size() >= static_cast<std::size_t>(*options.limit);
  Borders borders(page, options.offset.has_value(), lowered.keys, has_exact_texts(environment.storage));
  outcome.rows = borders.take(std::move(rows.rows), outcome.columns.size());
  if (auto failure = too_large(outcome, environment.contract->result_chars)) return *std::move(failure);
  std::optional<std::uint64_t> total;
  if (!page.more && (plan.offset == 0 || !outcome.rows.empty()))
    total = static_cast<std::uint64_t>(plan.offset) + outcome.rows.size();
  // A page without rows has no border that its values could tell of.
  const bool ties = lowered.keys.empty() ? page.more && may_tie(plan) : borders.may_tie();
  const Around around = Looking(plan, page, environment, cancel).around(borders, ties, total);
  describe(plan, page, around.total, around.total ? "" : "not-counted-within-budget", outcome);
  describe_order(plan, around.ties, outcome);
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
