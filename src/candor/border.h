// The border of a top-k: rows beyond a LIMIT that are equal, under the statement's ORDER BY, to the last row before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "engine/engine.h"

namespace candor {

// The items of an ORDER BY as an ORDER BY over the statement's own result; nothing where one of them is no plain column of
// it. `items` are views into `sql`.
[[nodiscard]] std::optional<std::string> order_of_result(std::string_view sql,
                                                         const std::vector<std::string_view>& items,
                                                         const std::vector<Column>& columns);

// The statement, whose rows are `whole`, counted by the engine: rows behind the first `border` that tie with the last of
// these under `order`. The engine compares, for it alone knows its collations and which numbers are equal. Nothing when it
// fails or has not ended within the budget.
[[nodiscard]] std::optional<std::uint64_t> ties_behind(engine::Engine& engine, const std::string& whole,
                                                       const std::string& order, std::uint64_t border,
                                                       std::int64_t budget_ms, const CancelToken& cancel);

// The one number that a counting statement gives. Nothing when it fails or has not ended within the budget.
[[nodiscard]] std::optional<std::uint64_t> count_by(engine::Engine& engine, std::string sql, std::int64_t budget_ms,
                                                    const CancelToken& cancel);

}  // namespace candor
