// initdb, postgres and psql as children, with the rights of another user where we are root: postgres refuses to be.
#include "support/postgres_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <grp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace candor::test {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why) { throw std::runtime_error("the test's PostgreSQL: " + why); }

// Debian keeps the server's programs beside each other by version, away from PATH.
std::string find_programs() {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path folder = version.path() / "bin";
    if (fs::exists(folder / "initdb")) found.push_back(folder.string());
  }
  if (found.empty()) give_up("not installed: tools/install_dependencies test");
  return *std::ranges::max_element(found);
}

const passwd& unprivileged() {
  const passwd* user = getpwnam("postgres");
  if (user == nullptr) user = getpwnam("nobody");
  if (user == nullptr) give_up("there is no user to run it as");
  return *user;
}

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(fd);
  if (!bound) give_up("no free port");
  return ntohs(address.sin_port);
}

struct Started {
  pid_t process = -1;
  int output = -1;  // of `capture`: what it prints
};

// Both outputs go to `log`, or with an empty one to a pipe.
Started start_program(const std::vector<std::string>& words, const std::string& log, const std::string& folder) {
  std::array<int, 2> pipe_ends{-1, -1};
  if (log.empty() && ::pipe2(pipe_ends.data(), O_CLOEXEC) != 0) give_up("no pipe");
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const bool root = ::getuid() == 0;
  const passwd* user = root ? &unprivileged() : nullptr;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) give_up("no process");
  if (child == 0) {
    const int out = log.empty() ? pipe_ends[1] : ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    if (user != nullptr &&
        (::setgroups(0, nullptr) != 0 || ::setgid(user->pw_gid) != 0 || ::setuid(user->pw_uid) != 0)) {
      ::_exit(126);
    }
    // After the change of user, which forgets it. The server ends at once when the program does.
    ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (::getppid() != parent || ::chdir(folder.c_str()) != 0) ::_exit(126);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  if (pipe_ends[1] >= 0) ::close(pipe_ends[1]);
  return {child, pipe_ends[0]};
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string output_of(const std::vector<std::string>& words, const std::string& folder) {
  const Started started = start_program(words, "", folder);
  std::string output;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(started.output, buffer.data(), buffer.size())) != 0;) {
    if (got > 0) output.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) break;
  }
  ::close(started.output);
  if (const int code = wait_for(started.process); code != 0) give_up(words[0] + ": " + output);
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

}  // namespace

PostgresServer& PostgresServer::shared() {
  static PostgresServer server;
  return server;
}

PostgresServer::PostgresServer() : programs_(find_programs()), port_(free_port()) {
  const std::string& folder = folder_.path();
  folder_.write("password", "admin-secret\n");
  if (::getuid() == 0) {
    const passwd& user = unprivileged();
    if (::chown(folder.c_str(), user.pw_uid, user.pw_gid) != 0) give_up("the folder can't be handed over");
    if (::chown((folder + "/password").c_str(), user.pw_uid, user.pw_gid) != 0) give_up("nor the password");
  }
  output_of({program("initdb"), "-D", folder + "/data", "-U", "admin", "--pwfile", folder + "/password", "-A",
             "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"},
            folder);
  start(5);
  run("CREATE ROLE reader LOGIN PASSWORD 'reader-secret';CREATE ROLE writer LOGIN PASSWORD 'writer-secret'");
  run("CREATE DATABASE app");
}

PostgresServer::~PostgresServer() { stop(); }

std::string PostgresServer::program(std::string_view name) const { return programs_ + "/" + std::string(name); }

// By its own word: whoever answers at the port may be another server.
bool PostgresServer::ready() const {
  std::ifstream file(folder_.path() + "/data/postmaster.pid");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines.size() > 7 && lines[0] == std::to_string(process_) && lines[7].starts_with("ready");
}

void PostgresServer::start(int attempts) {
  const std::string& folder = folder_.path();
  std::vector<std::string> words = {program("postgres"), "-D", folder + "/data", "-p", std::to_string(port_)};
  for (const char* setting : {"listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off",
                              "full_page_writes=off", "shared_buffers=16MB", "max_connections=60", "autovacuum=off"}) {
    words.insert(words.end(), {"-c", setting});
  }
  process_ = start_program(words, folder + "/log", folder).process;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!ready()) {
    if (::waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
    if (process_ < 0 && attempts > 1) {
      port_ = free_port();
      return start(attempts - 1);
    }
    if (process_ < 0 || std::chrono::steady_clock::now() > until) {
      std::ifstream log(folder + "/log");
      give_up("it does not start: " + std::string(std::istreambuf_iterator<char>(log), {}));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void PostgresServer::stop() {
  if (process_ < 0) return;
  ::kill(process_, SIGQUIT);
  wait_for(process_);
  process_ = -1;
}

std::string PostgresServer::url(std::string_view role) const {
  return "postgresql://" + std::string(role) + ":" + std::string(role) + "-secret@127.0.0.1:" + std::to_string(port_) +
         "/app";
}

engine::SourceSpec PostgresServer::spec(std::string_view role) const {
  engine::SourceSpec spec;
  spec.name = "app";
  spec.kind = engine::SourceKind::kPostgres;
  spec.path = url(role);
  return spec;
}

std::string PostgresServer::run(const std::string& sql) const {
  // Before the database is there, in the one that always is.
  const bool creating = sql.starts_with("CREATE ROLE reader") || sql.starts_with("CREATE DATABASE app");
  std::string target = url("admin");
  if (creating) target.replace(target.size() - 3, 3, "postgres");
  return output_of({program("psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", target, "-c", sql},
                   folder_.path());
}

}  // namespace candor::test
