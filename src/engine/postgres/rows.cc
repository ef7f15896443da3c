// A cursor's life: declared, described, fetched from, counted to its end, and closed with its transaction.
#include "engine/postgres/rows.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "engine/postgres/parameters.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

constexpr const char* kCursor = "candor_rows";
constexpr std::string_view kDeclare = "DECLARE candor_rows NO SCROLL CURSOR FOR ";
constexpr std::uint64_t kPieceRows = 4'096;
constexpr std::size_t kBatchRows = 1'024;
constexpr std::size_t kBatchBytes = std::size_t{128} << 10U;

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

CursorStream::CursorStream(Pool::Lease lease, std::shared_ptr<Pool> pool, std::unique_ptr<Watch> watch,
                           const RunRequest& request, Statement statement, Checked calls)
    : request_(request),
      pool_(std::move(pool)),
      watch_(std::move(watch)),
      statement_(std::move(statement)),
      calls_(std::move(calls)),
      lease_(std::move(lease)) {
  header_.kind = statement_.kind;
  header_.state = calls_.state;
}

CursorStream::~CursorStream() {
  if (!lease_) return;
  // What runs is of no use to anybody any more.
  if (fetching_) {
    (*lease_)->stop_running();
  } else {
    roll_back(**lease_);
  }
}

Diagnostic CursorStream::failed(const Fault& fault, std::size_t prefix) const {
  return statement_error(fault, pool_->source(),
                         {request_.sql, statement_.body_at, prefix, statement_.changes_rows, calls_.known,
                          request_.lane == Lane::kContract});
}

// ---- the start ----

Status CursorStream::start() {
  CANDOR_TRY(declare());
  if (statement_.explain.empty()) return Ok{};
  Connection& connection = **lease_;
  Reply closed = connection.run(std::string("CLOSE ") + kCursor, *watch_);
  if (closed.fault) return failed(*closed.fault, 0);
  // Without rows to fetch a piece of: the plan comes at once.
  CANDOR_ASSIGN(const Parameters parameters, parameters_of(request_.parameters));
  if (auto fault = connection.begin_rows(statement_.explain + statement_.body, parameters)) {
    return failed(*fault, statement_.explain.size());
  }
  fetching_ = true;
  writer_.emplace(
      request_, std::vector<Column>{{"QUERY PLAN", "text"}},
      std::vector<TypePointer>{std::make_shared<const Type>(Type{Form::kText, "text", "VARCHAR", ',', {}})});
  header_.columns = writer_->columns();
  piece_ = UINT64_MAX;
  return Ok{};
}

Status CursorStream::declare() {
  CANDOR_ASSIGN(const Parameters parameters, parameters_of(request_.parameters));
  Connection& connection = **lease_;
  Reply declared = connection.ask(std::string(kDeclare) + statement_.body, parameters, *watch_);
  if (declared.fault) return failed(*declared.fault, kDeclare.size());
  Reply described = connection.describe(kCursor, *watch_);
  if (described.fault) return failed(*described.fault, 0);
  CANDOR_ASSIGN(auto types, pool_->types().of(described.result.get(), connection, pool_->source(), *watch_));
  CANDOR_ASSIGN(auto columns, columns_of(described.result.get(), types, request_.exact_types));
  if (request_.exact_types) CANDOR_TRY(decide_types(columns, types, parameters));
  writer_.emplace(request_, std::move(columns), std::move(types));
  header_.columns = writer_->columns();
  return Ok{};
}

// A numeric without a declared scale has as many digits as its values. The server looks at all of them, in the snapshot
// that the cursor reads.
Status CursorStream::decide_types(std::vector<Column>& columns, const std::vector<TypePointer>& types,
                                  const Parameters& parameters) {
  constexpr int kDigitsMax = 38;
  std::string looks;
  std::string names;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = "c" + std::to_string(i);
    names += (i == 0 ? "" : ", ") + name;
    if (!columns[i].type.empty()) continue;
    if (types[i]->form == Form::kList) {
      return make_error(
          "type-mismatch",
          "column " + std::to_string(i + 1) + " (" + columns[i].name + ") holds lists of numeric without a scale",
          "CAST(" + quote_name(columns[i].name) + " AS numeric(38,10)[])");
    }
    open.push_back(i);
    // NaN and the infinities have no scale.
    const std::string scale = "pg_catalog.scale(" + name + ")";
    const std::string whole = "pg_catalog.trunc(pg_catalog.abs(" + name + "))";
    looks += std::string(looks.empty() ? "" : ", ") + "max(" + scale + "), max(pg_catalog.length(nullif(" + whole +
             ", 0)::text)) FILTER (WHERE " + scale + " IS NOT NULL), count(" + name + ") FILTER (WHERE " + scale +
             " IS NULL)";
  }
  if (open.empty()) return Ok{};
  const std::string ask = "SELECT " + looks + " FROM (" + statement_.body + "\n) AS candor_values(" + names + ")";
  Reply reply = (*lease_)->ask(ask, parameters, *watch_);
  if (reply.fault) return failed(*reply.fault, ask.find(statement_.body));
  const auto number = [&](std::size_t place) {
    return std::atoi(libpq().PQgetvalue(reply.result.get(), 0, static_cast<int>(place)));
  };
  for (std::size_t i = 0; i < open.size(); ++i) {
    Column& column = columns[open[i]];
    const int scale = number(3 * i);
    const int digits = number(3 * i + 1) + scale;
    const std::string quoted = quote_name(column.name);
    const std::string place = "column " + std::to_string(open[i] + 1) + " (" + column.name + ") holds ";
    if (number(3 * i + 2) > 0) {
      return make_error("type-mismatch", place + "NaN or an infinity, which no DECIMAL can",
                        "CAST(" + quoted + " AS double precision) AS " + quoted);
    }
    if (digits > kDigitsMax) {
      return make_error("type-mismatch", place + "numbers of " + std::to_string(digits) + " digits, a DECIMAL holds 38",
                        "round(" + quoted + ", 10) AS " + quoted);
    }
    column.type = "DECIMAL(" + std::to_string(std::max(digits, 1)) + "," + std::to_string(scale) + ")";
  }
  return Ok{};
}

