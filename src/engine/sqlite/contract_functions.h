// Candor's own functions in SQLite, which the statements of a contract call. What each one means:
// docs/decisions/0060-contract-engines.md.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// For connections that no agent's statement runs on.
[[nodiscard]] Status add_contract_functions(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
