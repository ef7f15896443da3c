// One statement from its text to what can be stepped: prepared alone, and every parameter bound.
#pragma once

#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "engine/sqlite/sandbox.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// Fails with `invalid-text` for what SQLite would cut off or misread.
[[nodiscard]] Status check_text(std::string_view text);

// Fails with `several-statements`, and as statement_error tells.
[[nodiscard]] Result<candor::sqlite::Statement> prepare_one(Connection& connection, std::string_view text,
                                                            const SourceSpec& source);

// Binds $1, ?1 or :1 to the first value, and so on. Fails with `syntax` for a parameter without a value.
[[nodiscard]] Status bind_all(candor::sqlite::Statement& statement, const std::vector<Value>& values);

}  // namespace candor::engine::sqlite
