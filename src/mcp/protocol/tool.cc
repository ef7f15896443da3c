// Rendering of tools and of failures.
#include "mcp/protocol/tool.h"

#include <array>

#include "candor/documents.h"

namespace candor::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

void append_member(std::string& out, std::string_view name, std::string_view text) {
  out += ",\"";
  out += name;
  out += "\":";
  json::append(out, json::Node::string(std::string(text)));
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view name) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels.at(i) == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string_view to_string(LogLevel level) { return kLevels.at(static_cast<std::size_t>(level)); }

ToolOutcome failed_outcome(const Diagnostic& failure) {
  ToolOutcome outcome;
  outcome.document = json::dump(error_document(failure));
  outcome.is_error = true;
  return outcome;
}

std::string render_tool(const Tool& tool, bool with_output_schema) {
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string out = "{\"name\":";
  json::append(out, json::Node::string(tool.name));
  append_member(out, "title", tool.title);
  append_member(out, "description", tool.description);
  out += ",\"inputSchema\":" + tool.input_schema;
  if (with_output_schema && !tool.output_schema.empty()) out += ",\"outputSchema\":" + tool.output_schema;
  // The protocol's defaults say the opposite of what most tools are, so each is written out.
  const Annotations& annotations = tool.annotations;
  out += std::string(R"(,"annotations":{"readOnlyHint":)") + truth(annotations.read_only);
  out += std::string(R"(,"destructiveHint":)") + truth(annotations.destructive);
  out += std::string(R"(,"idempotentHint":)") + truth(annotations.idempotent);
  out += std::string(R"(,"openWorldHint":)") + truth(annotations.open_world);
  out += "}}";
  return out;
}

}  // namespace candor::mcp
