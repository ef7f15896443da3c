// What conditions are from their text alone, beside constant_truth (bound.h): private to this folder.
#pragma once

#include <optional>

#include "bind/bound.h"

namespace candor::bind {

// Less than, equal to or greater than 0; nothing of values that have no common order here.
[[nodiscard]] std::optional<int> order_of_values(const Value& a, const Value& b);

// Two parts of an AND that no row fulfils both of, or of an OR that every row with a value fulfils one of: comparisons of one
// column with literals.
struct PartPair {
  const BoundExpr* first = nullptr;
  const BoundExpr* second = nullptr;
};
[[nodiscard]] std::optional<PartPair> pointless_pair(const BoundExpr& condition);

}  // namespace candor::bind
