// Hits of all sub-queries, what the graph leads to from them, and its ranking of both.
#include "memory/search/deep_research.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "memory/graph/graph_rows.h"
#include "memory/graph/page_rank.h"
#include "memory/search/rows.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::size_t kChainsShown = 50;  // the heaviest; all are counted, and the record says that there are more
constexpr std::size_t kSeedMemories = 5;  // of a sub-query, whose entities evidence starts at

// Keys that the ranking alone knows.
std::vector<std::string> computed_keys() { return {"score", "source", "sub_query_ids", "hop_distance"}; }

struct Found {
  double hit = 0;    // the best normalised score over the sub-queries
  double score = 0;  // of the walk
  std::set<std::int64_t> sub_queries;
  bool by_text = false, by_vector = false;
  std::optional<std::uint32_t> hop;
};

struct Chain {
  std::vector<Reached> edges;
  double weight = 1;
  std::set<std::int64_t> sub_queries;
};

class Researcher {
 public:
  // `below`: rows that it does not let pass are as if they were not there, as far as it speaks of stored keys.
  Researcher(Store& store, const ResearchQuery& query, const scope::Predicate* below)
      : store_(&store), query_(&query), below_(below) {}

  Status search(const std::vector<std::optional<Vector>>& vectors) {
    const StopsStatements stops(store_->database(), query_->deadline);
    for (std::size_t i = 0; i < query_->sub_queries.size(); ++i) {
      const Status done =
          query_->deadline.passed() ? Status(make_error("cancelled", "no time was left")) : search_one(i, vectors[i]);
      if (done.ok()) continue;
      if (done.error().code != "cancelled") return done;
      ++timed_out_;
    }
    Status ranked = rank();
    if (ranked.ok() || ranked.error().code != "cancelled") return ranked;
    rank_by_hits();
    return Ok{};
  }

  [[nodiscard]] bool timed_out() const { return timed_out_ > 0 || by_hits_; }

  Result<std::vector<Node>> rows() {
    std::vector<Scored> order;
    for (const auto& [id, found] : found_) order.push_back({.id = id, .score = found.score});
    keep_best(order, eligible_, order.size());
    std::vector<Node> rows;
    for (const auto& one : order) {
      const Found& found = found_.at(one.id);
      CANDOR_ASSIGN(Node row, stored_row(*store_, one.id));
      if (!query_->with_bodies) take(row, "body");
      row.set("score", score_node(best_ > 0 ? one.score / best_ : 0));
      const bool both = found.by_text && found.by_vector;
      row.set("source", Node::string(both ? "hybrid" : found.by_vector ? "knn" : found.by_text ? "fts" : "graph"));
      row.set("sub_query_ids", ids_node(found.sub_queries));
      row.set("hop_distance", found.hop ? Node::number(std::int64_t{*found.hop}) : Node());
      rows.push_back(std::move(row));
    }
    return rows;
  }

  Result<Node> document(const std::string& text) {
    Node document = Node::object();
    document.set("query", Node::string(text));
    Node queries = Node::array();
    for (std::size_t i = 0; i < query_->sub_queries.size(); ++i) {
      Node one = Node::object();
      one.set("id", Node::number(static_cast<std::int64_t>(i))).set("text", Node::string(query_->sub_queries[i].text));
      one.set("source", Node::string(query_->sub_queries[i].source));
      queries.push(std::move(one));
    }
    document.set("sub_queries", std::move(queries));
    CANDOR_ASSIGN(Node context, context_node());
    document.set("graph_context", std::move(context));
    const auto total = static_cast<std::int64_t>(query_->sub_queries.size());
    Node stats = Node::object();
    stats.set("sub_queries_total", Node::number(total));
    stats.set("sub_queries_completed", Node::number(total - timed_out_));
    stats.set("sub_queries_failed", Node::number(std::int64_t{0}));
    stats.set("sub_queries_timed_out", Node::number(timed_out_));
    stats.set("unique_memories_found", Node::number(static_cast<std::int64_t>(found_.size())));
    stats.set("evidence_chains_found", Node::number(static_cast<std::int64_t>(chains_.size())));
    stats.set("ranked_by", Node::string(by_hits_ ? "hits" : "graph"));
    stats.set("vec_degraded", Node::boolean(false));
    document.set("stats", std::move(stats));
    Node dropped = Node::array();
    for (const auto& word : words_.dropped) dropped.push(Node::string(word));
    document.set("dropped_terms", std::move(dropped));
    if (!found_.empty()) return document;
    const char* nothing = timed_out() ? "the time was over before anything was found" : "nothing was found";
    document.set("reason", Node::string(words_.reason.empty() ? nothing : words_.reason));
    return document;
  }

