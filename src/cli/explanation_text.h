// An explanation as a person reads it: tokens, tree, plan and SQL of each statement, under headings.
#pragma once

#include <string>

#include "candor/explanation.h"
#include "cli/terminal.h"

namespace candor::cli {

// Without the errors of the text; those are `fail`'s.
[[nodiscard]] std::string explanation_text(const Stream& out, const Explanation& explanation);

}  // namespace candor::cli
