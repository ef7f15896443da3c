// See checked_tool.h.
#include "mcp/tools/checked_tool.h"

#include <chrono>
#include <utility>

namespace candor::mcp {

Tool checked_tool(Tool listed, std::vector<Argument> arguments, std::function<ToolOutcome(const ToolCall&)> body) {
  listed.input_schema = input_schema(arguments);
  listed.handler = [name = listed.name, arguments = std::move(arguments),
                    body = std::move(body)](const ToolCall& call) {
    const auto begun = std::chrono::steady_clock::now();
    const Status fit = check_arguments(call.arguments, arguments);
    ToolOutcome outcome = fit.ok() ? body(call) : failed_outcome(fit.error());
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begun;
    json::Node record = json::Node::object();
    record.set("tool", json::Node::string(name)).set("succeeded", json::Node::boolean(!outcome.is_error));
    record.set("duration_ms", json::Node::number(spent.count()));
    call.log(outcome.is_error ? LogLevel::kNotice : LogLevel::kInfo, record);
    return outcome;
  };
  return listed;
}

std::string text_of(const json::Node& arguments, std::string_view name) {
  return std::string(arguments.string_or(name, ""));
}

std::string session_of(const ToolCall& call, const std::string& otherwise) {
  for (const std::string_view given :
       {call.arguments.string_or("session", ""), call.meta.string_or("candor/session", "")}) {
    if (!given.empty()) return std::string(given);
  }
  return otherwise;
}

}  // namespace candor::mcp
