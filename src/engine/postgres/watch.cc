// A token's cancellation as a file that poll() can wait for.
#include "engine/postgres/watch.h"

#include <algorithm>
#include <chrono>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace candor::engine::postgres {

Watch::Watch(CancelToken cancel, Clock::time_point stop_at)
    : cancel_(std::move(cancel)),
      stop_at_(stop_at),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      callback_(cancel_.on_cancel([event = event_] {
        if (event >= 0) (void)::eventfd_write(event, 1);
      })) {}

Watch::~Watch() {
  cancel_.forget(callback_);
  if (event_ >= 0) ::close(event_);
}

Stop Watch::stop() const {
  if (cancel_.cancelled()) return Stop::kCancelled;
  return Clock::now() >= stop_at_ ? Stop::kDeadline : Stop::kNone;
}

std::int64_t Watch::left_ms() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(stop_at_ - Clock::now()).count();
  constexpr std::int64_t kMost = 2'147'483'647;  // the server's own limit of its settings
  return std::clamp<std::int64_t>(left, 1, kMost);
}

}  // namespace candor::engine::postgres
