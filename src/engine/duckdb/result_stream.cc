// Pulling, capping and counting.
#include "engine/duckdb/result_stream.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace candor::engine::duckdb {
namespace {

// Of the statement that has just ended, where its connection counts them. Nothing for 0: the engine reads none where its
// statistics answer, and that would look like an empty table.
std::optional<std::uint64_t> rows_scanned(duckdb_connection connection) {
  duckdb_profiling_info info = duckdb_get_profiling_info(connection);
  if (info == nullptr) return std::nullopt;
  const EngineValue value(duckdb_profiling_info_get_value(info, "CUMULATIVE_ROWS_SCANNED"));
  if (!value) return std::nullopt;
  const std::uint64_t rows = duckdb_get_uint64(value.get());
  return rows == 0 ? std::nullopt : std::optional<std::uint64_t>(rows);
}

}  // namespace

ResultStream::ResultStream(const RunRequest& request, ErrorContext context, Header header, Execution execution,
                           std::optional<ChunkEncoder> encoder, std::optional<std::uint64_t> affected)
    : request_(request),
      context_(context),
      header_(std::move(header)),
      execution_(std::move(execution)),
      encoder_(std::move(encoder)) {
  request_.parameters.clear();
  end_.affected = affected;
}

RowStream::Item ResultStream::next() {
  if (failure_) return *failure_;
  if (ended_) return end_;
  if (!encoder_) return finish(false);
  const bool full = end_.cut_by_chars || end_.rows >= request_.rows_max;
  return full ? count_rest() : fetch();
}

// The next batch, or the end, where the caps still leave room.
RowStream::Item ResultStream::fetch() {
  while (chunk_taken_ == chunk_rows_) {
    if (const StopReason reason = execution_.watch.reason(); reason != StopReason::kNone) {
      return fail(stopped_error(reason, request_.deadline_ms));
    }
    chunk_ = Chunk(duckdb_fetch_chunk(*execution_.result.get()));
    // No chunk means the end or an error; only the error slot tells which.
    if (const std::string error = execution_.result.error(); !error.empty()) return fail(engine_error());
    if (!chunk_) return finish(true);
    chunk_rows_ = duckdb_data_chunk_get_size(chunk_.get());
    chunk_taken_ = 0;
    rows_seen_ += chunk_rows_;
  }
  return hand_over();
}

RowStream::Item ResultStream::hand_over() {
  const std::uint64_t wanted = std::min(chunk_rows_ - chunk_taken_, request_.rows_max - end_.rows);
  RowBatch batch;
  Result<ChunkEncoder::Encoded> encoded = encoder_->encode(
      chunk_.get(), chunk_taken_, wanted, request_.chars_max - std::min(chars_, request_.chars_max), batch);
  if (!encoded.ok()) return fail(std::move(encoded).error());
  chars_ += encoded->chars;
  chunk_taken_ += encoded->rows;
  end_.rows += encoded->rows;
  // Passed by the very last row of a result, it cut nothing: then the count after it gives as many rows.
  if (chars_ > request_.chars_max) end_.cut_by_chars = true;
  return batch;
}

// Only counts. The budget ends it without an error: the count is then not known.
RowStream::Item ResultStream::count_rest() {
  chunk_.reset();
  if (request_.count_budget_ms <= 0 && chunk_taken_ < chunk_rows_) return finish(false);
  const Clock::time_point budget =
      Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(request_.count_budget_ms, 1));
  execution_.watch.set_budget(budget);
  while (true) {
    const Chunk chunk(duckdb_fetch_chunk(*execution_.result.get()));
    if (const std::string error = execution_.result.error(); !error.empty()) {
      Diagnostic why = engine_error();
      const StopReason reason = execution_.watch.reason();
      const bool out_of_time = reason == StopReason::kBudget || reason == StopReason::kDeadline;
      return out_of_time && why.code == "statement-timeout" ? finish(false) : fail(std::move(why));
    }
    if (!chunk) return finish(true);
    rows_seen_ += duckdb_data_chunk_get_size(chunk.get());
    const StopReason reason = execution_.watch.reason();
    if (reason == StopReason::kCancelled) return fail(stopped_error(reason, request_.deadline_ms));
    if (reason != StopReason::kNone) return finish(false);
  }
}

RowStream::Item ResultStream::finish(bool counted) {
  if (encoder_ && counted) end_.rows_total = rows_seen_;
  // A contract's connections do not count.
  if (end_.rows_total == 0U && !context_.contract) end_.rows_scanned = rows_scanned(execution_.lease.get());
  if (end_.rows_total == end_.rows) end_.cut_by_chars = false;
  ended_ = true;
  chunk_.reset();
  execution_.release();
  return end_;
}

RowStream::Item ResultStream::fail(Diagnostic why) {
  failure_ = std::move(why);
  chunk_.reset();
  execution_.release();
  return *failure_;
}

Diagnostic ResultStream::engine_error() {
  ErrorContext context = context_;
  context.sql = request_.sql;
  context.stopped = execution_.watch.reason();
  return translate_error(execution_.result.error(), context);
}

}  // namespace candor::engine::duckdb
