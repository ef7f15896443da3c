// A thread that waits for signals on a descriptor, since a handler may not take the locks of a cancellation.
#include "cli/interrupt.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/codes.h"

namespace candor::cli {
namespace {

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupt::Interrupt() {
  const sigset_t set = watched();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  stop_ = ::eventfd(0, EFD_CLOEXEC);
  watcher_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  const std::uint64_t one = 1;
  if (::write(stop_, &one, sizeof one) == sizeof one) watcher_.join();
  ::close(signals_);
  ::close(stop_);
  const sigset_t set = watched();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void Interrupt::watch() {
  std::array<pollfd, 2> waits{pollfd{signals_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
  for (bool cancelled = false;;) {
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (waits[0].revents == 0 || ::read(signals_, &signal, sizeof signal) != sizeof signal) continue;
    // Workers end by themselves when their socket closes.
    if (cancelled) ::_exit(static_cast<int>(ExitCode::kInterrupted));
    cancelled = true;
    token_.cancel();
  }
}

}  // namespace candor::cli
