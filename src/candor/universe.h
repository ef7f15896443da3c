// How large the universe of a result is, and whether its order decides which rows are in it: asked of the engine within a
// budget, by statements of their own. The agent's statement itself is never rewritten.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "engine/engine.h"
#include "scope/scope.h"

namespace candor {

// The statement without its LIMIT clause: the whole that its rows are a part of.
[[nodiscard]] std::string without_limit(std::string_view sql);

// What one run of a statement showed.
struct Shown {
  std::string_view sql;
  std::uint64_t rows = 0;
  std::optional<std::uint64_t> rows_total;  // of the statement as written
  bool cut_by_chars = false;
  std::uint64_t rows_max = 0;  // the ceiling in force
  bool rows_max_from_flag = false;
  std::int64_t budget_ms = 0;
  std::vector<Column> columns;
};

// The record of a result. With a LIMIT in the statement the rows without it are counted; with ORDER BY and LIMIT the rows
// left out that tie with the last one shown.
[[nodiscard]] scope::AgentSurface surface_of(const Shown& shown, engine::Engine& engine, const CancelToken& cancel);

}  // namespace candor
