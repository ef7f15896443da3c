// The shape of the graph: hubs that everything leads through say little, and so does a relation that everything has.
#include <cmath>

#include "memory/store/health.h"
#include "memory/store/names.h"

namespace candor::memory {
namespace {

using json::Node;
using Weight = HealthReport::Weight;

constexpr std::int64_t kSuperHub = 100;         // relations of one entity, from which on it leads everywhere
constexpr std::int64_t kRelationsToJudge = 20;  // fewer make no shape
constexpr double kHubShare = 0.5, kMentionsShare = 0.5, kRelationShare = 0.8;
constexpr std::size_t kNamed = 20;  // of a list of faults

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

Node warning(bool holds, std::string text) { return holds ? Node::string(std::move(text)) : Node(); }

Status look_at_hubs(const HealthScope& scope, std::int64_t relations, HealthReport& report) {
  Store& store = *scope.store;
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT name, degree FROM entities WHERE degree > 0 AND (?1 IS NULL OR namespace = ?1) "
                        "ORDER BY degree DESC, id LIMIT 1",
                        scope.space));
  CANDOR_ASSIGN(const bool row, run.step());
  const std::int64_t degree = row ? run.integer(1) : 0;
  const double share = relations == 0 ? 0 : static_cast<double>(degree) / static_cast<double>(relations);
  report.set("top_hub_entity", row ? Node::string(run.text(0)) : Node()).set("top_hub_degree", Node::number(degree));
  report.set("hub_warning",
             warning(relations >= kRelationsToJudge && share > kHubShare,
                     percent(share) + " of the relations begin or end at '" + (row ? run.text(0) : "") + "'"));
  CANDOR_ASSIGN(const auto hubs,
                store.sql().count("SELECT count(*) FROM entities WHERE degree >= ?2 AND (?1 IS NULL OR namespace = ?1)",
                                  scope.space, kSuperHub));
  report.set("super_hub_count", Node::number(hubs));
  report.set(
      "super_hub_warning",
      warning(hubs > 0, std::to_string(hubs) + " entities have " + std::to_string(kSuperHub) +
                            " relations or more: walks lead everywhere through them, --max-neighbors-per-hop and "
                            "--min-weight narrow them"));
  return Ok{};
}

Status look_at_relations(const HealthScope& scope, std::int64_t relations, HealthReport& report) {
  Store& store = *scope.store;
  const auto share_of = [&](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(relations); };
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT relation, count(*) FROM relationships WHERE ?1 IS NULL OR namespace = ?1 GROUP BY "
                        "relation ORDER BY count(*) DESC, relation LIMIT 1",
                        scope.space));
  CANDOR_ASSIGN(const bool row, run.step());
  const double top = row ? share_of(run.integer(1)) : 0;
  report.set("top_relation", row ? Node::string(run.text(0)) : Node());
  report.set("top_relation_ratio", row ? Node::number(top) : Node());
  report.set("relation_concentration_warning",
             warning(relations >= kRelationsToJudge && top > kRelationShare,
                     percent(top) + " of the relations are '" + (row ? run.text(0) : "") + "'"));
  for (const std::string name : {"mentions", "applies_to"}) {
    CANDOR_ASSIGN(
        const auto count,
        store.sql().count("SELECT count(*) FROM relationships WHERE relation = ?2 AND (?1 IS NULL OR namespace = "
                          "?1)",
                          scope.space, name));
    report.set(name + "_ratio", relations == 0 ? Node() : Node::number(share_of(count)));
    if (name != "mentions") continue;
    const bool many = relations >= kRelationsToJudge && share_of(count) > kMentionsShare;
    report.set("mentions_warning",
               warning(many, percent(many ? share_of(count) : 0) +
                                 " of the relations say no more than that one thing mentions another"));
  }
  return Ok{};
}

// Entities whose key is not what their name makes: a search for the name would miss them.
Status look_at_names(const HealthScope& scope, HealthReport& report) {
  CANDOR_ASSIGN(sqlite::Run run, scope.store->sql().start(
                                     "SELECT name, key FROM entities WHERE ?1 IS NULL OR namespace = ?1", scope.space));
  std::int64_t off = 0;
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) break;
    const Result<EntityName> name = entity_name(run.view(0));
    if (!name.ok() || name->key != run.view(1)) ++off;
  }
  const std::string text = std::to_string(off) + " entities are not found by their own names";
  report.judged("entity_names", off == 0 ? "" : text, Weight::kDamage);
  report.set("non_normalized_count", Node::number(off)).set("normalization_warning", warning(off > 0, text));
  return Ok{};
}

// Numbers of entities that something speaks of and that are not there.
Status look_for_missing(const HealthScope& scope, HealthReport& report) {
  Node missing = Node::array();
  CANDOR_ASSIGN(
      sqlite::Run run,
      scope.store->sql().start(
          "SELECT id FROM (SELECT source_id AS id FROM relationships UNION SELECT target_id FROM relationships "
          "UNION SELECT entity_id FROM memory_entities) WHERE id NOT IN (SELECT id FROM entities) ORDER BY id"));
  std::size_t count = 0;
  while (true) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) break;
    if (count++ < kNamed) missing.push(Node::string("id " + std::to_string(run.integer(0))));
  }
  report.judged("entities", count == 0 ? "" : std::to_string(count) + " entities are spoken of and are not there",
                Weight::kDamage);
  report.set("missing_entities", std::move(missing));
  return Ok{};
}

}  // namespace

Status look_at_graph(const HealthScope& scope, HealthReport& report) {
  CANDOR_ASSIGN(
      const auto relations,
      scope.store->sql().count("SELECT count(*) FROM relationships WHERE ?1 IS NULL OR namespace = ?1", scope.space));
  CANDOR_TRY(look_at_hubs(scope, relations, report));
  CANDOR_TRY(look_at_relations(scope, relations, report));
  CANDOR_TRY(look_at_names(scope, report));
  return look_for_missing(scope, report);
}

}  // namespace candor::memory
