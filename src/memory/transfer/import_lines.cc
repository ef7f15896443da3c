// The knowledge graph of the MCP memory server: a line an entity or a relation. Relations may come before their ends.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/write.h"
#include "memory/transfer/readers.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::size_t kDerivedBytes = 60;

Diagnostic at_line(std::size_t number, Diagnostic failure) {
  failure.message = "line " + std::to_string(number) + ": " + failure.message;
  return failure;
}

Diagnostic not_a_line() {
  return make_error("file-error", "neither an entity nor a relation of an MCP memory server",
                    "lines as {\"type\":\"entity\",\"name\":…,\"entityType\":…,\"observations\":[…]}");
}

class LineImport {
 public:
  LineImport(Store& store, const Import& input) : store_(store), input_(input) {}

  Status entity(const Node& line) {
    const Node* name = line.find("name");
    const Node& observations = line["observations"];
    if (name == nullptr || !name->is_string() || !(observations.is_array() || observations.is_null()))
      return not_a_line();
    Remember memory;
    memory.space = input_.space;
    memory.type = "reference";
    memory.source = "import";
    std::string body;
    for (const Node& one : observations.items()) {
      if (!one.is_string()) return not_a_line();
      body += (body.empty() ? "" : "\n") + one.text();
    }
    memory.body = std::move(body);
    const std::string type = std::string(line.string_or("entityType", ""));
    memory.description =
        std::string(first_characters((type.empty() ? "" : type + ": ") + name->text(), kDescriptionCharacters));
    memory.metadata = Node::object().set("entity", Node::string(name->text())).set("entityType", Node::string(type));
    memory.entities.push_back({name->text(), known_type(type), {}});
    CANDOR_ASSIGN(memory.name, free_name(slug_of(name->text(), kDerivedBytes, "entity")));
    if (input_.skip_existing) {
      CANDOR_ASSIGN(const std::optional<MemoryRow> there, find_memory(store_, input_.space, memory.name));
      if (there) {
        ++tally.skipped;
        return Ok{};
      }
    }
    CANDOR_ASSIGN(const Node document, remember_in(store_, memory));
    ++tally.memories;
    ++tally.versions;
    ++tally.bindings;
    tally.entities += static_cast<std::int64_t>(document["entities_created"].items().size());
    return Ok{};
  }

  Status relation(const Node& line) {
    const Node& from = line["from"];
    const Node& to = line["to"];
    const std::string type(line.string_or("relationType", ""));
    if (!from.is_string() || !to.is_string()) return not_a_line();
    Result<std::string> relation = relation_name(type);
    if (!relation.ok()) ++tally.warnings["relations whose name became 'related'"];
    const std::string name = relation.ok() ? *relation : "related";
    CANDOR_ASSIGN(const Upserted source, upsert_entity(store_, input_.space, {from.text(), {}, {}}));
    CANDOR_ASSIGN(const Upserted target, upsert_entity(store_, input_.space, {to.text(), {}, {}}));
    for (const Upserted& end : {source, target}) {
      if (!end.created) continue;
      ++tally.entities;
      ++tally.warnings["ends of relations that no line describes"];
    }
    const std::optional<std::string> written = type == name ? std::nullopt : std::optional(type);
    CANDOR_ASSIGN(const Edge edge, upsert_relation(store_, input_.space, source.id, target.id, name, {}, written));
    tally.relationships += edge.created ? 1 : 0;
    return Ok{};
  }

  Tally tally;

 private:
  std::optional<std::string> known_type(const std::string& given) {
    Result<std::string> type = entity_type(given);
    if (type.ok()) return *type;
    ++tally.warnings["entity types that became 'concept'"];
    return "concept";
  }

  // Two names may lead to one slug.
  Result<std::string> free_name(const std::string& slug) {
    std::string name = slug;
    for (int number = 2; taken_.contains(name); ++number) name = slug + "-" + std::to_string(number);
    taken_.insert(name);
    return name;
  }

  Store& store_;
  const Import& input_;
  std::set<std::string> taken_;
};

}  // namespace

Node document_of(const Tally& tally, const Import& input, std::string_view format) {
  Node document = texts({{"action", "imported"}, {"source", input.from}, {"format", format}});
  for (const auto& [name, count] :
       {std::pair("memories_imported", tally.memories), std::pair("memories_deleted", tally.deleted),
        std::pair("memories_skipped", tally.skipped), std::pair("versions_imported", tally.versions),
        std::pair("entities_imported", tally.entities), std::pair("relationships_imported", tally.relationships),
        std::pair("bindings_imported", tally.bindings)}) {
    document.set(name, Node::number(count));
  }
  Node warnings = Node::array();
  for (const auto& [text, count] : tally.warnings) warnings.push(Node::string(std::to_string(count) + " " + text));
  document.set("warnings", std::move(warnings));
  return document;
}

Result<Node> import_lines(Store& store, const Import& input, std::string_view text) {
  LineImport import(store, input);
  std::vector<std::pair<std::size_t, Node>> relations;
  std::size_t number = 0;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Node> node = json::parse(line);
    if (!node.ok()) {
      Diagnostic failure = not_a_line();
      failure.detail = node.error().message;
      return at_line(number, std::move(failure));
    }
    const std::string_view type = node->string_or("type", "");
    if (type == "relation") {
      relations.emplace_back(number, std::move(*node));
      continue;
    }
    Status done = type == "entity" ? import.entity(*node) : Status(not_a_line());
    if (!done.ok()) return at_line(number, std::move(done).error());
  }
  for (const auto& [at, node] : relations) {
    Status done = import.relation(node);
    if (!done.ok()) return at_line(at, std::move(done).error());
  }
  return document_of(import.tally, input, "mcp-jsonl");
}

}  // namespace candor::memory
