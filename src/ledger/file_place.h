// Whether an open database is still the one that its path leads to. An open file goes on taking writes after somebody
// has removed or replaced it, and they are lost with the last process that has it open.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include "base/result.h"

namespace candor::ledger {

class FilePlace {
 public:
  // `path` is that of a database that was just opened for writing, with a write-ahead log.
  explicit FilePlace(std::string path);

  // After a commit: `storage` when the file or its log is no longer the one that was written to.
  [[nodiscard]] Status check();

 private:
  using Identity = std::optional<std::pair<dev_t, ino_t>>;
  static Identity identity(const std::string& path);

  std::string path_;
  Identity file_;
  Identity log_;  // from the first commit on: it is made by the first write, and stays as long as the database is open
};

}  // namespace candor::ledger
