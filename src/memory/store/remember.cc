// The verb `remember`.
#include <utility>

#include "base/digest.h"
#include "base/render_json.h"
#include "memory/embed/model_store.h"
#include "memory/memory.h"
#include "memory/store/graph.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"
#include "memory/store/times.h"
#include "memory/store/write.h"

namespace candor::memory {
namespace {

using json::Node;

Node strings(const std::vector<std::string>& values) {
  Node array = Node::array();
  for (const std::string& value : values) array.push(Node::string(value));
  return array;
}

Diagnostic duplicate(const MemoryRow& row) {
  if (row.deleted_at) {
    return make_error("duplicate", "a memory '" + row.name + "' was forgotten and still has this name",
                      "--force-merge revives it with what is given; candor memory restore " + row.name +
                          " brings it back as it was; candor memory purge --name " + row.name +
                          " --now --yes frees the name",
                      "it was forgotten on " + iso_time(*row.deleted_at));
  }
  return make_error("duplicate", "there is a memory '" + row.name + "' in namespace " + row.space + " already",
                    "--force-merge changes it; candor memory edit " + row.name + " changes parts of it",
                    "its id is " + std::to_string(row.id) + ", updated_at " + iso_time(row.updated_at));
}

// The row as it will be: what is not given stays as it was.
Result<MemoryRow> draft_of(const Remember& input, const Name& name, const std::optional<MemoryRow>& before) {
  MemoryRow row = before.value_or(MemoryRow());
  row.space = input.space;
  row.name = name.text;
  row.source = input.source;
  if (!before) row.metadata = "{}";
  if (input.type) {
    CANDOR_ASSIGN(row.type, memory_type(*input.type));
  } else if (!before) {
    return make_error("usage", "a new memory needs a type", "--type note");
  }
  if (input.description) row.description = *input.description;
  // An empty body is what callers without one send; to empty a stored one has to be said.
  if (input.body && (!before || !input.body->empty())) row.body = *input.body;
  if (input.clear_body) row.body.clear();
  if (input.metadata) {
    CANDOR_ASSIGN(row.metadata, metadata_text(*input.metadata));
  }
  if (input.session_id) {
    if (!is_utf8(*input.session_id)) return make_error("invalid-text", "the session's name is not valid UTF-8");
    row.session_id = input.session_id;
  }
  CANDOR_TRY(check_texts(row.description, row.body));
  return row;
}

// Another memory with the same text is told about, not refused.
Result<std::vector<std::string>> same_text(Store& store, const MemoryRow& row) {
  std::vector<std::string> warnings;
  if (row.body.empty()) return warnings;
  CANDOR_ASSIGN(sqlite::Run run,
                store.sql().start("SELECT name FROM memories WHERE body_hash = ?1 AND namespace = ?2 AND id <> ?3 AND "
                                  "deleted_at IS NULL ORDER BY id LIMIT 1",
                                  row.body_hash, row.space, row.id));
  CANDOR_ASSIGN(const bool found, run.step());
  if (found) warnings.push_back("the memory '" + run.text(0) + "' has the same body");
  return warnings;
}

Node document_of(const MemoryRow& row, bool created, const Parts& parts, const Bound& bound) {
  const char* action = created ? "created" : "updated";
  Node document = Node::object();
  document.set("memory_id", Node::number(row.id)).set("name", Node::string(row.name));
  document.set("namespace", Node::string(row.space));
  document.set("action", Node::string(action)).set("operation", Node::string(action));
  document.set("version", Node::number(row.version)).set("rev", Node::number(row.rev));
  document.set("entities_persisted", Node::number(static_cast<std::int64_t>(bound.entities)));
  document.set("relationships_persisted", Node::number(static_cast<std::int64_t>(bound.relations)));
  document.set("chunks_created", Node::number(static_cast<std::int64_t>(parts.chunks)));
  document.set("chunks_persisted", Node::number(static_cast<std::int64_t>(parts.chunks)));
  document.set("urls_persisted", Node::number(static_cast<std::int64_t>(parts.urls)));
  document.set("merged_into_memory_id", Node());
  document.set("entities_created", strings(bound.created));
  return document;
}

}  // namespace

Status check_source(std::string_view source) {
  for (const std::string_view one : {"agent", "user", "system", "import", "sync"}) {
    if (source == one) return Ok{};
  }
  return make_error("bad-request", "no source '" + std::string(source) + "'",
                    "one of agent, user, system, import, sync");
}

Node texts(std::initializer_list<std::pair<std::string_view, std::string_view>> members) {
  Node node = Node::object();
  for (const auto& [name, value] : members) node.set(std::string(name), Node::string(std::string(value)));
  return node;
}

Result<Node> remember_in(Store& store, const Remember& input) {
  CANDOR_ASSIGN(const Name name, memory_name(input.name, input.strict_name));
  CANDOR_ASSIGN(const std::optional<MemoryRow> before, find_memory(store, input.space, name.text));
  if (before && !input.force_merge) return duplicate(*before);
  if (before) {
    CANDOR_TRY(check_expected(*before, input.expected));
  } else if (input.expected.rev || input.expected.updated_at) {
    return no_memory(store, input.space, name.text);
  }
  CANDOR_ASSIGN(MemoryRow row, draft_of(input, name, before));
  const Change change{before ? "edit" : "create", input.session_id, input.vectors};
  Result<Parts> parts = before ? change_memory(store, *before, row, change) : create_memory(store, row, change);
  if (!parts.ok()) return std::move(parts).error();
  if (before && input.replace_graph) CANDOR_TRY(unbind_graph(store, row.id));
  CANDOR_ASSIGN(const Bound bound,
                bind_graph(store, input.space, row.id, input.entities, input.relations, input.strict_relations));
  CANDOR_ASSIGN(std::vector<std::string> warnings, same_text(store, row));
  warnings.insert(warnings.end(), bound.warnings.begin(), bound.warnings.end());
  if (input.dry_run) warnings.emplace_back("dry run: nothing was stored");
  Node document = document_of(row, !before, *parts, bound);
  document.set("name_was_normalized", Node::boolean(name.changed));
  if (name.changed) document.set("original_name", Node::string(input.name));
  document.set("warnings", strings(warnings));
  document.set("created_at", Node::number(row.created_at))
      .set("created_at_iso", Node::string(iso_time(row.created_at)));
  document.set("updated_at", Node::number(row.updated_at));
  return document;
}

Result<std::optional<MemoryText>> text_to_embed(Store& store, const Remember& input) {
  if (input.vectors || input.dry_run) return std::optional<MemoryText>();
  const Result<Name> name = memory_name(input.name, input.strict_name);
  if (!name.ok()) return std::optional<MemoryText>();  // told by the write itself
  CANDOR_ASSIGN(const std::optional<MemoryRow> before, find_memory(store, input.space, name->text));
  if (before && !input.force_merge) return std::optional<MemoryText>();
  const std::string stored_body = before && !input.clear_body ? before->body : std::string();
  MemoryText text{.description = input.description.value_or(before ? before->description : std::string()),
                  .body = input.body && !input.body->empty() ? *input.body : stored_body};
  if (!check_texts(text.description, text.body).ok()) return std::optional<MemoryText>();
  return std::optional(std::move(text));
}

Status add_vectors(Store& store, Remember& input) {
  CANDOR_ASSIGN(const std::optional<MemoryText> text, text_to_embed(store, input));
  if (!text) return Ok{};
  CANDOR_ASSIGN(input.vectors, vectors_for(store, text->description, text->body, input.allow_missing_vector));
  return Ok{};
}

Result<Node> Memory::remember(const Remember& given) {
  return write_with_vectors(given, [&](Remember& input) -> Result<Node> {
    CANDOR_TRY(add_vectors(*store_, input));
    CANDOR_TRY(store_->begin());
    Result<Node> document = remember_in(*store_, input);
    CANDOR_TRY(store_->end(document.ok() && !input.dry_run));
    return document;
  });
}

}  // namespace candor::memory
