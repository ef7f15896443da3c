// A contract as JSON for programs: what the Markdown page says, part by part.
#include <string>

#include "contract/describe.h"
#include "contract/rules.h"
#include "json/json.h"

namespace candor::contract {
namespace {

using json::Node;

Node text(std::string_view value) { return Node::string(std::string(value)); }

Node texts(const std::vector<std::string>& values) {
  Node list = Node::array();
  for (const std::string& value : values) list.push(text(value));
  return list;
}

std::string_view to_string(Column::Generated generated) {
  return generated == Column::Generated::kUuid ? "uuid" : "now";
}

Node column_node(const Resource& resource, const Column& column) {
  Node node = Node::object();
  node.set("name", text(column.name)).set("type", text(contract::to_string(column.type)));
  node.set("nullable", Node::boolean(column.nullable));
  node.set("filterable", Node::boolean(column.filterable)).set("sortable", Node::boolean(column.sortable));
  node.set("writable", Node::boolean(!column.read_only && (resource.insert || resource.update)));
  if (column.generated != Column::Generated::kNot) node.set("generated", text(to_string(column.generated)));
  if (!column.allowed.empty()) node.set("enum", texts(column.allowed));
  if (!column.description.empty()) node.set("description", text(column.description));
  return node;
}

Node resource_node(const Resource& resource) {
  Node node = Node::object();
  node.set("name", text(resource.name));
  if (!resource.description.empty()) node.set("description", text(resource.description));
  if (!resource.key.empty()) node.set("key", text(resource.key));
  Node writes = Node::array();
  if (resource.insert) writes.push(text("insert"));
  if (resource.update) writes.push(text("update"));
  if (resource.remove) writes.push(text("delete"));
  node.set("writes", std::move(writes));
  if (!resource.soft_delete.empty()) node.set("soft_delete", text(resource.soft_delete));
  Node columns = Node::array();
  for (const Column& column : resource.columns) columns.push(column_node(resource, column));
  node.set("columns", std::move(columns));
  if (!resource.absent.empty()) {
    Node absent = Node::object();
    // Names differ, also without regard to case: set() would look each up among the others for nothing.
    for (const Absent& other : resource.absent) absent.members().emplace_back(other.name, text(other.text));
    node.set("absent", std::move(absent));
  }
  return node;
}

Node limits_node(const Contract& contract) {
  Node list = Node::array();
  for (const LimitShown& limit : limits_shown(contract)) {
    Node node = Node::object();
    node.set("name", text(limit.name)).set("value", Node::number(limit.value));
    list.push(std::move(node.set("unit", text(limit.unit)).set("meaning", text(limit.meaning))));
  }
  return list;
}

Node rules_node(const Contract& contract) {
  Node list = Node::array();
  for (const Rule& rule : rules()) {
    if (!holds_for(rule, contract)) continue;
    Node node = Node::object();
    node.set("name", text(rule.name)).set("topic", text(contract::to_string(rule.topic)));
    list.push(std::move(node.set("text", text(filled(rule.text, contract)))));
  }
  return list;
}

}  // namespace

std::string describe_json(const Contract& contract) {
  Node node = Node::object();
  node.set("contract", text(contract.name)).set("source", text(contract.source));
  node.set("scoped", Node::boolean(contract.scope.has_value()));
  node.set("limits", limits_node(contract));
  node.set("notes", texts(contract.notes));
  Node resources = Node::array();
  for (const Resource& resource : contract.resources) resources.push(resource_node(resource));
  node.set("resources", std::move(resources)).set("rules", rules_node(contract));
  return json::dump_pretty(node);
}

}  // namespace candor::contract
