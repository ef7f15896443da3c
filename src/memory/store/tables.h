// Versions 1 and 2 of the memory's tables. Private to this folder.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

[[nodiscard]] Status create_tables(sqlite::Database& database);
// From version 1 to 2: the text index of pieces, and packed vectors.
[[nodiscard]] Status create_search_tables(sqlite::Database& database);

}  // namespace candor::memory
