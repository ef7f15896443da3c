// Who may end a wait for the server: the caller's token and the clock.
#pragma once

#include <cstdint>

#include "base/cancel.h"

namespace candor::engine::postgres {

// Why the running statement was stopped.
enum class Stop : std::uint8_t { kNone, kDeadline, kCancelled };

class Watch {
 public:
  Watch(CancelToken cancel, Clock::time_point stop_at);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  [[nodiscard]] Stop stop() const;
  [[nodiscard]] Clock::time_point stop_at() const { return stop_at_; }
  void stop_at(Clock::time_point when) { stop_at_ = when; }
  // Becomes readable once the token is cancelled; -1 where the system had none to give, and cancelling is seen late.
  [[nodiscard]] int event() const { return event_; }
  // Milliseconds that are left, at least 1: PostgreSQL takes 0 for "without an end".
  [[nodiscard]] std::int64_t left_ms() const;

 private:
  CancelToken cancel_;
  Clock::time_point stop_at_;
  int event_;
  std::size_t callback_;
};

}  // namespace candor::engine::postgres
