// The era of a request and the modern checks.
#include "mcp/protocol/era.h"

#include <array>
#include <cstdint>

namespace candor::mcp {
namespace {

constexpr int kBadRequest = 400;
constexpr int kNotFound = 404;

RpcError bad_envelope(std::string message) { return {kInvalidParams, std::move(message), {}, kBadRequest}; }
RpcError mismatch(std::string message) { return {kHeaderMismatch, std::move(message), {}, kBadRequest}; }

// Revisions are dates, so their order is that of their texts.
bool names_modern(std::string_view version) { return version >= to_string(Revision::k2026); }

std::optional<RpcError> check_envelope(const json::Node& meta) {
  if (!meta[kMetaVersion].is_string()) return bad_envelope(std::string(kMetaVersion) + " in _meta must be a string");
  const json::Node* capabilities = meta.find(kMetaClientCapabilities);
  if (capabilities == nullptr) return bad_envelope(std::string(kMetaClientCapabilities) + " is missing in _meta");
  if (!capabilities->is_object()) {
    return bad_envelope(std::string(kMetaClientCapabilities) + " in _meta must be an object");
  }
  if (const json::Node* info = meta.find(kMetaClientInfo)) {
    if (!(*info)["name"].is_string() || !(*info)["version"].is_string()) {
      return bad_envelope(std::string(kMetaClientInfo) + " in _meta must have a name and a version");
    }
  }
  return std::nullopt;
}

std::optional<RpcError> check_version(std::string_view requested) {
  if (requested == to_string(Revision::k2026)) return std::nullopt;
  RpcError error{
      kUnsupportedVersion, "protocol version " + std::string(requested) + " is not supported", {}, kBadRequest};
  json::Node supported = json::Node::array();
  supported.push(json::Node::string(std::string(to_string(Revision::k2026))));
  error.data = json::Node::object();
  error.data.set("supported", std::move(supported));
  error.data.set("requested", json::Node::string(std::string(requested)));
  return error;
}

// Where the body has what the header Mcp-Name repeats.
const json::Node* mirrored_name(const Message& message) {
  if (message.method == "tools/call" || message.method == "prompts/get") return message.params.find("name");
  if (message.method == "resources/read") return message.params.find("uri");
  return nullptr;
}

std::optional<RpcError> check_headers(const Message& message, std::string_view version, const Headers& headers) {
  if (!headers.protocol_version) return mismatch("the header MCP-Protocol-Version is missing");
  if (*headers.protocol_version != version) return mismatch("the header MCP-Protocol-Version differs from the body");
  if (!headers.method) return mismatch("the header Mcp-Method is missing");
  if (*headers.method != message.method) return mismatch("the header Mcp-Method differs from the body");
  const json::Node* name = mirrored_name(message);
  if (name == nullptr || !name->is_string()) return std::nullopt;
  if (!headers.name) return mismatch("the header Mcp-Name is missing");
  const auto decoded = decode_header(*headers.name);
  if (!decoded) return mismatch("the header Mcp-Name is not valid base64");
  if (*decoded != name->text()) return mismatch("the header Mcp-Name differs from the body");
  return std::nullopt;
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const int digit = base64_digit(c);
    if (digit < 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>((bits >> held) & 0xFFU);
    }
  }
  return out;
}

}  // namespace

std::variant<Era, RpcError> decide_era(const Message& message, const Headers* headers) {
  if (message.params["_meta"].find(kMetaVersion) != nullptr) {
    if (message.method == "initialize") {
      return RpcError{kMethodNotFound, "initialize is not a method of this revision", {}, kNotFound};
    }
    return Era::kModern;
  }
  if (message.method == "initialize") return Era::kLegacy;
  if (headers != nullptr && headers->protocol_version && names_modern(*headers->protocol_version)) {
    return bad_envelope(std::string(kMetaVersion) + " is missing in _meta");
  }
  return Era::kLegacy;
}

std::optional<RpcError> check_modern(const Message& message, const Headers* headers) {
  const json::Node& meta = message.params["_meta"];
  if (auto error = check_envelope(meta)) return error;
  const std::string& version = meta[kMetaVersion].text();
  if (auto error = check_version(version)) return error;
  if (headers != nullptr) return check_headers(message, version, *headers);
  return std::nullopt;
}

std::string client_name(const json::Node& info) {
  const std::string_view version = info.string_or("version", "");
  return std::string(info.string_or("name", "")) + (version.empty() ? "" : " ") + std::string(version);
}

std::optional<std::string> decode_header(std::string_view value) {
  constexpr std::string_view kOpen = "=?base64?";
  constexpr std::string_view kClose = "?=";
  if (value.size() < kOpen.size() + kClose.size() || !value.starts_with(kOpen) || !value.ends_with(kClose)) {
    return std::string(value);
  }
  value.remove_prefix(kOpen.size());
  value.remove_suffix(kClose.size());
  return decode_base64(value);
}

std::optional<RpcError> check_capabilities(const Message& message, const std::vector<std::string>& needed) {
  json::Node missing = json::Node::object();
  std::string names;
  for (const std::string& capability : needed) {
    if (message.params["_meta"][kMetaClientCapabilities].find(capability) != nullptr) continue;
    names += (names.empty() ? "" : ", ") + capability;
    missing.set(capability, json::Node::object());
  }
  if (names.empty()) return std::nullopt;
  RpcError error{kMissingCapability, "the client did not declare: " + names, {}, kBadRequest};
  error.data = json::Node::object();
  error.data.set("requiredCapabilities", std::move(missing));
  return error;
}

}  // namespace candor::mcp
