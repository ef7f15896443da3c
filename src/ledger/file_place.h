// Whether an open database is still the one that its path leads to. An open file goes on taking writes after somebody
// has removed or replaced it, and they are lost with the last process that has it open.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include "base/result.h"

namespace candor::ledger {

class FilePlace {
 public:
  // `path` is that of a database that is open. One object serves all connections of the process.
  explicit FilePlace(std::string path);

  // After a commit: `storage` when the file or its log is no longer the one that was written to.
  [[nodiscard]] Status check();

 private:
  using Identity = std::optional<std::pair<dev_t, ino_t>>;
  static Identity identity(const std::string& path);

  std::string path_;
  Identity file_;
  // Known from the first check: a log can go with the last of other processes until a connection of ours has used it.
  std::mutex mutex_;
  Identity log_;
};

}  // namespace candor::ledger
