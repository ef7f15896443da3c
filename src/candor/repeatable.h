// Whether a statement gives the same rows when it is run again: only then can its universe be counted by another run.
#pragma once

#include <string_view>

#include "engine/engine.h"

namespace candor {

// False for a sample, for functions such as random(), and for macros of the agent, which may hide either.
[[nodiscard]] bool is_repeatable(std::string_view sql, engine::Engine& engine);

}  // namespace candor
