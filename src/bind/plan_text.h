// Logical plans for reading: `candor sql --explain`.
#pragma once

#include <string>

#include "base/outline.h"
#include "bind/bound.h"

namespace candor::bind {

// The operators of the plan, what comes out first on top: Limit, Sort, Distinct, Project, Filter, Aggregate, Join, Scan.
// Columns stand with their types; a literal of another type than its look says so: date '2024-01-31'.
[[nodiscard]] Outline outline_of(const BoundStatement& statement);

}  // namespace candor::bind
