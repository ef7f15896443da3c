// Rows of the graph: entities, the relations between them, and what binds both to memories. Those that write require a transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/input.h"
#include "memory/store/store.h"

namespace candor::memory {

struct EntityRow {
  std::int64_t id = 0;
  std::string space, name, key, type;
  std::optional<std::string> description;
  std::int64_t degree = 0, created_at = 0;
};

[[nodiscard]] Result<std::optional<EntityRow>> find_entity(Store& store, std::string_view space, std::string_view name);
[[nodiscard]] Result<std::optional<EntityRow>> find_entity(Store& store, std::int64_t id);
// Fails with `not-found`, and near names.
[[nodiscard]] Result<EntityRow> known_entity(Store& store, std::string_view space, std::string_view name);

struct Upserted {
  std::int64_t id = 0;
  std::string name;  // as it is shown
  bool created = false;
};

// The entity of that name, made where there is none. A type or description that is given replaces the one stored.
[[nodiscard]] Result<Upserted> upsert_entity(Store& store, std::string_view space, const EntityInput& input);

struct Edge {
  std::int64_t id = 0;
  bool created = false;
  bool changed = false;  // its weight or description
  double weight = 0;     // as it is stored now
};

// The relation between the two, made where there is none. A weight that is given replaces the one stored.
[[nodiscard]] Result<Edge> upsert_relation(Store& store, std::string_view space, std::int64_t source,
                                           std::int64_t target, std::string_view relation, std::optional<double> weight,
                                           const std::optional<std::string>& description);

struct Bound {
  std::size_t entities = 0, relations = 0;
  std::vector<std::string> created;   // names of new entities
  std::vector<std::string> warnings;  // relations beyond the canonical ones
};

// Binds entities and relations to a memory; the ends of relations are bound too. Fails with `over-limit` beyond 50 of
// either.
[[nodiscard]] Result<Bound> bind_graph(Store& store, std::string_view space, std::int64_t memory,
                                       const std::vector<EntityInput>& entities,
                                       const std::vector<RelationInput>& relations, bool strict);
// Takes the memory out of the graph; entities and relations stay.
[[nodiscard]] Status unbind_graph(Store& store, std::int64_t memory);

}  // namespace candor::memory
