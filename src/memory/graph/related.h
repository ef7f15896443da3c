// related and graph traverse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "memory/store/store.h"
#include "scope/list.h"

namespace candor::memory {

struct RelatedQuery {
  std::string space = "global";
  std::string name;  // of a memory, else of an entity
  std::uint32_t max_hops = 2;
  std::optional<std::string> relation;
  double min_weight = 0.3;
  scope::Ceiling ceiling;
};

// Memories that the graph leads to in both directions: hops rising, weight of the arrival edge falling, entity id, memory id.
// Fails with `not-found`.
[[nodiscard]] Result<std::unique_ptr<scope::List>> related(Store& store, const RelatedQuery& query);

struct TraverseQuery {
  std::string space = "global";
  std::string from;
  std::uint32_t depth = 2;
  bool fuzzy = false;  // also an entity whose name is near, where there is a single nearest one
};

struct Traverse {
  std::string from;  // as the entity is shown
  std::unique_ptr<scope::List> hops;
};

// Entities around one, in both directions, weak edges included. Fails with `not-found`.
[[nodiscard]] Result<Traverse> traverse(Store& store, const TraverseQuery& query);

}  // namespace candor::memory
