// The verb `history`: a memory's versions, the oldest first.
#include <utility>

#include "memory/memory.h"
#include "memory/store/line_diff.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"
#include "memory/store/times.h"
#include "scope/rows_list.h"

namespace candor::memory {
namespace {

using json::Node;

Node metadata_of(std::string_view text) {
  Result<Node> node = json::parse(text);
  return node.ok() ? std::move(*node) : Node::object();
}

Node version_row(const sqlite::Run& run, bool with_body) {
  Node row = Node::object();
  row.set("version", Node::number(run.integer(0))).set("name", Node::string(run.text(1)));
  row.set("type", Node::string(run.text(2))).set("description", Node::string(run.text(3)));
  if (with_body) row.set("body", Node::string(run.text(8)));
  row.set("metadata", metadata_of(run.view(4)));
  row.set("action", Node::string(run.text(5))).set("change_reason", Node::string(run.text(5)));
  row.set("changed_by", run.is_null(6) ? Node() : Node::string(run.text(6)));
  row.set("created_at", Node::number(run.integer(7)));
  row.set("created_at_iso", Node::string(iso_time(run.integer(7))));
  return row;
}

// What a body became, with the description and metadata where they changed too.
void set_diff(Node& row, std::string_view before, std::string_view after) {
  const LineDiff diff = line_diff(before, after);
  row.set("diff", Node::string(diff.text));
  row.set("lines_added", Node::number(static_cast<std::int64_t>(diff.added)));
  row.set("lines_removed", Node::number(static_cast<std::int64_t>(diff.removed)));
}

}  // namespace

Result<History> Memory::history(const Which& which, bool with_body, bool with_diff) {
  CANDOR_ASSIGN(const Name name, memory_name(which.name));
  CANDOR_ASSIGN(const std::optional<MemoryRow> memory, find_memory(*store_, which.space, name.text));
  if (!memory) return no_memory(*store_, which.space, name.text);
  std::vector<Node> rows;
  std::optional<std::string> before;
  CANDOR_ASSIGN(sqlite::Run run,
                store_->sql().start("SELECT version, name, type, description, metadata, change_reason, changed_by, "
                                    "created_at, body FROM memory_versions WHERE memory_id = ?1 ORDER BY version",
                                    memory->id));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    Node row = version_row(run, with_body);
    if (with_diff && before) set_diff(row, *before, run.view(8));
    if (with_diff) before = run.text(8);
    rows.push_back(std::move(row));
  }
  scope::Declaration declaration;
  declaration.array = "versions";
  declaration.content = {"body", "diff"};
  declaration.catalogue.keys = {"version",        "name",   "type",          "description",  "body",
                                "metadata",       "action", "change_reason", "changed_by",   "created_at",
                                "created_at_iso", "diff",   "lines_added",   "lines_removed"};
  declaration.catalogue.open = {"metadata"};
  return History{memory->name, memory->deleted_at.has_value(),
                 std::make_unique<scope::RowsList>(std::move(declaration), std::move(rows))};
}

}  // namespace candor::memory
