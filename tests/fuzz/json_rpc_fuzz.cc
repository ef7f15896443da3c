// Any bytes as a stream of messages: nothing crashes, each answer is one line of valid JSON, a legacy client, a modern one
// and a transport with headers see the same rules.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "json/json.h"
#include "mcp/protocol/id_finder.h"
#include "mcp/protocol/server.h"
#include "mcp/stdio/lines.h"

namespace {

using candor::mcp::Answer;
using candor::mcp::Connection;
using candor::mcp::Headers;
using candor::mcp::IdFinder;
using candor::mcp::Server;
using candor::mcp::ServerSettings;
using candor::mcp::Tool;
using candor::mcp::ToolCall;
using candor::mcp::ToolOutcome;
using candor::mcp::Work;

void demand(bool holds) {
  if (!holds) std::abort();
}

void demand_message(const std::string& text) {
  if (text.empty()) return;
  demand(text.find('\n') == std::string::npos);
  const auto node = candor::json::parse(text);
  demand(node.ok());
  const auto& first = node->is_array() ? node->items().at(0) : *node;
  demand(first.string_or("jsonrpc", "") == "2.0");
}

class Checked final : public candor::mcp::Outlet {
 public:
  void send(std::string text) override { demand_message(text); }
};

std::vector<Tool> tools() {
  Tool tool;
  tool.name = "echo";
  tool.input_schema = tool.output_schema = R"({"type":"object"})";
  tool.handler = [](const ToolCall& call) {
    call.progress(1, {}, "half");
    call.log(candor::mcp::LogLevel::kInfo, call.arguments);
    return ToolOutcome{candor::json::dump(call.arguments), false, {}, "long"};
  };
  return {tool};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Server server(ServerSettings{.version = {}, .instructions = {}, .message_bytes_max = 1 << 16}, tools());
  const Headers headers{.protocol_version = "2026-07-28", .method = "tools/call", .name = "echo"};
  for (const Headers* seen : {static_cast<const Headers*>(nullptr), &headers}) {
    IdFinder finder;
    const auto connection = std::make_shared<Connection>(std::make_shared<Checked>());
    candor::mcp::LineSplitter lines(
        1 << 16,
        {.line =
             [&](std::string_view line) {
               auto accepted = server.accept(line, connection, seen);
               if (auto* work = std::get_if<Work>(&accepted)) {
                 demand_message(server.run(std::move(*work)).text);
               } else {
                 demand_message(std::get<Answer>(accepted).text);
               }
             },
         .too_long =
             [&] { demand_message(server.refuse_message(std::exchange(finder, {}), *connection, "long").text); },
         .skipped = [&](std::string_view bytes) { finder.feed(bytes); }});
    lines.feed({reinterpret_cast<const char*>(data), size});
    lines.finish();
    server.close(*connection);
  }
  return 0;
}
