// Counting which vectors there are.
#include "memory/vectors/coverage.h"

namespace candor::memory {

Result<VectorCoverage> vector_coverage(sqlite::Database& database, std::int64_t embedder, const Eligible& eligible,
                                       std::optional<std::int64_t> with_vector) {
  VectorCoverage coverage;
  coverage.memories = static_cast<std::int64_t>(eligible.size());
  if (with_vector == coverage.memories) {
    coverage.with_vector = coverage.memories;
    return coverage;
  }
  CANDOR_ASSIGN(sqlite::Statement rows,
                database.prepare("SELECT memory_id, max(embedder = ?1) FROM memory_embeddings GROUP BY memory_id"));
  CANDOR_TRY(rows.bind_integer(1, embedder));
  while (true) {
    CANDOR_ASSIGN(const bool row, rows.step());
    if (!row) break;
    if (!eligible.has(rows.integer(0))) continue;
    ++(rows.integer(1) != 0 ? coverage.with_vector : coverage.of_other_models);
  }
  coverage.without = coverage.memories - coverage.with_vector - coverage.of_other_models;
  return coverage;
}

}  // namespace candor::memory
