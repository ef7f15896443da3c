// Which era a request belongs to, and the checks that the modern one puts before the method. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "json/json.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/revision.h"

namespace candor::mcp {

// Keys of `params._meta` and of a result's `_meta`.
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

// The headers that repeat parts of the body, where the transport has any. Absent ones are none.
struct Headers {
  std::optional<std::string> protocol_version;  // MCP-Protocol-Version
  std::optional<std::string> method;            // Mcp-Method
  std::optional<std::string> name;              // Mcp-Name, as sent
};

enum class Era { kLegacy, kModern };

// The body decides, headers only cross-check. `headers` is null on a transport without any.
[[nodiscard]] std::variant<Era, RpcError> decide_era(const Message& message, const Headers* headers);

// The modern checks that come before the method is looked at, in the order of the specification: the envelope, the
// version, the headers. None: all hold.
[[nodiscard]] std::optional<RpcError> check_modern(const Message& message, const Headers* headers);

// "name version" of an Implementation as clients describe themselves; empty where it is none.
[[nodiscard]] std::string client_name(const json::Node& info);

// A header's value with `=?base64?…?=` undone. None when that is malformed.
[[nodiscard]] std::optional<std::string> decode_header(std::string_view value);

// The capabilities of `needed` ("elicitation", "sampling") that the request's client did not declare: `-32021`.
[[nodiscard]] std::optional<RpcError> check_capabilities(const Message& message,
                                                         const std::vector<std::string>& needed);

}  // namespace candor::mcp
