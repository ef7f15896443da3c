// The text tables: FTS5 with the tokenizer `candor`, holding live memories only, kept so by triggers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

// `fts_memories` over name, description and body, filled from what is stored. Requires register_tokenizer().
[[nodiscard]] Status create_memory_text(sqlite::Database& database);
// `fts_chunks` over the pieces of long bodies.
[[nodiscard]] Status create_chunk_text(sqlite::Database& database);

// Merges away what deleted rows left in the index's pages. For purge: with secure_delete no byte of them stays.
[[nodiscard]] Status scrub_text(sqlite::Database& database);

// Looks at both indexes and compares them with their tables. What is wrong, or nothing. Fails where it could not look: it
// needs the lock of writing.
[[nodiscard]] Result<std::optional<std::string>> check_text(sqlite::Database& database);

struct TextFacts {
  std::int64_t rows = 0, chunks = 0;  // that are in the index
  std::int64_t pages = 0;             // of its b-trees' rows
};
[[nodiscard]] Result<TextFacts> text_facts(sqlite::Database& database);

// Writes both anew from what is stored.
[[nodiscard]] Result<TextFacts> rebuild_text(sqlite::Database& database);

}  // namespace candor::memory
