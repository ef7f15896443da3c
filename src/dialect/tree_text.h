// Syntax trees for reading: `candor sql --explain`.
#pragma once

#include "base/outline.h"
#include "dialect/ast.h"

namespace candor::dialect {

// All of the tree, each node with its span where it has one.
[[nodiscard]] Outline outline_of(const Statement& statement);

}  // namespace candor::dialect
