// The verbs about entities, and those that count and mend the graph.
#include <algorithm>
#include <utility>

#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/names.h"
#include "memory/store/store.h"

namespace candor::memory {
namespace {

using json::Node;

Node null_or(const std::optional<std::string>& text) { return text ? Node::string(*text) : Node(); }

Result<Node> delete_in(Store& store, const std::string& space, const std::string& name, bool cascade) {
  CANDOR_ASSIGN(const EntityRow entity, known_entity(store, space, name));
  CANDOR_ASSIGN(
      const std::int64_t edges,
      store.sql().count("SELECT count(*) FROM relationships WHERE source_id = ?1 OR target_id = ?1", entity.id));
  CANDOR_ASSIGN(const std::int64_t bindings,
                store.sql().count("SELECT count(*) FROM memory_entities WHERE entity_id = ?1", entity.id));
  if (!cascade && edges + bindings > 0) {
    return make_error("usage", "the entity '" + entity.name + "' is in use",
                      "--cascade deletes its relations and takes it out of its memories, which stay",
                      std::to_string(edges) + " relations, " + std::to_string(bindings) + " memories");
  }
  CANDOR_TRY(store.sql().execute("DELETE FROM entities WHERE id = ?1", entity.id));
  Node document = texts({{"action", "deleted"}, {"entity_name", entity.name}, {"namespace", space}});
  document.set("relationships_removed", Node::number(edges)).set("bindings_removed", Node::number(bindings));
  return document;
}

Result<EntityRow> by_name_or_id(Store& store, const std::string& space, const std::optional<std::string>& name,
                                const std::optional<std::int64_t>& id) {
  if (name) return known_entity(store, space, *name);
  if (!id) return make_error("usage", "an entity is missing", "--name NAME");
  CANDOR_ASSIGN(std::optional<EntityRow> row, find_entity(store, *id));
  if (row) return std::move(*row);
  return make_error("not-found", "no entity with id " + std::to_string(*id), "candor memory graph entities");
}

Result<Node> rename_in(Store& store, const EntityRow& entity, const std::string& new_name) {
  CANDOR_ASSIGN(const EntityName name, entity_name(new_name));
  CANDOR_ASSIGN(const std::optional<EntityRow> there, find_entity(store, entity.space, new_name));
  if (there && there->id != entity.id) {
    return make_error("duplicate", "there is an entity '" + there->name + "' in namespace " + entity.space + " already",
                      "candor memory merge-entities --names '" + entity.name + "' --into '" + there->name + "'");
  }
  CANDOR_TRY(store.sql().execute("UPDATE entities SET name = ?2, key = ?3, updated_at = ?4 WHERE id = ?1", entity.id,
                                 name.text, name.key, store.now()));
  Node document = texts({{"action", "renamed"}, {"old_name", entity.name}, {"new_name", name.text}});
  document.set("entity_id", Node::number(entity.id)).set("namespace", Node::string(entity.space));
  return document;
}

// Relations of `from` become those of `into`; of two that become equal the heavier weight stays, and what both were bound to.
Result<std::int64_t> move_relations(Store& store, std::int64_t from, std::int64_t into) {
  struct Moved {
    std::int64_t id, source, target;
    std::string relation;
    double weight;
  };
  std::vector<Moved> edges;
  {
    CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT id, source_id, target_id, relation, weight FROM "
                                                     "relationships WHERE source_id = ?1 OR target_id = ?1 ORDER BY id",
                                                     from));
    for (;;) {
      CANDOR_ASSIGN(const bool more, run.step());
      if (!more) break;
      edges.push_back({run.integer(0), run.integer(1), run.integer(2), run.text(3), run.real(4)});
    }
  }
  for (const Moved& edge : edges) {
    const std::int64_t source = edge.source == from ? into : edge.source;
    const std::int64_t target = edge.target == from ? into : edge.target;
    CANDOR_ASSIGN(const std::optional<std::int64_t> same,
                  store.sql().integer("SELECT id FROM relationships WHERE source_id = ?1 AND target_id = ?2 AND "
                                      "relation = ?3",
                                      source, target, edge.relation));
    if (!same) {
      CANDOR_TRY(
          store.sql().execute("UPDATE relationships SET source_id = ?2, target_id = ?3, updated_at = ?4 "
                              "WHERE id = ?1",
                              edge.id, source, target, store.now()));
      continue;
    }
    CANDOR_TRY(store.sql().execute("UPDATE relationships SET weight = max(weight, ?2), updated_at = ?3 WHERE id = ?1",
                                   *same, edge.weight, store.now()));
    CANDOR_TRY(
        store.sql().execute("INSERT OR IGNORE INTO memory_relationships SELECT memory_id, ?2 FROM "
                            "memory_relationships WHERE relationship_id = ?1",
                            edge.id, *same));
    CANDOR_TRY(store.sql().execute("DELETE FROM relationships WHERE id = ?1", edge.id));
  }
  return static_cast<std::int64_t>(edges.size());
}

