// Vectors in JSON.
#pragma once

#include <optional>

#include "json/json.h"
#include "memory/embed/embedder.h"

namespace candor::memory {

// Of an array of numbers; nothing for anything else.
[[nodiscard]] inline std::optional<Vector> vector_of(const json::Node& node) {
  if (!node.is_array()) return std::nullopt;
  Vector vector;
  vector.reserve(node.items().size());
  for (const auto& item : node.items()) {
    const auto number = item.is_number() ? item.real() : std::nullopt;
    if (!number) return std::nullopt;
    vector.push_back(static_cast<float>(*number));
  }
  return vector;
}

}  // namespace candor::memory
