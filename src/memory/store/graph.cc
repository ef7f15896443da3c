// Finding, making and binding.
#include "memory/store/graph.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/near_names.h"
#include "base/render_json.h"
#include "memory/store/names.h"

namespace candor::memory {
namespace {

EntityRow row_of(const sqlite::Run& run) {
  EntityRow row;
  row.id = run.integer(0);
  row.space = run.text(1);
  row.name = run.text(2);
  row.key = run.text(3);
  row.type = run.text(4);
  row.description = run.maybe_text(5);
  row.degree = run.integer(6);
  row.created_at = run.integer(7);
  return row;
}

Result<std::optional<EntityRow>> first_of(Result<sqlite::Run> started) {
  CANDOR_ASSIGN(sqlite::Run run, std::move(started));
  CANDOR_ASSIGN(const bool found, run.step());
  if (!found) return std::optional<EntityRow>();
  return std::optional<EntityRow>(row_of(run));
}

Result<std::optional<EntityRow>> find_by_key(Store& store, std::string_view space, std::string_view key) {
  return first_of(
      store.sql().start("SELECT id, namespace, name, key, type, description, degree, created_at FROM entities "
                        "WHERE namespace = ?1 AND key = ?2",
                        space, key));
}

// The text member under one of the names; null and absent are nothing.
Result<std::optional<std::string>> text_of(const json::Node& object, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const json::Node* member = object.find(name);
    if (member == nullptr || member->is_null()) continue;
    if (!member->is_string()) return make_error("bad-request", "'" + std::string(name) + "' must be a text");
    return std::optional<std::string>(member->text());
  }
  return std::optional<std::string>();
}

Result<std::string> required(const json::Node& object, std::span<const std::string_view> names, std::string_view what) {
  CANDOR_ASSIGN(std::optional<std::string> text, text_of(object, names));
  if (text) return std::move(*text);
  return make_error("bad-request", std::string(what) + " needs '" + std::string(names.front()) + "'");
}

Result<std::optional<double>> weight_of(const json::Node& object) {
  const json::Node* member = object.find("weight");
  if (member == nullptr || member->is_null()) member = object.find("strength");
  if (member == nullptr || member->is_null()) return std::optional<double>();
  const std::optional<double> weight = member->real();
  if (!weight || *weight < 0 || *weight > 1) return make_error("bad-request", "a weight must be a number from 0 to 1");
  return weight;
}

Status only_members(const json::Node& object, std::span<const std::string_view> known, std::string_view what) {
  if (!object.is_object()) return make_error("bad-request", std::string(what) + " must be a JSON object");
  for (const auto& [name, value] : object.members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string near;
    for (const std::string& one : near_names(name, {known.begin(), known.end()}))
      near += (near.empty() ? "" : ", ") + one;
    return make_error("bad-request", std::string(what) + " has no member '" + name + "'",
                      near.empty() ? "" : "did you mean " + near + "?");
  }
  return Ok{};
}

constexpr std::string_view kName[] = {"name"};
constexpr std::string_view kType[] = {"entity_type", "type"};
constexpr std::string_view kDescription[] = {"description"};
constexpr std::string_view kSource[] = {"source", "from"};
constexpr std::string_view kTarget[] = {"target", "to"};
constexpr std::string_view kRelation[] = {"relation"};
constexpr std::string_view kOfEntity[] = {"name", "entity_type", "type", "description"};
constexpr std::string_view kOfRelation[] = {"source",   "from",   "target",   "to",
                                            "relation", "weight", "strength", "description"};

Status check_array(const json::Node& array, std::string_view what) {
  if (array.is_array() || array.is_null()) return Ok{};
  return make_error("bad-request", std::string(what) + " must be a JSON array of objects");
}

}  // namespace

