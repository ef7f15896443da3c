// A moving bar on standard error for work that takes over a second; nothing where standard error is no terminal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "cli/terminal.h"

namespace candor::cli {

class Progress {
 public:
  Progress(const Stream& err, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void say(std::string_view what);
  // Takes the bar away before something else is printed, for good.
  void stop();
  // Takes it away and counts from now on again.
  void restart();

 private:
  void run();
  void clear();

  const Stream* err_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  std::chrono::steady_clock::time_point began_;
  bool stopping_ = false;
  bool paused_ = false;
  bool drawn_ = false;
  std::thread thread_;
};

}  // namespace candor::cli
