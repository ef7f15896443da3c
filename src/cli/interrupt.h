// Ctrl-C: the first cancels what runs, in the engine too; the second ends the program at once.
#pragma once

#include <thread>

#include "base/cancel.h"

namespace candor::cli {

class Interrupt {
 public:
  // Make it before any other thread is started, so that no other thread takes the signal. One at a time.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] CancelToken token() const { return token_; }

 private:
  void watch();

  CancelToken token_;
  int signals_ = -1;
  int stop_ = -1;
  std::thread watcher_;
};

}  // namespace candor::cli
