// What the statements of a contract meet in DuckDB, in the same codes and words as in the other engines.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "engine/duckdb/errors.h"

namespace candor::engine::duckdb {

// `duplicate-key` and `null-not-allowed` with the columns in `detail`, `constraint-violation`, `concurrent-change`,
// `integer-overflow`, `subquery-rows`, and what Candor's own functions say. Nothing for all other errors.
[[nodiscard]] std::optional<Diagnostic> contract_error(const EngineError& error);

}  // namespace candor::engine::duckdb
