// Names and meanings of the tables are those of sqlite-graphrag, so that its users find their way; see docs/memory.md.
#include "memory/store/schema.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <system_error>
#include <unistd.h>

#include "base/no_room.h"
#include "memory/store/tables.h"
#include "memory/text/tokenizer.h"

namespace candor::memory {
namespace {

constexpr std::array<Migration, 2> kMigrations = {&create_tables, &create_search_tables};

Result<std::int64_t> read_number(sqlite::Database& database, std::string_view sql) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(sql));
  CANDOR_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

// VACUUM INTO writes into an empty file that is there, which keeps the mode that it was made with. It can't run inside of
// the transaction that migrates; a connection of its own reads what was committed before that.
Status back_up(const std::string& path, std::int64_t version) {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(path, {.mode = sqlite::OpenMode::kReadWrite}));
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, true));
  const std::string name = path + ".v" + std::to_string(version) + ".backup";
  ::unlink((name + ".part").c_str());
  const std::string part = name + ".part";
  const int file = ::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    const int failed = errno;
    return make_error(no_room(failed) ? "disk-full" : "storage", part + ": " + std::generic_category().message(failed),
                      "make room beside the memory: it is copied before it is brought to this version");
  }
  ::close(file);
  Status copied = database.run("VACUUM INTO " + sqlite::quote_text(part));
  if (copied.ok() && ::rename(part.c_str(), name.c_str()) == 0) return Ok{};
  const int failed = errno;
  ::unlink(part.c_str());
  if (!copied.ok()) return std::move(copied).error();
  return make_error("storage", name + ": " + std::generic_category().message(failed));
}

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }
std::int64_t newest_version() { return static_cast<std::int64_t>(kMigrations.size()); }

namespace {

Result<std::int64_t> recognise_in(sqlite::Database& database, const std::string& path, std::int64_t newest) {
  CANDOR_ASSIGN(const std::int64_t application, read_number(database, "PRAGMA application_id"));
  CANDOR_ASSIGN(const std::int64_t version, read_number(database, "PRAGMA user_version"));
  if (application == kApplicationId && version >= 1 && version <= newest) return version;
  CANDOR_ASSIGN(const std::int64_t objects, read_number(database, "SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && objects == 0) return 0;
  if (application == kApplicationId && version > newest) {
    return make_error(
        "integrity", path + " was written by a newer version of candor", "run the newer candor, or use --home DIR",
        "its schema is version " + std::to_string(version) + ", this candor knows " + std::to_string(newest));
  }
  return make_error("integrity", path + " is a database of something else",
                    "use another folder: --home DIR; a sqlite-graphrag file is taken over by candor memory import "
                    "--from FILE");
}

}  // namespace

// One snapshot: another process may make the file between two of the questions.
Result<std::int64_t> recognise(sqlite::Database& database, const std::string& path, std::int64_t newest) {
  if (database.in_transaction()) return recognise_in(database, path, newest);
  CANDOR_TRY(database.run("BEGIN"));
  Result<std::int64_t> version = recognise_in(database, path, newest);
  // What a caller asks of the connection's latest failure is the failure of the questions.
  if (version.ok() || database.in_transaction()) {
    const Status ended = database.run("ROLLBACK");
    if (version.ok() && !ended.ok()) return ended.error();
  }
  return version;
}

Status migrate(sqlite::Database& database, const std::string& path, std::span<const Migration> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  CANDOR_ASSIGN(const std::int64_t before, recognise(database, path, newest));
  if (before == newest) return Ok{};
  // Another process may be here first: what is copied must be the older file and no other copy may be in the making, so
  // all of it happens under the lock of writing.
  CANDOR_ASSIGN(sqlite::Transaction transaction, sqlite::Transaction::begin(database));
  CANDOR_ASSIGN(std::int64_t version, recognise(database, path, newest));
  if (version == newest) return Ok{};
  if (version > 0) CANDOR_TRY(back_up(path, version));
  for (; version < newest; ++version) CANDOR_TRY(steps[static_cast<std::size_t>(version)](database));
  CANDOR_TRY(database.run("PRAGMA application_id = " + std::to_string(kApplicationId)));
  CANDOR_TRY(database.run("PRAGMA user_version = " + std::to_string(newest)));
  CANDOR_TRY(database.run("INSERT INTO schema_meta (key, value) VALUES ('schema_version', '" + std::to_string(newest) +
                          "') ON CONFLICT (key) DO UPDATE SET value = excluded.value"));
  return transaction.commit();
}

namespace {

using Objects = std::map<std::string, std::string>;  // "table memories", its statement

Result<Objects> objects_of(sqlite::Database& database) {
  Objects objects;
  CANDOR_ASSIGN(sqlite::Statement statement,
                database.prepare("SELECT type || ' ' || name, coalesce(sql, '') FROM main.sqlite_schema"));
  while (true) {
    CANDOR_ASSIGN(const bool row, statement.step());
    if (!row) return objects;
    objects.emplace(statement.text(0), statement.text(1));
  }
}

}  // namespace

Result<std::string> schema_fault(sqlite::Database& database) {
  CANDOR_ASSIGN(sqlite::Database fresh, sqlite::Database::open(":memory:", {.mode = sqlite::OpenMode::kCreate}));
  CANDOR_TRY(register_tokenizer(fresh));
  CANDOR_TRY(fresh.set(sqlite::Switch::kTrustedSchema, true));
  CANDOR_TRY(migrate(fresh, ":memory:", migrations()));
  CANDOR_ASSIGN(const Objects wanted, objects_of(fresh));
  CANDOR_ASSIGN(const Objects found, objects_of(database));
  for (const auto& [name, statement] : wanted) {
    const auto there = found.find(name);
    if (there == found.end()) return "the " + name + " is missing";
    if (there->second != statement) return "the " + name + " is another than this version makes";
  }
  for (const auto& [name, statement] : found) {
    if (!wanted.contains(name)) return "the " + name + " is not of this version";
  }
  return std::string();
}

}  // namespace candor::memory
