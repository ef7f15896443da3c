// Starting candor-worker.
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "engine/worker/worker_engine.h"

namespace candor::engine::worker {
namespace {

constexpr int kWorkerFd = 3;

// What a worker may know of our environment. Everything else may hold secrets.
constexpr std::array kPassedOn = {"TZ",           "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                                  "TSAN_OPTIONS", "UBSAN_OPTIONS",   "LSAN_OPTIONS"};

std::vector<std::string> worker_environment() {
  std::vector<std::string> lines{"LC_ALL=C.UTF-8"};
  for (const char* name : kPassedOn) {
    if (const char* value = std::getenv(name)) lines.push_back(std::string(name) + "=" + value);
  }
  return lines;
}

struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  Actions() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

int start(const std::string& program, int socket, pid_t& pid) {
  Actions actions;
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&actions.attributes, &none);
  posix_spawnattr_setsigdefault(&actions.attributes, &all);
  posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  // Standard output belongs to the protocols that our parent speaks.
  posix_spawn_file_actions_adddup2(&actions.files, socket, kWorkerFd);
  posix_spawn_file_actions_addopen(&actions.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions.files, kWorkerFd + 1);
  std::string name = program;
  std::array<char*, 2> arguments{name.data(), nullptr};
  std::vector<std::string> environment = worker_environment();
  std::vector<char*> variables;
  for (std::string& line : environment) variables.push_back(line.data());
  variables.push_back(nullptr);
  return ::posix_spawn(&pid, program.c_str(), &actions.files, &actions.attributes, arguments.data(), variables.data());
}

}  // namespace

Result<Peer> spawn(const std::string& program) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return make_error("engine-error", std::string("no socket for the engine's process: ") + std::strerror(errno));
  }
  pid_t pid = -1;
  const int failure = start(program, sockets[1], pid);
  ::close(sockets[1]);
  if (failure != 0) {
    ::close(sockets[0]);
    return make_error("engine-error", "the engine's program can't be started: " + std::string(std::strerror(failure)),
                      "reinstall candor, so that candor-worker lies beside it", program);
  }
  return Peer{sockets[0], pid};
}

}  // namespace candor::engine::worker
