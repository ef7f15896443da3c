// The refusals of a predicate or a count over a ceiling, with both ways out.
#pragma once

#include "base/diagnostic.h"
#include "scope/list.h"

namespace candor::scope {

// `filter-over-ceiling` or `count-over-ceiling`. Requires a ceiling that cuts the universe.
[[nodiscard]] Diagnostic over_ceiling(const Declaration& declaration, const Universe& universe, bool of_filter);

}  // namespace candor::scope
