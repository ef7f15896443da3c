// See facts.h.
#include "memory/facts.h"

#include <utility>

#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"
#include "memory/store/write.h"

namespace candor::memory {
namespace {

Status set_metadata(Store& store, const std::string& space, const Fact::Measured& measured) {
  CANDOR_ASSIGN(const std::optional<EntityRow> source, find_entity(store, space, measured.source));
  CANDOR_ASSIGN(const std::optional<EntityRow> target, find_entity(store, space, measured.target));
  if (!source || !target) return Ok{};
  return store.sql().execute(
      "UPDATE relationships SET metadata = ?4 WHERE source_id = ?1 AND target_id = ?2 AND relation = ?3", source->id,
      target->id, measured.relation, json::dump(measured.metadata));
}

Status remember_fact(Store& store, Fact& fact) {
  if (fact.yields_to) {
    CANDOR_ASSIGN(const std::optional<MemoryRow> other, find_memory(store, fact.memory.space, *fact.yields_to));
    if (other && !other->deleted_at) {
      for (RelationInput& relation : fact.memory.relations) relation.weight.reset();
      fact.relations.clear();
    }
  }
  CANDOR_TRY(remember_in(store, fact.memory));
  for (const Fact::Measured& measured : fact.relations) CANDOR_TRY(set_metadata(store, fact.memory.space, measured));
  return Ok{};
}

}  // namespace

Status remember_facts(Memory& memory, std::vector<Fact> facts, int patience_ms) {
  Store& store = memory.store();
  CANDOR_TRY(store.database().run("PRAGMA busy_timeout = " + std::to_string(patience_ms)));
  const Status stored = store.transaction([&]() -> Status {
    for (Fact& fact : facts) CANDOR_TRY(remember_fact(store, fact));
    return Ok{};
  });
  if (!stored.ok()) return memory.named(stored.error());
  return Ok{};
}

Result<std::vector<StoredFact>> facts_about(Memory& memory, const std::string& space, const std::string& entity) {
  std::vector<StoredFact> facts;
  CANDOR_ASSIGN(const EntityName name, entity_name(entity));
  CANDOR_ASSIGN(sqlite::Run run,
                memory.store().sql().start(
                    "SELECT m.name, m.metadata FROM entities e JOIN memory_entities b ON b.entity_id = e.id "
                    "JOIN memories m ON m.id = b.memory_id WHERE e.namespace = ?1 AND e.key = ?2 AND "
                    "m.deleted_at IS NULL AND m.type = 'reference' AND m.source = 'system' ORDER BY m.rev DESC",
                    space, name.key));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) return facts;
    Result<json::Node> metadata = json::parse(run.text(1));
    if (metadata.ok()) facts.push_back({run.text(0), std::move(*metadata)});
  }
}

Result<std::optional<Writer>> writer_of(Memory& memory, std::int64_t id) {
  CANDOR_ASSIGN(const std::optional<MemoryRow> row, find_memory(memory.store(), id));
  if (!row) return std::optional<Writer>();
  return std::optional<Writer>(Writer{row->source, row->session_id});
}

}  // namespace candor::memory