  // The heaviest, and whether there are more.
  Result<std::pair<std::vector<Node>, bool>> chains() {
    std::vector<const Chain*> order;
    for (const auto& [ends, chain] : chains_) order.push_back(&chain);
    std::ranges::sort(order, [](const Chain* a, const Chain* b) {
      if (a->weight != b->weight) return a->weight > b->weight;
      if (a->edges.front().from != b->edges.front().from) return a->edges.front().from < b->edges.front().from;
      return a->edges.back().entity < b->edges.back().entity;
    });
    const bool cut = order.size() > kChainsShown;
    if (cut) order.resize(kChainsShown);
    std::vector<Node> chains;
    for (const Chain* chain : order) {
      CANDOR_ASSIGN(Node one, chain_node(*chain));
      chains.push_back(std::move(one));
    }
    return std::pair(std::move(chains), cut);
  }

 private:
  static Node ids_node(const std::set<std::int64_t>& ids) {
    Node array = Node::array();
    for (const auto id : ids) array.push(Node::number(id));
    return array;
  }

  // What one sub-query gives is taken over when it is whole: half of one would be ranked as if it were all.
  Status search_one(std::size_t at, const std::optional<Vector>& vector) {
    const SubQuery& sub_query = query_->sub_queries[at];
    SearchQuery one = query_->search;
    one.text = sub_query.text;
    if (one.vector && vector) one.vector->values = *vector;
    if (!vector) one.vector.reset();
    CANDOR_ASSIGN(Searcher searcher, Searcher::make(*store_, std::move(one)));
    CANDOR_ASSIGN(const Legs legs, searcher.search(below_, computed_keys(), query_->k));
    std::vector<std::int64_t> seeds;
    for (std::size_t i = 0; i < std::min({legs.ranked.size(), kSeedMemories, static_cast<std::size_t>(query_->k)});
         ++i) {
      CANDOR_ASSIGN(const auto bound, entities_of(*store_, legs.ranked[i].id));
      seeds.insert(seeds.end(), bound.begin(), bound.end());
    }
    CANDOR_ASSIGN(const auto named, entities_named_in(*store_, query_->search.scope, sub_query.text));
    seeds.insert(seeds.end(), named.begin(), named.end());
    CANDOR_ASSIGN(const auto reached, explore(seeds));
    if (words_.groups.empty()) words_ = legs.words;
    eligible_ = searcher.eligible();
    named_.insert(named.begin(), named.end());
    take_hits(legs, static_cast<std::int64_t>(at));
    take_reached(seeds, reached, static_cast<std::int64_t>(at));
    return Ok{};
  }

  void take_hits(const Legs& legs, std::int64_t sub_query) {
    for (std::size_t i = 0; i < legs.ranked.size() && i < query_->k; ++i) {
      const auto& fused = legs.ranked[i];
      Found& found = found_[fused.id];
      found.hit = std::max(found.hit, fused.normalized);
      found.sub_queries.insert(sub_query);
      found.by_text |= fused.text_rank.has_value();
      found.by_vector |= fused.vector_rank.has_value();
    }
  }

