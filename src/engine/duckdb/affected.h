// What a statement is by the engine's own word, and how many rows a write changed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/duckdb/handles.h"
#include "engine/duckdb/tokens.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

// Whether the engine gives this type to a prepared statement of the kind. The text and the engine must agree.
[[nodiscard]] bool type_fits(StatementKind kind, int type);

// Of an executed write, whose result holds all that it gives. Nothing where the engine does not count rows: a DROP, and
// UPDATE … FROM, of which 1.5.6 counts the pairs. `tokens` are those of the statement.
[[nodiscard]] std::optional<std::uint64_t> affected_rows(StatementKind kind, const std::vector<Token>& tokens,
                                                         QueryResult& result);

}  // namespace candor::engine::duckdb
