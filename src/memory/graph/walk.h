// Walks over entities and their relations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct WalkOptions {
  std::optional<std::string> name_space;  // edges of this namespace only; none: of each
  bool both_directions = true;            // else from source to target only
  double min_weight = 0.3;                // an equal weight passes
  std::uint32_t max_hops = 2;
  std::optional<std::string> relation;
  std::optional<std::size_t> neighbours_max;  // of one entity, the heaviest edges first
};

// An entity that a walk came to, and by which edge first.
struct Reached {
  std::int64_t entity = 0;
  std::uint32_t hop = 0;
  std::int64_t from = 0;   // the entity that it was reached from
  std::size_t parent = 0;  // where that one stands in the walk; only with hop > 1
  std::string relation;
  double weight = 0;
  bool outbound = true;  // along the edge's direction
};

// Breadth first, first in first out: from each entity its edges by weight falling, then by the other end's id, then by
// relation. Seeds are not in the walk. Each entity stands in it once, with the fewest hops.
[[nodiscard]] Result<std::vector<Reached>> walk(sqlite::Database& database, const std::vector<std::int64_t>& seeds,
                                                const WalkOptions& options);

// Nearest first: hops rising, weight of the arrival edge falling, entity id rising.
void order_by_nearness(std::vector<Reached>& reached);

}  // namespace candor::memory