Result<std::vector<EntityInput>> entities_of(const json::Node& array) {
  CANDOR_TRY(check_array(array, "entities"));
  std::vector<EntityInput> entities;
  for (const json::Node& item : array.items()) {
    CANDOR_TRY(only_members(item, kOfEntity, "an entity"));
    EntityInput entity;
    CANDOR_ASSIGN(entity.name, required(item, kName, "an entity"));
    CANDOR_ASSIGN(entity.type, text_of(item, kType));
    CANDOR_ASSIGN(entity.description, text_of(item, kDescription));
    entities.push_back(std::move(entity));
  }
  return entities;
}

Result<std::vector<RelationInput>> relations_of(const json::Node& array) {
  CANDOR_TRY(check_array(array, "relationships"));
  std::vector<RelationInput> relations;
  for (const json::Node& item : array.items()) {
    CANDOR_TRY(only_members(item, kOfRelation, "a relation"));
    RelationInput relation;
    CANDOR_ASSIGN(relation.source, required(item, kSource, "a relation"));
    CANDOR_ASSIGN(relation.target, required(item, kTarget, "a relation"));
    CANDOR_ASSIGN(relation.relation, required(item, kRelation, "a relation"));
    CANDOR_ASSIGN(relation.weight, weight_of(item));
    CANDOR_ASSIGN(relation.description, text_of(item, kDescription));
    relations.push_back(std::move(relation));
  }
  return relations;
}

Result<std::optional<EntityRow>> find_entity(Store& store, std::string_view space, std::string_view name) {
  CANDOR_ASSIGN(const EntityName wanted, entity_name(name));
  return find_by_key(store, space, wanted.key);
}

Result<std::optional<EntityRow>> find_entity(Store& store, std::int64_t id) {
  return first_of(store.sql().start(
      "SELECT id, namespace, name, key, type, description, degree, created_at FROM entities WHERE id = ?1", id));
}

Result<EntityRow> known_entity(Store& store, std::string_view space, std::string_view name) {
  CANDOR_ASSIGN(std::optional<EntityRow> row, find_entity(store, space, name));
  if (row) return std::move(*row);
  CANDOR_ASSIGN(const EntityName wanted, entity_name(name));
  std::vector<std::string> known;
  CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT name FROM entities WHERE namespace = ?1 AND key >= ?2 "
                                                   "ORDER BY key LIMIT 1000",
                                                   space, first_characters(wanted.key, 1)));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    known.push_back(run.text(0));
  }
  std::string near;
  for (const std::string& one : near_names(wanted.text, known)) near += (near.empty() ? "did you mean " : ", ") + one;
  return make_error("not-found", "no entity '" + wanted.text + "' in namespace " + std::string(space),
                    near.empty() ? "candor memory graph entities --namespace " + std::string(space) : near);
}

Result<Upserted> upsert_entity(Store& store, std::string_view space, const EntityInput& input) {
  CANDOR_ASSIGN(const EntityName name, entity_name(input.name));
  std::optional<std::string> type;
  if (input.type) {
    CANDOR_ASSIGN(type, entity_type(*input.type));
  }
  if (input.description && !is_utf8(*input.description)) {
    return make_error("invalid-text", "an entity's description is not valid UTF-8");
  }
  CANDOR_ASSIGN(const std::optional<EntityRow> row, find_by_key(store, space, name.key));
  if (!row) {
    CANDOR_TRY(
        store.sql().execute("INSERT INTO entities (namespace, name, key, type, created_at, updated_at, description) "
                            "VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)",
                            space, name.text, name.key, type.value_or("concept"), store.now(), input.description));
    return Upserted{store.database().last_insert_rowid(), name.text, true};
  }
  const bool retyped = type && *type != row->type;
  const bool described = input.description && input.description != row->description;
  if (retyped || described) {
    CANDOR_TRY(store.sql().execute("UPDATE entities SET type = ?2, description = ?3, updated_at = ?4 WHERE id = ?1",
                                   row->id, type.value_or(row->type),
                                   input.description ? input.description : row->description, store.now()));
  }
  return Upserted{row->id, row->name, false};
}

