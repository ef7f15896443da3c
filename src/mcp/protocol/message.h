// JSON-RPC 2.0: what a message is, and the texts that answer one. Nothing here knows a method.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "json/json.h"

namespace candor::mcp {

// Error codes of JSON-RPC and of the protocol.
enum RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kHeaderMismatch = -32020,
  kMissingCapability = -32021,
  kUnsupportedVersion = -32022,
};

// Why a request is not served. `http_status` is what a transport over HTTP sends it with.
struct RpcError {
  int code = kInternalError;
  std::string message;
  json::Node data;  // null: none
  int http_status = 200;
};

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kNotification;
  json::Node id;  // of a request: a string, or a number with its digits as they came
  std::string method;
  json::Node params;  // an object; empty where the message has none
};

// A message that can't be answered by a method, and the id that the answer goes to (null where it has no usable one).
struct Refusal {
  json::Node id;
  RpcError error;
};

// Judges the shape of one message. Members that JSON-RPC does not know are ignored.
[[nodiscard]] std::variant<Message, Refusal> read_message(json::Node node);

// Equal exactly for equal ids: 1 and "1" differ.
[[nodiscard]] std::string id_key(const json::Node& id);

// Single-line texts, without the line's end. `result` and `params` are JSON.
[[nodiscard]] std::string result_text(const json::Node& id, std::string_view result);
[[nodiscard]] std::string error_text(const json::Node& id, const RpcError& error);
[[nodiscard]] std::string notification_text(std::string_view method, std::string_view params);

}  // namespace candor::mcp
