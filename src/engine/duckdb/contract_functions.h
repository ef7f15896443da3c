// Candor's own functions in DuckDB, where its own say something else than the other engines. What each one means:
// docs/decisions/0060-contract-engines.md.
#pragma once

#include <duckdb.h>

#include "base/result.h"

namespace candor::engine::duckdb {

// For an instance that no agent's statement runs on; all its connections have them from then on.
[[nodiscard]] Status add_contract_functions(duckdb_connection connection);

}  // namespace candor::engine::duckdb
