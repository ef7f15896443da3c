// A program that runs beside this one, its three pipes, and its end.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/result.h"

namespace candor::memory {

// One end of a pipe, closed with it.
class PipeEnd {
 public:
  PipeEnd() = default;
  explicit PipeEnd(int file) : file_(file) {}
  PipeEnd(const PipeEnd&) = delete;
  PipeEnd& operator=(PipeEnd&& other) noexcept {
    close();
    file_ = std::exchange(other.file_, -1);
    return *this;
  }
  ~PipeEnd() { close(); }
  void close();
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] bool open() const { return file_ >= 0; }

 private:
  int file_ = -1;
};

struct ProgramCall {
  std::vector<std::string> words;        // the program, looked for on PATH, and its arguments
  std::vector<std::string> environment;  // NAME=VALUE, besides this program's own
  std::string folder;                    // where it runs; empty: here
  std::string name;                      // what failures call it: "the embedder's command"
};

// Killed with all that it started when it goes, and when this program is killed.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr int kNotFound = 127;  // the exit code where there is no such program

  ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // Fails with `embedding-failed`.
  [[nodiscard]] Status start(const ProgramCall& call);
  // Gives it the input and takes its output, both at once, since either pipe may fill up; `tick` is called several times a
  // second. Fails with `embedding-timeout` and `embedding-failed`.
  [[nodiscard]] Result<std::string> converse(std::string_view input, Clock::time_point until,
                                             const std::function<void()>& tick = {});
  // Its exit code, 128 and more for a signal. After `converse`.
  [[nodiscard]] int wait();
  // What it wrote on standard error: the last of it.
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  void write_some(std::string_view& input);
  static void read_some(PipeEnd& end, std::string& into);

  pid_t id_ = 0;
  std::string name_;
  PipeEnd to_, from_, errors_;
  std::string said_;
};

}  // namespace candor::memory
