// Comparing syntax trees.
#pragma once

#include "dialect/ast.h"

namespace candor::dialect {

// Whether two statements mean the same word for word. Spans and the kind of quotes around a name don't count. Parentheses
// count around a literal alone, where they make it a list of one.
[[nodiscard]] bool same_tree(const Statement& a, const Statement& b);

}  // namespace candor::dialect
