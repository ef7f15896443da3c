// Near names over all sources, for telling the truth about a name that does not exist.
#pragma once

#include <string>

#include "engine/engine.h"

namespace candor {

// One line that names the tables nearest to `wanted`, a table's name without its source, in their full form; where none
// is near, how many there are and some of them.
[[nodiscard]] std::string near_tables(const std::string& wanted, const engine::Catalog& catalog);

}  // namespace candor
