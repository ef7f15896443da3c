// Packed segments of the stored vectors, so that a search reads a quarter of the bytes. The float32 rows stay the truth.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

inline constexpr std::int64_t kSegmentRows = 1'024;

// The tables, and triggers by which every written or deleted vector is noted as not packed.
[[nodiscard]] Status create_vector_segments(sqlite::Database& database);

// Packs what is not packed yet, whole segments of it: call it inside of a transaction after vectors were written. `all`:
// also the last, shorter one, and segments of which much was deleted are packed anew. Quick where there is nothing to do.
[[nodiscard]] Status pack_vectors(sqlite::Database& database, std::int64_t embedder, bool all = false);

// Takes the codes of deleted vectors out of the segments. For purge.
[[nodiscard]] Status scrub_vectors(sqlite::Database& database);

}  // namespace candor::memory
