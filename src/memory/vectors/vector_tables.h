// Packed segments of the stored vectors, so that a search reads a quarter of the bytes. The float32 rows stay the truth.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

inline constexpr std::int64_t kSegmentRows = 1'024;

// The tables, and triggers by which every written or deleted vector is noted as not packed.
[[nodiscard]] Status create_vector_segments(sqlite::Database& database);

// Packs what is not packed yet, whole segments of it: call it inside of a transaction after vectors were written. `all`:
// also the last, shorter one, and segments of which much was deleted are packed anew. Quick where there is nothing to do.
[[nodiscard]] Status pack_vectors(sqlite::Database& database, std::int64_t embedder, bool all = false);

// The vectors of an embedder as a search reads them: first those that no segment holds as they are now, by memory, without
// bytes where the vector is gone; then the segments. The views live as long as the call.
using UnpackedVisitor = std::function<void(std::int64_t memory, std::string_view vector)>;
using SegmentVisitor = std::function<void(std::string_view ids, std::string_view scales, std::string_view codes)>;
[[nodiscard]] Status visit_vectors(sqlite::Database& database, std::int64_t embedder, const UnpackedVisitor& unpacked,
                                   const SegmentVisitor& segment);

// Takes the codes of deleted vectors out of the segments. For purge.
[[nodiscard]] Status scrub_vectors(sqlite::Database& database);

}  // namespace candor::memory
