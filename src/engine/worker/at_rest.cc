// Finding what can be given back, and the moment for it.
#include "engine/worker/at_rest.h"

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/mman.h>

namespace candor::engine::worker {
namespace {

constexpr std::chrono::milliseconds kLook{1'000};
constexpr double kIdleSeconds = 0.005;  // of processor time between two looks

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// A mapping of a file that nobody can write to.
struct Mapping {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  bool candidate = false;
};

// The first line of a mapping in /proc/self/smaps (proc(5)); nothing for its other lines.
bool read_mapping(const std::string& line, Mapping& mapping) {
  char rights[5] = {};
  int path = 0;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &start, &end, rights, &path) < 3 ||
      std::strlen(rights) != 4) {
    return false;
  }
  mapping.start = start;
  mapping.end = end;
  mapping.candidate = rights[0] == 'r' && rights[1] == '-' && rights[3] == 'p' && path > 0 &&
                      line.compare(static_cast<std::size_t>(path), 1, "/") == 0;
  return true;
}

}  // namespace

std::size_t release_memory() {
  malloc_trim(0);
  std::size_t released = 0;
  Mapping mapping;
  std::ifstream maps("/proc/self/smaps");
  for (std::string line; std::getline(maps, line);) {
    if (read_mapping(line, mapping) || !mapping.candidate) continue;
    // Pages that the loader relocated are this process's own: "Anonymous" counts them, and they must stay.
    if (!line.starts_with("Anonymous:")) continue;
    const bool own_pages = line.find(" 0 kB") == std::string::npos;
    mapping.candidate = false;
    if (own_pages) continue;
    const std::size_t bytes = mapping.end - mapping.start;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address is a text of the system's.
    if (madvise(reinterpret_cast<void*>(mapping.start), bytes, MADV_DONTNEED) == 0) released += bytes;
  }
  return released;
}

AtRest::AtRest() : thread_([this] { watch(); }) {}

AtRest::~AtRest() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  change_.notify_all();
  thread_.join();
}

void AtRest::watch() {
  bool released = false;
  double before = processor_seconds();
  std::unique_lock lock(mutex_);
  while (!change_.wait_for(lock, kLook, [this] { return ending_; })) {
    const double now = processor_seconds();
    const bool idle = now - before < kIdleSeconds;
    if (idle && !released) release_memory();
    // What releasing costs is not taken for work.
    released = idle;
    before = processor_seconds();
  }
}

}  // namespace candor::engine::worker
