// A bounded number of threads over a bounded queue. Threads are started when there is work for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace candor::mcp {

class Pool {
 public:
  Pool(std::size_t threads_max, std::size_t queue_max) : threads_max_(threads_max), queue_max_(queue_max) {}
  // Waits for the tasks that run and those that wait.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False, and the task is left as it was, when the queue is full. Tasks must not throw.
  [[nodiscard]] bool submit(std::function<void()>& task);
  // Whether nothing runs or waits any more, after at most `patience`.
  [[nodiscard]] bool wait_idle(std::chrono::milliseconds patience);

 private:
  void work();

  const std::size_t threads_max_;
  const std::size_t queue_max_;
  std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  std::size_t resting_ = 0;  // threads that wait for work
  bool stopping_ = false;
};

}  // namespace candor::mcp
