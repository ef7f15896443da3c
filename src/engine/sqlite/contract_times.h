// Candor's functions of dates and times in SQLite.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

[[nodiscard]] Status add_time_functions(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
