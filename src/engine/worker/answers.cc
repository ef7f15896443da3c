// The border's small common parts.
#include "engine/worker/answers.h"

#include <algorithm>
#include <utility>

namespace candor::engine::worker {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds kLongest{std::chrono::hours(24 * 365)};

}  // namespace

Milliseconds bounded(std::int64_t milliseconds) {
  return Milliseconds(std::clamp<std::int64_t>(milliseconds, 0, kLongest.count()));
}

Clock::time_point after(Milliseconds limit) { return Clock::now() + std::clamp(limit, Milliseconds(0), kLongest); }

CancelHook::CancelHook(CancelToken token, const std::shared_ptr<Connection>& connection,
                       const std::shared_ptr<Call>& call)
    : token_(std::move(token)), id_(token_.on_cancel([connection, call] { connection->cancel(*call); })) {}

CancelHook::~CancelHook() { token_.forget(id_); }

Diagnostic unless_unknown(Diagnostic failure, const Connection& connection, bool writing) {
  if (!writing || connection.alive()) return failure;
  Diagnostic unknown =
      make_error("write-unknown", "the engine's process ended during a write, which may have taken effect",
                 "count the rows of the table before you run the statement again", failure.detail);
  if (failure.code != "engine-died") unknown.detail = failure.code + ": " + failure.detail;
  return unknown;
}

Diagnostic failure_of(Connection& connection, Call& call, const Frame& frame) {
  Diagnostic failure;
  if (frame.type != FrameType::kFailed || !decode(frame.payload, failure)) return connection.malformed(call);
  return failure;
}

Status acknowledged(Connection& connection, Call& call) {
  CANDOR_ASSIGN(const Frame frame, connection.wait(call));
  if (frame.type != FrameType::kDone) return failure_of(connection, call, frame);
  if (!frame.payload.empty()) return connection.malformed(call);
  return Ok{};
}

}  // namespace candor::engine::worker
