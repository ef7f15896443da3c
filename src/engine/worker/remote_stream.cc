// Frames made into rows; an end that was not told is a failure.
#include "engine/worker/remote_stream.h"

#include <cstddef>
#include <utility>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"

namespace candor::engine::worker {

RemoteStream::RemoteStream(std::shared_ptr<Connection> connection, std::shared_ptr<Call> call,
                           std::unique_ptr<CancelHook> hook, bool writing)
    : connection_(std::move(connection)), call_(std::move(call)), hook_(std::move(hook)), writing_(writing) {}

RemoteStream::~RemoteStream() {
  hook_.reset();
  if (!last_ || more_) connection_->abandon(*call_);
}

Status RemoteStream::begin() {
  last_.reset();
  more_ = false;
  header_ = Header();
  auto frame = connection_->wait(*call_);
  if (!frame.ok()) return died(std::move(frame).error());
  if (frame->type != FrameType::kHeader) return finish(failure_of(*connection_, *call_, *frame));
  if (!decode(frame->payload, header_)) return finish(connection_->malformed(*call_));
  return Ok{};
}

RowStream::Item RemoteStream::next() {
  if (last_) return *last_;
  auto frame = connection_->wait(*call_);
  if (!frame.ok()) return died(std::move(frame).error());
  if (frame->type == FrameType::kRows) return take(std::move(frame->payload));
  End end;
  const bool next = frame->type == FrameType::kNext;
  if (!next && frame->type != FrameType::kDone) return finish(failure_of(*connection_, *call_, *frame));
  if (!decode(frame->payload, end)) return finish(connection_->malformed(*call_));
  more_ = next;
  last_ = Item(end);
  return *last_;
}

Diagnostic RemoteStream::finish(Diagnostic failure) {
  last_ = Item(failure);
  return failure;
}

Diagnostic RemoteStream::died(Diagnostic failure) {
  return finish(unless_unknown(std::move(failure), *connection_, writing_));
}

RowStream::Item RemoteStream::take(std::string payload) {
  const std::size_t bytes = payload.size();
  auto batch = take_rows(std::move(payload), header_.columns.size());
  if (!batch) return finish(connection_->malformed(*call_));
  ++taken_.batches;
  taken_.bytes += bytes;
  // In halves of the window: small results never send one.
  if (taken_.batches >= kWindowBatches / 2 || taken_.bytes >= kWindowBytes / 2) {
    connection_->credit(*call_, taken_.batches, taken_.bytes);
    taken_ = Credit();
  }
  return std::move(*batch);
}

}  // namespace candor::engine::worker
