// Memories with their versions, chunks, addresses and vectors.
#include "memory/store/memories.h"

#include <algorithm>
#include <vector>

#include "base/digest.h"
#include "base/near_names.h"
#include "base/render_json.h"
#include "memory/store/names.h"
#include "memory/store/text_parts.h"
#include "memory/store/times.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

MemoryRow row_of(const sqlite::Run& run) {
  MemoryRow row;
  row.id = run.integer(0);
  row.space = run.text(1);
  row.name = run.text(2);
  row.type = run.text(3);
  row.rev = run.integer(4);
  row.version = run.integer(5);
  row.deleted_at = run.maybe_integer(6);
  row.created_at = run.integer(7);
  row.updated_at = run.integer(8);
  row.source = run.text(9);
  row.session_id = run.maybe_text(10);
  row.body_hash = run.text(11);
  row.description = run.text(12);
  row.metadata = run.text(13);
  row.body = run.text(14);
  return row;
}

Result<std::optional<MemoryRow>> first_of(Result<sqlite::Run> started) {
  CANDOR_ASSIGN(sqlite::Run run, std::move(started));
  CANDOR_ASSIGN(const bool found, run.step());
  if (!found) return std::optional<MemoryRow>();
  return std::optional<MemoryRow>(row_of(run));
}

Status insert_version(Store& store, const MemoryRow& row, const Change& change) {
  return store.sql().execute(
      "INSERT INTO memory_versions (memory_id, version, name, type, change_reason, changed_by, created_at, "
      "description, "
      "metadata, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
      row.id, row.version, row.name, row.type, change.reason, change.by, row.updated_at, row.description, row.metadata,
      row.body);
}

std::string_view bytes_of(const std::vector<float>& vector) {
  return {reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float)};
}

Status insert_vector(Store& store, std::int64_t memory, const Embedded& vectors) {
  CANDOR_ASSIGN(sqlite::Statement statement,
                store.database().prepare("INSERT OR REPLACE INTO memory_embeddings VALUES (?1, ?2, ?3)"));
  CANDOR_TRY(statement.bind_integer(1, memory));
  CANDOR_TRY(statement.bind_integer(2, vectors.embedder));
  CANDOR_TRY(statement.bind_blob(3, bytes_of(vectors.memory)));
  CANDOR_TRY(statement.step());
  return Ok{};
}

Result<std::size_t> insert_chunks(Store& store, const MemoryRow& row) {
  std::size_t number = 0;
  for (const Chunk& chunk : chunks_of(row.body)) {
    CANDOR_TRY(store.sql().execute(
        "INSERT INTO memory_chunks (memory_id, chunk_idx, start_offset, end_offset, token_count, chunk_text) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        row.id, number++, chunk.start, chunk.end, chunk.tokens,
        std::string_view(row.body).substr(chunk.start, chunk.end - chunk.start)));
  }
  return number;
}

Result<std::size_t> insert_urls(Store& store, const MemoryRow& row) {
  const std::vector<Url> urls = urls_of(row.body);
  for (const Url& url : urls) {
    CANDOR_TRY(store.sql().execute("INSERT OR IGNORE INTO memory_urls (memory_id, url, url_offset) VALUES (?1, ?2, ?3)",
                                   row.id, url.text, url.offset));
  }
  return urls.size();
}

// What is derived from the texts.
Result<Parts> store_parts(Store& store, const MemoryRow& row, const MemoryRow* before, const Change& change) {
  Parts parts;
  const bool body_changed = before == nullptr || before->body != row.body;
  parts.text_changed = body_changed || before->description != row.description || before->name != row.name;
  if (before != nullptr && body_changed) {
    CANDOR_TRY(store.sql().execute("DELETE FROM memory_chunks WHERE memory_id = ?1", row.id));
    CANDOR_TRY(store.sql().execute("DELETE FROM memory_urls WHERE memory_id = ?1", row.id));
  }
  const bool vectors_stale = before != nullptr && (body_changed || before->description != row.description);
  if (vectors_stale || (before != nullptr && change.vectors)) {
    CANDOR_TRY(store.sql().execute("DELETE FROM memory_embeddings WHERE memory_id = ?1", row.id));
  }
  if (body_changed) {
    CANDOR_ASSIGN(parts.chunks, insert_chunks(store, row));
    CANDOR_ASSIGN(parts.urls, insert_urls(store, row));
  }
  if (!change.vectors) return parts;
  if (!change.vectors->of.empty() && change.vectors->of != text_digest(row.description, row.body)) {
    return make_error("lost-race", "the memory '" + row.name + "' was changed while its vector was made",
                      "run the command again");
  }
  CANDOR_TRY(insert_vector(store, row.id, *change.vectors));
  CANDOR_TRY(pack_vectors(store.database(), change.vectors->embedder));
  return parts;
}

