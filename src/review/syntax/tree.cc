// See tree.h.
#include "review/syntax/tree.h"

#include <algorithm>

namespace candor::review::syntax {
namespace {

template <typename Node, typename Visit>
void walk(Node& node, const Visit& visit) {
  if (node.is_object()) {
    if (!class_of(node).empty()) visit(node);
    for (auto& [name, member] : node.members()) walk(member, visit);
  } else if (node.is_array()) {
    for (auto& item : node.items()) walk(item, visit);
  }
}

}  // namespace

std::string_view class_of(const json::Node& node) {
  return node.is_object() ? node.string_or("class", "") : std::string_view{};
}

std::string_view type_of(const json::Node& node) {
  return node.is_object() ? node.string_or("type", "") : std::string_view{};
}

bool is_column(const json::Node& node) { return class_of(node) == "COLUMN_REF"; }

void for_each_expression(const json::Node& node, const std::function<void(const json::Node&)>& visit) {
  walk(node, visit);
}

void for_each_expression(json::Node& node, const std::function<void(json::Node&)>& visit) { walk(node, visit); }

std::size_t count_expressions(const json::Node& node) {
  std::size_t count = 0;
  for_each_expression(node, [&count](const json::Node&) { ++count; });
  return count;
}

bool has_class(const json::Node& node, std::string_view expression_class) {
  bool found = false;
  for_each_expression(node,
                      [&](const json::Node& expression) { found = found || class_of(expression) == expression_class; });
  return found;
}

std::vector<std::string> column_names(const json::Node& node) {
  std::vector<std::string> names;
  if (!is_column(node)) return names;
  for (const json::Node& part : node["column_names"].items()) names.push_back(part.text());
  return names;
}

void set_column_names(json::Node& node, const std::vector<std::string>& names) {
  json::Node parts = json::Node::array();
  for (const std::string& name : names) parts.push(json::Node::string(name));
  node.set("column_names", std::move(parts));
}

void flatten_and(const json::Node& node, std::vector<const json::Node*>& conjuncts) {
  if (!node.is_object()) return;
  if (type_of(node) == "CONJUNCTION_AND") {
    for (const json::Node& child : node["children"].items()) flatten_and(child, conjuncts);
  } else {
    conjuncts.push_back(&node);
  }
}

void strip_locations(json::Node& node) {
  if (node.is_object()) {
    auto& members = node.members();
    std::erase_if(members, [](const auto& member) { return member.first == "query_location"; });
    for (auto& [name, member] : members) strip_locations(member);
  } else if (node.is_array()) {
    for (json::Node& item : node.items()) strip_locations(item);
  }
}

}  // namespace candor::review::syntax
