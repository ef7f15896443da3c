// Memory given back while nothing runs: a session spends most of its time waiting for its agent.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace candor::engine::worker {

// Gives free heap memory back to the system, and takes the pages of program text out of this process: they stay in the
// system's file cache, and the next statement maps again what it touches. Returns the bytes of text that were mapped.
std::size_t release_memory();

// Releases memory once each time that the process has used no processor time for a while.
class AtRest {
 public:
  AtRest();
  ~AtRest();
  AtRest(const AtRest&) = delete;
  AtRest& operator=(const AtRest&) = delete;

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable change_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace candor::engine::worker
