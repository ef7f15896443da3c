// The lists of memories: list and export, and reading a single one.
#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "memory/memory.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/sql_list.h"
#include "memory/store/store.h"
#include "memory/store/times.h"

namespace candor::memory {
namespace {

using json::Node;

constexpr std::size_t kSnippetCharacters = 200;

Node parsed_object(std::string_view text) {
  if (text == "{}") return Node::object();
  Result<Node> node = json::parse(text);
  return node.ok() ? std::move(*node) : Node::object();
}

void set_time(Node& row, const std::string& name, std::int64_t at) {
  row.set(name, Node::number(at));
  row.set(name + "_iso", Node::string(iso_time(at)));
}

// Columns of both lists, in this order.
constexpr std::string_view kColumns =
    "id, namespace, name, type, rev, version, deleted_at, created_at, updated_at, source, session_id, body_hash, "
    "body_length, description, metadata";

void set_names(Node& row, const sqlite::Statement& at) {
  row.set("namespace", Node::string(std::string(at.text(1))));
  row.set("name", Node::string(std::string(at.text(2))));
  row.set("type", Node::string(std::string(at.text(3))));
  row.set("memory_type", Node::string(std::string(at.text(3))));
  row.set("description", Node::string(std::string(at.text(13))));
}

void set_hidden(Node& row, const sqlite::Statement& at) {
  row.set("rev", Node::number(at.integer(4))).set("version", Node::number(at.integer(5)));
  row.set("source", Node::string(std::string(at.text(9))));
  row.set("session_id", at.is_null(10) ? Node() : Node::string(std::string(at.text(10))));
  row.set("body_hash", Node::string(std::string(at.text(11))));
  row.set("metadata", parsed_object(at.text(14)));
}

Node list_row(const sqlite::Statement& at) {
  Node row = Node::object();
  row.set("id", Node::number(at.integer(0))).set("memory_id", Node::number(at.integer(0)));
  set_names(row, at);
  row.set("snippet", Node::string(std::string(at.text(15))));
  row.set("body_length", Node::number(at.integer(12)));
  set_time(row, "updated_at", at.integer(8));
  if (!at.is_null(6)) set_time(row, "deleted_at", at.integer(6));
  set_time(row, "created_at", at.integer(7));
  set_hidden(row, at);
  return row;
}

Status body_as_stored(std::string_view name, std::string_view body, std::string_view hash) {
  if (sha256_hex(body) == hash) return Ok{};
  const std::string shown(name.substr(0, 80));
  return make_error("integrity", "the body of the memory '" + shown + "' is not what was stored",
                    "candor memory history " + shown + " shows its versions; candor memory health looks at the file");
}

Result<Node> export_row(const sqlite::Statement& at) {
  CANDOR_TRY(body_as_stored(at.text(2), at.text(15), at.text(11)));
  Node row = Node::object();
  set_names(row, at);
  row.set("body", Node::string(std::string(at.text(15))));
  row.set("metadata", parsed_object(at.text(14)));
  row.set("created_at_iso", Node::string(iso_time(at.integer(7))));
  row.set("updated_at_iso", Node::string(iso_time(at.integer(8))));
  if (!at.is_null(6)) row.set("deleted_at_iso", Node::string(iso_time(at.integer(6))));
  row.set("id", Node::number(at.integer(0)));
  row.set("body_length", Node::number(at.integer(12)));
  row.set("created_at", Node::number(at.integer(7))).set("updated_at", Node::number(at.integer(8)));
  set_hidden(row, at);
  return row;
}

// The WHERE of a query. Without deleted ones the conditions are those of the index of live ones.
SqlList::Where where_of(const ListQuery& query) {
  SqlList::Where where;
  where.add("namespace = ", query.space);
  if (query.type) where.add("type = ", *query.type);
  if (!query.include_deleted) where.add("deleted_at IS NULL");
  return where;
}

SqlList::Counter counter_of(const ListQuery& query) {
  return [space = query.space, type = query.type, all = query.include_deleted](Store& store) {
    return store.sql().count(
        "SELECT sum(live) + CASE WHEN ?3 THEN sum(deleted) ELSE 0 END FROM memory_counts WHERE namespace = ?1 AND "
        "(?2 IS NULL OR type = ?2)",
        space, type, all);
  };
}

Result<ListQuery> checked(ListQuery query) {
  if (!query.type) return query;
  CANDOR_ASSIGN(query.type, memory_type(*query.type));
  return query;
}

// A column whose value a filter may be compared with in SQL, and what the list calls it.
const std::vector<std::pair<std::string, std::string>> kPushed = {
    {"name", "name"}, {"type", "type"}, {"memory_type", "type"}, {"namespace", "namespace"}};

}  // namespace

Result<std::unique_ptr<scope::List>> Memory::list(const ListQuery& given) {
  CANDOR_ASSIGN(const ListQuery query, checked(given));
  SqlList::Plan plan;
  plan.declaration.array = "items";
  plan.declaration.ceiling = query.ceiling;
  plan.declaration.content = {"snippet"};
  plan.declaration.catalogue.keys = {"id",
                                     "memory_id",
                                     "namespace",
                                     "name",
                                     "type",
                                     "memory_type",
                                     "description",
                                     "snippet",
                                     "body_length",
                                     "updated_at",
                                     "updated_at_iso",
                                     "deleted_at",
                                     "deleted_at_iso",
                                     "created_at",
                                     "created_at_iso",
                                     "rev",
                                     "version",
                                     "source",
                                     "session_id",
                                     "body_hash",
                                     "metadata"};
  plan.declaration.catalogue.open = {"metadata"};
  plan.declaration.catalogue.aliases = {{"memory_type", "type"}, {"memory_id", "id"}};
  plan.hidden = {"created_at", "created_at_iso", "rev", "version", "source", "session_id", "body_hash", "metadata"};
  plan.select =
      "SELECT " + std::string(kColumns) + ", substr(body, 1, " + std::to_string(kSnippetCharacters) + ") FROM memories";
  plan.order = "ORDER BY rev DESC";
  plan.where = where_of(query);
  plan.pushed = kPushed;
  plan.row = &list_row;
  plan.counter = counter_of(query);
  return std::unique_ptr<scope::List>(new SqlList(*store_, std::move(plan)));
}

Result<std::unique_ptr<scope::List>> Memory::exported(const ListQuery& given) {
  CANDOR_ASSIGN(const ListQuery query, checked(given));
  SqlList::Plan plan;
  plan.declaration.array = "results";
  plan.declaration.ceiling = query.ceiling;
  plan.declaration.content = {"body"};
  plan.declaration.catalogue.keys = {"namespace", "name",        "type",           "memory_type",    "description",
                                     "body",      "metadata",    "created_at_iso", "updated_at_iso", "deleted_at_iso",
                                     "id",        "body_length", "created_at",     "updated_at",     "rev",
                                     "version",   "source",      "session_id",     "body_hash"};
  plan.declaration.catalogue.open = {"metadata"};
  plan.declaration.catalogue.aliases = {{"memory_type", "type"}};
  plan.hidden = {"id",      "body_length", "created_at", "updated_at", "rev",
                 "version", "source",      "session_id", "body_hash"};
  plan.select = "SELECT " + std::string(kColumns) + ", body FROM memories";
  // By number, so that a page stays what it is while memories change, and what is loaded again comes in the old order.
  plan.order = "ORDER BY id";
  plan.where = where_of(query);
  plan.pushed = kPushed;
  plan.row = &export_row;
  plan.counter = counter_of(query);
  return std::unique_ptr<scope::List>(new SqlList(*store_, std::move(plan)));
}

Result<Node> Memory::read(const Which& which, bool with_graph) {
  std::optional<MemoryRow> row;
  if (which.id) {
    CANDOR_ASSIGN(row, find_memory(*store_, *which.id));
    if (!row || row->deleted_at) {
      return make_error("not-found", "no memory with id " + std::to_string(*which.id), "candor memory list");
    }
  } else {
    CANDOR_ASSIGN(const Name name, memory_name(which.name));
    CANDOR_ASSIGN(row, live_memory(*store_, which.space, name.text));
  }
  CANDOR_TRY(body_as_stored(row->name, row->body, row->body_hash));
  Node document = Node::object();
  document.set("id", Node::number(row->id)).set("memory_id", Node::number(row->id));
  document.set("namespace", Node::string(row->space)).set("name", Node::string(row->name));
  document.set("type", Node::string(row->type)).set("memory_type", Node::string(row->type));
  document.set("description", Node::string(row->description)).set("body", Node::string(row->body));
  document.set("body_hash", Node::string(row->body_hash));
  document.set("session_id", row->session_id ? Node::string(*row->session_id) : Node());
  document.set("source", Node::string(row->source)).set("metadata", parsed_object(row->metadata));
  document.set("version", Node::number(row->version)).set("rev", Node::number(row->rev));
  set_time(document, "created_at", row->created_at);
  set_time(document, "updated_at", row->updated_at);
  if (with_graph) {
    CANDOR_ASSIGN(Node graph, graph_of_memory(*store_, row->id));
    document.set("graph", std::move(graph));
  }
  return document;
}

}  // namespace candor::memory