Result<std::vector<EntityRow>> sources_of(Store& store, const MergeEntities& input) {
  std::vector<EntityRow> sources;
  for (const std::string& name : input.names) {
    CANDOR_ASSIGN(EntityRow row, known_entity(store, input.space, name));
    sources.push_back(std::move(row));
  }
  for (const std::int64_t id : input.ids) {
    CANDOR_ASSIGN(EntityRow row, by_name_or_id(store, input.space, {}, id));
    sources.push_back(std::move(row));
  }
  if (sources.empty()) return make_error("usage", "no entities to merge", "--names A,B --into C");
  return sources;
}

Result<Node> merge_in(Store& store, const MergeEntities& input) {
  CANDOR_ASSIGN(const EntityRow into, by_name_or_id(store, input.space, input.into, input.into_id));
  CANDOR_ASSIGN(const std::vector<EntityRow> sources, sources_of(store, input));
  std::int64_t moved = 0;
  std::int64_t removed = 0;
  Node names = Node::array();
  for (const EntityRow& source : sources) {
    if (source.space != into.space && !input.cross_namespace) {
      return make_error(
          "usage",
          "'" + source.name + "' stands in namespace " + source.space + ", '" + into.name + "' in " + into.space,
          "--cross-namespace merges them all the same");
    }
    if (source.id == into.id) continue;
    CANDOR_ASSIGN(const std::int64_t edges, move_relations(store, source.id, into.id));
    CANDOR_TRY(
        store.sql().execute("INSERT OR IGNORE INTO memory_entities SELECT memory_id, ?2 FROM memory_entities "
                            "WHERE entity_id = ?1",
                            source.id, into.id));
    CANDOR_TRY(store.sql().execute("DELETE FROM entities WHERE id = ?1", source.id));
    moved += edges;
    removed += store.database().changes() > 0 ? 1 : 0;
    names.push(Node::string(source.name));
  }
  Node document = texts({{"action", "merged"}});
  document.set("sources", std::move(names)).set("target", Node::string(into.name));
  document.set("namespace", Node::string(into.space)).set("target_id", Node::number(into.id));
  document.set("relationships_moved", Node::number(moved)).set("entities_removed", Node::number(removed));
  return document;
}

constexpr std::string_view kOrphans =
    "FROM entities WHERE (?1 IS NULL OR namespace = ?1) AND NOT EXISTS (SELECT 1 FROM memory_entities m WHERE "
    "m.entity_id = entities.id) AND NOT EXISTS (SELECT 1 FROM relationships r WHERE r.source_id = entities.id) AND "
    "NOT EXISTS (SELECT 1 FROM relationships r WHERE r.target_id = entities.id)";

}  // namespace

Result<Node> Memory::delete_entity(const std::string& space, const std::string& name, bool cascade) {
  return store_->transaction([&] { return delete_in(*store_, space, name, cascade); });
}

