// Rows as JSON that loses nothing: what JSON has no word for says its kind.
#include "exec/changes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/render_json.h"
#include "json/json.h"

namespace candor::exec {
namespace {

using json::Node;

struct KindName {
  CellKind kind;
  std::string_view name;
};
constexpr std::array<KindName, 11> kKinds = {{
    {CellKind::kIntegerText, "integer"},
    {CellKind::kReal32, "real32"},
    {CellKind::kReal64, "real"},
    {CellKind::kDecimal, "decimal"},
    {CellKind::kBlob, "blob"},
    {CellKind::kTemporal, "time"},
    {CellKind::kOther, "other"},
    {CellKind::kJson, "json"},
    {CellKind::kList, "list"},
    {CellKind::kStruct, "struct"},
    {CellKind::kMap, "map"},
}};

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

bool from_hex(std::string_view text, std::string& bytes) {
  if (text.size() % 2 != 0) return false;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const auto read = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + i + 2) return false;
    bytes += static_cast<char>(byte);
  }
  return true;
}

// The sixteen digits of its bits: not a number is as many values as zero has signs.
std::string bits_of(double value) {
  std::string bytes(sizeof value, '\0');
  static_assert(sizeof value == 8);
  std::memcpy(bytes.data(), &value, sizeof value);
  return hex_of(bytes);
}

Node node_of(const Value& value) {
  switch (value.kind) {
    case CellKind::kNull:
      return {};
    case CellKind::kBoolean:
      return Node::boolean(value.integer != 0);
    case CellKind::kInteger:
      return Node::number(value.integer);
    case CellKind::kText:
      return Node::string(value.text);
    default:
      break;
  }
  Node content = Node::string(value.text);
  if (value.kind == CellKind::kReal32 || value.kind == CellKind::kReal64) content = Node::string(bits_of(value.real));
  if (value.kind == CellKind::kBlob) content = Node::string(hex_of(value.text));
  if (value.kind == CellKind::kList || value.kind == CellKind::kStruct || value.kind == CellKind::kMap) {
    content = Node::array();
    for (const Value& part : value.parts) content.push(node_of(part));
  }
  Node node = Node::object();
  const auto named = std::ranges::find(kKinds, value.kind, &KindName::kind);
  if (named != kKinds.end()) node.set(std::string(named->name), std::move(content));
  return node;
}

bool read_node(const Node& node, Value& value);

bool read_content(const Node& content, Value& value) {
  if (value.kind == CellKind::kList || value.kind == CellKind::kStruct || value.kind == CellKind::kMap) {
    if (!content.is_array()) return false;
    for (const Node& part : content.items()) {
      if (!read_node(part, value.parts.emplace_back())) return false;
    }
    return true;
  }
  if (!content.is_string()) return false;
  if (value.kind == CellKind::kBlob) return from_hex(content.text(), value.text);
  if (value.kind != CellKind::kReal32 && value.kind != CellKind::kReal64) {
    value.text = content.text();
    return true;
  }
  std::string bytes;
  if (!from_hex(content.text(), bytes) || bytes.size() != sizeof value.real) return false;
  std::memcpy(&value.real, bytes.data(), sizeof value.real);
  return true;
}

bool read_node(const Node& node, Value& value) {
  if (node.is_null()) return true;
  if (node.is_boolean() || node.is_number()) {
    const std::optional<std::int64_t> number = node.integer();
    if (node.is_number() && !number) return false;
    value = integer_value(node.is_number() ? *number : static_cast<std::int64_t>(node.truth()));
    if (node.is_boolean()) value.kind = CellKind::kBoolean;
    return true;
  }
  if (node.is_string()) {
    value = text_value(node.text());
    return true;
  }
  if (!node.is_object() || node.members().size() != 1) return false;
  for (const KindName& one : kKinds) {
    if (one.name != node.members().front().first) continue;
    value.kind = one.kind;
    return read_content(node.members().front().second, value);
  }
  return false;
}

}  // namespace

std::string text_of_row(const std::vector<Value>& row) {
  Node list = Node::array();
  for (const Value& value : row) list.push(node_of(value));
  return json::dump(list);
}

Result<std::vector<Value>> row_of_text(const std::string& text) {
  constexpr std::size_t kBytesMax = std::size_t{1} << 30U;
  json::ParseLimits limits;
  limits.bytes_max = kBytesMax;
  limits.nodes_max = kBytesMax;
  limits.depth_max = 500;  // a level of a value takes two
  const Result<Node> list = json::parse(text, limits);
  std::vector<Value> row;
  bool whole = list.ok() && list->is_array();
  if (whole) {
    for (const Node& node : list->items()) whole = whole && read_node(node, row.emplace_back());
  }
  if (whole) return row;
  return make_error("integrity", "a row that was kept for undoing can't be read back",
                    "keep a copy of the ledger's file");
}

}  // namespace candor::exec
