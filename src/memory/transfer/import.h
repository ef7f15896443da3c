// Taking over what other programs kept.
#pragma once

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"
#include "memory/store/store.h"

namespace candor::memory {

// A database of sqlite-graphrag: memories with versions, those it had deleted, entities, relations and what binds them. Or
// lines of JSON of the MCP memory server: {"type":"entity",…} becomes an entity with a memory of its observations,
// {"type":"relation",…} a relation. All or nothing; the file is only read. Fails with `file-error` for any other file.
[[nodiscard]] Result<json::Node> import_file(Store& store, const Import& input);

}  // namespace candor::memory
