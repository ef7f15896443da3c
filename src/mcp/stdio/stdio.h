// The server on two file descriptors: reads lines, hands calls to threads, writes answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "mcp/protocol/server.h"

namespace candor::mcp {

struct StdioSettings {
  int input = 0;
  int output = 1;
  std::size_t threads_max = 8;
  std::size_t queue_max = 64;                        // calls that wait for a thread; further ones are `busy`
  std::chrono::milliseconds grace{1'500};            // for calls that run when the input ends; then they are cancelled
  std::chrono::milliseconds cancel_patience{2'000};  // for cancelled calls to come back
  std::function<void()> before_leaving;  // when nothing more is answered; the calls that did not end still run
};

// Serves until the input ends, a signal asks to end (SIGTERM, SIGINT, SIGHUP), or the output can't be written.
// The exit code. When a call does not come back although it was cancelled the process is ended here.
[[nodiscard]] int serve(Server& server, const StdioSettings& settings);

// Takes standard input and output for the protocol alone and gives their new descriptors: what reads or prints elsewhere
// gets an empty input and standard error, child processes inherit neither.
struct ProtocolStreams {
  int input = -1;
  int output = -1;
};
[[nodiscard]] ProtocolStreams claim_standard_streams();

}  // namespace candor::mcp
