// Flags that shape a result, before a statement is run.
#pragma once

#include <cstddef>

#include "candor/candor.h"

namespace candor {

// `usage` for flags that shape a list beside several statements: of which one they are could not be told.
[[nodiscard]] Status check_shaped(const RunOptions& options, std::size_t statements);

// The flags with the byte budget that result_chars sets in any case.
[[nodiscard]] scope::Shaping within(const scope::Shaping& shaping, std::int64_t result_chars);

}  // namespace candor
