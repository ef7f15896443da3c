// Opening: nothing is written before the file is known to be a memory.
#include "memory/store/store.h"

#include <cerrno>
#include <chrono>
#include <sys/stat.h>
#include <thread>

#include "config/home.h"
#include "memory/store/schema.h"
#include "memory/text/tokenizer.h"

namespace candor::memory {
namespace {

constexpr int kBusyTimeoutMs = 30'000;
constexpr std::int64_t kLogBytesLeft = std::int64_t{2} << 20U;

std::int64_t system_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_there(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 || errno != ENOENT;
}

// Two processes that both find a new file get in each other's way here, and SQLite does not wait for this one lock.
Status write_ahead(sqlite::Database& database) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  for (;;) {
    Status changed = database.run("PRAGMA journal_mode = WAL");
    if (changed.ok() || changed.error().code != "busy" || std::chrono::steady_clock::now() > give_up) return changed;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// auto_vacuum is a property of a file that is chosen before its first table.
Status bring_to_version(sqlite::Database& database, const std::string& path, std::int64_t version) {
  if (version == newest_version()) return Ok{};
  CANDOR_TRY(register_tokenizer(database));
  if (version == 0) CANDOR_TRY(database.run("PRAGMA auto_vacuum = INCREMENTAL"));
  CANDOR_TRY(write_ahead(database));
  return migrate(database, path, migrations());
}

// The log is written into the file when it has a megabyte, and not at the end of each process: that would sync the disk four
// times for a write that needs it not once. Who opens the file next reads the log, which takes less than a millisecond.
Status set_up(sqlite::Database& database) {
  CANDOR_TRY(register_tokenizer(database));
  CANDOR_TRY(database.set(sqlite::Switch::kForeignKeys, true));
  CANDOR_TRY(database.set(sqlite::Switch::kDefensive, true));
  // The triggers write into FTS5 tables, which this version of SQLite does not count as harmless. A file of a stranger could
  // make use of it for nothing else: no function or table is registered here that reaches beyond the file.
  CANDOR_TRY(database.set(sqlite::Switch::kTrustedSchema, true));
  return database.run(
      "PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384;"
      "PRAGMA journal_size_limit = 4194304; PRAGMA wal_autocheckpoint = 256");
}

Result<sqlite::Database> open_nowhere() {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(":memory:", {.mode = sqlite::OpenMode::kCreate}));
  CANDOR_TRY(set_up(database));
  CANDOR_TRY(migrate(database, ":memory:", migrations()));
  return database;
}

Result<sqlite::Database> open_writing(const std::string& path) {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(path, {.mode = sqlite::OpenMode::kReadWrite,
                                                                         .busy_timeout_ms = kBusyTimeoutMs,
                                                                         .utf8_only = true}));
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, true));
  CANDOR_ASSIGN(const std::int64_t version, recognise(database, path, newest_version()));
  if (database.is_readonly()) {
    return make_error("storage", path + " can only be read", "chmod u+w, or use another folder: --home DIR");
  }
  CANDOR_TRY(bring_to_version(database, path, version));
  CANDOR_TRY(set_up(database));
  return database;
}

// A path as the URI that SQLite reads it back from.
std::string uri_of(const std::string& path, std::string_view parameters) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?') {
      uri += "%3f";
    } else if (c == '#') {
      uri += "%23";
    } else if (c == '%') {
      uri += "%25";
    } else {
      uri += c;
    }
  }
  return uri + "?" + std::string(parameters);
}

std::int64_t log_bytes(const std::string& path) {
  struct stat about{};
  return ::stat((path + "-wal").c_str(), &about) == 0 ? static_cast<std::int64_t>(about.st_size) : 0;
}

// SQLite takes an empty file for a new database and does away with the log beside it, which may be all that is left of a
// memory. A file that is being made is never empty by the time it has a log.
Status check_log(const std::string& path) {
  struct stat about{};
  if (log_bytes(path) == 0 || ::stat(path.c_str(), &about) != 0 || about.st_size > 0) return Ok{};
  return make_error("integrity", path + " is empty, and its log beside it is not",
                    "move " + path + "-wal away, or bring the file back from a backup");
}

