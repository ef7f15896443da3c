// SHOW TABLES and DESCRIBE, answered from the contract alone.
#include "exec/exec.h"

namespace candor::exec {
namespace {

// LIKE as the dialect has it, for names: % any text, _ one character.
bool like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '%') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (like(text.substr(i), pattern.substr(1))) return true;
    }
    return false;
  }
  if (text.empty() || (pattern.front() != '_' && pattern.front() != text.front())) return false;
  return like(text.substr(1), pattern.substr(1));
}

std::string writes_of(const contract::Resource& resource) {
  std::string text;
  if (resource.insert) text += "insert";
  if (resource.update) text += text.empty() ? "update" : ", update";
  if (resource.remove) text += text.empty() ? "delete" : ", delete";
  return text;
}

std::string note_of(const contract::Resource& resource, const contract::Column& column) {
  std::string note;
  const auto add = [&](std::string_view word) { note += (note.empty() ? "" : ", ") + std::string(word); };
  if (column.name == resource.key) add("key");
  if (column.read_only) add("read only");
  if (!column.filterable) add("not filterable");
  if (!column.sortable) add("not sortable");
  if (!column.allowed.empty()) {
    std::string values;
    for (const std::string& value : column.allowed) values += (values.empty() ? "" : ", ") + value;
    add("one of " + values);
  }
  return note;
}

}  // namespace

Outcome discover(const bind::BoundDiscovery& plan, const contract::Contract& contract) {
  Outcome outcome;
  outcome.kind = engine::StatementKind::kDescribe;
  const auto text = [](std::string value) { return text_value(std::move(value)); };
  if (plan.kind == dialect::Discovery::Kind::kTables) {
    outcome.columns = {{"resource", "string"}, {"description", "string"}, {"key", "string"}, {"writes", "string"}};
    for (const contract::Resource& resource : contract.resources) {
      if (plan.pattern && !like(resource.name, *plan.pattern)) continue;
      outcome.rows.push_back(
          {text(resource.name), text(resource.description), text(resource.key), text(writes_of(resource))});
    }
  } else {
    outcome.resource = plan.resource->name;
    outcome.columns = {{"column", "string"},
                       {"type", "string"},
                       {"nullable", "boolean"},
                       {"note", "string"},
                       {"description", "string"}};
    for (const contract::Column& column : plan.resource->columns) {
      if (plan.pattern && !like(column.name, *plan.pattern)) continue;
      Value nullable;
      nullable.kind = CellKind::kBoolean;
      nullable.integer = column.nullable ? 1 : 0;
      outcome.rows.push_back({text(column.name), text(std::string(contract::to_string(column.type))), nullable,
                              text(note_of(*plan.resource, column)), text(column.description)});
    }
  }
  scope::Ceiling none;
  outcome.surface = scope::describe(none, outcome.rows.size(), outcome.rows.size(), "");
  return outcome;
}

}  // namespace candor::exec