Result<Node> Memory::rename_entity(const std::string& space, const std::optional<std::string>& name,
                                   std::optional<std::int64_t> id, const std::string& new_name) {
  return store_->transaction([&]() -> Result<Node> {
    CANDOR_ASSIGN(const EntityRow entity, by_name_or_id(*store_, space, name, id));
    return rename_in(*store_, entity, new_name);
  });
}

Result<Node> Memory::merge_entities(const MergeEntities& input) {
  return store_->transaction([&] { return merge_in(*store_, input); });
}

Result<Node> Memory::cleanup_orphans(const std::optional<std::string>& space, bool dry_run) {
  static const std::string count = "SELECT count(*) " + std::string(kOrphans);
  static const std::string removal = "DELETE " + std::string(kOrphans);
  return store_->transaction([&]() -> Result<Node> {
    CANDOR_ASSIGN(const std::int64_t orphans, store_->sql().count(count, space));
    if (!dry_run) CANDOR_TRY(store_->sql().execute(removal, space));
    Node document = Node::object();
    document.set("orphan_count", Node::number(orphans)).set("deleted", Node::number(dry_run ? 0 : orphans));
    document.set("dry_run", Node::boolean(dry_run)).set("namespace", null_or(space));
    return document;
  });
}

Result<Node> Memory::graph_stats(const std::optional<std::string>& space) {
  CANDOR_ASSIGN(sqlite::Run run,
                store_->sql().start("SELECT count(*), coalesce(sum(degree), 0), coalesce(max(degree), 0) FROM entities "
                                    "WHERE ?1 IS NULL OR namespace = ?1",
                                    space));
  CANDOR_TRY(run.step());
  CANDOR_ASSIGN(const std::int64_t edges,
                store_->sql().count("SELECT count(*) FROM relationships WHERE ?1 IS NULL OR namespace = ?1", space));
  const std::int64_t nodes = run.integer(0);
  Node document = Node::object();
  document.set("namespace", null_or(space)).set("node_count", Node::number(nodes));
  document.set("edge_count", Node::number(edges));
  const double average = nodes == 0 ? 0 : static_cast<double>(run.integer(1)) / static_cast<double>(nodes);
  document.set("avg_degree", Node::number(average)).set("max_degree", Node::number(run.integer(2)));
  return document;
}

Result<Node> Memory::recompute_degree(const std::optional<std::string>& space, bool dry_run) {
  return store_->transaction([&]() -> Result<Node> {
    CANDOR_ASSIGN(
        sqlite::Run run,
        store_->sql().start("SELECT id, degree, (SELECT count(*) FROM relationships WHERE source_id = e.id) + "
                            "(SELECT count(*) FROM relationships WHERE target_id = e.id AND source_id <> e.id) "
                            "FROM entities e WHERE ?1 IS NULL OR namespace = ?1",
                            space));
    std::vector<std::pair<std::int64_t, std::int64_t>> wrong;
    std::int64_t total = 0;
    for (;; ++total) {
      CANDOR_ASSIGN(const bool more, run.step());
      if (!more) break;
      if (run.integer(1) != run.integer(2)) wrong.emplace_back(run.integer(0), run.integer(2));
    }
    if (!dry_run) {
      for (const auto& [id, degree] : wrong) {
        CANDOR_TRY(store_->sql().execute("UPDATE entities SET degree = ?2 WHERE id = ?1", id, degree));
      }
    }
    const auto zeroed = std::ranges::count(wrong, 0, &std::pair<std::int64_t, std::int64_t>::second);
    const auto updated = static_cast<std::int64_t>(wrong.size());
    Node document = Node::object();
    document.set("namespace", null_or(space)).set("dry_run", Node::boolean(dry_run));
    document.set("total", Node::number(total)).set("updated", Node::number(updated));
    document.set("zeroed", Node::number(static_cast<std::int64_t>(zeroed)));
    document.set("unchanged", Node::number(total - updated));
    return document;
  });
}

}  // namespace candor::memory