// A namespace is there as long as something was ever stored in it.
Status check_namespaces(Store& store, std::string_view space) {
  CANDOR_ASSIGN(const std::int64_t known,
                store.sql().count("SELECT EXISTS (SELECT 1 FROM memory_counts WHERE namespace = ?1)", space));
  if (known != 0) return Ok{};
  CANDOR_ASSIGN(const std::int64_t others, store.sql().count("SELECT count(DISTINCT namespace) FROM memory_counts"));
  if (others < kNamespaces) return Ok{};
  return make_error("over-limit", "there are " + std::to_string(others) + " namespaces, the most that a memory has",
                    "use one of those that are there: candor memory stats");
}

// Names that begin alike; all of a large namespace would take longer than the mistake is worth.
Result<std::vector<std::string>> names_like(Store& store, std::string_view space, std::string_view name) {
  std::vector<std::string> known;
  CANDOR_ASSIGN(
      sqlite::Run run,
      store.sql().start("SELECT name FROM memories WHERE namespace = ?1 AND name >= ?2 AND deleted_at IS NULL "
                        "ORDER BY name LIMIT 1000",
                        space, name.substr(0, 1)));
  for (;;) {
    CANDOR_ASSIGN(const bool more, run.step());
    if (!more) break;
    known.push_back(run.text(0));
  }
  return known;
}

}  // namespace

Result<std::optional<MemoryRow>> find_memory(Store& store, std::string_view space, std::string_view name) {
  return first_of(
      store.sql().start("SELECT id, namespace, name, type, rev, version, deleted_at, created_at, updated_at, source, "
                        "session_id, body_hash, "
                        "description, metadata, body FROM memories WHERE namespace = ?1 AND name = ?2",
                        space, name));
}

Result<std::optional<MemoryRow>> find_memory(Store& store, std::int64_t id) {
  return first_of(
      store.sql().start("SELECT id, namespace, name, type, rev, version, deleted_at, created_at, updated_at, source, "
                        "session_id, body_hash, "
                        "description, metadata, body FROM memories WHERE id = ?1",
                        id));
}

Diagnostic no_memory(Store& store, std::string_view space, std::string_view name) {
  std::string near;
  const Result<std::vector<std::string>> known = names_like(store, space, name);
  if (!known.ok()) return known.error();
  for (const std::string& one : near_names(name, *known)) near += (near.empty() ? "did you mean " : ", ") + one;
  return make_error("not-found", "no memory '" + std::string(name) + "' in namespace " + std::string(space),
                    near.empty() ? "candor memory list --namespace " + std::string(space) : near);
}

Result<MemoryRow> live_memory(Store& store, std::string_view space, std::string_view name) {
  CANDOR_ASSIGN(std::optional<MemoryRow> row, find_memory(store, space, name));
  if (row && !row->deleted_at) return std::move(*row);
  Diagnostic missing = no_memory(store, space, name);
  if (row) {
    missing.message = "the memory '" + std::string(name) + "' was forgotten on " + iso_time(*row->deleted_at);
    missing.hint = "candor memory restore " + std::string(name) + " --namespace " + std::string(space);
  }
  return missing;
}

Result<Expected> parse_expected(const std::optional<std::string>& updated_at, const std::optional<std::string>& rev) {
  Expected expected;
  if (updated_at) {
    CANDOR_ASSIGN(expected.updated_at, parse_time(*updated_at));
  }
  if (rev) {
    const bool digits =
        !rev->empty() && rev->size() < 19 && std::ranges::all_of(*rev, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) return make_error("usage", "--expected-rev takes a number", "the rev that candor memory read shows");
    expected.rev = std::stoll(*rev);
  }
  return expected;
}

