// Power iteration (Page, Brin, Motwani and Winograd 1999; Haveliwala 2002 for the seeds).
#include "memory/graph/page_rank.h"

#include <algorithm>
#include <cmath>

namespace candor::memory {
namespace {

// Edges by their node, both ends of each.
struct Adjacency {
  std::vector<std::size_t> starts;  // nodes + 1
  std::vector<std::uint32_t> others;
  std::vector<double> weights;
  std::vector<double> sums;  // of the weights at a node
};

Adjacency adjacency_of(std::uint32_t nodes, const std::vector<RankEdge>& edges) {
  Adjacency adjacency;
  adjacency.starts.assign(std::size_t{nodes} + 1, 0);
  adjacency.sums.assign(nodes, 0);
  const auto for_ends = [&](const auto& visit) {
    for (const auto& edge : edges) {
      visit(edge.a, edge.b, edge.weight);
      if (edge.a != edge.b) visit(edge.b, edge.a, edge.weight);
    }
  };
  for_ends([&](std::uint32_t from, std::uint32_t, double weight) {
    ++adjacency.starts[from + 1];
    adjacency.sums[from] += weight;
  });
  for (std::size_t i = 1; i < adjacency.starts.size(); ++i) adjacency.starts[i] += adjacency.starts[i - 1];
  adjacency.others.resize(adjacency.starts.back());
  adjacency.weights.resize(adjacency.starts.back());
  auto next = adjacency.starts;
  for_ends([&](std::uint32_t from, std::uint32_t to, double weight) {
    adjacency.others[next[from]] = to;
    adjacency.weights[next[from]++] = weight;
  });
  return adjacency;
}

}  // namespace

std::vector<double> page_rank(std::uint32_t nodes, const std::vector<RankEdge>& edges, const std::vector<double>& seeds,
                              const RankOptions& options) {
  double total = 0;
  for (const double seed : seeds) total += seed;
  std::vector<double> scores(nodes, 0);
  if (!(total > 0)) return scores;
  std::vector<double> restart(seeds);
  for (double& share : restart) share /= total;
  const auto adjacency = adjacency_of(nodes, edges);
  scores = restart;
  std::vector<double> next(nodes);
  for (std::uint32_t round = 0; round < options.rounds_max; ++round) {
    if (options.stop && options.stop()) break;
    double lost = 0;  // at nodes without an edge: the walk returns
    std::ranges::fill(next, 0);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (scores[node] == 0) continue;
      if (!(adjacency.sums[node] > 0)) {
        lost += scores[node];
        continue;
      }
      const double flow = options.damping * scores[node] / adjacency.sums[node];
      for (auto i = adjacency.starts[node]; i < adjacency.starts[node + 1]; ++i) {
        next[adjacency.others[i]] += flow * adjacency.weights[i];
      }
    }
    double change = 0;
    const double back = 1 - options.damping + options.damping * lost;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      next[node] += back * restart[node];
      change += std::abs(next[node] - scores[node]);
    }
    scores.swap(next);
    if (change < options.tolerance) break;
  }
  return scores;
}

}  // namespace candor::memory
