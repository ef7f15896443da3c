// The methods of both eras. Tools are called in server.cc; here a call is only judged.
#include <charconv>
#include <utility>

#include "mcp/protocol/server.h"

namespace candor::mcp {
namespace {

constexpr int kNotFound = 404;
constexpr std::string_view kCapabilities = R"({"tools":{},"logging":{}})";
// What is listed changes only with the process. Lists may later depend on who asks, so they are not shared.
constexpr std::string_view kCacheable = R"(,"ttlMs":300000,"cacheScope":"private")";
constexpr std::string_view kCursorPrefix = "after-";

Answer answer_error(const json::Node& id, const RpcError& error) { return {error_text(id, error), error.http_status}; }

RpcError unknown_method(const Message& message, bool modern) {
  return {kMethodNotFound, "no method " + message.method, {}, modern ? kNotFound : 200};
}

RpcError invalid(std::string message) { return {kInvalidParams, std::move(message), {}, 200}; }

std::string quoted(std::string_view text) { return json::dump(json::Node::string(std::string(text))); }

// The item that a list's page begins with. None: the cursor is not one of ours.
std::optional<std::size_t> page_start(const json::Node& params, std::size_t items) {
  const json::Node* cursor = params.find("cursor");
  if (cursor == nullptr) return 0;
  std::string_view text = cursor->is_string() ? std::string_view(cursor->text()) : std::string_view();
  if (!text.starts_with(kCursorPrefix)) return std::nullopt;
  text.remove_prefix(kCursorPrefix.size());
  std::size_t start = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), start);
  if (failure != std::errc() || end != text.data() + text.size() || start == 0 || start >= items) return std::nullopt;
  return start;
}

}  // namespace

Server::Item Server::dispatch_modern(Message& message, Connection& connection) {
  if (message.method == "tools/call") return call_tool(message, Revision::k2026, connection);
  if (message.method == "tools/list") return list_tools(message, Revision::k2026);
  if (message.method == "server/discover") return discover(message);
  if (message.method == "subscriptions/listen") return listen(message, connection);
  return answer_error(message.id, unknown_method(message, true));
}

Server::Item Server::dispatch_legacy(Message& message, Connection& connection) {
  if (message.method == "tools/call") return call_tool(message, connection.legacy_revision(), connection);
  if (message.method == "tools/list") return list_tools(message, connection.legacy_revision());
  if (message.method == "ping") return Answer{result_text(message.id, "{}")};
  if (message.method == "initialize") return initialize(message, connection);
  if (message.method == "logging/setLevel") return set_log_level(message, connection);
  return answer_error(message.id, unknown_method(message, false));
}

Server::Item Server::initialize(const Message& message, Connection& connection) const {
  const json::Node& requested = message.params["protocolVersion"];
  if (!requested.is_string()) return answer_error(message.id, invalid("protocolVersion must be a string"));
  const Revision revision = negotiate(requested.text());
  connection.agree(revision);
  connection.set_client(client_name(message.params["clientInfo"]));
  std::string result = R"({"protocolVersion":")" + std::string(to_string(revision)) + R"(","capabilities":)";
  result += kCapabilities;
  result += ",\"serverInfo\":" + server_info_ + ",\"instructions\":" + quoted(settings_.instructions) + "}";
  return Answer{result_text(message.id, result)};
}

Server::Item Server::set_log_level(const Message& message, Connection& connection) const {
  const auto level = parse_log_level(message.params.string_or("level", ""));
  if (!level) {
    return answer_error(message.id,
                        invalid("level must be one of debug, info, notice, warning, error, critical, alert, "
                                "emergency"));
  }
  connection.set_log_level(*level);
  return Answer{result_text(message.id, "{}")};
}

Server::Item Server::discover(const Message& message) const {
  std::string result = R"({"supportedVersions":[")" + std::string(to_string(Revision::k2026)) + R"("],"capabilities":)";
  result += kCapabilities;
  result += ",\"instructions\":" + quoted(settings_.instructions);
  result += kCacheable;
  append_modern(result);
  return Answer{result_text(message.id, result + "}")};
}

Server::Item Server::list_tools(const Message& message, Revision revision) const {
  const auto& listed = has_structured_content(revision) ? listed_ : listed_plain_;
  const auto start = page_start(message.params, listed.size());
  if (!start) return answer_error(message.id, invalid("cursor is not one that tools/list gave"));
  const std::size_t end = std::min(listed.size(), *start + settings_.page_items);
  std::string result = "{\"tools\":[";
  for (std::size_t i = *start; i < end; ++i) {
    if (i > *start) result += ',';
    result += listed[i];
  }
  result += ']';
  if (end < listed.size()) result += ",\"nextCursor\":\"" + std::string(kCursorPrefix) + std::to_string(end) + '"';
  if (is_modern(revision)) {
    result += kCacheable;
    append_modern(result);
  }
  return Answer{result_text(message.id, result + "}")};
}

// Nothing that is listed ever changes, so no kind of notification is promised; the subscription only stays open.
Server::Item Server::listen(const Message& message, Connection& connection) const {
  if (!message.params["notifications"].is_object()) {
    return answer_error(message.id, invalid("notifications must be an object"));
  }
  if (!connection.subscribe(message.id)) {
    return answer_error(message.id, {kInvalidRequest, "a request with this id is in flight", {}, 400});
  }
  std::string params = "{\"notifications\":{},\"_meta\":{\"" + std::string(kMetaSubscription) + "\":";
  json::append(params, message.id);
  return Answer{notification_text("notifications/subscriptions/acknowledged", params + "}}")};
}

void Server::close(Connection& connection) const {
  for (const json::Node& id : connection.take_subscriptions()) {
    std::string result = R"({"resultType":"complete","_meta":{")" + std::string(kMetaSubscription) + "\":";
    json::append(result, id);
    result += ",\"" + std::string(kMetaServerInfo) + "\":" + server_info_ + "}}";
    connection.outlet()->send(result_text(id, result));
  }
}

Server::Item Server::call_tool(Message& message, Revision revision, Connection& connection) {
  const json::Node& name = message.params["name"];
  const Tool* tool = nullptr;
  for (const Tool& candidate : tools_) {
    if (name.is_string() && candidate.name == name.text()) tool = &candidate;
  }
  if (tool != nullptr && is_modern(revision)) {
    if (const auto error = check_capabilities(message, tool->client_capabilities)) {
      return answer_error(message.id, *error);
    }
  }
  if (!name.is_string()) return answer_error(message.id, invalid("name must be a string"));
  if (tool == nullptr) return answer_error(message.id, unknown_tool(name.text()));
  if (const json::Node* arguments = message.params.find("arguments"); arguments != nullptr && !arguments->is_object()) {
    return answer_error(message.id, invalid("arguments must be an object"));
  }
  const auto cancel = connection.begin(message.id);
  if (!cancel) return answer_error(message.id, {kInvalidRequest, "a request with this id is in flight", {}, 400});
  return Work::Call{std::move(message.id), tool, std::move(message.params), revision, *cancel};
}

RpcError Server::unknown_tool(const std::string& name) const {
  std::string names;
  for (const Tool& tool : tools_) names += (names.empty() ? "" : ", ") + tool.name;
  return invalid("no tool " + name + "; the tools are " + names);
}

}  // namespace candor::mcp
