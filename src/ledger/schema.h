// Opening the ledger's file: that it is one, of which version, and the steps from an older version to this one.
#pragma once

#include <string>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

enum class Durability { kCrash, kPowerLoss };  // what a commit survives when it returns

// Opens a connection. A file that is no ledger, is damaged, or has a newer version fails with `integrity`, and stays as
// it is; an older one is brought to this version.
[[nodiscard]] Result<sqlite::Database> open_file(const std::string& path, Durability durability);

}  // namespace candor::ledger
