// Comparing device and inode.
#include "ledger/file_place.h"

#include <sys/stat.h>

namespace candor::ledger {

FilePlace::FilePlace(std::string path) : path_(std::move(path)), file_(identity(path_)) {}

Status FilePlace::check() {
  const std::lock_guard lock(mutex_);
  if (!log_) log_ = identity(path_ + "-wal");
  const bool same = file_ && log_ && identity(path_) == file_ && identity(path_ + "-wal") == log_;
  if (same) return Ok{};
  return make_error("storage",
                    path_ + " was removed or replaced while it was in use, and nothing written since is kept",
                    "start candor again");
}

FilePlace::Identity FilePlace::identity(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

}  // namespace candor::ledger
