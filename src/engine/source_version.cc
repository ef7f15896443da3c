// Fingerprints from the file system's own records.
#include "engine/source_version.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <vector>

namespace candor::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFilesMax = 10'000;
constexpr int kDepthMax = 8;

// FNV-1a, 64 bits (Fowler, Noll, Vo): a change detector, not a defence.
void mix(std::uint64_t& hash, std::string_view bytes) {
  for (const char byte : bytes) {
    hash ^= static_cast<std::uint8_t>(byte);
    hash *= 1099511628211ULL;
  }
}

bool mix_file(std::uint64_t& hash, const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return false;
  mix(hash, path);
  for (const auto number :
       {static_cast<std::uint64_t>(status.st_size), static_cast<std::uint64_t>(status.st_ino),
        static_cast<std::uint64_t>(status.st_mtim.tv_sec), static_cast<std::uint64_t>(status.st_mtim.tv_nsec),
        // The time of modification can be set back, this one can't.
        static_cast<std::uint64_t>(status.st_ctim.tv_sec), static_cast<std::uint64_t>(status.st_ctim.tv_nsec)}) {
    mix(hash, std::to_string(number) + ":");
  }
  return true;
}

// A log without content is as good as none: SQLite makes one for a reader, too.
void mix_log(std::uint64_t& hash, const std::string& path) {
  std::error_code absent;
  const std::uintmax_t size = fs::file_size(path, absent);
  if (!absent && size > 0) mix_file(hash, path);
}

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failure);
  for (; !failure && entry != fs::recursive_directory_iterator() && files.size() < kFilesMax;
       entry.increment(failure)) {
    if (entry.depth() >= kDepthMax) entry.disable_recursion_pending();
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string source_version(const SourceSpec& spec) {
  if (spec.kind == SourceKind::kPostgres) return {};
  std::uint64_t hash = 14695981039346656037ULL;
  std::error_code failure;
  if (fs::is_directory(spec.path, failure)) {
    for (const std::string& file : files_below(spec.path)) mix_file(hash, file);
  } else {
    if (!mix_file(hash, spec.path)) return {};
    if (spec.kind == SourceKind::kSqlite) mix_log(hash, spec.path + "-wal");
    if (spec.kind == SourceKind::kDuckdb) mix_log(hash, spec.path + ".wal");
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(hash >> static_cast<unsigned>(shift)) & 15U];
  return text;
}

}  // namespace candor::engine
