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

// The same for a page of a list of the ledger: "50 of 120 answers; --offset 50 shows the next".
[[nodiscard]] std::string page_line(std::uint64_t shown, std::uint64_t offset, std::uint64_t total, const char* one,
                                    const char* many);

}  // namespace candor::cli