  Result<std::vector<Reached>> explore(const std::vector<std::int64_t>& seeds) {
    const auto& scope = query_->search.scope;
    const WalkOptions options{.name_space = scope.all_namespaces ? std::nullopt : std::optional(scope.name_space),
                              .both_directions = false,
                              .min_weight = query_->min_weight,
                              .max_hops = query_->max_hops,
                              .relation = std::nullopt,
                              .neighbours_max = query_->neighbours_max};
    return walk(store_->database(), seeds, options);
  }

  void take_reached(const std::vector<std::int64_t>& seeds, const std::vector<Reached>& reached,
                    std::int64_t sub_query) {
    for (const auto seed : seeds) touch(seed, 0);
    for (const auto& one : reached) {
      touch(one.entity, one.hop);
      if (one.hop < 2) continue;  // a single relation is no chain
      Chain chain;
      for (const Reached* at = &one;; at = &reached[at->parent]) {
        chain.edges.push_back(*at);
        chain.weight *= at->weight;
        if (at->hop == 1) break;
      }
      std::ranges::reverse(chain.edges);
      auto& kept = chains_[{chain.edges.front().from, one.entity}];
      if (chain.weight > kept.weight || kept.edges.empty()) {
        chain.sub_queries = kept.sub_queries;
        kept = std::move(chain);
      }
      kept.sub_queries.insert(sub_query);
    }
  }

  void touch(std::int64_t entity, std::uint32_t hop) {
    const auto [place, fresh] = hops_.emplace(entity, hop);
    if (!fresh) place->second = std::min(place->second, hop);
  }

  // PageRank over what was touched: entities, the relations between them, and memories bound to them, seeded half by hits and
  // half by entities that the question names.
  Status rank() {
    std::unordered_map<std::int64_t, std::uint32_t> entity_nodes, memory_nodes;
    std::vector<RankEdge> edges;
    std::vector<std::int64_t> memories;
    std::uint32_t nodes = 0;
    for (const auto& [entity, hop] : hops_) entity_nodes.emplace(entity, nodes++);
    const auto memory_node = [&](std::int64_t id) {
      const auto [place, fresh] = memory_nodes.emplace(id, nodes);
      if (fresh) {
        ++nodes;
        memories.push_back(id);
      }
      return place->second;
    };
    for (const auto& [id, found] : found_) memory_node(id);
    for (const auto& [entity, hop] : hops_) {
      CANDOR_ASSIGN(const auto bound, memories_of(*store_, entity));
      for (const auto memory : bound) {
        if (!eligible_.has(memory)) continue;
        edges.push_back({entity_nodes.at(entity), memory_node(memory), 1});
        auto& reached = hops_of_memory_[memory];
        reached = reached ? std::min(*reached, hop) : hop;
      }
      CANDOR_TRY(add_relations(entity, entity_nodes, edges));
    }
    const RankOptions options{.damping = query_->damping, .stop = query_->deadline.stop()};
    const auto scores = page_rank(nodes, edges, seeds_for(nodes, entity_nodes, memory_nodes), options);
    for (const auto id : memories) best_ = std::max(best_, scores[memory_nodes.at(id)]);
    for (const auto id : memories) {
      const double score = scores[memory_nodes.at(id)];
      if (!found_.contains(id) && (!(score > 0) || score < query_->graph_score_min * best_)) continue;
      Found& found = found_[id];
      found.score = score;
      if (const auto hop = hops_of_memory_.find(id); hop != hops_of_memory_.end()) found.hop = hop->second;
    }
    return Ok{};
  }

  // What is left where the graph's ranking was not ready in time.
  void rank_by_hits() {
    by_hits_ = true;
    for (auto& [id, found] : found_) {
      found.score = found.hit;
      best_ = std::max(best_, found.hit);
    }
  }

