// Values as parameters of a prepared statement.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

// Binds $1, $2, …. Fails with `bad-request` when the statement takes another number of parameters, or for a list, struct
// or map.
[[nodiscard]] Status bind_parameters(duckdb_prepared_statement prepared, const std::vector<Value>& parameters);

}  // namespace candor::engine::duckdb
