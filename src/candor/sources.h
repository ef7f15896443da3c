// What the operator published, told by content: each configured source as an engine's SourceSpec, or why it can't be one.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "engine/engine.h"

namespace candor {

// Looks at the path: a PostgreSQL URL, a folder, a DuckDB or SQLite database by its first bytes, else a file of rows.
// Reads at most a few bytes, and connects to nothing. Fails with `file-error` (missing, not readable, an ending that its content contradicts) or `not-in-this-version`.
[[nodiscard]] Result<engine::SourceSpec> recognise_source(const config::Source& source);

}  // namespace candor
