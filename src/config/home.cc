// Making folders and the file.
#include "config/home.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/no_room.h"

namespace candor::config {
namespace {

Diagnostic system_failure(const std::string& path, int code) {
  const bool full = no_room(code);
  return make_error(full ? "disk-full" : "storage", path + ": " + std::generic_category().message(code),
                    full ? std::string() : "use a folder that can be written: --home DIR");
}

}  // namespace

Result<std::string> prepare_file(const std::string& home, std::string_view name) {
  if (home.empty() || home.find('\0') != std::string::npos) return make_error("storage", "the home folder has no name");
  std::filesystem::path made;
  for (const std::filesystem::path& part : std::filesystem::path(home)) {
    made /= part;
    if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
      struct stat there{};
      const int failed = errno;
      if (stat(made.c_str(), &there) != 0 || !S_ISDIR(there.st_mode)) return system_failure(made.string(), failed);
    }
  }
  std::string path = home + "/" + std::string(name);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return system_failure(path, errno);
  close(file);
  return path;
}

}  // namespace candor::config
