// From entities to memories: what a walk over the graph says of the memories that are bound to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "memory/graph/walk.h"
#include "memory/search/eligible.h"
#include "memory/store/store.h"

namespace candor::memory {

[[nodiscard]] Result<std::vector<std::int64_t>> entities_of(Store& store, std::int64_t memory);
[[nodiscard]] Result<std::vector<std::int64_t>> memories_of(Store& store, std::int64_t entity);
[[nodiscard]] Result<std::string> entity_label(Store& store, std::int64_t entity);

// A memory and the entity that led to it.
struct NearMemory {
  std::int64_t memory = 0;
  Reached by;  // hop 0: bound to a seed itself
};

// Each eligible memory that is bound to something a walk reached, once, in the walk's order, by memory id where several are
// bound to one entity. Those of `left_out` are not in it.
[[nodiscard]] Result<std::vector<NearMemory>> memories_near(Store& store, const std::vector<Reached>& reached,
                                                            const Eligible& eligible,
                                                            const std::unordered_set<std::int64_t>& left_out);

// Entities that a text names: its runs of up to five words, and up to eight characters of a script without blanks, looked
// for among the keys of entities. In the order of the text.
[[nodiscard]] Result<std::vector<std::int64_t>> entities_named_in(Store& store, const Scope& scope,
                                                                  std::string_view text);

}  // namespace candor::memory
