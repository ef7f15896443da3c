// Casts of texts in SQLite, whose own CAST makes 0 of what it can't read.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// candor_to_integer, candor_to_number, candor_to_boolean, candor_to_uuid, candor_to_date, candor_to_datetime: `type-mismatch` for a
// text that is none. candor_whole: a number as an integer, `integer-overflow` where it is none of 64 bits.
[[nodiscard]] Status add_casts(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
