// One request inside a worker: what the thread that reads and the one that answers share of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/diagnostic.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {

// One request that runs or waits to run.
struct Request {
  Frame frame;
  CancelToken cancel;
  std::mutex mutex;  // of what follows
  std::condition_variable change;
  Window sent;              // rows without a credit
  std::deque<Frame> inbox;  // rows of an append
  bool stopped = false;     // cancelled, or the client is gone
  bool broken = false;      // the client broke the protocol
};

[[nodiscard]] std::string frame_of(FrameType type, const Request& request, std::string_view payload);

[[nodiscard]] Diagnostic bad_request();

}  // namespace candor::engine::worker
