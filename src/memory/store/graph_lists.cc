// The lists of the graph: entities, nodes with edges, what a memory and an entity are bound to.
#include <utility>

#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/sql_list.h"
#include "memory/store/store.h"
#include "memory/store/times.h"
#include "scope/rows_list.h"

namespace candor::memory {
namespace {

using json::Node;

std::string text_at(const sqlite::Statement& at, int column) { return std::string(at.text(column)); }

Node entity_row(const sqlite::Statement& at) {
  Node row = Node::object();
  row.set("id", Node::number(at.integer(0))).set("name", Node::string(text_at(at, 1)));
  row.set("entity_type", Node::string(text_at(at, 2))).set("namespace", Node::string(text_at(at, 3)));
  row.set("created_at", Node::string(iso_time(at.integer(4)))).set("degree", Node::number(at.integer(5)));
  row.set("description", at.is_null(6) ? Node() : Node::string(text_at(at, 6)));
  return row;
}

Node node_row(const sqlite::Statement& at) {
  Node row = Node::object();
  row.set("id", Node::number(at.integer(0))).set("name", Node::string(text_at(at, 1)));
  row.set("namespace", Node::string(text_at(at, 3))).set("kind", Node::string(text_at(at, 2)));
  row.set("type", Node::string(text_at(at, 2)));
  return row;
}

std::string order_of(const EntityQuery& query) {
  const std::string way = query.descending ? " DESC" : "";
  switch (query.sort) {
    case EntitySort::kName:
      return "ORDER BY key" + way;
    case EntitySort::kDegree:
      return "ORDER BY degree" + way + ", id";
    case EntitySort::kCreatedAt:
      return "ORDER BY created_at" + way + ", id" + way;
  }
  return "ORDER BY id";
}

constexpr std::string_view kEntityColumns =
    "SELECT id, name, type, namespace, created_at, degree, description FROM entities";

SqlList::Counter entity_counter(const std::string& space, const std::optional<std::string>& type) {
  return [space, type](Store& store) {
    return store.sql().count(
        "SELECT sum(entities) FROM entity_counts WHERE namespace = ?1 AND (?2 IS NULL OR type = ?2)", space, type);
  };
}

Result<std::vector<Node>> edges_of(Store& store, const std::string& space) {
  std::vector<Node> edges;
  CANDOR_ASSIGN(sqlite::Run run,
                store.sql().start("SELECT s.name, t.name, r.relation, r.weight FROM relationships r "
                                  "JOIN entities s ON s.id = r.source_id JOIN entities t ON t.id = r.target_id "
                                  "WHERE r.namespace = ?1 ORDER BY r.id",
                                  space));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    Node edge = Node::object();
    edge.set("from", Node::string(run.text(0))).set("to", Node::string(run.text(1)));
    edge.set("relation", Node::string(run.text(2))).set("weight", Node::number(run.real(3)));
    edges.push_back(std::move(edge));
  }
  return edges;
}

}  // namespace

Result<std::unique_ptr<scope::List>> Memory::entities(const EntityQuery& query) {
  SqlList::Plan plan;
  plan.declaration.array = "entities";
  plan.declaration.ceiling = query.ceiling;
  plan.declaration.content = {"description"};
  plan.declaration.catalogue.keys = {"id", "name", "entity_type", "namespace", "created_at", "degree", "description"};
  plan.declaration.catalogue.aliases = {{"type", "entity_type"}};
  plan.select = kEntityColumns;
  plan.order = order_of(query);
  plan.where.add("namespace = ", query.space);
  std::optional<std::string> type;
  if (query.type) {
    CANDOR_ASSIGN(type, entity_type(*query.type));
    plan.where.add("type = ", *type);
  }
  plan.pushed = {{"entity_type", "type"}, {"name", "name"}, {"namespace", "namespace"}};
  plan.row = &entity_row;
  plan.counter = entity_counter(query.space, type);
  return std::unique_ptr<scope::List>(new SqlList(*store_, std::move(plan)));
}

