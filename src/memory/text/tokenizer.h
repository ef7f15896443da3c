// The FTS5 tokenizer `candor`.
#pragma once

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

// For every connection that opens a memory file: without it, its text tables can be neither read nor written. A stored
// text is analysed; a quoted part of a MATCH is one term as it stands, since queries are analysed before (text_query.h).
[[nodiscard]] Status register_tokenizer(sqlite::Database& database);

}  // namespace candor::memory
