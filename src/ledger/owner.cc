// Process identity from /proc.
#include "ledger/owner.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace candor::ledger {
namespace {

constexpr std::int64_t kUnseenLifeMs = 600'000;

std::string first_word(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// Field 22 of /proc/PID/stat, in clock ticks since boot; empty when there is no such process or it is a zombie. The second
// field, the program's name in parentheses, may hold anything, so counting starts behind its last parenthesis.
std::string start_time(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  const std::string line{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  rest >> state;
  if (state == "Z" || state == "X") return {};
  std::string word;
  for (int field = 4; field <= 22; ++field) rest >> word;
  return rest ? word : std::string();
}

std::string pid_namespace() {
  char target[64];
  const ssize_t size = readlink("/proc/self/ns/pid", target, sizeof target);
  return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : "-";
}

std::string boot_id() {
  std::string id = first_word("/proc/sys/kernel/random/boot_id");
  return id.empty() ? "-" : id;
}

}  // namespace

std::string own_identity() {
  static std::atomic<unsigned> instances{0};
  const std::string pid = std::to_string(getpid());
  return pid + ' ' + start_time(pid) + ' ' + boot_id() + ' ' + pid_namespace() + ' ' + std::to_string(++instances);
}

bool owner_lives(std::string_view identity, std::int64_t reserved_ms, std::int64_t now_ms) {
  std::istringstream words{std::string(identity)};
  std::string pid;
  std::string start;
  std::string boot;
  std::string space;
  words >> pid >> start >> boot >> space;
  if (!words || pid.find_first_not_of("0123456789") != std::string::npos) return false;
  if (boot != boot_id()) return false;
  if (space != pid_namespace()) return now_ms - reserved_ms < kUnseenLifeMs;
  return start_time(pid) == start;
}

}  // namespace candor::ledger
