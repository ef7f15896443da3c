// Stepping through a statement: values made into cells, the caps, the count after them, and exact types.
#include "engine/sqlite/rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/render_json.h"
#include "engine/sqlite/affinity.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;

constexpr std::size_t kBatchRows = 1'024;
constexpr std::size_t kBatchBytes = std::size_t{128} << 10U;
// The first rows, which give types to columns without one, must not make a slow statement wait.
constexpr std::size_t kFirstRows = 128;
constexpr auto kFirstPatience = std::chrono::milliseconds(20);
constexpr std::uint64_t kUncounted = std::uint64_t{1} << 62U;

std::string column_label(const Header& header, int column) {
  const std::string& name = header.columns[static_cast<std::size_t>(column)].name;
  return "column " + std::to_string(column + 1) + " (" + name + ")";
}

bool holds_exactly(std::int64_t value) {
  constexpr double kPastInt64 = 9223372036854775808.0;
  const auto real = static_cast<double>(value);
  return real < kPastInt64 && static_cast<std::int64_t>(real) == value;
}

}  // namespace

SqliteStream::SqliteStream(Pool::Lease lease, sql::Statement statement, const RunRequest& request, StatementKind kind,
                           SourceSpec source, Clock::time_point deadline, Keep keep)
    : request_(request),
      source_(std::move(source)),
      deadline_(deadline),
      lease_(std::move(lease)),
      keep_(std::move(keep)),
      statement_(std::move(statement)) {
  header_.kind = kind;
}

SqliteStream::~SqliteStream() {
  if (keep_ && last_ && std::holds_alternative<End>(*last_)) {
    statement_.reset();
    keep_(std::move(statement_));
  }
  statement_ = sql::Statement();
  if (!transaction_) return;
  const Connection::Trusted trusted(*lease_);
  lease_->unwatch();
  (void)lease_->database().run("ROLLBACK").ok();
}

Diagnostic SqliteStream::failed(Diagnostic failure) {
  return statement_error(std::move(failure), *lease_, lease_->database().fault(), source_, request_.sql);
}

Result<bool> SqliteStream::step() {
  auto stepped = statement_.step();
  if (!stepped.ok()) return failed(std::move(stepped).error());
  done_ = !*stepped;
  return stepped;
}

// ---- the start ----

Status SqliteStream::start() {
  changes_before_ = lease_->database().total_changes();
  const int columns = statement_.column_count();
  for (int i = 0; i < columns; ++i) {
    const std::string_view name = statement_.column_name(i);
    if (!is_utf8(name)) {
      return make_error("invalid-value", "the name of column " + std::to_string(i + 1) + " is not valid UTF-8",
                        "name it with AS");
    }
    const std::string_view type = statement_.column_declared_type(i);
    header_.columns.push_back({std::string(name), is_utf8(type) ? std::string(type) : std::string()});
  }
  seen_.assign(header_.columns.size(), {});
  copies_.assign(header_.columns.size(), Copy::kAsIs);
  if (request_.exact_types) CANDOR_TRY(look_at_all());
  CANDOR_ASSIGN(first_, fill(kFirstRows, Clock::now() + kFirstPatience));
  for (std::size_t i = 0; i < header_.columns.size(); ++i) {
    std::string& type = header_.columns[i].type;
    if (type.empty()) type = storage_type({seen_[i].integer, seen_[i].real, seen_[i].text, seen_[i].blob});
  }
  return Ok{};
}

void SqliteStream::see(std::vector<Seen>& seen) const {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const int column = static_cast<int>(i);
    switch (statement_.storage(column)) {
      case sql::Storage::kInteger:
        seen[i].integer = true;
        if (!holds_exactly(statement_.integer(column))) seen[i].wide_integer = true;
        break;
      case sql::Storage::kReal:
        seen[i].real = true;
        break;
      case sql::Storage::kText:
        seen[i].text = true;
        break;
      case sql::Storage::kBlob:
        seen[i].blob = true;
        break;
      case sql::Storage::kNull:
        break;
    }
  }
}

