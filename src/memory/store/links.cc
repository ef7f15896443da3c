// The verbs `link` and `unlink`.
#include <utility>

#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"

namespace candor::memory {
namespace {

using json::Node;

struct End {
  std::int64_t id = 0;
  std::string name;
  bool created = false;
};

Result<End> end_of(Store& store, const Link& input, const std::optional<std::string>& name,
                   const std::optional<std::int64_t>& id, std::string_view flag) {
  if (id) {
    CANDOR_ASSIGN(const std::optional<EntityRow> row, find_entity(store, *id));
    if (row && row->space == input.space) return End{row->id, row->name, false};
    return make_error("not-found", "no entity with id " + std::to_string(*id) + " in namespace " + input.space,
                      "candor memory graph entities --namespace " + input.space);
  }
  if (!name) return make_error("usage", "link needs " + std::string(flag), std::string(flag) + " NAME");
  if (input.create_missing) {
    CANDOR_ASSIGN(const std::optional<EntityRow> known, find_entity(store, input.space, *name));
    if (known) return End{known->id, known->name, false};
    CANDOR_ASSIGN(Upserted made, upsert_entity(store, input.space, {*name, input.entity_type, {}}));
    return End{made.id, std::move(made.name), true};
  }
  Result<EntityRow> row = known_entity(store, input.space, *name);
  if (row.ok()) return End{row->id, row->name, false};
  if (row.error().code == "not-found") row.error().hint += "; --create-missing makes it";
  return std::move(row).error();
}

Result<Node> link_in(Store& store, const Link& input) {
  CANDOR_ASSIGN(const std::string relation, relation_name(input.relation, input.strict_relations));
  CANDOR_ASSIGN(const End from, end_of(store, input, input.from, input.from_id, "--from"));
  CANDOR_ASSIGN(const End to, end_of(store, input, input.to, input.to_id, "--to"));
  CANDOR_ASSIGN(const Edge edge, upsert_relation(store, input.space, from.id, to.id, relation, input.weight, {}));
  // What was said by hand outlives the memories that say it too.
  CANDOR_TRY(store.sql().execute(
      "UPDATE relationships SET metadata = json_set(metadata, '$.linked', json('true')) WHERE id = ?1", edge.id));
  Node created = Node::array();
  if (from.created) created.push(Node::string(from.name));
  if (to.created && to.id != from.id) created.push(Node::string(to.name));
  Node warnings = Node::array();
  if (!is_canonical(relation)) warnings.push(Node::string("'" + relation + "' is none of the canonical relations"));
  if (edge.changed) warnings.push(Node::string("the relation was there; its weight is changed"));
  Node document = texts({{"action", edge.created ? "created" : "already_exists"},
                         {"from", from.name},
                         {"to", to.name},
                         {"relation", relation}});
  document.set("weight", Node::number(edge.weight)).set("namespace", Node::string(input.space));
  document.set("weight_updated", Node::boolean(edge.changed));
  document.set("created_entities", std::move(created)).set("warnings", std::move(warnings));
  return document;
}

Node unlinked(const Unlink& input, std::int64_t removed) {
  Node document = texts({{"action", "deleted"}});
  document.set("relationships_removed", Node::number(removed));
  document.set("from_name", Node::string(input.from.value_or(input.entity.value_or(""))));
  document.set("to_name", Node::string(input.to.value_or(input.memory.value_or(""))));
  document.set("relation", Node::string(input.relation.value_or("")));
  document.set("namespace", Node::string(input.space));
  return document;
}

Result<Node> unbind(Store& store, const Unlink& input) {
  CANDOR_ASSIGN(const EntityRow entity, known_entity(store, input.space, *input.entity));
  CANDOR_ASSIGN(const Name name, memory_name(*input.memory));
  CANDOR_ASSIGN(const MemoryRow memory, live_memory(store, input.space, name.text));
  CANDOR_TRY(
      store.sql().execute("DELETE FROM memory_entities WHERE memory_id = ?1 AND entity_id = ?2", memory.id, entity.id));
  if (store.database().changes() > 0) return unlinked(input, 0);
  return make_error("not-found", "the memory '" + memory.name + "' is not bound to '" + entity.name + "'",
                    "candor memory memory-entities " + memory.name);
}

Result<Node> unlink_all(Store& store, const Unlink& input) {
  CANDOR_ASSIGN(const EntityRow entity, known_entity(store, input.space, *input.entity));
  CANDOR_TRY(store.sql().execute("DELETE FROM relationships WHERE source_id = ?1 OR target_id = ?1", entity.id));
  return unlinked(input, store.database().changes());
}

Result<Node> unlink_in(Store& store, const Unlink& input) {
  if (input.entity && input.memory) return unbind(store, input);
  if (input.entity && input.all) return unlink_all(store, input);
  if (!input.from || !input.to) {
    return make_error("usage", "unlink needs both ends, or an entity",
                      "--from A --to B [--relation R], --entity E --all, or --entity E --memory M");
  }
  CANDOR_ASSIGN(const EntityRow from, known_entity(store, input.space, *input.from));
  CANDOR_ASSIGN(const EntityRow to, known_entity(store, input.space, *input.to));
  std::optional<std::string> relation;
  if (input.relation) {
    CANDOR_ASSIGN(relation, relation_name(*input.relation));
  } else if (!input.all) {
    return make_error("usage", "unlink needs a relation", "--relation depends_on, or --all for each between the two");
  }
  CANDOR_TRY(
      store.sql().execute("DELETE FROM relationships WHERE source_id = ?1 AND target_id = ?2 AND "
                          "(?3 IS NULL OR relation = ?3)",
                          from.id, to.id, relation));
  const std::int64_t removed = store.database().changes();
  if (removed > 0) return unlinked(input, removed);
  return make_error("not-found",
                    "no relation " + relation.value_or("") + " from '" + from.name + "' to '" + to.name + "'",
                    "candor memory graph --namespace " + input.space);
}

}  // namespace

Result<Node> Memory::link(const Link& input) {
  return store_->transaction([&] { return link_in(*store_, input); });
}

Result<Node> Memory::unlink(const Unlink& input) {
  return store_->transaction([&] { return unlink_in(*store_, input); });
}

}  // namespace candor::memory
