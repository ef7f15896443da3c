// Running an embedder's command: its pipes, its time, its lines.
#include "memory/embed/command_embedder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "memory/embed/vector_json.h"

namespace candor::memory {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kOutputMax = std::size_t{512} << 20U, kErrorsMax = 2'000;

Diagnostic failure(std::string message, std::string detail = {}) {
  return make_error("embedding-failed", std::move(message),
                    "run the command by itself with {\"text\":\"…\"} on its input", std::move(detail));
}

// Ends of pipes that are closed with it.
class End {
 public:
  End() = default;
  explicit End(int file) : file_(file) {}
  End(const End&) = delete;
  End& operator=(End&& other) noexcept {
    close();
    file_ = other.file_;
    other.file_ = -1;
    return *this;
  }
  ~End() { close(); }
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  [[nodiscard]] int file() const { return file_; }
  [[nodiscard]] bool open() const { return file_ >= 0; }

 private:
  int file_ = -1;
};

class Child {
 public:
  Child() = default;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ <= 0) return;
    ::kill(-id_, SIGKILL);
    int ignored = 0;
    while (::waitpid(id_, &ignored, 0) < 0 && errno == EINTR) {
    }
  }

  Status start(const std::string& command) {
    std::array<int, 2> in{}, out{}, errors{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0) return failure("the embedder could not be started");
    End in_read(in[0]);
    to_ = End(in[1]);
    if (::pipe2(out.data(), O_CLOEXEC) != 0) return failure("the embedder could not be started");
    from_ = End(out[0]);
    End out_write(out[1]);
    if (::pipe2(errors.data(), O_CLOEXEC) != 0) return failure("the embedder could not be started");
    errors_ = End(errors[0]);
    End errors_write(errors[1]);
    for (const End* end : {&to_, &from_, &errors_}) ::fcntl(end->file(), F_SETFL, O_NONBLOCK);
    id_ = ::fork();
    if (id_ < 0) return failure("the embedder could not be started");
    if (id_ == 0) {
      ::setpgid(0, 0);
      ::dup2(in_read.file(), 0);
      ::dup2(out_write.file(), 1);
      ::dup2(errors_write.file(), 2);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::setpgid(id_, id_);
    return Ok{};
  }

  // Gives it the input and takes its output, both at once: either pipe may fill up.
  Result<std::string> converse(std::string_view input, Clock::time_point until) {
    std::string output;
    while (from_.open()) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0)
        return make_error("embedding-timeout", "the embedder's command took too long", "CANDOR_EMBED_SECONDS=120");
      std::array<pollfd, 3> files = {pollfd{from_.file(), POLLIN, 0}, pollfd{errors_.file(), POLLIN, 0},
                                     pollfd{to_.file(), POLLOUT, 0}};
      if (::poll(files.data(), files.size(), static_cast<int>(std::min<std::int64_t>(left, 1'000))) < 0 &&
          errno != EINTR) {
        return failure("the embedder's command could not be waited for");
      }
      if (files[2].revents != 0) write_some(input);
      if (files[1].revents != 0) read_some(errors_, said_);
      if (files[0].revents != 0) read_some(from_, output);
      if (said_.size() > kErrorsMax) said_.resize(kErrorsMax);
      if (output.size() > kOutputMax) return failure("the embedder's command writes without an end");
    }
    return output;
  }

  // Its exit code; what it said on standard error.
  int wait() {
    to_.close();
    while (errors_.open() && said_.size() < kErrorsMax) {
      pollfd file{errors_.file(), POLLIN, 0};
      if (::poll(&file, 1, 200) <= 0) break;
      read_some(errors_, said_);
    }
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  void write_some(std::string_view& input) {
    const auto sent =
        input.empty() ? 0 : ::write(to_.file(), input.data(), std::min<std::size_t>(input.size(), 65'536));
    if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
    const bool broken = sent < 0 && errno != EAGAIN && errno != EINTR;
    if (input.empty() || broken) to_.close();
  }

  static void read_some(End& end, std::string& into) {
    std::array<char, 65'536> bytes{};
    const auto got = ::read(end.file(), bytes.data(), bytes.size());
    if (got > 0) into.append(bytes.data(), static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) end.close();
  }

  pid_t id_ = 0;
  End to_, from_, errors_;
  std::string said_;
};

Result<std::vector<Vector>> read_lines(std::string_view output, std::size_t expected) {
  std::vector<Vector> vectors;
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    const auto line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto node = json::parse(line);
    std::optional<Vector> vector;
    if (node.ok()) vector = vector_of(node->is_object() ? (*node)["embedding"] : *node);
    if (!vector) {
      return failure("the embedder's command wrote a line that is no vector",
                     "line " + std::to_string(vectors.size() + 1));
    }
    vectors.push_back(std::move(*vector));
  }
  if (vectors.size() != expected) {
    return failure("the embedder's command gave another number of vectors than texts",
                   std::to_string(vectors.size()) + " for " + std::to_string(expected));
  }
  return vectors;
}

class CommandEmbedder : public Embedder {
 public:
  CommandEmbedder(std::string command, int timeout_ms) : command_(std::move(command)), timeout_ms_(timeout_ms) {}

  Result<std::vector<Vector>> embed(std::span<const std::string> texts) override {
    if (texts.empty()) return std::vector<Vector>();
    std::string input;
    for (const auto& text : texts) {
      json::append(input, json::Node::object().set("text", json::Node::string(text)));
      input += '\n';
    }
    // A command that ends early must not end this program.
    struct sigaction ignore = {}, before = {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    auto vectors = run(input, texts.size());
    ::sigaction(SIGPIPE, &before, nullptr);
    return vectors;
  }

 private:
  Result<std::vector<Vector>> run(const std::string& input, std::size_t expected) {
    Child child;
    CANDOR_TRY(child.start(command_));
    CANDOR_ASSIGN(const std::string output,
                  child.converse(input, Clock::now() + std::chrono::milliseconds(timeout_ms_)));
    const int code = child.wait();
    if (code != 0) return failure("the embedder's command ended with " + std::to_string(code), child.said());
    return read_lines(output, expected);
  }

  std::string command_;
  int timeout_ms_;
};

}  // namespace

std::unique_ptr<Embedder> make_command_embedder(std::string command, const EmbedSettings& settings) {
  return std::make_unique<CommandEmbedder>(std::move(command), settings.timeout_ms);
}

}  // namespace candor::memory
