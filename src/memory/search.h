// The verbs of the memory that search, and those of its embedder. They work on an open Memory (memory/memory.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"
#include "scope/list.h"

namespace candor::memory {

struct SearchInput {
  std::string query;
  std::string space = "global";
  bool all_namespaces = false;
  std::optional<std::string> type;
  scope::Ceiling ceiling;
  bool text_only = false;  // by choice: --fallback-fts-only
  bool with_graph = false;
  std::uint32_t max_hops = 2;
  double min_weight = 0.3;
  std::optional<std::uint64_t> graph_results_max;
  double distance_max = 1;            // of recall
  std::optional<std::string> fusion;  // of hybrid-search: rrf, convex
  double rrf_k = 60, weight_text = 1, weight_vectors = 1;
};

struct ResearchInput {
  SearchInput search;
  std::uint64_t k = 20;
  std::size_t sub_queries_max = 7;
  std::vector<std::string> sub_queries;  // given by hand, instead of taking the question apart
  std::optional<std::size_t> neighbours_max;
  bool with_bodies = false;
  int timeout_ms = 30'000;     // for all of it; a slow embedder has half
  double graph_decay = 0.7;    // the share of steps of the ranking's walk that go on instead of returning
  double graph_score_min = 0;  // what only the graph leads to is left out below this share of the best score
  std::vector<std::string> warnings = {};  // of what was asked for and means nothing here
};

// A ranking to be shaped, and what stands beside it.
struct SearchAnswer {
  std::unique_ptr<scope::List> list;
  json::Node document;
  std::vector<std::pair<std::string, json::Node>> notes;  // what was done worse than asked
  // Further arrays of the document.
  struct Secondary {
    std::string name;
    std::vector<json::Node> items;
    bool cut = false;  // there are more
  };
  std::vector<Secondary> secondary;
  // A further array, to be asked for after the list was shaped: which rows it has depends on what was shown. May be empty.
  std::function<Result<std::vector<json::Node>>()> graph_matches;
};

// Fail with `usage` and where the file does. A query that finds nothing is no failure.
[[nodiscard]] Result<SearchAnswer> hybrid_search(Memory& memory, const SearchInput& input);
[[nodiscard]] Result<SearchAnswer> recall(Memory& memory, const SearchInput& input);
[[nodiscard]] Result<SearchAnswer> deep_research(Memory& memory, const ResearchInput& input);

struct RelatedInput {
  std::string space = "global", name;
  std::uint32_t max_hops = 2;
  std::optional<std::string> relation;
  double min_weight = 0.3;
  scope::Ceiling ceiling;
};
[[nodiscard]] Result<SearchAnswer> related(Memory& memory, const RelatedInput& input);
[[nodiscard]] Result<SearchAnswer> graph_traverse(Memory& memory, const std::string& space, const std::string& from,
                                                  std::uint32_t depth, bool fuzzy);

[[nodiscard]] Result<json::Node> fts_check(Memory& memory);
[[nodiscard]] Result<json::Node> fts_rebuild(Memory& memory);
[[nodiscard]] Result<json::Node> fts_stats(Memory& memory);
// The text index and the packed vectors, both anew.
[[nodiscard]] Result<json::Node> reindex(Memory& memory);

// "none", "local:NAME", "command:CMD" or "URL#NAME". The member `model` and `dim` of the answer.
[[nodiscard]] Result<json::Node> choose_embedder(Memory& memory, const std::string& model,
                                                 std::optional<std::int64_t> dim);
[[nodiscard]] Result<json::Node> embed_status(Memory& memory);
// `progress`: done, of how many; false ends it.
[[nodiscard]] Result<json::Node> embed_backfill(Memory& memory,
                                                const std::function<bool(std::int64_t, std::int64_t)>& progress);

}  // namespace candor::memory
