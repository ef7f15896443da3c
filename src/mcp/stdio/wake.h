// A pipe that wakes the reading thread: for signals, and for an output that fails.
#pragma once

namespace candor::mcp {

class Wake {
 public:
  Wake();  // SIGTERM, SIGINT and SIGHUP wake it, SIGPIPE is ignored, while it lives; one at a time
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  void wake() const;
  [[nodiscard]] int descriptor() const;
};

// Waits until the input can be read; false when it was woken in place of that.
[[nodiscard]] bool wait_readable(int input, const Wake& wake);

}  // namespace candor::mcp
