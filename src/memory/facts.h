// Facts that Candor itself measured, kept as memories of source `system`: stored together, and found by what they are about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"

namespace candor::memory {

struct Fact {
  Remember memory;
  // Metadata of relations, by the entities' names.
  struct Measured {
    std::string source, target, relation;
    json::Node metadata;
  };
  std::vector<Measured> relations;
  // Where a memory of this name is there and not forgotten, the relations keep their weights and metadata.
  std::optional<std::string> yields_to;
};

// In one transaction, which waits `patience_ms` at most for another writer. No embedder is asked: vectors come with the next
// backfill. Fails as `remember` does.
[[nodiscard]] Status remember_facts(Memory& memory, std::vector<Fact> facts, int patience_ms);

struct StoredFact {
  std::string name;
  json::Node metadata;
};
// Live memories of type `reference` and source `system` that are bound to the entity, the newest first. None: it is not known.
[[nodiscard]] Result<std::vector<StoredFact>> facts_about(Memory& memory, const std::string& space,
                                                          const std::string& entity);

struct Writer {
  std::string source;
  std::optional<std::string> session_id;
};
[[nodiscard]] Result<std::optional<Writer>> writer_of(Memory& memory, std::int64_t id);

}  // namespace candor::memory
