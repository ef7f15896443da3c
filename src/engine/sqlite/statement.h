// Which kind of statement a text is, by its first words, before SQLite sees it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "engine/engine.h"

namespace candor::engine::sqlite {

// Where the first token starts: white space, comments and, when `semicolons`, empty statements are passed over.
[[nodiscard]] std::size_t skip_blank(std::string_view sql, bool semicolons);

// SELECT, VALUES and WITH, EXPLAIN QUERY PLAN of one, and PRAGMAs that read; the rest fails with `read-only` (it would
// write), `statement-not-allowed` or `syntax`. What a WITH leads to and what a PRAGMA does is decided by the allow-list.
[[nodiscard]] Result<StatementKind> classify(std::string_view sql, std::string_view source);

}  // namespace candor::engine::sqlite
