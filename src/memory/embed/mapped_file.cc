// Mapping a file for reading.
#include "memory/embed/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace candor::memory {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return make_error(errno == ENOENT ? "not-found" : "embedding-failed", "can't read " + path, {},
                      std::strerror(errno));
  }
  struct stat about{};
  void* start = MAP_FAILED;
  const bool plain = ::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
  const auto size = plain ? static_cast<std::size_t>(about.st_size) : 0;
  if (plain) start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (start == MAP_FAILED) return make_error("embedding-failed", path + " is no file that can be read");
  return MappedFile(std::string_view(static_cast<const char*>(start), size));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace candor::memory
