// Signals and failures as a readable pipe.
#include "mcp/stdio/wake.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace candor::mcp {
namespace {

constexpr std::array<int, 3> kSignals = {SIGTERM, SIGINT, SIGHUP};
std::array<struct sigaction, kSignals.size() + 1> actions_before;

// The ends live as long as the process: a handler may still run on another thread when its Wake is gone.
std::array<std::atomic<int>, 2> ends = {-1, -1};

void write_byte() {
  const char byte = 0;
  if (::write(ends[1], &byte, 1) < 0) return;  // full: it is awake already
}

void on_signal(int /*signal*/) {
  const int error = errno;
  write_byte();
  errno = error;
}

}  // namespace

Wake::Wake() {
  // Without a pipe the server still ends with its input; `wake` then does nothing.
  if (int made[2]; ends[0] < 0 && ::pipe2(made, O_CLOEXEC | O_NONBLOCK) == 0) {
    ends[0] = made[0];
    ends[1] = made[1];
  }
  std::array<char, 64> rest{};
  while (::read(ends[0], rest.data(), rest.size()) > 0) continue;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // a second one ends a process whose client does not read
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &actions_before[i]);
  action.sa_handler = SIG_IGN;
  action.sa_flags = 0;
  ::sigaction(SIGPIPE, &action, &actions_before.back());
}

Wake::~Wake() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &actions_before[i], nullptr);
  ::sigaction(SIGPIPE, &actions_before.back(), nullptr);
}

void Wake::wake() const { write_byte(); }

int Wake::descriptor() const { return ends[0]; }

bool wait_readable(int input, const Wake& wake) {
  while (true) {
    std::array<pollfd, 2> wait = {{{input, POLLIN, 0}, {wake.descriptor(), POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    if (wait[1].revents != 0) return false;
    if (wait[0].revents != 0) return true;
  }
}

}  // namespace candor::mcp
