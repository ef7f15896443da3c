// Reading one memory as a row.
#include "memory/search/rows.h"

#include <algorithm>
#include <cmath>

#include "memory/store/names.h"
#include "memory/store/times.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::size_t kSnippetCharacters = 300;

Node text_node(const sqlite::Run& run, int column) { return Node::string(run.text(column)); }

}  // namespace

Result<Node> stored_row(Store& store, std::int64_t id) {
  CANDOR_ASSIGN(sqlite::Run run,
                store.sql().start("SELECT namespace, name, type, rev, version, created_at, updated_at, "
                                  "session_id, description, metadata, body FROM memories WHERE id = ?1",
                                  id));
  CANDOR_ASSIGN(const bool found, run.step());
  if (!found)
    return make_error("storage", "a memory that an index speaks of is not there", "candor memory fts rebuild");
  Node row = Node::object();
  row.set("memory_id", Node::number(id)).set("name", text_node(run, 1)).set("namespace", text_node(run, 0));
  row.set("type", text_node(run, 2)).set("description", text_node(run, 8));
  row.set("snippet", Node::string(std::string(first_characters(run.view(10), kSnippetCharacters))));
  row.set("body", text_node(run, 10));
  row.set("created_at", Node::number(run.integer(5))).set("created_at_iso", Node::string(iso_time(run.integer(5))));
  row.set("updated_at", Node::number(run.integer(6))).set("updated_at_iso", Node::string(iso_time(run.integer(6))));
  row.set("rev", Node::number(run.integer(3))).set("version", Node::number(run.integer(4)));
  row.set("session_id", run.is_null(7) ? Node() : text_node(run, 7));
  Result<Node> metadata = json::parse(run.view(9));
  row.set("metadata", metadata.ok() ? std::move(*metadata) : Node::object());
  return row;
}

std::vector<std::string> hidden_keys() {
  return {"created_at", "created_at_iso", "updated_at", "updated_at_iso", "rev", "version", "session_id", "metadata"};
}

Node take(Node& row, std::string_view name) {
  auto& members = row.members();
  const auto found = std::ranges::find(members, name, &std::pair<std::string, Node>::first);
  if (found == members.end()) return {};
  Node value = std::move(found->second);
  members.erase(found);
  return value;
}

Node score_node(double score) { return Node::number(std::round(score * 1e9) / 1e9); }

}  // namespace candor::memory
