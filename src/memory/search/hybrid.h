// hybrid-search and recall: rankings of memories by words, by vectors and by the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/search/ranked_list.h"
#include "scope/list.h"

namespace candor::memory {

struct GraphReach {
  std::uint32_t max_hops = 2;
  double min_weight = 0.3;
  std::optional<std::uint64_t> results_max;
};

struct HybridQuery {
  SearchQuery search;
  scope::Ceiling ceiling;  // k
  bool with_graph = false;
  GraphReach graph;
};

struct RecallQuery {
  SearchQuery search;
  scope::Ceiling ceiling;
  bool with_graph = true;
  GraphReach graph;
  double distance_max = 1;
  bool text_only = false;  // distances are then of ranks: 1 - 1 / (rank + 1)
};

[[nodiscard]] Result<std::unique_ptr<RankedList>> hybrid_list(Store& store, const HybridQuery& query);
[[nodiscard]] Result<std::unique_ptr<RankedList>> recall_list(Store& store, const RecallQuery& query);

// Memories that the graph leads to from those of the list's last visit and from entities that the query names, none of
// which is in that visit: nearest first.
[[nodiscard]] Result<std::vector<json::Node>> graph_matches(Store& store, const SearchQuery& query,
                                                            const Eligible& eligible,
                                                            const std::vector<std::int64_t>& shown,
                                                            const GraphReach& reach, bool for_recall);

// What the document says of the query beside the rows: dropped_terms, reason, vector_coverage.
[[nodiscard]] Status describe_query(json::Node& document, RankedList& list);

}  // namespace candor::memory
