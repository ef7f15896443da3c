// The verb `purge`: forgotten memories go for good, and no byte of them stays in the file.
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "memory/memory.h"
#include "memory/store/file.h"
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "memory/store/store.h"

namespace candor::memory {
namespace {

using json::Node;

struct Found {
  std::int64_t count = 0, entities = 0, relations = 0;
  std::optional<std::int64_t> oldest;
};

// Which rows are meant: forgotten before ?2, of a name or of all.
#define CANDOR_PURGED \
  "m.namespace = ?1 AND m.deleted_at IS NOT NULL AND m.deleted_at <= ?2 AND (?3 IS NULL OR m.name = ?3)"
constexpr std::string_view kCount = "SELECT count(*), min(m.deleted_at) FROM memories m WHERE " CANDOR_PURGED;
constexpr std::string_view kDelete = "DELETE FROM memories AS m WHERE " CANDOR_PURGED;
// Relations and entities that nothing else speaks of are words of the purged memories too. What was linked by hand stays.
constexpr std::string_view kDeleteRelations =
    "DELETE FROM relationships WHERE id IN (SELECT b.relationship_id FROM memory_relationships b JOIN memories m ON "
    "m.id = b.memory_id WHERE " CANDOR_PURGED
    ") AND id NOT IN (SELECT b.relationship_id FROM memory_relationships b JOIN memories m ON m.id = b.memory_id WHERE "
    "NOT (" CANDOR_PURGED ")) AND coalesce(json_extract(metadata, '$.linked'), 0) = 0";
constexpr std::string_view kBoundEntities =
    "SELECT DISTINCT b.entity_id FROM memory_entities b JOIN memories m ON m.id = b.memory_id WHERE " CANDOR_PURGED;
#undef CANDOR_PURGED
constexpr std::string_view kDeleteEntity =
    "DELETE FROM entities WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM memory_entities WHERE entity_id = ?1) AND NOT "
    "EXISTS "
    "(SELECT 1 FROM relationships WHERE source_id = ?1) AND NOT EXISTS (SELECT 1 FROM relationships WHERE target_id = "
    "?1)";

struct Wanted {
  std::optional<std::string> name;
  std::int64_t cutoff = 0;
};

Status delete_purged(Store& store, const Purge& input, const Wanted& wanted, Found& found) {
  CANDOR_TRY(store.sql().execute(kDeleteRelations, input.space, wanted.cutoff, wanted.name));
  found.relations = store.database().changes();
  std::vector<std::int64_t> bound;
  {
    CANDOR_ASSIGN(sqlite::Run run, store.sql().start(kBoundEntities, input.space, wanted.cutoff, wanted.name));
    for (;;) {
      CANDOR_ASSIGN(const bool more, run.step());
      if (!more) break;
      bound.push_back(run.integer(0));
    }
  }
  CANDOR_TRY(store.sql().execute(kDelete, input.space, wanted.cutoff, wanted.name));
  for (const std::int64_t entity : bound) {
    CANDOR_TRY(store.sql().execute(kDeleteEntity, entity));
    found.entities += store.database().changes();
  }
  return mark_for_rewrite(store);
}

Result<Found> purge_in(Store& store, const Purge& input, const Wanted& wanted) {
  Found found;
  {
    CANDOR_ASSIGN(sqlite::Run run, store.sql().start(kCount, input.space, wanted.cutoff, wanted.name));
    CANDOR_TRY(run.step());
    found.count = run.integer(0);
    found.oldest = run.maybe_integer(1);
  }
  if (found.count == 0 && wanted.name) {
    CANDOR_ASSIGN(const std::optional<MemoryRow> row, find_memory(store, input.space, *wanted.name));
    if (!row) return no_memory(store, input.space, *wanted.name);
  }
  if (input.dry_run) return found;
  if (found.count > 0) CANDOR_TRY(delete_purged(store, input, wanted, found));
  // What an import copied before it was killed: none can be at work while this holds the lock.
  std::error_code ignored;
  for (const char* end : {".import", ".import-wal", ".import-shm", ".import-journal"}) {
    std::filesystem::remove(store.path() + end, ignored);
  }
  return found;
}

// Pages that are rebalanced keep copies of what stood in them, so that zeroing what is deleted does not suffice: the file
// is written anew, and its log is emptied. A purge that was killed before that leaves a mark, and the next one does it.
std::vector<std::string> wipe(Store& store) {
  std::vector<std::string> warnings;
  const Result<bool> marked = marked_for_rewrite(store);
  if (marked.ok() && !*marked) return warnings;
  const Status done = marked.ok() ? rewrite_file(store) : Status(marked.error());
  if (!done.ok()) {
    warnings.push_back("what was purged can't be read any more, but bytes of it may still lie in the file: " +
                       done.error().message + "; run candor memory vacuum");
  }
  return warnings;
}

// What was copied before a migration is not ours to delete unasked.
void warn_of_backups(const Store& store, std::vector<std::string>& warnings) {
  std::error_code ignored;
  const std::filesystem::path file(store.path());
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(file.filename().string() + ".v") || name.find(".backup") == std::string::npos) continue;
    warnings.push_back("a copy from before an update of the file may still have what was purged: " +
                       entry.path().string() + "; delete it when you no longer need it");
  }
}

}  // namespace

Result<Node> Memory::purge(const Purge& input) {
  Wanted wanted;
  if (input.name) {
    CANDOR_ASSIGN(Name name, memory_name(*input.name));
    wanted.name = std::move(name.text);
  }
  const std::int64_t cutoff = store_->now() - input.retention_seconds;
  // All means all, also what was forgotten before the clock was set back.
  wanted.cutoff = input.retention_seconds == 0 ? std::numeric_limits<std::int64_t>::max() : cutoff;
  const std::int64_t before = file_bytes(store_->path());
  CANDOR_ASSIGN(const Found found, store_->transaction([&] { return purge_in(*store_, input, wanted); }));
  std::vector<std::string> warnings;
  if (!input.dry_run) {
    warnings = wipe(*store_);
    if (found.count > 0) warn_of_backups(*store_, warnings);
  }
  const std::int64_t freed = input.dry_run ? 0 : std::max<std::int64_t>(0, before - file_bytes(store_->path()));
  Node document = texts({{"action", input.dry_run ? "dry_run" : "purged"}});
  document.set("purged_count", Node::number(found.count)).set("bytes_freed", Node::number(freed));
  document.set("entities_removed", Node::number(found.entities));
  document.set("relationships_removed", Node::number(found.relations));
  document.set("oldest_deleted_at", found.oldest ? Node::number(*found.oldest) : Node());
  document.set("retention_days_used", Node::number(input.retention_seconds / 86'400));
  document.set("dry_run", Node::boolean(input.dry_run)).set("namespace", Node::string(input.space));
  document.set("cutoff_epoch", Node::number(cutoff));
  Node said = Node::array();
  for (std::string& warning : warnings) said.push(Node::string(std::move(warning)));
  document.set("warnings", std::move(said));
  return document;
}

}  // namespace candor::memory
