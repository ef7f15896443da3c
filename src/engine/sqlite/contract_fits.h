// What a column of SQLite really holds: asked by `candor contract check` and `candor contract init`.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

// candor_fits(TYPE, value): 1 where the value can be read as the type, 0 where it can't, NULL for NULL. Types are those of a
// contract without json and string[], which SQLite's own functions tell; "array" is one of texts or 64-bit integers, and a
// uuid is one as statements are bound: in small letters. candor_affinity(declared type): INTEGER, REAL, NUMERIC, TEXT, BLOB.
[[nodiscard]] Status add_fitting_functions(candor::sqlite::Database& database);

}  // namespace candor::engine::sqlite
