// Small internal queries of the engine's own catalog: all values as text, whole results in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

using TextRow = std::vector<std::optional<std::string>>;  // nothing for NULL

// Runs one statement whose result columns are all VARCHAR; `parameters` are bound to $1, $2, …. Fails with
// `engine-error` and the like, and with `internal` when a column is of another type.
[[nodiscard]] Result<std::vector<TextRow>> query_text(duckdb_connection connection, const std::string& sql,
                                                      const std::vector<std::string>& parameters = {});

// Runs a statement whose result is of no interest.
[[nodiscard]] Status execute(duckdb_connection connection, const std::string& sql);

}  // namespace candor::engine::duckdb
