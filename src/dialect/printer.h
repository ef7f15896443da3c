// Syntax trees to text: the one canonical form of a statement, as `normalized_sql` of every result tells it.
#pragma once

#include <string>
#include <string_view>

#include "dialect/ast.h"

namespace candor::dialect {

// One line in the dialect's own spellings: keywords in upper case, names in quotes only where they need them. Parsing it
// gives the same tree (same_tree), whatever spelling the tree came from.
[[nodiscard]] std::string print(const Statement& statement);
[[nodiscard]] std::string print(const Expr& expr);

// A name as it stands in a statement: in double quotes where it needs them.
[[nodiscard]] std::string name_in_sql(std::string_view name);

}  // namespace candor::dialect
