// A folder of its own for one test, removed with all that is in it.
#pragma once

#include <string>
#include <string_view>

namespace candor::test {

class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  [[nodiscard]] const std::string& path() const { return path_; }  // a real path
  // Writes a file below the folder, folders on the way included; its path.
  std::string write(const std::string& name, std::string_view content) const;

 private:
  std::string path_;
};

}  // namespace candor::test