Result<Edge> upsert_relation(Store& store, std::string_view space, std::int64_t source, std::int64_t target,
                             std::string_view relation, std::optional<double> weight,
                             const std::optional<std::string>& description) {
  Edge edge;
  {
    CANDOR_ASSIGN(sqlite::Run run, store.sql().start("SELECT id, weight, description FROM relationships "
                                                     "WHERE source_id = ?1 AND target_id = ?2 AND relation = ?3",
                                                     source, target, relation));
    CANDOR_ASSIGN(const bool found, run.step());
    if (found) {
      edge.id = run.integer(0);
      edge.weight = run.real(1);
      edge.changed = (weight && *weight != edge.weight) || (description && description != run.maybe_text(2));
    }
  }
  if (edge.id == 0) {
    edge.created = true;
    edge.weight = weight.value_or(kDefaultWeight);
    CANDOR_TRY(
        store.sql().execute("INSERT INTO relationships (namespace, source_id, target_id, relation, weight, "
                            "created_at, updated_at, description) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)",
                            space, source, target, relation, edge.weight, store.now(), description));
    edge.id = store.database().last_insert_rowid();
  } else if (edge.changed) {
    edge.weight = weight.value_or(edge.weight);
    CANDOR_TRY(
        store.sql().execute("UPDATE relationships SET weight = ?2, description = coalesce(?3, description), "
                            "updated_at = ?4 WHERE id = ?1",
                            edge.id, edge.weight, description, store.now()));
  }
  return edge;
}

Result<Bound> bind_graph(Store& store, std::string_view space, std::int64_t memory,
                         const std::vector<EntityInput>& entities, const std::vector<RelationInput>& relations,
                         bool strict) {
  for (const auto& [count, what] : {std::pair(entities.size(), "entities"), std::pair(relations.size(), "relations")}) {
    if (count <= kPerMemory) continue;
    return make_error(
        "over-limit",
        "one write binds at most " + std::to_string(kPerMemory) + " " + what + ", this one " + std::to_string(count),
        "split the memory, or add them with candor memory link");
  }
  Bound bound;
  std::set<std::int64_t> bound_entities;
  const auto bind = [&](const EntityInput& input) -> Result<std::int64_t> {
    CANDOR_ASSIGN(Upserted entity, upsert_entity(store, space, input));
    if (entity.created) bound.created.push_back(std::move(entity.name));
    if (bound_entities.insert(entity.id).second) {
      CANDOR_TRY(store.sql().execute("INSERT OR IGNORE INTO memory_entities VALUES (?1, ?2)", memory, entity.id));
    }
    return entity.id;
  };
  for (const EntityInput& input : entities) CANDOR_TRY(bind(input));
  std::set<std::int64_t> bound_relations;
  for (const RelationInput& input : relations) {
    CANDOR_ASSIGN(const std::string relation, relation_name(input.relation, strict));
    CANDOR_ASSIGN(const std::int64_t source, bind({input.source, {}, {}}));
    CANDOR_ASSIGN(const std::int64_t target, bind({input.target, {}, {}}));
    CANDOR_ASSIGN(const Edge edge,
                  upsert_relation(store, space, source, target, relation, input.weight, input.description));
    CANDOR_TRY(store.sql().execute("INSERT OR IGNORE INTO memory_relationships VALUES (?1, ?2)", memory, edge.id));
    bound_relations.insert(edge.id);
    if (!is_canonical(relation)) bound.warnings.push_back("'" + relation + "' is none of the canonical relations");
  }
  bound.entities = bound_entities.size();
  bound.relations = bound_relations.size();
  return bound;
}

Status unbind_graph(Store& store, std::int64_t memory) {
  CANDOR_TRY(store.sql().execute("DELETE FROM memory_relationships WHERE memory_id = ?1", memory));
  return store.sql().execute("DELETE FROM memory_entities WHERE memory_id = ?1", memory);
}

}  // namespace candor::memory
