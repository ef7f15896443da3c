// The loop of the stdio server, and its orderly end.
#include "mcp/stdio/stdio.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/codes.h"
#include "mcp/stdio/lines.h"
#include "mcp/stdio/output.h"
#include "mcp/stdio/pool.h"
#include "mcp/stdio/wake.h"

namespace candor::mcp {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

class StdioServer {
 public:
  StdioServer(Server& server, const StdioSettings& settings)
      : server_(server),
        settings_(settings),
        output_(std::make_shared<Output>(settings.output, [this] { wake_.wake(); })),
        connection_(std::make_shared<Connection>(output_)),
        pool_(std::make_unique<Pool>(settings.threads_max, settings.queue_max)),
        lines_(server.settings().message_bytes_max,
               {.line = [this](std::string_view line) { take(line); },
                .too_long = [this] { refuse_too_long(); },
                .skipped = [this](std::string_view bytes) { finder_.feed(bytes); }}) {}

  int serve() {
    const bool input_ended = read_all();
    return leave(input_ended);
  }

 private:
  // True when the input ended; false when a signal or a failure ended the reading.
  bool read_all() {
    std::vector<char> buffer(kReadBytes);
    while (wait_readable(settings_.input, wake_)) {
      const ssize_t got = ::read(settings_.input, buffer.data(), buffer.size());
      if (got > 0) {
        lines_.feed({buffer.data(), static_cast<std::size_t>(got)});
      } else if (got == 0) {
        lines_.finish();
        return true;
      } else if (errno != EINTR && errno != EAGAIN) {
        std::fprintf(stderr, "candor mcp: standard input can't be read: %s\n", std::strerror(errno));
        return false;
      }
    }
    return false;
  }

  void take(std::string_view line) {
    auto accepted = server_.accept(line, connection_);
    if (auto* answer = std::get_if<Answer>(&accepted)) {
      send(std::move(*answer));
      return;
    }
    // A function object must be copyable, which the work need not be.
    auto work = std::make_shared<Work>(std::get<Work>(std::move(accepted)));
    std::function<void()> task = [this, work] { send(server_.run(std::move(*work))); };
    if (!pool_->submit(task)) {
      const std::string running = std::to_string(settings_.threads_max + settings_.queue_max);
      send(server_.refuse(std::move(*work), make_error("busy", running + " calls run or wait already",
                                                       "wait for an answer, then call again")));
    }
  }

  void refuse_too_long() {
    const std::string bytes_max = std::to_string(server_.settings().message_bytes_max);
    send(server_.refuse_message(std::exchange(finder_, {}), *connection_,
                                "the message is over " + bytes_max + " bytes"));
  }

  void send(Answer answer) {
    if (!answer.text.empty()) output_->send(std::move(answer.text));
  }

  int leave(bool input_ended) {
    const bool whole = pool_->wait_idle(input_ended ? settings_.grace : std::chrono::milliseconds(0));
    if (!whole) connection_->cancel_all();
    const bool ended = whole || pool_->wait_idle(settings_.cancel_patience);
    server_.close(*connection_);
    if (settings_.before_leaving) settings_.before_leaving();
    const int code = exit_code();
    if (!ended && !pool_->wait_idle(std::chrono::milliseconds(100))) {
      std::fprintf(stderr, "candor mcp: a cancelled call did not end; leaving without it\n");
      std::_Exit(code);
    }
    pool_.reset();
    return code;
  }

  int exit_code() const {
    if (!output_->failed()) return 0;
    // A client that closed the pipe is gone, which is no fault.
    if (output_->error() == EPIPE) return 0;
    std::fprintf(stderr, "candor mcp: standard output can't be written: %s\n", std::strerror(output_->error()));
    return static_cast<int>(ExitCode::kFile);
  }

  Server& server_;
  const StdioSettings& settings_;
  Wake wake_;
  const std::shared_ptr<Output> output_;
  const std::shared_ptr<Connection> connection_;
  std::unique_ptr<Pool> pool_;
  IdFinder finder_;  // of the line that is too long
  LineSplitter lines_;
};

}  // namespace

int serve(Server& server, const StdioSettings& settings) { return StdioServer(server, settings).serve(); }

ProtocolStreams claim_standard_streams() {
  ProtocolStreams streams;
  streams.input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  streams.output = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int empty = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (empty >= 0) {
    ::dup2(empty, STDIN_FILENO);
    ::close(empty);
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return streams;
}

}  // namespace candor::mcp
