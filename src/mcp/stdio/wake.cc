// Signals and failures as a readable pipe.
#include "mcp/stdio/wake.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

namespace candor::mcp {
namespace {

constexpr std::array<int, 3> kSignals = {SIGTERM, SIGINT, SIGHUP};
std::atomic<const Wake*> woken_by_signals{nullptr};
std::array<struct sigaction, kSignals.size() + 1> actions_before;

void on_signal(int /*signal*/) {
  const int error = errno;
  if (const Wake* wake = woken_by_signals.load()) wake->wake();
  errno = error;
}

}  // namespace

Wake::Wake() {
  // Without a pipe the server still ends with its input; `wake` then does nothing.
  if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  woken_by_signals.store(this);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // a second one ends a process whose client does not read
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &action, &actions_before[i]);
  action.sa_handler = SIG_IGN;
  action.sa_flags = 0;
  ::sigaction(SIGPIPE, &action, &actions_before.back());
}

Wake::~Wake() {
  for (std::size_t i = 0; i < kSignals.size(); ++i)
    ::sigaction(kSignals[i], &actions_before[i], nullptr);
  ::sigaction(SIGPIPE, &actions_before.back(), nullptr);
  woken_by_signals.store(nullptr);
  for (const int end : ends_) {
    if (end >= 0) ::close(end);
  }
}

void Wake::wake() const {
  const char byte = 0;
  if (ends_[1] >= 0 && ::write(ends_[1], &byte, 1) < 0) return;  // full: it is awake already
}

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
