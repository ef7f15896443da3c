// Starting a program, its pipes, its time.
#include "memory/embed/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace candor::memory {
namespace {

constexpr std::size_t kOutputMax = std::size_t{512} << 20U, kErrorsMax = 2'000;
constexpr std::int64_t kTickMs = 100;

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> all = more;
  for (char** one = environ; *one != nullptr; ++one) {
    const auto same = [&](const std::string& other) { return name_of(other) == name_of(*one); };
    if (std::ranges::none_of(more, same)) all.emplace_back(*one);
  }
  return all;
}

}  // namespace

void PipeEnd::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

ChildProcess::~ChildProcess() {
  if (id_ <= 0) return;
  ::kill(-id_, SIGKILL);
  int ignored = 0;
  while (::waitpid(id_, &ignored, 0) < 0 && errno == EINTR) {
  }
}

Status ChildProcess::start(const ProgramCall& call) {
  name_ = call.name;
  const auto failure = [&] { return make_error("embedding-failed", name_ + " could not be started"); };
  std::array<int, 2> in{}, out{}, errors{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0) return failure();
  PipeEnd in_read(in[0]);
  to_ = PipeEnd(in[1]);
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return failure();
  from_ = PipeEnd(out[0]);
  PipeEnd out_write(out[1]);
  if (::pipe2(errors.data(), O_CLOEXEC) != 0) return failure();
  errors_ = PipeEnd(errors[0]);
  PipeEnd errors_write(errors[1]);
  for (const PipeEnd* end : {&to_, &from_, &errors_}) ::fcntl(end->file(), F_SETFL, O_NONBLOCK);
  // Made before the fork: a child of a program with threads may not allocate.
  std::vector<std::string> words = call.words, variables = environment_with(call.environment);
  const std::vector<char*> word_pointers = pointers_to(words), variable_pointers = pointers_to(variables);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) return failure();
  if (id_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || (!call.folder.empty() && ::chdir(call.folder.c_str()) != 0)) ::_exit(126);
    ::dup2(in_read.file(), 0);
    ::dup2(out_write.file(), 1);
    ::dup2(errors_write.file(), 2);
    ::execvpe(word_pointers.front(), word_pointers.data(), variable_pointers.data());
    ::_exit(kNotFound);
  }
  ::setpgid(id_, id_);
  return Ok{};
}

Result<std::string> ChildProcess::converse(std::string_view input, Clock::time_point until,
                                           const std::function<void()>& tick) {
  std::string output;
  while (from_.open()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return make_error("embedding-timeout", name_ + " took too long", "CANDOR_EMBED_SECONDS=120");
    std::array<pollfd, 3> files = {pollfd{from_.file(), POLLIN, 0}, pollfd{errors_.file(), POLLIN, 0},
                                   pollfd{to_.file(), POLLOUT, 0}};
    if (::poll(files.data(), files.size(), static_cast<int>(std::min<std::int64_t>(left, kTickMs))) < 0 &&
        errno != EINTR) {
      return make_error("embedding-failed", name_ + " could not be waited for");
    }
    if (tick) tick();
    if (files[2].revents != 0) write_some(input);
    if (files[1].revents != 0) read_some(errors_, said_);
    if (files[0].revents != 0) read_some(from_, output);
    if (said_.size() > kErrorsMax) said_.erase(0, said_.size() - kErrorsMax);
    if (output.size() > kOutputMax) return make_error("embedding-failed", name_ + " writes without an end");
  }
  return output;
}

int ChildProcess::wait() {
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

void ChildProcess::write_some(std::string_view& input) {
  const auto sent = input.empty() ? 0 : ::write(to_.file(), input.data(), std::min<std::size_t>(input.size(), 65'536));
  if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
  const bool broken = sent < 0 && errno != EAGAIN && errno != EINTR;
  if (input.empty() || broken) to_.close();
}

void ChildProcess::read_some(PipeEnd& end, std::string& into) {
  std::array<char, 65'536> bytes{};
  const auto got = ::read(end.file(), bytes.data(), bytes.size());
  if (got > 0) into.append(bytes.data(), static_cast<std::size_t>(got));
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) end.close();
}

}  // namespace candor::memory
