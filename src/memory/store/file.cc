// The verbs about the file: init, stats, vacuum, backup.
#include "memory/store/file.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/no_room.h"
#include "memory/memory.h"
#include "memory/store/schema.h"
#include "memory/store/store.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

using json::Node;

std::int64_t size_of(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? static_cast<std::int64_t>(about.st_size) : 0;
}

Result<bool> has_table(Store& store, std::string_view name) {
  CANDOR_ASSIGN(const std::int64_t found,
                store.sql().count("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1", name));
  return found > 0;
}

constexpr std::array<std::string_view, 2> kTextIndexes = {"fts_memories", "fts_chunks"};

Status for_each_text_index(Store& store, std::string_view command) {
  for (const std::string_view table : kTextIndexes) {
    CANDOR_ASSIGN(const bool there, has_table(store, table));
    if (!there) continue;
    const std::string name(table);
    CANDOR_TRY(store.database().run("INSERT INTO " + name + " (" + name + ") VALUES ('" + std::string(command) + "')"));
  }
  return Ok{};
}

}  // namespace

Result<Counts> counts_of(Store& store, const std::optional<std::string>& space) {
  Counts counts;
  CANDOR_ASSIGN(counts.live,
                store.sql().count("SELECT sum(live) FROM memory_counts WHERE ?1 IS NULL OR namespace = ?1", space));
  CANDOR_ASSIGN(counts.total, store.sql().count("SELECT sum(live + deleted) FROM memory_counts WHERE ?1 IS NULL OR "
                                                "namespace = ?1",
                                                space));
  CANDOR_ASSIGN(counts.entities,
                store.sql().count("SELECT sum(entities) FROM entity_counts WHERE ?1 IS NULL OR namespace = ?1", space));
  CANDOR_ASSIGN(counts.relationships,
                store.sql().count("SELECT count(*) FROM relationships WHERE ?1 IS NULL OR namespace = ?1", space));
  CANDOR_ASSIGN(counts.vectors,
                store.sql().count("SELECT count(DISTINCT v.memory_id) FROM memory_embeddings v JOIN memories m ON "
                                  "m.id = v.memory_id WHERE m.deleted_at IS NULL AND (?1 IS NULL OR m.namespace = ?1)",
                                  space));
  return counts;
}

std::int64_t file_bytes(const std::string& path) { return size_of(path) + size_of(path + "-wal"); }

Status mark_for_rewrite(Store& store) {
  return store.sql().execute(
      "INSERT INTO schema_meta (key, value) VALUES ('rewrite', '1') ON CONFLICT (key) DO NOTHING");
}

Result<bool> marked_for_rewrite(Store& store) {
  CANDOR_ASSIGN(const std::int64_t marks, store.sql().count("SELECT count(*) FROM schema_meta WHERE key = 'rewrite'"));
  return marks > 0;
}

Status rewrite_file(Store& store) {
  CANDOR_TRY(store.transaction([&] { return scrub_vectors(store.database()); }));
  CANDOR_TRY(for_each_text_index(store, "optimize"));
  store.sql().clear();
  CANDOR_TRY(store.database().run("VACUUM"));
  CANDOR_ASSIGN(sqlite::Statement statement, store.database().prepare("PRAGMA wal_checkpoint(TRUNCATE)"));
  CANDOR_ASSIGN(const bool row, statement.step());
  if (row && statement.integer(0) == 0) return store.database().run("DELETE FROM schema_meta WHERE key = 'rewrite'");
  return make_error("busy", "another process still reads what the log has", "candor memory vacuum");
}

Result<Node> Memory::init(const std::string& space, bool existed) {
  Node document = texts({{"db_path", store_->path()}});
  document.set("schema_version", Node::number(newest_version()));
  document.set("model", Node::string("none")).set("dim", Node::number(std::int64_t{0}));
  document.set("namespace", Node::string(space));
  document.set("status", Node::string(existed ? "already_exists" : "created"));
  return document;
}

Result<Node> Memory::stats() {
  CANDOR_ASSIGN(const Counts counts, counts_of(*store_, {}));
  CANDOR_ASSIGN(const std::int64_t chunks, store_->sql().count("SELECT count(*) FROM memory_chunks"));
  Node spaces = Node::array();
  {
    CANDOR_ASSIGN(sqlite::Run run, store_->sql().start("SELECT namespace FROM memory_counts GROUP BY namespace HAVING "
                                                       "sum(live + deleted) > 0 ORDER BY namespace"));
    for (;;) {
      CANDOR_ASSIGN(const bool more, run.step());
      if (!more) break;
      spaces.push(Node::string(run.text(0)));
    }
  }
  CANDOR_ASSIGN(sqlite::Run average,
                store_->sql().start("SELECT coalesce(avg(body_length), 0.0) FROM memories WHERE deleted_at IS NULL"));
  CANDOR_TRY(average.step());
  const std::int64_t bytes = store_->exists() ? size_of(store_->path()) : 0;
  Node document = Node::object();
  for (const char* name : {"memories", "total_memories"}) document.set(name, Node::number(counts.live));
  document.set("memories_total", Node::number(counts.total));
  for (const char* name : {"entities", "entities_total"}) document.set(name, Node::number(counts.entities));
  for (const char* name : {"relationships", "relationships_total", "edges"}) {
    document.set(name, Node::number(counts.relationships));
  }
  document.set("chunks_total", Node::number(chunks)).set("avg_body_len", Node::number(average.real(0)));
  document.set("namespaces", std::move(spaces));
  for (const char* name : {"db_size_bytes", "db_bytes"}) document.set(name, Node::number(bytes));
  document.set("schema_version", Node::number(newest_version()));
  return document;
}

Result<Node> Memory::vacuum() {
  const std::int64_t before = file_bytes(store_->path());
  CANDOR_TRY(rewrite_file(*store_));
  const std::int64_t after = file_bytes(store_->path());
  Node document = texts({{"db_path", store_->path()}, {"status", "ok"}});
  document.set("size_before_bytes", Node::number(before)).set("size_after_bytes", Node::number(after));
  document.set("reclaimed_bytes", Node::number(std::max<std::int64_t>(0, before - after)));
  return document;
}

Result<Node> Memory::backup(const std::string& destination) {
  if (destination.empty() || destination.find('\0') != std::string::npos) {
    return make_error("usage", "a backup needs a file to write", "--output FILE");
  }
  const int file = ::open(destination.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    const int failed = errno;
    if (failed == EEXIST) {
      return make_error("duplicate", destination + " is there already", "another --output; nothing is overwritten");
    }
    return make_error(no_room(failed) ? "disk-full" : "file-error",
                      destination + ": " + std::generic_category().message(failed));
  }
  Status copied = store_->database().run("VACUUM INTO " + sqlite::quote_text(destination));
  if (copied.ok() && ::fsync(file) != 0) copied = make_error("file-error", destination + " could not be written");
  ::close(file);
  if (!copied.ok()) {
    ::unlink(destination.c_str());
    return std::move(copied).error();
  }
  Node document = texts({{"action", "backed_up"}, {"source", store_->path()}, {"destination", destination}});
  document.set("size_bytes", Node::number(size_of(destination)));
  return document;
}

}  // namespace candor::memory
