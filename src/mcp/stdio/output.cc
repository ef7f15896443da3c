// Writing lines.
#include "mcp/stdio/output.h"

#include <cerrno>
#include <poll.h>
#include <string_view>
#include <unistd.h>

namespace candor::mcp {
namespace {

// The errno of the failure, or 0.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      // The other end made the descriptor non-blocking; it is shared with us.
      pollfd wait{descriptor, POLLOUT, 0};
      if (::poll(&wait, 1, -1) < 0 && errno != EINTR) return errno;
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

void Output::send(std::string text) {
  text += '\n';
  int failure = 0;
  {
    const std::lock_guard lock(mutex_);
    if (failed()) return;
    failure = write_all(descriptor_, text);
    if (failure != 0) error_.store(failure);
  }
  if (failure != 0) on_failure_();
}

}  // namespace candor::mcp
