// See measure.h.
#include "review/measure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "review/counting_sql.h"
#include "review/syntax/expression_text.h"
#include "review/syntax/tree.h"

namespace candor::review {
namespace {

constexpr std::int64_t kMeasureMsMax = 10'000;  // a counting statement behind the gates takes well under a second
constexpr std::int64_t kSampleMsMax = 5'000;    // a sample reads all of a large table's key column

using Row = std::map<std::string, std::uint64_t, std::less<>>;

// Why a counting statement gave no counts, as a reason of a receipt.
Diagnostic as_reason(const Diagnostic& failure) {
  if (failure.code == "statement-timeout") return make_error("timeout", "the count did not end in its time");
  if (failure.code == "cancelled") return make_error("cancelled", "the count was cancelled");
  return make_error("engine-fault", "the engine failed while it counted: " + failure.message);
}

// The one row of a counting statement, by column.
Result<Row> run_counts(engine::Engine& engine, std::string_view sql, std::int64_t deadline_ms,
                       const CancelToken& cancel) {
  engine::RunRequest request;
  request.sql = sql;
  request.lane = engine::Lane::kReview;
  request.rows_max = 2;
  request.deadline_ms = deadline_ms;
  CANDOR_ASSIGN(const std::unique_ptr<engine::RowStream> stream, engine.run(request, cancel));
  std::vector<std::uint64_t> values;
  while (true) {
    engine::RowStream::Item item = stream->next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (std::holds_alternative<engine::End>(item)) break;
    CellReader reader(std::get<RowBatch>(item).cells);
    while (!reader.at_end()) {
      const Cell cell = reader.next();
      if (cell.kind != CellKind::kInteger || cell.integer < 0) {
        return make_error("engine-error", "a count is no number");
      }
      values.push_back(static_cast<std::uint64_t>(cell.integer));
    }
    if (!reader.ok()) return make_error("engine-error", "the counts can't be read");
  }
  const std::vector<Column>& columns = stream->header().columns;
  if (values.size() != columns.size()) return make_error("engine-error", "the counting statement did not give one row");
  Row row;
  for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i].name] = values[i];
  return row;
}

Result<std::uint64_t> column(const Row& row, std::string_view name) {
  const auto found = row.find(name);
  if (found == row.end())
    return make_error("engine-error", "the counting statement has no column " + std::string(name));
  return found->second;
}

Result<Counts> counts_of(const Row& row) {
  Counts counts;
  CANDOR_ASSIGN(counts.left_rows, column(row, "left_rows"));
  CANDOR_ASSIGN(counts.left_matched, column(row, "left_matched"));
  CANDOR_ASSIGN(counts.right_rows, column(row, "right_rows"));
  CANDOR_ASSIGN(counts.right_matched, column(row, "right_matched"));
  if (counts.left_matched > counts.left_rows || counts.right_matched > counts.right_rows) {
    return make_error("internal", "more rows matched than there are");
  }
  return counts;
}

// The plan writes columns as alias.column; the alias says nothing beyond this one query.
Key key_of(json::Node node) {
  Key key;
  syntax::for_each_expression(node, [&](json::Node& part) {
    std::vector<std::string> names = syntax::column_names(part);
    if (names.size() < 2) return;
    names.erase(names.begin());
    if (std::ranges::find(key.columns, names.front()) == key.columns.end()) key.columns.push_back(names.front());
    syntax::set_column_names(part, names);
  });
  key.text = syntax::readable_expression(node);
  return key;
}

Side side_of(const syntax::TablePlan& plan, const engine::TableFacts& facts, const std::vector<json::Node>& keys,
             std::uint64_t one_in) {
  Side side;
  side.table = facts.resolved.table;
  side.resolved = facts.resolved;
  for (const json::Node& key : keys) side.keys.push_back(key_of(key));
  for (const std::string* part : {&facts.resolved.source, &facts.resolved.schema, &facts.resolved.table}) {
    if (!part->empty()) side.full_name += (side.full_name.empty() ? "" : ".") + syntax::quoted_name(*part);
  }
  side.alias = plan.ref.alias;
  side.grouped = plan.grouped;
  side.has_filter = !plan.filters.empty();
  side.one_in = one_in;
  return side;
}

void set_counts(Side& side, std::uint64_t rows, std::uint64_t matched) {
  side.rows = rows;
  side.matched = matched;
  side.error = side.one_in > 1 ? sample_error(matched, rows) : 0;
}

// Is it worth to look how much the other side's own filter takes?
bool asks_for_second_count(const Side& side, const Side& other) {
  return side.grouped && other.has_filter && share_of(side.matched, side.rows, side.error) != Share::kEnough;
}

class PairMeasurement {
 public:
  PairMeasurement(const syntax::JoinPlan& plan, const std::vector<engine::TableFacts>& facts, const Gates& gates,
                  const Context& context)
      : plan_(plan), facts_(facts), gates_(gates), context_(context) {}

