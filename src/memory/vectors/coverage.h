// How much of what a search is about has vectors to be found by.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct VectorCoverage {
  std::int64_t memories = 0;         // eligible
  std::int64_t with_vector = 0;      // of the embedder in use
  std::int64_t of_other_models = 0;  // that have vectors of other embedders only
  std::int64_t without = 0;          // that have none
};
// `with_vector`: how many have one of this embedder, where that is known already.
[[nodiscard]] Result<VectorCoverage> vector_coverage(sqlite::Database& database, std::int64_t embedder,
                                                     const Eligible& eligible,
                                                     std::optional<std::int64_t> with_vector = {});

}  // namespace candor::memory
