// Lines to a file descriptor, whole and in order, from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "mcp/protocol/outlet.h"

namespace candor::mcp {

class Output final : public Outlet {
 public:
  // `on_failure` is called once, on the thread whose write failed.
  Output(int descriptor, std::function<void()> on_failure)
      : descriptor_(descriptor), on_failure_(std::move(on_failure)) {}

  void send(std::string text) override;
  [[nodiscard]] bool failed() const { return error_.load() != 0; }
  [[nodiscard]] int error() const { return error_.load(); }  // errno of the failure

 private:
  const int descriptor_;
  const std::function<void()> on_failure_;
  std::mutex mutex_;
  std::atomic<int> error_{0};
};

}  // namespace candor::mcp
