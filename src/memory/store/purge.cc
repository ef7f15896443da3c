// The verb `purge`: forgotten memories go for good, and no byte of them stays in the file.
#include <limits>
#include <sys/stat.h>
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
  std::int64_t count = 0;
  std::optional<std::int64_t> oldest;
};

// Which rows are meant: forgotten before ?2, of a name or of all.
constexpr std::string_view kCount =
    "SELECT count(*), min(deleted_at) FROM memories WHERE namespace = ?1 AND deleted_at IS NOT NULL AND deleted_at <= "
    "?2 "
    "AND (?3 IS NULL OR name = ?3)";
constexpr std::string_view kDelete =
    "DELETE FROM memories WHERE namespace = ?1 AND deleted_at IS NOT NULL AND deleted_at <= ?2 "
    "AND (?3 IS NULL OR name = ?3)";

Result<Found> purge_in(Store& store, const Purge& input, const std::optional<std::string>& name, std::int64_t cutoff) {
  Found found;
  {
    CANDOR_ASSIGN(sqlite::Run run, store.sql().start(kCount, input.space, cutoff, name));
    CANDOR_TRY(run.step());
    found.count = run.integer(0);
    found.oldest = run.maybe_integer(1);
  }
  if (found.count == 0 && name) {
    CANDOR_ASSIGN(const std::optional<MemoryRow> row, find_memory(store, input.space, *name));
    if (!row) return no_memory(store, input.space, *name);
  }
  if (!input.dry_run && found.count > 0) CANDOR_TRY(store.sql().execute(kDelete, input.space, cutoff, name));
  return found;
}

// Pages that are rebalanced keep copies of what stood in them, so that zeroing what is deleted does not suffice: the file
// is written anew, and its log is emptied.
std::vector<std::string> wipe(Store& store) {
  std::vector<std::string> warnings;
  Status done = rewrite_file(store);
  if (!done.ok()) {
    warnings.push_back("what was purged can't be read any more, but bytes of it may still lie in the file: " +
                       done.error().message + "; run candor memory vacuum");
  }
  return warnings;
}

}  // namespace

Result<Node> Memory::purge(const Purge& input) {
  std::optional<std::string> name;
  if (input.name) {
    CANDOR_ASSIGN(const Name wanted, memory_name(*input.name));
    name = wanted.text;
  }
  const std::int64_t cutoff = store_->now() - input.retention_seconds;
  const std::int64_t before = file_bytes(store_->path());
  CANDOR_ASSIGN(const Found found, store_->transaction([&] { return purge_in(*store_, input, name, cutoff); }));
  std::vector<std::string> warnings;
  if (!input.dry_run && found.count > 0) warnings = wipe(*store_);
  const std::int64_t freed = input.dry_run ? 0 : std::max<std::int64_t>(0, before - file_bytes(store_->path()));
  Node document = texts({{"action", input.dry_run ? "dry_run" : "purged"}});
  document.set("purged_count", Node::number(found.count)).set("bytes_freed", Node::number(freed));
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