  Status add_relations(std::int64_t entity, const std::unordered_map<std::int64_t, std::uint32_t>& nodes,
                       std::vector<RankEdge>& edges) {
    CANDOR_ASSIGN(sqlite::Run run,
                  store_->sql().start("SELECT target_id, weight FROM relationships WHERE source_id = ?1 AND "
                                      "weight >= ?2 ORDER BY target_id, relation",
                                      entity, query_->min_weight));
    while (true) {
      CANDOR_ASSIGN(const bool row, run.step());
      if (!row) return Ok{};
      const auto other = nodes.find(run.integer(0));
      if (other != nodes.end()) edges.push_back({nodes.at(entity), other->second, run.real(1)});
    }
  }

  std::vector<double> seeds_for(std::uint32_t nodes, const std::unordered_map<std::int64_t, std::uint32_t>& entities,
                                const std::unordered_map<std::int64_t, std::uint32_t>& memories) const {
    std::vector<double> seeds(nodes, 0);
    double hits = 0;
    for (const auto& [id, found] : found_) hits += found.hit;
    const double half = named_.empty() ? 1 : 0.5;
    for (const auto& [id, found] : found_) {
      if (hits > 0) seeds[memories.at(id)] += half * found.hit / hits;
    }
    for (const auto entity : named_)
      seeds[entities.at(entity)] += (hits > 0 ? 0.5 : 1) / static_cast<double>(named_.size());
    return seeds;
  }

  Result<Node> chain_node(const Chain& chain) {
    Node path = Node::array();
    CANDOR_ASSIGN(const std::string from, entity_label(*store_, chain.edges.front().from));
    path.push(Node::object().set("entity", Node::string(from)));
    std::string to;
    for (const auto& edge : chain.edges) {
      CANDOR_ASSIGN(to, entity_label(*store_, edge.entity));
      Node step = Node::object();
      step.set("entity", Node::string(to)).set("relation", Node::string(edge.relation));
      step.set("weight", Node::number(edge.weight));
      path.push(std::move(step));
    }
    Node one = Node::object();
    one.set("from", Node::string(from)).set("to", Node::string(to)).set("path", std::move(path));
    one.set("total_weight", score_node(chain.weight));
    one.set("depth", Node::number(static_cast<std::int64_t>(chain.edges.size())));
    one.set("sub_query_ids", ids_node(chain.sub_queries));
    return one;
  }

  Result<Node> context_node() {
    Node entities = Node::array(), relations = Node::array();
    for (const auto& [id, hop] : hops_) {
      CANDOR_ASSIGN(sqlite::Run run, store_->sql().start("SELECT name, type, degree FROM entities WHERE id = ?1", id));
      CANDOR_ASSIGN(const bool row, run.step());
      if (!row) continue;
      Node one = Node::object();
      one.set("name", Node::string(run.text(0))).set("entity_type", Node::string(run.text(1)));
      one.set("degree", Node::number(run.integer(2)));
      entities.push(std::move(one));
    }
    for (const auto& [id, hop] : hops_) {
      CANDOR_ASSIGN(
          sqlite::Run run,
          store_->sql().start("SELECT s.name, t.name, r.relation, r.weight, t.id FROM relationships r JOIN entities s "
                              "ON s.id = r.source_id JOIN entities t ON t.id = r.target_id WHERE r.source_id = ?1 "
                              "AND r.weight >= ?2 ORDER BY r.target_id, r.relation",
                              id, query_->min_weight));
      while (true) {
        CANDOR_ASSIGN(const bool row, run.step());
        if (!row) break;
        if (!hops_.contains(run.integer(4))) continue;
        Node one = Node::object();
        one.set("from", Node::string(run.text(0))).set("to", Node::string(run.text(1)));
        one.set("relation", Node::string(run.text(2))).set("weight", Node::number(run.real(3)));
        relations.push(std::move(one));
      }
    }
    return Node::object().set("entities", std::move(entities)).set("relationships", std::move(relations));
  }

