// Flags that shape a result, before a statement is run.
#pragma once

#include <cstddef>

#include "candor/candor.h"

namespace candor {

// `usage` for flags that shape a list beside several statements: of which one they are could not be told.
[[nodiscard]] Status check_shaped(const RunOptions& options, std::size_t statements);

// Of a write, which flags that shape a list never stop: what is done is told, and that they did nothing.
void tell_shaping_ignored(StatementEnd& end);

}  // namespace candor
