// Reading and writing the JSON-RPC envelope.
#include "mcp/protocol/message.h"

#include <utility>

#include "base/render_json.h"

namespace candor::mcp {
namespace {

bool usable_id(const json::Node& id) { return id.is_string() || id.is_number(); }

Refusal refuse(const json::Node* id, int code, std::string message) {
  return {id != nullptr && usable_id(*id) ? *id : json::Node{}, {code, std::move(message), {}, 400}};
}

}  // namespace

std::variant<Message, Refusal> read_message(json::Node node) {
  if (!node.is_object()) return refuse(nullptr, kInvalidRequest, "a message must be a JSON object");
  json::Node* id = node.find("id");
  if (node.string_or("jsonrpc", "") != "2.0") return refuse(id, kInvalidRequest, "jsonrpc must be \"2.0\"");

  const json::Node* method = node.find("method");
  if (method == nullptr) {
    if (node.find("result") == nullptr && node.find("error") == nullptr) {
      return refuse(id, kInvalidRequest, "method is missing");
    }
    Message response;
    response.kind = Message::Kind::kResponse;
    return response;
  }
  if (!method->is_string()) return refuse(id, kInvalidRequest, "method must be a string");
  if (id != nullptr && !usable_id(*id)) return refuse(nullptr, kInvalidRequest, "id must be a string or a number");

  Message message;
  message.kind = id == nullptr ? Message::Kind::kNotification : Message::Kind::kRequest;
  message.method = method->text();
  if (json::Node* params = node.find("params"); params == nullptr) {
    message.params = json::Node::object();
  } else if (params->is_object()) {
    message.params = std::move(*params);
  } else {
    return refuse(id, kInvalidParams, "params must be an object");
  }
  if (id != nullptr) message.id = std::move(*id);
  return message;
}

std::string id_key(const json::Node& id) { return (id.is_string() ? "s" : "n") + id.text(); }

std::string result_text(const json::Node& id, std::string_view result) {
  std::string out;
  out.reserve(result.size() + 64);
  out += R"({"jsonrpc":"2.0","id":)";
  json::append(out, id);
  out += R"(,"result":)";
  out += result;
  out += '}';
  return out;
}

std::string error_text(const json::Node& id, const RpcError& error) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  json::append(out, id);
  out += R"(,"error":{"code":)" + std::to_string(error.code) + R"(,"message":)";
  // A message may repeat what the client sent, which may be megabytes.
  constexpr std::size_t kCharacters = 1'000;
  json::append(out, json::Node::string(shortened(error.message, kCharacters)));
  if (!error.data.is_null()) {
    out += R"(,"data":)";
    json::append(out, error.data);
  }
  out += "}}";
  return out;
}

std::string notification_text(std::string_view method, std::string_view params) {
  std::string out = R"({"jsonrpc":"2.0","method":")";
  out += method;
  out += R"(","params":)";
  out += params;
  out += '}';
  return out;
}

}  // namespace candor::mcp
