// Running and dropping the callbacks of a cancel token.
#include "base/cancel.h"

#include <algorithm>
#include <utility>

namespace candor {

void CancelToken::cancel() {
  // The lock is held while the callbacks run, so that `forget` returns only when none of them runs any more.
  const std::lock_guard lock(state_->mutex);
  if (state_->cancelled.exchange(true, std::memory_order_acq_rel)) return;
  for (const auto& [id, callback] : state_->callbacks) callback();
  state_->callbacks.clear();
}

std::size_t CancelToken::on_cancel(std::function<void()> callback) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->cancelled.load(std::memory_order_acquire)) {
      state_->callbacks.emplace_back(state_->next_id, std::move(callback));
      return state_->next_id++;
    }
  }
  callback();
  return 0;
}

void CancelToken::forget(std::size_t id) {
  const std::lock_guard lock(state_->mutex);
  std::erase_if(state_->callbacks, [id](const auto& entry) { return entry.first == id; });
}

}  // namespace candor