// ---- rows ----

Status CursorStream::fetch() {
  // One more than is handed over: it tells whether there are more.
  const std::uint64_t left = request_.rows_max - std::min(request_.rows_max, writer_->rows());
  piece_ = std::min(left, kPieceRows - 1) + 1;
  piece_seen_ = 0;
  const std::string sql = "FETCH FORWARD " + std::to_string(piece_) + " FROM " + kCursor;
  if (auto fault = (*lease_)->begin_rows(sql, {})) return failed(*fault, 0);
  fetching_ = true;
  return Ok{};
}

// Takes what comes next. False: nothing does, the piece or the result is at its end.
Result<bool> CursorStream::read(RowBatch& batch) {
  if (!fetching_) CANDOR_TRY(fetch());
  Reply reply = (*lease_)->next(*watch_);
  if (reply.fault) {
    (*lease_)->settle(*watch_);
    fetching_ = false;
    return failed(*reply.fault, 0);
  }
  if (reply.result == nullptr) {
    fetching_ = false;
    done_ = piece_seen_ < piece_;
    return false;
  }
  const int rows = libpq().PQntuples(reply.result.get());
  seen_ += static_cast<std::uint64_t>(rows);
  piece_seen_ += static_cast<std::uint64_t>(rows);
  for (int row = 0; row < rows && !writer_->full(); ++row) {
    CANDOR_TRY(writer_->append(reply.result.get(), row, batch));
  }
  return true;
}

RowStream::Item CursorStream::next() {
  if (last_) return *last_;
  RowBatch batch;
  while (!done_ && !writer_->full() && batch.rows < kBatchRows && batch.cells.size() < kBatchBytes) {
    if (!fetching_ && watch_->stop() != Stop::kNone) return finish(stopped_error(watch_->stop()));
    const auto more = read(batch);
    if (!more.ok()) return finish(more.error());
    if (!*more && batch.rows > 0) break;
  }
  if (batch.rows > 0) return batch;
  return finish(count_rest());
}

// ---- the end ----

RowStream::Item CursorStream::count_rest() {
  End end;
  // The rest of the piece is on its way already.
  RowBatch none;
  while (fetching_) {
    const auto more = read(none);
    if (!more.ok()) return more.error();
  }
  if (!done_ && request_.count_budget_ms > 0) {
    if (auto counted = count_in_server(); !counted.ok()) return std::move(counted).error();
  }
  end.rows = writer_->rows();
  end.cut_by_chars = writer_->cut_by_chars();
  if (done_) end.rows_total = seen_;
  if (end.rows_total == end.rows) end.cut_by_chars = false;
  return end;
}

// The server passes over the rest without sending it, and stops itself when the time for counting is over.
Status CursorStream::count_in_server() {
  Connection& connection = **lease_;
  const auto budget = Clock::now() + std::chrono::milliseconds(request_.count_budget_ms);
  const Clock::time_point deadline = watch_->stop_at();
  watch_->stop_at(std::min(deadline, budget));
  Reply set = connection.run("SET LOCAL statement_timeout = " + std::to_string(watch_->left_ms()), *watch_);
  if (set.fault) return failed(*set.fault, 0);
  Reply moved = connection.run(std::string("MOVE FORWARD ALL FROM ") + kCursor, *watch_);
  watch_->stop_at(deadline);
  if (!moved.fault) {
    seen_ += number_of(libpq().PQcmdTuples(moved.result.get())).value_or(0);
    done_ = true;
    return Ok{};
  }
  const bool out_of_time = moved.fault->state == "57014" || moved.fault->stopped == Stop::kDeadline;
  if (out_of_time && moved.fault->stopped != Stop::kCancelled) return Ok{};
  return failed(*moved.fault, 0);
}

RowStream::Item CursorStream::finish(Item last) {
  last_ = std::move(last);
  if (fetching_) {
    (*lease_)->stop_running();
  } else {
    roll_back(**lease_);
  }
  fetching_ = false;
  lease_.reset();
  return *last_;
}

}  // namespace candor::engine::postgres
