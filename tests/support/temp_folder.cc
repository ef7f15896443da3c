// Making and removing a test's folder.
#include "support/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace candor::test {

TempFolder::TempFolder() {
  std::string pattern =
      (std::filesystem::canonical(std::filesystem::temp_directory_path()) / "candor_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  return path.string();
}

}  // namespace candor::test
