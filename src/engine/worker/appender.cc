// Pushing rows.
#include "engine/worker/appender.h"

#include <string>
#include <utility>

#include "engine/worker/answers.h"
#include "engine/worker/codec.h"

namespace candor::engine::worker {

Result<std::uint64_t> Appender::push(RowStream& rows) {
  const std::size_t columns = rows.header().columns.size();
  while (true) {
    // While the rows come from elsewhere, the worker owes nothing.
    connection_.expect(call_, kNever);
    RowStream::Item item = rows.next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      if (auto ended = send(*batch, columns)) return std::move(*ended);
    } else if (auto* end = std::get_if<End>(&item)) {
      connection_.send(call_, FrameType::kRowsEnd, encode(*end));
      return last();
    } else {
      auto& failure = std::get<Diagnostic>(item);
      connection_.send(call_, FrameType::kRowsFailed, encode(failure));
      if (const auto ignored = last(); ignored.ok()) return connection_.malformed(call_);
      return std::move(failure);
    }
  }
}

Appender::Ended Appender::send(const RowBatch& batch, std::size_t columns) {
  Pieces pieces(batch, columns);
  while (const auto piece = pieces.next()) {
    while (!window_.open()) {
      if (auto ended = wait_for_credit()) return ended;
    }
    const std::string tail = rows_tail(piece->rows);
    if (piece->cells.size() + tail.size() > kPayloadBytesMax) {
      return make_error("over-limit", "a row of more than 256 MB can't be copied", "select fewer or shorter columns");
    }
    window_.add(piece->cells.size() + tail.size());
    if (!connection_.send(call_, FrameType::kRows, piece->cells, tail)) return last();
  }
  return std::nullopt;
}

Appender::Ended Appender::wait_for_credit() {
  connection_.expect(call_, after(timing_.answer));
  auto frame = connection_.wait(call_);
  if (!frame.ok()) return std::move(frame).error();
  Credit credit;
  if (frame->type != FrameType::kCredit) return result(*frame);
  if (!decode(frame->payload, credit) || !window_.remove(credit.batches, credit.bytes)) {
    return connection_.malformed(call_);
  }
  return std::nullopt;
}

Result<std::uint64_t> Appender::last() {
  connection_.expect(call_, after(timing_.answer));
  while (true) {
    CANDOR_ASSIGN(const Frame frame, connection_.wait(call_));
    if (frame.type != FrameType::kCredit) return result(frame);
  }
}

Result<std::uint64_t> Appender::result(const Frame& frame) {
  if (frame.type != FrameType::kDone) return failure_of(connection_, call_, frame);
  std::uint64_t rows = 0;
  if (!decode(frame.payload, rows)) return connection_.malformed(call_);
  return rows;
}

}  // namespace candor::engine::worker
