// Memories as rows of search results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "memory/store/store.h"

namespace candor::memory {

// What is stored of a memory, as filters see it: memory_id, name, namespace, type, description, snippet, body, created_at,
// updated_at, rev, version, session_id, metadata. Fails with `storage` where there is no such memory.
[[nodiscard]] Result<json::Node> stored_row(Store& store, std::int64_t id);

// The keys of stored_row that are shown in no list of results unless they are selected.
[[nodiscard]] std::vector<std::string> hidden_keys();

// Takes a member out; null where there is none.
json::Node take(json::Node& row, std::string_view name);

// A score that reads the same everywhere: rounded to nine digits behind the point.
[[nodiscard]] json::Node score_node(double score);

}  // namespace candor::memory
