// Version 1 of the memory's tables. Private to this folder.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

[[nodiscard]] Status create_tables(sqlite::Database& database);

}  // namespace candor::memory
