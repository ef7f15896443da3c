// The tools of Candor: schema, sql_query, sql_execute, materialize, answer_commit, and the memory's (memory_tools.h). They only translate; what happens is the
// facade's (candor/candor.h) and what its results look like is wire's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "candor/candor.h"
#include "config/config.h"
#include "mcp/protocol/tool.h"

namespace candor::mcp {

struct ToolSettings {
  // Gives the facade, opening it where it is not open yet; called on the threads that run calls.
  std::function<Result<Candor*>()> facade;
  std::string session;  // of calls that name none
  std::vector<ContractTools> contracts = {};
};

// In the order in which they are listed. Limits in the descriptions are those of `configuration`.
[[nodiscard]] std::vector<Tool> make_tools(const config::Configuration& configuration, const ToolSettings& settings);

// How to work with the tools, for the agent.
[[nodiscard]] std::string instructions();

}  // namespace candor::mcp
