// What changed between two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace candor::memory {

struct LineDiff {
  std::string text;  // unified, three lines of context; empty: no difference
  std::size_t added = 0, removed = 0;
};

// A shortest edit script (E. W. Myers, "An O(ND) Difference Algorithm", 1986). Texts with more than about 1,000 changed
// lines between their first and last difference are shown as one block that replaces another.
[[nodiscard]] LineDiff line_diff(std::string_view before, std::string_view after);

}  // namespace candor::memory
