// One sentence about what the shown rows are a part of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scope/scope.h"

namespace candor::cli {

// "12 of 1,892 rows; LIMIT in the statement, no ORDER BY: which 12 is not defined".
[[nodiscard]] std::string scope_line(const scope::AgentSurface& surface, std::uint64_t shown,
                                     std::optional<std::uint64_t> scanned = {});

// The same for a list: "50 of 120 answers; --offset 50 shows the next", "3 of 1,892 queries; 39 match".
[[nodiscard]] std::string list_line(const scope::AgentSurface& surface, const char* one, const char* many);

// Where a filter or a count saw only a part: "; of the page alone".
[[nodiscard]] std::string filter_words(const scope::AgentSurface& surface);

}  // namespace candor::cli
