// Waiting for what a worker answers, and telling what a lost answer means.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/worker/codec.h"
#include "engine/worker/connection.h"
#include "engine/worker/frame.h"

namespace candor::engine::worker {

// So far from now, within what a clock can hold.
[[nodiscard]] Clock::time_point after(std::chrono::milliseconds limit);
// A request's deadline_ms or wait_ms, likewise.
[[nodiscard]] std::chrono::milliseconds bounded(std::int64_t milliseconds);

// Passes a cancellation on to the worker for as long as it lives.
class CancelHook {
 public:
  CancelHook(CancelToken token, const std::shared_ptr<Connection>& connection, const std::shared_ptr<Call>& call);
  ~CancelHook();
  CancelHook(const CancelHook&) = delete;
  CancelHook& operator=(const CancelHook&) = delete;

 private:
  CancelToken token_;
  std::size_t id_;
};

// What a write is answered with that failed: its process may have ended after the write was committed, so who runs it
// again must look first.
[[nodiscard]] Diagnostic unless_unknown(Diagnostic failure, const Connection& connection, bool writing);

// The diagnostic of a frame that is no answer.
[[nodiscard]] Diagnostic failure_of(Connection& connection, Call& call, const Frame& frame);

// Waits for the one answer of a request.
template <typename Reply>
[[nodiscard]] Result<Reply> answer(Connection& connection, Call& call) {
  CANDOR_ASSIGN(const Frame frame, connection.wait(call));
  if (frame.type != FrameType::kDone) return failure_of(connection, call, frame);
  Reply reply{};
  if (!decode(frame.payload, reply)) return connection.malformed(call);
  return reply;
}

// The same where nothing is to be told but that it is done.
[[nodiscard]] Status acknowledged(Connection& connection, Call& call);

}  // namespace candor::engine::worker