// Both passes run in one read transaction, so that they see the same rows.
Status SqliteStream::look_at_all() {
  if (!lease_->database().in_transaction()) {
    const Connection::Trusted trusted(*lease_);
    if (auto begun = lease_->database().run("BEGIN"); !begun.ok()) return failed(std::move(begun).error());
    transaction_ = true;
  }
  std::vector<Seen> seen(header_.columns.size());
  while (true) {
    CANDOR_ASSIGN(const bool more, step());
    if (!more) break;
    see(seen);
  }
  statement_.rewind();
  done_ = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CANDOR_ASSIGN(header_.columns[i].type, exact_type(static_cast<int>(i), seen[i]));
    if (header_.columns[i].type == "DOUBLE") copies_[i] = Copy::kReal;
  }
  return Ok{};
}

Result<std::string> SqliteStream::exact_type(int column, const Seen& seen) const {
  const int kinds = (seen.integer || seen.real ? 1 : 0) + (seen.text ? 1 : 0) + (seen.blob ? 1 : 0);
  if (kinds == 0) return exact_type_of(affinity_of(statement_.column_declared_type(column)));
  if (kinds == 1 && seen.text) return std::string("VARCHAR");
  if (kinds == 1 && seen.blob) return std::string("BLOB");
  if (kinds == 1 && !seen.real) return std::string("BIGINT");
  if (kinds == 1 && !(seen.integer && seen.wide_integer)) return std::string("DOUBLE");
  std::string has;
  const auto add = [&](bool there, std::string_view name) {
    if (there) has += (has.empty() ? "" : ", ") + std::string(name);
  };
  add(seen.integer, seen.wide_integer ? "integers beyond 2^53" : "integers");
  add(seen.real, "reals");
  add(seen.text, "texts");
  add(seen.blob, "blobs");
  const std::string name = header_.columns[static_cast<std::size_t>(column)].name;
  return make_error("mixed-types", column_label(header_, column) + " holds values of several types",
                    "CAST(" + sql::quote_identifier(name) + " AS TEXT) AS " + sql::quote_identifier(name), has);
}

// ---- rows ----

bool SqliteStream::full() const { return rows_ >= request_.rows_max || chars_ > request_.chars_max; }

void SqliteStream::append_cut(CellWriter& writer, std::string_view text) const {
  writer.cut(static_cast<std::int64_t>(utf8_length(text)), utf8_prefix(text, request_.cell_chars_max));
}

Status SqliteStream::append_cell(int column, CellWriter& writer) {
  const sql::Storage storage = statement_.storage(column);
  if (storage == sql::Storage::kText) {
    const std::string_view text = statement_.text(column);
    if (!is_utf8(text)) {
      const std::string& name = header_.columns[static_cast<std::size_t>(column)].name;
      return make_error("invalid-value", "a text of " + column_label(header_, column) + " is not valid UTF-8",
                        "CAST(" + sql::quote_identifier(name) + " AS BLOB)", "row " + std::to_string(rows_ + 1));
    }
    if (text.size() > request_.cell_chars_max && utf8_length(text) > request_.cell_chars_max) {
      append_cut(writer, text);
    } else {
      writer.text(CellKind::kText, text);
    }
    return Ok{};
  }
  if (storage == sql::Storage::kBlob) {
    const std::string_view blob = statement_.blob(column);
    const std::size_t shown = (blob.size() + 2) / 3 * 4;
    if (shown > request_.cell_chars_max) {
      // Whole groups of base64, so that what is shown can be decoded.
      const std::size_t bytes = request_.cell_chars_max / 4 * 3;
      writer.cut(static_cast<std::int64_t>(shown), base64(blob.substr(0, bytes)));
    } else {
      writer.text(CellKind::kBlob, blob);
    }
    return Ok{};
  }
  if (storage == sql::Storage::kInteger && copies_[static_cast<std::size_t>(column)] == Copy::kReal) {
    writer.real64(static_cast<double>(statement_.integer(column)));
    return Ok{};
  }
  return statement_.append_cell(column, writer) ? Status(Ok{})
                                                : Status(make_error("internal", "a value of no known kind"));
}

Status SqliteStream::append_row(RowBatch& batch) {
  const std::size_t start = batch.cells.size();
  CellWriter writer(batch.cells);
  const auto columns = static_cast<int>(header_.columns.size());
  for (int i = 0; i < columns; ++i) {
    if (auto appended = append_cell(i, writer); !appended.ok()) {
      batch.cells.resize(start);
      return appended;
    }
  }
  if (request_.chars_max < kUncounted) {
    CellReader reader(std::string_view(batch.cells).substr(start));
    std::string json;
    while (!reader.at_end()) append_json(json, reader);
    // "[…]" around, commas between the cells, and one to the row before.
    chars_ += utf8_length(json) + 2 + (columns > 0 ? static_cast<std::size_t>(columns) - 1 : 0) + (rows_ > 0 ? 1 : 0);
  }
  ++batch.rows;
  ++rows_;
  return Ok{};
}

