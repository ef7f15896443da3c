// What every tool has in common: its arguments are checked before its body sees them, and what it did is logged.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/protocol/tool.h"
#include "mcp/tools/arguments.h"

namespace candor::mcp {

[[nodiscard]] Tool checked_tool(Tool listed, std::vector<Argument> arguments,
                                std::function<ToolOutcome(const ToolCall&)> body);

[[nodiscard]] std::string text_of(const json::Node& arguments, std::string_view name);

// The session of a call: its argument, else of its _meta, else `otherwise`.
[[nodiscard]] std::string session_of(const ToolCall& call, const std::string& otherwise);

}  // namespace candor::mcp
