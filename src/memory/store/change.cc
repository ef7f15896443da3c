// The verbs that change or end a memory: edit, rename, forget, restore.
#include <utility>

#include "memory/embed/model_store.h"
#include "memory/memory.h"
#include "memory/store/file.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"
#include "memory/store/times.h"
#include "memory/store/write.h"

namespace candor::memory {
namespace {

using json::Node;

Result<MemoryRow> wanted(Store& store, const Which& which) {
  if (which.id) {
    CANDOR_ASSIGN(std::optional<MemoryRow> row, find_memory(store, *which.id));
    if (row && !row->deleted_at) return std::move(*row);
    return make_error("not-found", "no memory with id " + std::to_string(*which.id), "candor memory list");
  }
  CANDOR_ASSIGN(const Name name, memory_name(which.name));
  return live_memory(store, which.space, name.text);
}

Node changed_document(const MemoryRow& row, std::string_view action) {
  Node document = Node::object();
  document.set("memory_id", Node::number(row.id)).set("name", Node::string(row.name));
  document.set("action", Node::string(std::string(action)));
  document.set("version", Node::number(row.version)).set("rev", Node::number(row.rev));
  document.set("updated_at", Node::number(row.updated_at));
  return document;
}

Result<Node> edit_in(Store& store, const Edit& input) {
  CANDOR_ASSIGN(const MemoryRow before, wanted(store, input.which));
  CANDOR_TRY(check_expected(before, input.expected));
  MemoryRow row = before;
  if (input.type) {
    CANDOR_ASSIGN(row.type, memory_type(*input.type));
  }
  if (input.description) row.description = *input.description;
  if (input.body) row.body = *input.body;
  if (input.metadata) {
    CANDOR_ASSIGN(row.metadata, metadata_text(*input.metadata));
  }
  if (input.session_id) row.session_id = input.session_id;
  CANDOR_TRY(check_texts(row.description, row.body));
  CANDOR_TRY(change_memory(store, before, row, {"edit", input.session_id, input.vectors}));
  return changed_document(row, "updated");
}

Result<Node> rename_in(Store& store, const Rename& input) {
  CANDOR_ASSIGN(const MemoryRow before, wanted(store, input.which));
  CANDOR_TRY(check_expected(before, input.expected));
  CANDOR_ASSIGN(const Name name, memory_name(input.new_name));
  CANDOR_ASSIGN(const std::optional<MemoryRow> there, find_memory(store, before.space, name.text));
  if (there && !there->deleted_at) {
    return make_error("duplicate", "there is a memory '" + name.text + "' in namespace " + before.space + " already",
                      "another name, or candor memory forget " + name.text);
  }
  if (there) {
    CANDOR_TRY(store.sql().execute("DELETE FROM memories WHERE id = ?1", there->id));
    CANDOR_TRY(mark_for_rewrite(store));
  }
  MemoryRow row = before;
  row.name = name.text;
  if (input.session_id) row.session_id = input.session_id;
  CANDOR_TRY(change_memory(store, before, row, {"rename", input.session_id, {}}));
  Node document = changed_document(row, "renamed");
  document.set("ghost_purged", Node::boolean(there.has_value()));
  return document;
}

Node forgotten_document(const MemoryRow& row, std::string_view action, std::int64_t at) {
  Node document = texts({{"action", action}});
  document.set("forgotten", Node::boolean(true));
  document.set("name", Node::string(row.name)).set("namespace", Node::string(row.space));
  document.set("deleted_at", Node::number(at)).set("deleted_at_iso", Node::string(iso_time(at)));
  return document;
}

}  // namespace

Result<Node> forget_in(Store& store, const Which& which) {
  CANDOR_ASSIGN(const Name name, memory_name(which.name));
  CANDOR_ASSIGN(const std::optional<MemoryRow> row, find_memory(store, which.space, name.text));
  if (!row) return no_memory(store, which.space, name.text);
  if (row->deleted_at) return forgotten_document(*row, "already_deleted", *row->deleted_at);
  const std::int64_t now = store.now();
  CANDOR_ASSIGN(const std::int64_t rev, store.next_rev());
  CANDOR_TRY(
      store.sql().execute("UPDATE memories SET deleted_at = ?2, rev = ?3, updated_at = max(?2, updated_at + 1) "
                          "WHERE id = ?1",
                          row->id, now, rev));
  CANDOR_TRY(store.sql().execute("DELETE FROM memory_embeddings WHERE memory_id = ?1", row->id));
  return forgotten_document(*row, "soft_deleted", now);
}

namespace {

// The version that is asked for, or the newest that is none of a restore.
Result<std::int64_t> put_version(Store& store, const MemoryRow& before, std::optional<std::int64_t> version,
                                 MemoryRow& row) {
  CANDOR_ASSIGN(sqlite::Run run,
                store.sql().start("SELECT version, type, description, metadata, body FROM memory_versions WHERE "
                                  "memory_id = ?1 AND (version = ?2 OR (?2 IS NULL AND change_reason <> 'restore')) "
                                  "ORDER BY version DESC LIMIT 1",
                                  before.id, version));
  CANDOR_ASSIGN(const bool found, run.step());
  if (!found) {
    return make_error(
        "not-found",
        "the memory '" + before.name + "' has no version " + (version ? std::to_string(*version) : "to restore"),
        "candor memory history " + before.name + " --namespace " + before.space);
  }
  row.type = run.text(1);
  row.description = run.text(2);
  row.metadata = run.text(3);
  row.body = run.text(4);
  return run.integer(0);
}

Result<Node> restore_in(Store& store, const Restore& input) {
  CANDOR_ASSIGN(const Name name, memory_name(input.which.name));
  CANDOR_ASSIGN(const std::optional<MemoryRow> before, find_memory(store, input.which.space, name.text));
  if (!before) return no_memory(store, input.which.space, name.text);
  CANDOR_TRY(check_expected(*before, input.expected));
  MemoryRow row = *before;
  CANDOR_ASSIGN(const std::int64_t from, put_version(store, *before, input.version, row));
  CANDOR_TRY(change_memory(store, *before, row, {"restore", {}, input.vectors}));
  Node document = changed_document(row, "restored");
  document.set("restored_from", Node::number(from));
  return document;
}

// Vectors of the texts as they will be.
Result<std::optional<Embedded>> vectors_of(Store& store, const Edit& input) {
  if (input.vectors) return input.vectors;
  const Result<MemoryRow> before = wanted(store, input.which);
  if (!before.ok()) return std::optional<Embedded>();  // told by the write itself
  const std::string description = input.description.value_or(before->description),
                    body = input.body.value_or(before->body);
  if (!check_texts(description, body).ok()) return std::optional<Embedded>();
  return vectors_for(store, description, body, input.allow_missing_vector);
}

Result<std::optional<Embedded>> vectors_of(Store& store, const Restore& input) {
  if (input.vectors) return input.vectors;
  const Result<Name> name = memory_name(input.which.name);
  if (!name.ok()) return std::optional<Embedded>();
  CANDOR_ASSIGN(const std::optional<MemoryRow> before, find_memory(store, input.which.space, name->text));
  if (!before) return std::optional<Embedded>();
  MemoryRow row = *before;
  if (!put_version(store, *before, input.version, row).ok()) return std::optional<Embedded>();
  return vectors_for(store, row.description, row.body, input.allow_missing_vector);
}

}  // namespace

Result<Node> Memory::edit(const Edit& given) {
  return write_with_vectors(given, [&](Edit& input) -> Result<Node> {
    CANDOR_ASSIGN(input.vectors, vectors_of(*store_, input));
    return store_->transaction([&] { return edit_in(*store_, input); });
  });
}
Result<Node> Memory::rename(const Rename& input) {
  return store_->transaction([&] { return rename_in(*store_, input); });
}
Result<Node> Memory::forget(const Which& which) {
  return store_->transaction([&] { return forget_in(*store_, which); });
}
Result<Node> Memory::restore(const Restore& given) {
  return write_with_vectors(given, [&](Restore& input) -> Result<Node> {
    CANDOR_ASSIGN(input.vectors, vectors_of(*store_, input));
    return store_->transaction([&] { return restore_in(*store_, input); });
  });
}

}  // namespace candor::memory
