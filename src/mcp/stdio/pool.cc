// The thread pool of the stdio server.
#include "mcp/stdio/pool.h"

#include <utility>

namespace candor::mcp {

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Pool::submit(std::function<void()>& task) {
  {
    const std::lock_guard lock(mutex_);
    const bool thread_free = resting_ > queue_.size() || threads_.size() < threads_max_;
    if (!thread_free && queue_.size() >= queue_max_) return false;
    queue_.push_back(std::move(task));
    if (queue_.size() > resting_ && threads_.size() < threads_max_) {
      threads_.emplace_back([this] { work(); });
    }
  }
  work_there_.notify_one();
  return true;
}

bool Pool::wait_idle(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, patience, [this] { return queue_.empty() && resting_ == threads_.size(); });
}

void Pool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++resting_;
    if (queue_.empty() && resting_ == threads_.size()) idle_.notify_all();
    work_there_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --resting_;
    if (queue_.empty()) return;
    const std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace candor::mcp
