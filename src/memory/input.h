// What the verbs of writing take in parts: entities, relations, locks, vectors made beforehand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace candor::memory {

enum class Access : std::uint8_t {
  kRead,   // one snapshot from now on; where there is no file, an empty memory that is nowhere
  kWrite,  // makes home and file where there are none, and brings an older file to this version
};

struct EntityInput {
  std::string name;
  std::optional<std::string> type, description;
};
struct RelationInput {
  std::string source, target, relation;
  std::optional<double> weight;
  std::optional<std::string> description;
};

// From arrays of objects: name, entity_type (or type), description; source (from), target (to), relation, weight (strength),
// description. Fail with `bad-request`, which names the member.
[[nodiscard]] Result<std::vector<EntityInput>> entities_of(const json::Node& array);
[[nodiscard]] Result<std::vector<RelationInput>> relations_of(const json::Node& array);

// What a writer believes to change. Numbers rise with each write, times at least by one second.
struct Expected {
  std::optional<std::int64_t> updated_at, rev;
};
// Fails with `usage`.
[[nodiscard]] Result<Expected> parse_expected(const std::optional<std::string>& updated_at,
                                              const std::optional<std::string>& rev);
// A vector that was made before a write, to be stored with it. A memory in pieces has the mean of theirs.
struct Embedded {
  std::int64_t embedder = 0;  // a row of `embedders`
  std::vector<float> memory;
  std::string of = {};  // text_digest() of what it was made of; a write of another text fails with `lost-race`
};
[[nodiscard]] std::string text_digest(std::string_view description, std::string_view body);

// Fails with `bad-request`.
[[nodiscard]] Status check_source(std::string_view source);

}  // namespace candor::memory