Result<RowBatch> SqliteStream::fill(std::size_t rows_max, Clock::time_point until) {
  RowBatch batch;
  while (!full() && batch.rows < rows_max && batch.cells.size() < kBatchBytes) {
    CANDOR_ASSIGN(const bool more, step());
    if (!more) break;
    if (!first_) see(seen_);
    CANDOR_TRY(append_row(batch));
    if (until != Clock::time_point::max() && Clock::now() >= until) break;
  }
  return batch;
}

RowStream::Item SqliteStream::next() {
  if (last_) return *last_;
  if (first_ && first_->rows > 0) {
    RowBatch batch = std::move(*first_);
    first_.emplace();
    return batch;
  }
  if (!done_ && !full()) {
    auto batch = fill(kBatchRows, Clock::time_point::max());
    if (!batch.ok()) return finish(std::move(batch).error());
    if (batch->rows > 0) return std::move(*batch);
  }
  return finish(count_rest());
}

RowStream::Item SqliteStream::finish(Item last) {
  last_ = std::move(last);
  return *last_;
}

// ---- the end ----

// The file of a connection that does not look for changes itself must be as it was.
Status SqliteStream::unchanged() const {
  if (!lease_->immutable()) return Ok{};
  const auto now = file_state(source_.path);
  if (now && *now == lease_->file()) return Ok{};
  return make_error("source-changed", "the file of source " + source_.name + " changed while it was read",
                    "run the statement again", source_.path);
}

RowStream::Item SqliteStream::count_rest() {
  End end;
  end.rows = rows_;
  end.cut_by_chars = chars_ > request_.chars_max && rows_ < request_.rows_max;
  std::uint64_t total = rows_;
  const auto budget_end = Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(request_.count_budget_ms, 0));
  // A write that is stopped while its rows are read is rolled back, so it is read to its end.
  if (!done_ && !writes(header_.kind)) lease_->stop_at(std::min(deadline_, budget_end));
  bool stopped = false;
  while (!done_) {
    auto stepped = statement_.step();
    if (stepped.ok()) {
      done_ = !*stepped;
      if (!done_) ++total;
      continue;
    }
    // The time for counting is over, which is no fault of the rows that were handed over.
    stopped = !writes(header_.kind) && lease_->database().fault() == sql::Fault::kInterrupted &&
              lease_->stopped() == Stop::kDeadline;
    if (!stopped) return failed(std::move(stepped).error());
    break;
  }
  if (auto same = unchanged(); !same.ok()) return std::move(same).error();
  if (writes(header_.kind)) {
    const std::int64_t changed = lease_->database().changes();
    end.affected = static_cast<std::uint64_t>(changed);
    end.changed_others = lease_->database().total_changes() - changes_before_ > changed;
  }
  if (!stopped && !header_.columns.empty()) end.rows_total = total;
  if (end.rows_total == rows_) end.cut_by_chars = false;
  if (!stopped && total == 0 && !request_.exact_types && !keep_) end.rows_scanned = scanned();
  return end;
}

// SQLite counts the steps of full scans, one less than the rows of each, over all scans together. So it tells the rows
// only of a statement that has a single scan, and not whether an empty-looking one had a row.
std::optional<std::uint64_t> SqliteStream::scanned() {
  const std::int64_t steps = statement_.scan_steps();
  if (steps <= 0 || header_.kind != StatementKind::kSelect) return std::nullopt;
  auto plan = lease_->database().prepare("EXPLAIN QUERY PLAN " + std::string(statement_.sql()));
  if (!plan.ok()) return std::nullopt;
  int scans = 0;
  while (true) {
    auto more = plan->step();
    if (!more.ok()) return std::nullopt;
    if (!*more) break;
    const std::string_view line = plan->text(3);
    if (line.starts_with("SCAN ") && !line.starts_with("SCAN CONSTANT")) ++scans;
  }
  if (scans != 1) return std::nullopt;
  return static_cast<std::uint64_t>(steps) + 1;
}

}  // namespace candor::engine::sqlite
