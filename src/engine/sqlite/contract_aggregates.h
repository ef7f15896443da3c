// Candor's aggregates in SQLite.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

[[nodiscard]] Status add_aggregates(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
