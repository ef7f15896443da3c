// Sending, learning the columns, and taking one row after the other.
#include "engine/postgres/direct_rows.h"

#include <utility>

#include "engine/postgres/errors.h"
#include "engine/postgres/parameters.h"

namespace candor::engine::postgres {
namespace {

constexpr std::size_t kBatchRows = 1'024;
constexpr std::size_t kBatchBytes = std::size_t{128} << 10U;

}  // namespace

Status DirectRows::start(const std::string& sql, std::size_t sql_at, bool changes_rows) {
  sql_at_ = sql_at;
  changes_rows_ = changes_rows;
  CANDOR_ASSIGN(const Parameters parameters, parameters_of(request_.parameters));
  if (auto fault = connection_.begin_rows(sql, parameters)) return failed(*fault);
  open_ = true;
  // The first answer has the columns, and of a write everything.
  Reply first = connection_.next(watch_);
  if (first.fault) return settled(*first.fault);
  first_ = std::move(first.result);
  return describe();
}

Diagnostic DirectRows::failed(const Fault& fault) const {
  const bool contract = request_.lane == Lane::kContract;
  return statement_error(fault, pool_.source(), {request_.sql, sql_at_, 0, changes_rows_, {}, contract});
}

Diagnostic DirectRows::settled(const Fault& fault) {
  if (!fault.lost) connection_.settle(watch_);
  open_ = false;
  return failed(fault);
}

// Types that are not known yet can't be asked for while rows come: those of the result are read to its end then.
Status DirectRows::describe() {
  const PGresult* result = first_.get();
  if (result == nullptr || libpq().PQnfields(result) == 0) return Ok{};
  auto known = pool_.types().known(result);
  if (!known) {
    CANDOR_TRY(hold_all());
    auto asked = pool_.types().of(first_.get(), connection_, pool_.source(), watch_);
    if (!asked.ok()) return asked.error();
    known = *std::move(asked);
  }
  CANDOR_ASSIGN(auto columns, columns_of(first_.get(), *known, false));
  writer_.emplace(request_, std::move(columns), *std::move(known));
  columns_ = writer_->columns();
  return Ok{};
}

Status DirectRows::hold_all() {
  while (true) {
    Reply reply = connection_.next(watch_);
    if (reply.fault) return settled(*reply.fault);
    if (reply.result == nullptr) break;
    held_.push_back(std::move(reply.result));
  }
  all_held_ = true;
  open_ = false;
  return Ok{};
}

Status DirectRows::take(RowBatch& batch) {
  PgResult result = std::move(first_);
  if (result == nullptr && next_held_ < held_.size()) result = std::move(held_[next_held_++]);
  if (result == nullptr && !all_held_) {
    Reply reply = connection_.next(watch_);
    if (reply.fault) return settled(*reply.fault);
    result = std::move(reply.result);
  }
  if (result == nullptr) {
    done_ = true;
    open_ = false;
    return Ok{};
  }
  tag_ = libpq().PQcmdTuples(result.get());
  const int rows = writer_ ? libpq().PQntuples(result.get()) : 0;
  seen_ += static_cast<std::uint64_t>(rows);
  for (int row = 0; row < rows && !writer_->full(); ++row) CANDOR_TRY(writer_->append(result.get(), row, batch));
  return Ok{};
}

Result<RowBatch> DirectRows::fill(bool to_the_end) {
  RowBatch batch;
  while (!done_ && batch.rows < kBatchRows && batch.cells.size() < kBatchBytes) {
    if (!to_the_end && writer_ && writer_->full()) break;
    CANDOR_TRY(take(batch));
  }
  return batch;
}

Result<bool> DirectRows::at_end() {
  RowBatch none;
  while (!done_ && writer_ && seen_ == writer_->rows()) CANDOR_TRY(take(none));
  return done_;
}

End DirectRows::end() const {
  End end;
  if (!writer_) return end;
  end.rows = writer_->rows();
  if (done_) end.rows_total = seen_;
  end.cut_by_chars = writer_->cut_by_chars() && end.rows_total != end.rows;
  return end;
}

}  // namespace candor::engine::postgres