Status check_expected(const MemoryRow& row, const Expected& expected) {
  const bool rev = !expected.rev || *expected.rev == row.rev;
  const bool time = !expected.updated_at || *expected.updated_at == row.updated_at;
  if (rev && time) return Ok{};
  return make_error("lost-race", "the memory '" + row.name + "' was changed meanwhile",
                    "candor memory read " + row.name + " --namespace " + row.space + ", then decide anew",
                    "it is at rev " + std::to_string(row.rev) + ", updated_at " + std::to_string(row.updated_at) +
                        " (" + iso_time(row.updated_at) + ")");
}

Status check_texts(std::string_view description, std::string_view body) {
  if (!is_utf8(description)) return make_error("invalid-text", "the description is not valid UTF-8");
  if (!is_utf8(body)) return make_error("invalid-text", "the body is not valid UTF-8");
  if (const std::size_t length = characters(description); length > kDescriptionCharacters) {
    return make_error("over-limit",
                      "a description has at most " + std::to_string(kDescriptionCharacters) + " characters, this one " +
                          std::to_string(length),
                      "put the rest into the body");
  }
  if (body.size() > kBodyBytes) {
    return make_error(
        "over-limit",
        "a body has at most " + std::to_string(kBodyBytes) + " bytes, this one " + std::to_string(body.size()),
        "split it into several memories");
  }
  return Ok{};
}

Result<std::string> metadata_text(const json::Node& metadata) {
  if (metadata.is_null()) return std::string("{}");
  if (!metadata.is_object()) return make_error("bad-request", "metadata must be a JSON object", "{\"key\": \"value\"}");
  std::string text = json::dump(metadata);
  if (text.size() > kMetadataBytes) {
    return make_error("over-limit", "metadata has at most " + std::to_string(kMetadataBytes) + " bytes, this one " +
                                        std::to_string(text.size()));
  }
  return text;
}

Result<Parts> create_memory(Store& store, MemoryRow& row, const Change& change) {
  CANDOR_TRY(check_namespaces(store, row.space));
  CANDOR_ASSIGN(row.rev, store.next_rev());
  row.version = 1;
  row.created_at = row.updated_at = store.now();
  row.deleted_at.reset();
  row.body_hash = sha256_hex(row.body);
  CANDOR_TRY(store.sql().execute(
      "INSERT INTO memories (namespace, name, type, rev, version, created_at, updated_at, source, session_id, "
      "body_hash, "
      "body_length, description, metadata, body) VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
      row.space, row.name, row.type, row.rev, row.created_at, row.updated_at, row.source, row.session_id, row.body_hash,
      row.body.size(), row.description, row.metadata, row.body));
  row.id = store.database().last_insert_rowid();
  CANDOR_TRY(insert_version(store, row, change));
  return store_parts(store, row, nullptr, change);
}

Result<Parts> change_memory(Store& store, const MemoryRow& before, MemoryRow& row, const Change& change) {
  CANDOR_ASSIGN(row.rev, store.next_rev());
  // Versions of a memory never come again, not even after an import that skipped some.
  CANDOR_ASSIGN(const std::int64_t highest,
                store.sql().count("SELECT max(version) FROM memory_versions WHERE memory_id = ?1", before.id));
  row.id = before.id;
  row.version = std::max(before.version, highest) + 1;
  row.created_at = before.created_at;
  // Two changes within a second must not look alike to who compares times, nor may a clock that was set back.
  row.updated_at = std::max(store.now(), before.updated_at + 1);
  row.deleted_at.reset();
  row.body_hash = sha256_hex(row.body);
  CANDOR_TRY(store.sql().execute(
      "UPDATE memories SET name = ?2, type = ?3, rev = ?4, version = ?5, deleted_at = NULL, updated_at = ?6, source = "
      "?7, "
      "session_id = ?8, body_hash = ?9, body_length = ?10, description = ?11, metadata = ?12, body = ?13 WHERE id = ?1",
      row.id, row.name, row.type, row.rev, row.version, row.updated_at, row.source, row.session_id, row.body_hash,
      row.body.size(), row.description, row.metadata, row.body));
  CANDOR_TRY(insert_version(store, row, change));
  return store_parts(store, row, &before, change);
}

}  // namespace candor::memory
