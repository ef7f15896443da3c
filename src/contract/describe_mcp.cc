// The descriptions of the MCP tools: a list of tools is read by an agent in every conversation, so each word must earn
// its place.
#include <string>

#include "contract/describe.h"
#include "contract/rules.h"
#include "json/json.h"

namespace candor::contract {
namespace {

constexpr std::size_t kNamesMax = 400;  // characters of the list of resources
constexpr std::size_t kNotesMax = 400;  // characters of the operator's notes

std::string names_of(const std::vector<const Resource*>& resources) {
  std::string text;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (text.size() + resources[i]->name.size() > kNamesMax) {
      return text + " and " + std::to_string(resources.size() - i) + " more";
    }
    text += (i == 0 ? "" : ", ") + resources[i]->name;
  }
  return text;
}

// Whole notes from the first on, as far as they find room.
std::string notes_of(const Contract& contract) {
  std::string text;
  for (const std::string& note : contract.notes) {
    if (text.size() + note.size() > kNotesMax) break;
    text += " " + note;
  }
  return text;
}

std::string brief_rules(const Contract& contract, bool writing) {
  std::string text;
  for (const Rule& rule : rules()) {
    if ((rule.topic == Topic::kWriting) != writing || rule.brief.empty() || !holds_for(rule, contract)) continue;
    text += " " + filled(rule.brief, contract);
  }
  return text;
}

std::string query_text(const Contract& contract) {
  std::vector<const Resource*> all;
  for (const Resource& resource : contract.resources) all.push_back(&resource);
  return "Read " + contract.name + " in SQL: " + names_of(all) + "." + notes_of(contract) +
         brief_rules(contract, false);
}

std::string execute_text(const Contract& contract) {
  std::vector<const Resource*> written;
  for (const Resource& resource : contract.resources) {
    if (resource.takes_writes()) written.push_back(&resource);
  }
  if (written.empty()) return contract.name + " takes no writes.";
  return "Write to " + contract.name + " in SQL (INSERT, UPDATE, DELETE): " + names_of(written) + "." +
         brief_rules(contract, true);
}

}  // namespace

std::vector<ToolText> tool_texts(const Contract& contract) {
  return {{"sql_query", "Ask in SQL", query_text(contract)}, {"sql_execute", "Write in SQL", execute_text(contract)}};
}

std::string describe_mcp(const Contract& contract) {
  json::Node tools = json::Node::array();
  for (const ToolText& tool : tool_texts(contract)) {
    json::Node node = json::Node::object();
    node.set("name", json::Node::string(tool.name)).set("title", json::Node::string(tool.title));
    tools.push(std::move(node.set("description", json::Node::string(tool.description))));
  }
  return json::dump_pretty(json::Node::object().set("tools", std::move(tools)));
}

}  // namespace candor::contract