Result<GraphExport> Memory::graph(const std::string& space) {
  SqlList::Plan plan;
  plan.declaration.array = "nodes";
  plan.declaration.catalogue.keys = {"id", "name", "namespace", "kind", "type"};
  plan.select = kEntityColumns;
  plan.order = "ORDER BY id";
  plan.where.add("namespace = ", space);
  plan.pushed = {{"type", "type"}, {"kind", "type"}, {"name", "name"}};
  plan.row = &node_row;
  plan.counter = entity_counter(space, {});
  GraphExport graph;
  CANDOR_ASSIGN(graph.edges, edges_of(*store_, space));
  graph.nodes = std::unique_ptr<scope::List>(new SqlList(*store_, std::move(plan)));
  return graph;
}

Result<std::unique_ptr<scope::List>> Memory::entities_of_memory(const Which& which) {
  CANDOR_ASSIGN(const Name name, memory_name(which.name));
  CANDOR_ASSIGN(const MemoryRow memory, live_memory(*store_, which.space, name.text));
  std::vector<Node> rows;
  CANDOR_ASSIGN(sqlite::Run run,
                store_->sql().start("SELECT e.id, e.name, e.type, e.description FROM memory_entities m "
                                    "JOIN entities e ON e.id = m.entity_id WHERE m.memory_id = ?1 ORDER BY e.id",
                                    memory.id));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    Node row = Node::object();
    row.set("entity_id", Node::number(run.integer(0))).set("name", Node::string(run.text(1)));
    row.set("entity_type", Node::string(run.text(2))).set("description", Node::string(run.text(3)));
    rows.push_back(std::move(row));
  }
  scope::Declaration declaration;
  declaration.array = "entities";
  declaration.catalogue.keys = {"entity_id", "name", "entity_type", "description"};
  declaration.catalogue.aliases = {{"type", "entity_type"}, {"id", "entity_id"}};
  declaration.content = {"description"};
  return std::unique_ptr<scope::List>(new scope::RowsList(std::move(declaration), std::move(rows)));
}

Result<std::unique_ptr<scope::List>> Memory::memories_of_entity(const std::string& space, const std::string& entity) {
  CANDOR_ASSIGN(const EntityRow known, known_entity(*store_, space, entity));
  std::vector<Node> rows;
  CANDOR_ASSIGN(sqlite::Run run,
                store_->sql().start("SELECT m.id, m.name, m.namespace, m.type, m.description FROM memory_entities b "
                                    "JOIN memories m ON m.id = b.memory_id WHERE b.entity_id = ?1 AND "
                                    "m.deleted_at IS NULL ORDER BY m.rev DESC",
                                    known.id));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    Node row = Node::object();
    row.set("memory_id", Node::number(run.integer(0))).set("name", Node::string(run.text(1)));
    row.set("namespace", Node::string(run.text(2))).set("type", Node::string(run.text(3)));
    row.set("description", Node::string(run.text(4)));
    rows.push_back(std::move(row));
  }
  scope::Declaration declaration;
  declaration.array = "memories";
  declaration.catalogue.keys = {"memory_id", "name", "namespace", "type", "description"};
  declaration.catalogue.aliases = {{"memory_type", "type"}, {"id", "memory_id"}};
  return std::unique_ptr<scope::List>(new scope::RowsList(std::move(declaration), std::move(rows)));
}

Result<Node> graph_of_memory(Store& store, std::int64_t memory) {
  Node entities = Node::array();
  Node relations = Node::array();
  CANDOR_ASSIGN(sqlite::Run bound, store.sql().start("SELECT e.name, e.type FROM memory_entities m JOIN entities e ON "
                                                     "e.id = m.entity_id WHERE m.memory_id = ?1 ORDER BY e.id",
                                                     memory));
  for (;;) {
    CANDOR_ASSIGN(const bool more, bound.step());
    if (!more) break;
    entities.push(
        Node::object().set("name", Node::string(bound.text(0))).set("entity_type", Node::string(bound.text(1))));
  }
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT s.name, t.name, r.relation, r.weight FROM memory_relationships m "
                        "JOIN relationships r ON r.id = m.relationship_id JOIN entities s ON s.id = r.source_id "
                        "JOIN entities t ON t.id = r.target_id WHERE m.memory_id = ?1 ORDER BY r.id",
                        memory));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    Node edge = Node::object();
    edge.set("source", Node::string(run.text(0))).set("target", Node::string(run.text(1)));
    edge.set("relation", Node::string(run.text(2))).set("weight", Node::number(run.real(3)));
    relations.push(std::move(edge));
  }
  return Node::object().set("entities", std::move(entities)).set("relationships", std::move(relations));
}

}  // namespace candor::memory
