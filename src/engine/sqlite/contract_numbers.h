// Arithmetic of doubles that tells an overflow, and of decimals by their digits.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

[[nodiscard]] Status add_number_functions(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
