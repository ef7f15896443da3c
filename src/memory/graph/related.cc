// The lists of related and graph traverse.
#include "memory/graph/related.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/near_names.h"
#include "memory/graph/graph_rows.h"
#include "memory/search/rows.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "scope/rows_list.h"

namespace candor::memory {
namespace {

using json::Node;

struct Seeds {
  std::vector<std::int64_t> entities;
  std::unordered_set<std::int64_t> memories;  // not in the answer
};

Result<Seeds> seeds_of(Store& store, const RelatedQuery& query) {
  Seeds seeds;
  const auto name = memory_name(query.name);
  if (name.ok()) {
    CANDOR_ASSIGN(const auto memory, find_memory(store, query.space, name->text));
    if (memory && !memory->deleted_at) {
      seeds.memories.insert(memory->id);
      CANDOR_ASSIGN(seeds.entities, entities_of(store, memory->id));
      return seeds;
    }
  }
  CANDOR_ASSIGN(const auto entity, find_entity(store, query.space, query.name));
  if (!entity) return no_memory(store, query.space, query.name);
  seeds.entities.push_back(entity->id);
  return seeds;
}

Result<Node> related_row(Store& store, const NearMemory& near) {
  CANDOR_ASSIGN(Node row, stored_row(store, near.memory));
  take(row, "body");
  CANDOR_ASSIGN(std::string from, entity_label(store, near.by.from));
  CANDOR_ASSIGN(std::string to, entity_label(store, near.by.entity));
  if (!near.by.outbound) std::swap(from, to);
  const bool reached = near.by.hop > 0;
  row.set("hop_distance", Node::number(std::int64_t{near.by.hop}));
  row.set("relation", reached ? Node::string(near.by.relation) : Node());
  row.set("source_entity", from.empty() ? Node() : Node::string(std::move(from)));
  row.set("target_entity", to.empty() ? Node() : Node::string(std::move(to)));
  row.set("weight", reached ? Node::number(near.by.weight) : Node());
  return row;
}

scope::KeyCatalogue catalogue_of_related() {
  scope::KeyCatalogue catalogue;
  catalogue.keys = {"memory_id",    "name",     "namespace",     "type",          "description", "snippet",
                    "hop_distance", "relation", "source_entity", "target_entity", "weight"};
  for (auto& key : hidden_keys()) catalogue.keys.push_back(key);
  catalogue.open = {"metadata"};
  catalogue.aliases = {{"memory_type", "type"}, {"hop", "hop_distance"}, {"hops", "hop_distance"}};
  return catalogue;
}

// Rows that are made when they are asked for: a filter sees all, a reader of ten only ten.
class RelatedList : public scope::List {
 public:
  RelatedList(Store& store, std::vector<NearMemory> near, scope::Ceiling ceiling)
      : store_(&store), near_(std::move(near)) {
    declaration_ = {.array = "results",
                    .ceiling = ceiling,
                    .catalogue = catalogue_of_related(),
                    .content = {"snippet", "description"}};
  }

 protected:
  [[nodiscard]] scope::Declaration declare() const override { return declaration_; }
  [[nodiscard]] Result<scope::Universe> universe() override { return scope::Universe{near_.size(), {}}; }
  [[nodiscard]] std::vector<std::string> hidden() const override {
    auto keys = hidden_keys();
    keys.emplace_back("snippet");
    return keys;
  }
  [[nodiscard]] Status visit(const scope::Slice& slice, const scope::Visitor& visitor) override {
    std::uint64_t passed = 0;
    for (const auto& near : near_) {
      if (slice.limit && passed >= slice.offset + *slice.limit) return Ok{};
      CANDOR_ASSIGN(Node row, related_row(*store_, near));
      if (slice.below != nullptr && !slice.below->matches(row)) continue;
      if (passed++ < slice.offset) continue;
      if (!visitor(std::move(row))) return Ok{};
    }
    return Ok{};
  }

 private:
  Store* store_;
  std::vector<NearMemory> near_;
  scope::Declaration declaration_;
};

Result<EntityRow> start_of(Store& store, const TraverseQuery& query) {
  CANDOR_ASSIGN(auto exact, find_entity(store, query.space, query.from));
  if (exact || !query.fuzzy) return exact ? Result<EntityRow>(*exact) : known_entity(store, query.space, query.from);
  std::vector<std::string> names;
  {
    CANDOR_ASSIGN(sqlite::Run run,
                  store.sql().start("SELECT name FROM entities WHERE namespace = ?1 ORDER BY id", query.space));
    while (true) {
      CANDOR_ASSIGN(const bool row, run.step());
      if (!row) break;
      names.push_back(run.text(0));
    }
  }
  const auto near = near_names(query.from, names);
  return known_entity(store, query.space, near.empty() ? query.from : near.front());
}

}  // namespace

Result<std::unique_ptr<scope::List>> related(Store& store, const RelatedQuery& query) {
  CANDOR_ASSIGN(const Seeds seeds, seeds_of(store, query));
  WalkOptions options{.name_space = query.space,
                      .both_directions = true,
                      .min_weight = query.min_weight,
                      .max_hops = query.max_hops,
                      .relation = std::nullopt,
                      .neighbours_max = std::nullopt};
  if (query.relation) {
    CANDOR_ASSIGN(options.relation, relation_name(*query.relation));
  }
  CANDOR_ASSIGN(auto reached, walk(store.database(), seeds.entities, options));
  order_by_nearness(reached);
  // What is bound to the seeds themselves is nearest of all.
  std::vector<Reached> all;
  for (const auto seed : seeds.entities) all.push_back({.entity = seed, .relation = {}});
  all.insert(all.end(), std::make_move_iterator(reached.begin()), std::make_move_iterator(reached.end()));
  CANDOR_ASSIGN(const Eligible eligible,
                Eligible::load(store.database(), {.name_space = query.space, .all_namespaces = false, .type = {}}));
  CANDOR_ASSIGN(auto near, memories_near(store, all, eligible, seeds.memories));
  return std::unique_ptr<scope::List>(std::make_unique<RelatedList>(store, std::move(near), query.ceiling));
}

Result<Traverse> traverse(Store& store, const TraverseQuery& query) {
  CANDOR_ASSIGN(const EntityRow start, start_of(store, query));
  const WalkOptions options{.name_space = query.space,
                            .both_directions = true,
                            .min_weight = 0,
                            .max_hops = query.depth,
                            .relation = std::nullopt,
                            .neighbours_max = std::nullopt};
  CANDOR_ASSIGN(const auto reached, walk(store.database(), {start.id}, options));
  std::vector<Node> rows;
  for (const auto& one : reached) {
    CANDOR_ASSIGN(std::string name, entity_label(store, one.entity));
    Node row = Node::object();
    row.set("entity", Node::string(std::move(name))).set("relation", Node::string(one.relation));
    row.set("direction", Node::string(one.outbound ? "outbound" : "inbound"));
    row.set("weight", Node::number(one.weight)).set("depth", Node::number(std::int64_t{one.hop}));
    rows.push_back(std::move(row));
  }
  scope::Declaration declaration{.array = "hops", .ceiling = {}, .catalogue = {}, .content = {}};
  declaration.catalogue.keys = {"entity", "relation", "direction", "weight", "depth"};
  return Traverse{start.name, std::make_unique<scope::RowsList>(std::move(declaration), std::move(rows))};
}

}  // namespace candor::memory
