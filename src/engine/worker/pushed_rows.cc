// Waiting for pushed rows, and giving credit back for those that were taken.
#include "engine/worker/pushed_rows.h"

#include <mutex>
#include <utility>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"

namespace candor::engine::worker {

PushedRows::PushedRows(Request& request, Header header, std::function<void(std::string_view)> send)
    : request_(request), header_(std::move(header)), send_(std::move(send)) {}

RowStream::Item PushedRows::next() {
  if (last_) return *last_;
  Frame frame;
  {
    std::unique_lock lock(request_.mutex);
    request_.change.wait(lock, [this] { return !request_.inbox.empty() || request_.stopped || request_.broken; });
    if (request_.stopped) return finish(make_error("cancelled", "the copy was cancelled"));
    if (request_.broken) return finish(bad_request());
    frame = std::move(request_.inbox.front());
    request_.inbox.pop_front();
  }
  if (frame.type == FrameType::kRows) return take(std::move(frame.payload));
  End end;
  Diagnostic failure;
  if (frame.type == FrameType::kRowsEnd && decode(frame.payload, end)) {
    last_ = Item(end);
    return *last_;
  }
  if (frame.type == FrameType::kRowsFailed && decode(frame.payload, failure)) return finish(std::move(failure));
  return finish(bad_request());
}

RowStream::Item PushedRows::finish(Diagnostic failure) {
  last_ = Item(std::move(failure));
  return *last_;
}

RowStream::Item PushedRows::take(std::string payload) {
  taken_.bytes += payload.size();
  ++taken_.batches;
  auto batch = take_rows(std::move(payload), header_.columns.size());
  if (!batch) return finish(bad_request());
  if (taken_.batches >= kWindowBatches / 2 || taken_.bytes >= kWindowBytes / 2) {
    send_(frame_of(FrameType::kCredit, request_, encode(taken_)));
    taken_ = Credit();
  }
  return std::move(*batch);
}

}  // namespace candor::engine::worker