  Store* store_;
  const ResearchQuery* query_;
  const scope::Predicate* below_;
  Eligible eligible_;
  TextQuery words_;
  std::map<std::int64_t, Found> found_;         // by memory
  std::map<std::int64_t, std::uint32_t> hops_;  // by entity: the fewest from a seed
  std::unordered_map<std::int64_t, std::optional<std::uint32_t>> hops_of_memory_;
  std::set<std::int64_t> named_;
  std::map<std::pair<std::int64_t, std::int64_t>, Chain> chains_;
  double best_ = 0;
  std::int64_t timed_out_ = 0;  // sub-queries
  bool by_hits_ = false;
};

class ResearchList : public scope::List {
 public:
  // The rows that are found where only those count which a predicate lets pass.
  using Again = std::function<Result<std::vector<Node>>(const scope::Predicate& below)>;

  ResearchList(scope::Declaration declaration, std::vector<Node> rows, bool with_bodies, Again again)
      : declaration_(std::move(declaration)),
        rows_(std::move(rows)),
        with_bodies_(with_bodies),
        again_(std::move(again)) {}

 protected:
  [[nodiscard]] scope::Declaration declare() const override { return declaration_; }
  [[nodiscard]] Result<scope::Universe> universe() override { return scope::Universe{rows_.size(), {}}; }
  [[nodiscard]] std::vector<std::string> hidden() const override {
    auto keys = hidden_keys();
    if (!with_bodies_) keys.emplace_back("body");
    return keys;
  }
  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override {
    if (slice.below == nullptr || slice.below->empty()) return visit(rows_, slice, visitor);
    CANDOR_ASSIGN(const std::vector<Node> rows, again_(*slice.below));
    return visit(rows, slice, visitor);
  }

 private:
  static Status visit(const std::vector<Node>& rows, const scope::Slice& slice, const scope::Visitor& visitor) {
    std::uint64_t passed = 0;
    for (const auto& row : rows) {
      if (slice.limit && passed >= slice.offset + *slice.limit) return Ok{};
      if (slice.below != nullptr && !slice.below->matches(row)) continue;
      if (passed++ < slice.offset) continue;
      if (!visitor(row)) return Ok{};
    }
    return Ok{};
  }

  scope::Declaration declaration_;
  std::vector<Node> rows_;
  bool with_bodies_;
  Again again_;
};

}  // namespace

Result<Research> deep_research(Store& store, const ResearchQuery& query,
                               const std::vector<std::optional<Vector>>& vectors) {
  Researcher researcher(store, query, nullptr);
  CANDOR_TRY(researcher.search(vectors));
  CANDOR_ASSIGN(auto rows, researcher.rows());
  scope::Declaration declaration{.array = "results",
                                 .ceiling = query.ceiling,
                                 .catalogue = {},
                                 .content = {"body", "snippet", "description"},
                                 .order = scope::Order::kTotal,
                                 .raise_with = "--max-results "};
  auto& keys = declaration.catalogue.keys;
  keys = {"memory_id", "name",  "namespace", "type",          "description", "snippet",
          "body",      "score", "source",    "sub_query_ids", "hop_distance"};
  for (auto& key : hidden_keys()) keys.push_back(key);
  declaration.catalogue.open = {"metadata"};
  declaration.catalogue.aliases = {{"memory_type", "type"}, {"hop", "hop_distance"}};
  Research research;
  const auto again = [&store, query, vectors](const scope::Predicate& below) -> Result<std::vector<Node>> {
    Researcher narrowed(store, query, &below);
    CANDOR_TRY(narrowed.search(vectors));
    return narrowed.rows();
  };
  research.results = std::make_unique<ResearchList>(std::move(declaration), std::move(rows), query.with_bodies, again);
  CANDOR_ASSIGN(research.document, researcher.document(query.search.text));
  CANDOR_ASSIGN(std::tie(research.chains, research.chains_cut), researcher.chains());
  research.timed_out = researcher.timed_out();
  return research;
}

}  // namespace candor::memory