// On a medium that can't be written SQLite has nowhere to put its index of the log. Without a log it needs none.
Result<sqlite::Database> open_unwritable(const std::string& path, Diagnostic failure) {
  if (log_bytes(path) > 0) return failure;
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(uri_of(path, "immutable=1"),
                                                                  {.mode = sqlite::OpenMode::kReadOnly, .uri = true, .utf8_only = true}));
  CANDOR_TRY(recognise(database, path, newest_version()));
  CANDOR_TRY(register_tokenizer(database));
  return database;
}

Result<sqlite::Database> open_reading(const std::string& path) {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(path, {.mode = sqlite::OpenMode::kReadWrite,
                                                                         .busy_timeout_ms = kBusyTimeoutMs,
                                                                         .utf8_only = true}));
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, true));
  Result<std::int64_t> version = recognise(database, path, newest_version());
  if (!version.ok()) {
    const sqlite::Fault fault = database.fault();
    const bool unwritable = fault == sqlite::Fault::kCannotOpen || fault == sqlite::Fault::kReadOnly;
    if (!unwritable) return std::move(version).error();
    return open_unwritable(path, std::move(version).error());
  }
  if (*version < newest_version()) {
    if (database.is_readonly()) {
      return make_error("storage", path + " is of an older version and can only be read",
                        "make it writable, so that it can be brought to this version");
    }
    CANDOR_TRY(bring_to_version(database, path, *version));
  }
  CANDOR_TRY(set_up(database));
  return database;
}

}  // namespace

Store::Store(sqlite::Database database, std::string path, bool exists, bool writes)
    : database_(std::move(database)),
      statements_(database_),
      path_(std::move(path)),
      exists_(exists),
      writes_(writes),
      clock_(&system_seconds) {}

// A large log, as a batch leaves it, would be read by each process that comes after. Where another one uses it, it will see
// to that itself.
Store::~Store() {
  if (!writes_ || log_bytes(path_) <= kLogBytesLeft) return;
  if (database_.in_transaction()) (void)statements_.execute("ROLLBACK").ok();
  statements_.clear();
  database_.set_busy_timeout(0);
  (void)database_.run("PRAGMA wal_checkpoint(TRUNCATE)").ok();
}

Result<std::unique_ptr<Store>> Store::open(const std::string& home, Access access) {
  std::string path = home + "/memory.sqlite";
  const bool nowhere = access == Access::kRead && !is_there(path);
  CANDOR_TRY(check_log(path));
  if (access == Access::kWrite) CANDOR_TRY(config::prepare_file(home, "memory.sqlite"));
  Result<sqlite::Database> database = nowhere                   ? open_nowhere()
                                      : access == Access::kRead ? open_reading(path)
                                                                : open_writing(path);
  if (!database.ok()) {
    Diagnostic failure = std::move(database).error();
    if (failure.message.find(path) == std::string::npos) failure.message = path + ": " + failure.message;
    if (failure.code == "integrity" && failure.hint.empty()) failure.hint = "use another folder: --home DIR";
    return failure;
  }
  std::unique_ptr<Store> store(new Store(std::move(*database), std::move(path), !nowhere, access == Access::kWrite));
  if (access == Access::kRead) {
    const Status begun = store->statements_.execute("BEGIN");
    if (!begun.ok()) return store->named(begun.error());
  }
  return store;
}

Status Store::begin() { return statements_.execute("BEGIN IMMEDIATE"); }

Status Store::end(bool keep) {
  if (keep) {
    Status committed = statements_.execute("COMMIT");
    if (committed.ok()) return committed;
    if (database_.in_transaction()) (void)statements_.execute("ROLLBACK").ok();
    return committed;
  }
  if (database_.in_transaction()) return statements_.execute("ROLLBACK");
  return Ok{};
}

Result<std::int64_t> Store::next_rev() {
  return statements_.count("UPDATE memory_rev SET rev = rev + 1 RETURNING rev");
}

Diagnostic Store::named(Diagnostic failure) const {
  const bool of_file =
      failure.code == "storage" || failure.code == "integrity" || failure.code == "disk-full" || failure.code == "busy";
  if (of_file && failure.message.find(path_) == std::string::npos) failure.message = path_ + ": " + failure.message;
  if (failure.code == "busy" && failure.hint.empty()) failure.hint = "another process holds the memory; try again";
  return failure;
}

}  // namespace candor::memory
