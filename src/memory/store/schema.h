// The memory's tables and their versions. A version is never changed once it was released: add a migration.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

constexpr std::int64_t kApplicationId = 0x43616e4d;  // "CanM", shown by file(1)

using Migration = Status (*)(sqlite::Database&);

// migrations()[n] leads from version n to n + 1.
[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] std::int64_t newest_version();

// The version of a file that is a memory, 0 for an empty one. Fails with `integrity` for anything else and for one of a
// version above `newest`.
[[nodiscard]] Result<std::int64_t> recognise(sqlite::Database& database, const std::string& path, std::int64_t newest);

// Brings the open database to the last of `steps`, in one transaction. A file with something in it is copied first, to
// PATH.vN.backup (N: its version); without room for the copy nothing is done. Fails with `storage` where a step fails.
[[nodiscard]] Status migrate(sqlite::Database& database, const std::string& path, std::span<const Migration> steps);

// What of the file's tables, indexes and triggers is not as all migrations together make it; empty: nothing.
[[nodiscard]] Result<std::string> schema_fault(sqlite::Database& database);

}  // namespace candor::memory
