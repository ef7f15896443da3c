// deep-research: a question taken apart, searched piece by piece, and ranked over the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "memory/embed/embedder.h"
#include "memory/search/deadline.h"
#include "memory/search/legs.h"
#include "memory/store/store.h"
#include "scope/list.h"

namespace candor::memory {

struct SubQuery {
  std::string text, source;  // original, decomposed, aspect, manual
};

// The question itself, then its parts: at relational phrases, `;`, `,`, "and" and their like; else pairs of its words; of a
// single word the aspects that people ask about. At most `most` in all.
[[nodiscard]] std::vector<SubQuery> decompose(const std::string& question, std::size_t most);

struct ResearchQuery {
  SearchQuery search;
  std::vector<SubQuery> sub_queries;
  std::uint64_t k = 20;  // hits of a sub-query that seed the graph's ranking
  std::uint32_t max_hops = 3;
  double min_weight = 0.3;
  std::optional<std::size_t> neighbours_max;
  double damping = 0.7;        // of the ranking's walk: the share of steps that go on
  double graph_score_min = 0;  // what only the graph leads to is left out below this share of the best score
  Deadline deadline;           // what is not found by then is told, and the rest is the answer
  bool with_bodies = false;
  scope::Ceiling ceiling;
};

struct Research {
  std::unique_ptr<scope::List> results;
  json::Node document;             // query, sub_queries, graph_context, stats
  std::vector<json::Node> chains;  // of evidence, the heaviest first
  bool chains_cut = false;         // there are more
  bool timed_out = false;          // sub-queries are missing, or the graph's ranking
};

[[nodiscard]] Result<Research> deep_research(Store& store, const ResearchQuery& query,
                                             const std::vector<std::optional<Vector>>& vectors);

}  // namespace candor::memory
