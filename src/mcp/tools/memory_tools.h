// The tools of the memory: memory_search, memory_list, memory_related, memory_write. They open the home's memory for one call
// and need neither an engine nor the ledger.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "mcp/protocol/tool.h"

namespace candor::mcp {

// Those that the configuration lets agents have (memory.tools). `session` is of calls that name none.
[[nodiscard]] std::vector<Tool> memory_tools(const config::Configuration& configuration, const std::string& session);

}  // namespace candor::mcp