  Result<Pair> measure(const syntax::PairPlan& plan) {
    CountingRequest request;
    request.left = counted(plan.left, plan.left_keys);
    request.right = counted(plan.right, plan.right_keys);
    Pair pair;
    pair.condition = plan.condition;
    pair.left = side_of(plan_.tables[plan.left], facts_[plan.left], plan.left_keys, request.left.one_in);
    pair.right = side_of(plan_.tables[plan.right], facts_[plan.right], plan.right_keys, request.right.one_in);
    pair.sample = request.left.one_in > 1 || request.right.one_in > 1;
    CANDOR_TRY(count(request, pair));
    if (asks_for_second_count(pair.left, pair.right) || asks_for_second_count(pair.right, pair.left)) {
      request.unfiltered = true;
      CANDOR_TRY(count(request, pair));
    }
    pair.error = std::max(pair.left.error, pair.right.error);
    return pair;
  }

 private:
  [[nodiscard]] CountedSide counted(std::size_t table, const std::vector<json::Node>& keys) const {
    return {&plan_.tables[table], &facts_[table], &keys, gates_.one_in[table]};
  }

  [[nodiscard]] Result<std::string> counting_sql(const CountingRequest& request) const {
    if (context_.dialect == "sqlite") return sqlite_counting_sql(request);
    if (context_.dialect == "postgres") return postgres_counting_sql(request);
    return duckdb_counting_sql(request, *context_.engine);
  }

  Status count(const CountingRequest& request, Pair& pair) {
    const Result<std::string> sql = counting_sql(request);
    if (!sql.ok()) return sql.error();
    const std::int64_t limit = pair.sample ? kSampleMsMax : kMeasureMsMax;
    const Result<Row> row =
        run_counts(*context_.engine, *sql, std::min(limit, context_.settings.statement_ms), context_.cancel);
    if (!row.ok()) return as_reason(row.error());
    const Result<Counts> counts = counts_of(*row);
    if (!counts.ok()) return as_reason(counts.error());
    pair.counting_sql = *sql;
    set_counts(pair.left, counts->left_rows, counts->left_matched);
    set_counts(pair.right, counts->right_rows, counts->right_matched);
    if (request.unfiltered) {
      CANDOR_TRY(note_second_count(*row, "left_matched_unfiltered", pair.left, pair.right));
      CANDOR_TRY(note_second_count(*row, "right_matched_unfiltered", pair.right, pair.left));
    }
    return Ok{};
  }

  static Status note_second_count(const Row& row, std::string_view name, Side& side, const Side& other) {
    if (!asks_for_second_count(side, other)) return Ok{};
    const Result<std::uint64_t> value = column(row, name);
    if (!value.ok()) return as_reason(value.error());
    side.matched_without_other_filter = *value;
    return Ok{};
  }

  const syntax::JoinPlan& plan_;
  const std::vector<engine::TableFacts>& facts_;
  const Gates& gates_;
  const Context& context_;
};

}  // namespace

Share share_of(std::uint64_t matched, std::uint64_t rows, double error) {
  if (error <= 0) return matched < rows - matched ? Share::kLow : Share::kEnough;
  const double share = rows == 0 ? 0 : static_cast<double>(matched) / static_cast<double>(rows);
  if (share + error < 0.5) return Share::kLow;
  return share - error >= 0.5 ? Share::kEnough : Share::kUncertain;
}

double sample_error(std::uint64_t matched, std::uint64_t rows) {
  if (rows == 0) return 1;
  constexpr double kZ = 1.959964;
  const auto n = static_cast<double>(rows);
  const double share = static_cast<double>(matched) / n;
  const double centre = (static_cast<double>(matched) + kZ * kZ / 2) / (n + kZ * kZ);
  return kZ * std::sqrt(centre * (1 - centre) / (n + kZ * kZ)) + std::abs(centre - share);
}

Result<std::vector<Pair>> measure_pairs(const syntax::JoinPlan& plan, const std::vector<engine::TableFacts>& facts,
                                        const Gates& gates, const Context& context) {
  PairMeasurement measurement(plan, facts, gates, context);
  std::vector<Pair> pairs;
  for (const syntax::PairPlan& pair : plan.pairs) {
    CANDOR_ASSIGN(Pair measured, measurement.measure(pair));
    pairs.push_back(std::move(measured));
  }
  return pairs;
}

Result<Counts> count_again(engine::Engine& engine, std::string_view counting_sql, const CancelToken& cancel) {
  constexpr std::int64_t kAgainMs = 30'000;
  CANDOR_ASSIGN(const Row row, run_counts(engine, counting_sql, kAgainMs, cancel));
  return counts_of(row);
}

}  // namespace candor::review
