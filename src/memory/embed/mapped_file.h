// A file's bytes where the system keeps them: opening one costs nothing that grows with it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace candor::memory {

class MappedFile {
 public:
  // Fails with `not-found` where there is no file of that path, and with `embedding-failed` where it can't be read.
  [[nodiscard]] static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes_;
};

}  // namespace candor::memory
