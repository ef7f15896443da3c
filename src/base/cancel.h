// Deadlines and cancellation that every long call takes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace candor {

using Clock = std::chrono::steady_clock;

// Shared between the one who waits and the one who may give up. Copies share the state.
class CancelToken {
 public:
  CancelToken() : state_(std::make_shared<State>()) {}
  // Idempotent; runs the callbacks once, on the calling thread.
  void cancel();
  [[nodiscard]] bool cancelled() const { return state_->cancelled.load(std::memory_order_acquire); }
  // Called at once when already cancelled. The callback must neither block nor use the token;
  // after `forget` it does not run any more.
  std::size_t on_cancel(std::function<void()> callback);
  void forget(std::size_t id);

 private:
  struct State {
    std::atomic<bool> cancelled{false};
    std::mutex mutex;
    std::vector<std::pair<std::size_t, std::function<void()>>> callbacks;
    std::size_t next_id = 1;
  };
  std::shared_ptr<State> state_;
};

}  // namespace candor
