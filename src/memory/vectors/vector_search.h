// The vector leg of a search: the nearest memories, exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct VectorAnswer {
  std::vector<Scored> hits;        // by cosine, best first
  std::uint64_t rows_bounded = 0;  // told apart by their bounds alone
  std::uint64_t rows_exact = 0;    // whose float32 vector was read
};

// The `count` eligible memories whose vectors of this embedder have the highest cosine with `query`: what a scan of every
// float32 row would give, ties included. Requires query.size() == the embedder's dim.
[[nodiscard]] Result<VectorAnswer> nearest(sqlite::Database& database, std::int64_t embedder,
                                           std::span<const float> query, const Eligible& eligible, std::size_t count);

// How much of what a search is about has vectors to be found by.
struct VectorCoverage {
  std::int64_t memories = 0;         // eligible
  std::int64_t with_vector = 0;      // of the embedder in use
  std::int64_t of_other_models = 0;  // that have vectors of other embedders only
  std::int64_t without = 0;          // that have none
};
[[nodiscard]] Result<VectorCoverage> vector_coverage(sqlite::Database& database, std::int64_t embedder,
                                                     const Eligible& eligible);

}  // namespace candor::memory
