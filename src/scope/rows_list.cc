// Handing out rows that are known.
#include "scope/rows_list.h"

namespace candor::scope {

Status RowsList::visit(const Slice& slice, const Visitor& visitor) {
  std::uint64_t passed = 0;
  std::uint64_t shown = 0;
  for (const json::Node& row : rows_) {
    if (slice.limit && shown >= *slice.limit) break;
    if (slice.below != nullptr && !slice.below->matches(row)) continue;
    if (passed++ < slice.offset) continue;
    ++shown;
    if (!visitor(row)) break;
  }
  return Ok{};
}

}  // namespace candor::scope
