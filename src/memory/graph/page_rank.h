// Personalised PageRank: how often a walk that keeps returning to its seeds is found at each node.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct RankEdge {
  std::uint32_t a = 0, b = 0;  // nodes; walked in both directions
  double weight = 0;
};

struct RankOptions {
  double damping = 0.7;  // the share of steps that go on instead of returning
  std::uint32_t rounds_max = 60;
  double tolerance = 1e-10;    // of the sum of all changes in a round
  std::function<bool()> stop;  // asked before each round; may be empty
};

// `seeds`: one share a node; they need not sum up to 1, and where all are 0 every score is 0. The scores sum up to 1. The same
// bits for the same input: one thread, a fixed order.
[[nodiscard]] std::vector<double> page_rank(std::uint32_t nodes, const std::vector<RankEdge>& edges,
                                            const std::vector<double>& seeds, const RankOptions& options = {});

}  // namespace candor::memory
