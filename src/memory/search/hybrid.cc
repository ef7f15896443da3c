// The lists of hybrid-search and recall, and what the graph adds to them.
#include "memory/search/hybrid.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "memory/graph/graph_rows.h"
#include "memory/search/rows.h"
#include "memory/vectors/coverage.h"

namespace candor::memory {
namespace {

using json::Node;

Node maybe(const std::optional<double>& value) { return value ? score_node(*value) : Node(); }

void present_hybrid(Node& row, const Fused& fused) {
  row.set("source", Node::string("hybrid"));
  row.set("score", score_node(fused.score)).set("combined_score", score_node(fused.score));
  row.set("normalized_score", score_node(fused.normalized));
  if (fused.rrf) row.set("rrf_score", score_node(*fused.rrf));
  row.set("fts_bm25", maybe(fused.bm25));
  if (fused.text_rank) row.set("fts_rank", Node::number(static_cast<std::int64_t>(*fused.text_rank)));
  row.set("vec_distance", fused.cosine ? score_node(1 - *fused.cosine) : Node());
  if (fused.vector_rank) row.set("vec_rank", Node::number(static_cast<std::int64_t>(*fused.vector_rank)));
}

double recall_distance(const Fused& fused, bool text_only) {
  if (!text_only) return 1 - fused.cosine.value_or(0);
  return 1 - 1 / (static_cast<double>(fused.text_rank.value_or(1)) + 1);
}

scope::Declaration declaration_of(scope::Ceiling ceiling, std::vector<std::string> computed) {
  scope::Declaration declaration{.array = "results",
                                 .ceiling = ceiling,
                                 .catalogue = {},
                                 .content = {"body", "snippet", "description"},
                                 .order = scope::Order::kTotal,
                                 .raise_with = "-k "};
  auto& keys = declaration.catalogue.keys;
  keys = {"memory_id", "name", "namespace", "type", "description", "snippet", "body", "source"};
  keys.insert(keys.end(), computed.begin(), computed.end());
  for (auto& key : hidden_keys()) keys.push_back(key);
  declaration.catalogue.open = {"metadata"};
  declaration.catalogue.aliases = {{"memory_type", "type"}, {"id", "memory_id"}};
  return declaration;
}

Result<Node> graph_row(Store& store, const NearMemory& near, bool for_recall) {
  CANDOR_ASSIGN(Node row, stored_row(store, near.memory));
  // The graph's distance is of hops: 0 at a seed, then 1/2, 2/3 …
  const double distance = 1 - 1 / (static_cast<double>(near.by.hop) + 1);
  row.set("source", Node::string("graph"));
  row.set("distance", score_node(distance)).set("score", score_node(1 - distance));
  row.set("graph_depth", Node::number(std::int64_t{near.by.hop}));
  take(row, "body");
  if (for_recall) return row;
  for (const auto& key : hidden_keys()) take(row, key);
  return row;
}

}  // namespace

Result<std::vector<Node>> graph_matches(Store& store, const SearchQuery& query, const Eligible& eligible,
                                        const std::vector<std::int64_t>& shown, const GraphReach& reach,
                                        bool for_recall) {
  std::vector<std::int64_t> seeds;
  const auto add = [&](const std::vector<std::int64_t>& more) {
    for (const auto id : more) {
      if (std::ranges::find(seeds, id) == seeds.end()) seeds.push_back(id);
    }
  };
  for (const auto memory : shown) {
    CANDOR_ASSIGN(const auto bound, entities_of(store, memory));
    add(bound);
  }
  CANDOR_ASSIGN(const auto named, entities_named_in(store, query.scope, query.text));
  add(named);
  const WalkOptions options{
      .name_space = query.scope.all_namespaces ? std::nullopt : std::optional(query.scope.name_space),
      .both_directions = false,
      .min_weight = reach.min_weight,
      .max_hops = reach.max_hops,
      .relation = std::nullopt,
      .neighbours_max = std::nullopt};
  CANDOR_ASSIGN(auto reached, walk(store.database(), seeds, options));
  order_by_nearness(reached);
  std::vector<Reached> all;
  for (const auto seed : seeds) all.push_back({.entity = seed, .relation = {}});
  all.insert(all.end(), std::make_move_iterator(reached.begin()), std::make_move_iterator(reached.end()));
  CANDOR_ASSIGN(const auto near, memories_near(store, all, eligible, {shown.begin(), shown.end()}));
  std::vector<Node> rows;
  for (const auto& one : near) {
    if (reach.results_max && rows.size() >= *reach.results_max) break;
    CANDOR_ASSIGN(Node row, graph_row(store, one, for_recall));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<std::unique_ptr<RankedList>> hybrid_list(Store& store, const HybridQuery& query) {
  CANDOR_ASSIGN(Searcher searcher, Searcher::make(store, query.search));
  RankedList::Plan plan;
  plan.computed = {"score",    "combined_score", "normalized_score", "rrf_score",
                   "fts_bm25", "fts_rank",       "vec_distance",     "vec_rank"};
  plan.declaration = declaration_of(query.ceiling, plan.computed);
  plan.declaration.catalogue.aliases.emplace_back("distance", "vec_distance");
  plan.hidden = hidden_keys();
  plan.present = &present_hybrid;
  return std::make_unique<RankedList>(std::move(searcher), std::move(plan));
}

Result<std::unique_ptr<RankedList>> recall_list(Store& store, const RecallQuery& query) {
  CANDOR_ASSIGN(Searcher searcher, Searcher::make(store, query.search));
  RankedList::Plan plan;
  plan.computed = {"distance", "score", "graph_depth", "hop"};
  plan.declaration = declaration_of(query.ceiling, plan.computed);
  plan.hidden = hidden_keys();
  plan.hidden.emplace_back("body");
  plan.present = [text_only = query.text_only](Node& row, const Fused& fused) {
    const double distance = recall_distance(fused, text_only);
    row.set("source", Node::string("direct"));
    row.set("distance", score_node(distance)).set("score", score_node(1 - distance));
  };
  plan.keep = [limit = query.distance_max, text_only = query.text_only](const Fused& fused) {
    return recall_distance(fused, text_only) <= limit;
  };
  if (query.with_graph) {
    plan.append = [&store, query, eligible = searcher.shared_eligible()](
                      const std::vector<std::int64_t>& shown) -> Result<std::vector<Node>> {
      CANDOR_ASSIGN(auto rows, graph_matches(store, query.search, *eligible, shown, query.graph, true));
      std::erase_if(rows, [&](const Node& row) { return row["distance"].real().value_or(0) > query.distance_max; });
      return rows;
    };
  }
  return std::make_unique<RankedList>(std::move(searcher), std::move(plan));
}

Status describe_query(Node& document, RankedList& list) {
  CANDOR_ASSIGN(const Legs* legs, list.first_look());
  const TextQuery* words = &legs->words;
  Node dropped = Node::array();
  for (const auto& word : words->dropped) dropped.push(Node::string(word));
  document.set("dropped_terms", std::move(dropped));
  if (words->words_not_read > 0) {
    document.set("terms_not_read", Node::number(static_cast<std::int64_t>(words->words_not_read)));
  }
  const auto& vector = list.searcher().query().vector;
  if (!words->reason.empty() && (!vector || words->only_common)) document.set("reason", Node::string(words->reason));
  if (!vector) return Ok{};
  CANDOR_ASSIGN(const auto coverage, vector_coverage(list.searcher().store().database(), vector->embedder,
                                                     list.searcher().eligible(), legs->with_vector));
  Node node = Node::object();
  node.set("memories", Node::number(coverage.memories)).set("with_vector", Node::number(coverage.with_vector));
  node.set("of_other_models", Node::number(coverage.of_other_models)).set("without", Node::number(coverage.without));
  document.set("vector_coverage", std::move(node));
  return Ok{};
}

}  // namespace candor::memory
