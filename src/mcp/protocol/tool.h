// A tool as the protocol sees it: how it is listed, and a function that answers a call. What the tools of Candor are
// stands in ../tools; a test server registers others.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/diagnostic.h"
#include "json/json.h"

namespace candor::mcp {

// In the order of their weight, as syslog has them.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
[[nodiscard]] std::optional<LogLevel> parse_log_level(std::string_view name);
[[nodiscard]] std::string_view to_string(LogLevel level);

// What a call brings, and what its handler can say before it answers. Used by one thread, while the call runs.
struct ToolCall {
  const json::Node& arguments;  // an object
  const json::Node& meta;       // params._meta, or null
  std::string client;           // the name and version that the client gives itself; may be empty
  CancelToken cancel;
  // Progress in the tool's own measure; dropped when the client did not ask for it.
  std::function<void(double value, std::optional<double> total, const std::string& message)> progress;
  // A log message; dropped when the client asked for none or only for graver ones.
  std::function<void(LogLevel level, const json::Node& data)> log;
};

// The answer to a call. `document` is what the result says, as one JSON object; the protocol makes `structuredContent`
// and the text block of it.
struct ToolOutcome {
  std::string document;
  bool is_error = false;
  std::string content;  // a JSON array of content blocks in place of the text block; empty: the text block
  std::string summary;  // stands in the text block where the document is too long to be said twice
};

// {"error":true,"code":…} as a failed call is answered.
[[nodiscard]] ToolOutcome failed_outcome(const Diagnostic& failure);

struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
};

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON
  std::string output_schema;  // JSON; empty: none
  Annotations annotations;
  std::function<ToolOutcome(const ToolCall&)> handler;  // may block; is called from several threads at once
  std::vector<std::string> client_capabilities;         // what the client must have declared (modern only)
  bool reports_progress = false;                        // it does so itself: no clock is run for it
};

// As `tools/list` shows it to a client that knows `outputSchema`, or not.
[[nodiscard]] std::string render_tool(const Tool& tool, bool with_output_schema);

}  // namespace candor::mcp
