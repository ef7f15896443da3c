// The tables of the ledger and their versions. A version is never changed once it was released: add a migration.
#include "ledger/schema.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "base/no_room.h"

namespace candor::ledger {
namespace {

constexpr std::int64_t kApplicationId = 0x43616e64;  // "Cand", shown by file(1)
constexpr int kBusyTimeoutMs = 5'000;

using Migration = Status (*)(sqlite::Database&);

// Ids are row numbers: rows are never deleted, so that none comes again. Texts that are read by scans stand before the long
// ones, and outputs stand apart, so that listing queries does not read them.
Status create_tables(sqlite::Database& database) {
  return database.run(R"sql(
    CREATE TABLE sessions (
      name TEXT NOT NULL PRIMARY KEY,
      counted INTEGER NOT NULL          -- number of the current turn
    ) WITHOUT ROWID;

    CREATE TABLE queries (
      id INTEGER PRIMARY KEY,
      session TEXT NOT NULL, turn TEXT NOT NULL,
      kind TEXT NOT NULL, succeeded INTEGER NOT NULL, error_code TEXT NOT NULL,
      engine TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
      started_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL,
      row_count INTEGER NOT NULL, output_cut INTEGER NOT NULL,
      sql TEXT NOT NULL, columns TEXT NOT NULL, scope TEXT NOT NULL,
      temporary_objects TEXT NOT NULL, source_versions TEXT NOT NULL
    );
    CREATE INDEX queries_of_turn ON queries (session, turn);
    CREATE INDEX writes_of_session ON queries (session)
      WHERE kind IN ('insert', 'update', 'delete', 'create', 'drop');

    CREATE TABLE outputs (
      query INTEGER PRIMARY KEY REFERENCES queries (id),
      rows TEXT NOT NULL
    );

    CREATE TABLE slots (
      session TEXT NOT NULL, turn TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('reserved', 'held', 'done')),
      owner TEXT NOT NULL, reserved_ms INTEGER NOT NULL,
      digest TEXT NOT NULL, hold TEXT NOT NULL,
      PRIMARY KEY (session, turn)
    ) WITHOUT ROWID;

    CREATE TABLE answers (
      id INTEGER PRIMARY KEY,
      session TEXT NOT NULL, turn TEXT NOT NULL,
      state TEXT NOT NULL, query TEXT NOT NULL, digest TEXT NOT NULL, committed_ms INTEGER NOT NULL,
      body TEXT NOT NULL, receipt TEXT NOT NULL
    );
    CREATE INDEX answers_of_turn ON answers (session, turn);

    CREATE TABLE telemetry (
      id INTEGER PRIMARY KEY,
      at_ms INTEGER NOT NULL,
      surface TEXT NOT NULL, caller TEXT NOT NULL, session TEXT NOT NULL, turn TEXT NOT NULL,
      succeeded INTEGER NOT NULL, statement_type TEXT NOT NULL, resource TEXT NOT NULL,
      statement_count INTEGER NOT NULL, row_or_affected_count INTEGER NOT NULL, result_chars INTEGER NOT NULL,
      rows_omitted INTEGER NOT NULL, sql_length INTEGER NOT NULL, duration_ms REAL NOT NULL,
      sql_fingerprint TEXT NOT NULL, error_code TEXT NOT NULL, reason TEXT NOT NULL
    );
  )sql");
}

// The rows of a batch stand apart from it, and go when they are no longer needed.
Status create_undo_tables(sqlite::Database& database) {
  return database.run(R"sql(
    CREATE TABLE undo_batches (
      id INTEGER PRIMARY KEY,
      session TEXT NOT NULL, turn TEXT NOT NULL, surface TEXT NOT NULL,
      source TEXT NOT NULL, contract TEXT NOT NULL, scope_column TEXT NOT NULL, scope_value TEXT NOT NULL,
      tables TEXT NOT NULL, statements INTEGER NOT NULL, rows INTEGER NOT NULL, changed_others INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'undoing', 'undone', 'dropped', 'expired')),
      kept_ms INTEGER NOT NULL, undone_ms INTEGER NOT NULL,
      owner TEXT NOT NULL, owned_ms INTEGER NOT NULL
    );

    CREATE TABLE undo_rows (
      batch INTEGER NOT NULL REFERENCES undo_batches (id),
      position INTEGER NOT NULL,
      table_number INTEGER NOT NULL, keys TEXT NOT NULL,
      before TEXT NOT NULL, after TEXT NOT NULL,  -- empty: no row
      PRIMARY KEY (batch, position)
    );
  )sql");
}

// What statistics are made of (calls.h). Calls of before are not made up: what stood in one call is not known of them.
Status create_calls(sqlite::Database& database) {
  return database.run(R"sql(
    CREATE TABLE turns (
      id INTEGER PRIMARY KEY,
      session TEXT NOT NULL, turn TEXT NOT NULL,
      UNIQUE (session, turn)
    );

    CREATE TABLE calls (
      id INTEGER PRIMARY KEY,
      at_ms INTEGER NOT NULL,
      turn INTEGER NOT NULL REFERENCES turns (id),
      outcome INTEGER NOT NULL,          -- 0 accepted, 1 failed, 2 rejected
      source TEXT NOT NULL, surface TEXT NOT NULL
    );
    CREATE INDEX calls_by_time ON calls (at_ms, turn, outcome, source);
    CREATE INDEX calls_of_turn ON calls (turn, at_ms, outcome, source);

    CREATE TABLE rejections (
      id INTEGER PRIMARY KEY,
      call INTEGER NOT NULL REFERENCES calls (id),
      at_ms INTEGER NOT NULL,
      code TEXT NOT NULL, fix_offered INTEGER NOT NULL,
      resource TEXT NOT NULL, "column" TEXT NOT NULL
    );
    CREATE INDEX rejections_by_time ON rejections (at_ms);

    CREATE TABLE offers (
      turn INTEGER NOT NULL, fingerprint TEXT NOT NULL, call INTEGER NOT NULL REFERENCES calls (id),
      at_ms INTEGER NOT NULL,
      taken_by INTEGER NOT NULL,         -- a later call of the turn that sent it; 0: none
      PRIMARY KEY (turn, fingerprint, call)
    ) WITHOUT ROWID;
    CREATE INDEX offers_by_time ON offers (at_ms);

    CREATE TABLE repairs (
      id INTEGER PRIMARY KEY,
      call INTEGER NOT NULL REFERENCES calls (id),
      at_ms INTEGER NOT NULL, kind TEXT NOT NULL
    );
    CREATE INDEX repairs_by_time ON repairs (at_ms);

    CREATE TABLE commits (
      id INTEGER PRIMARY KEY,
      at_ms INTEGER NOT NULL, turn INTEGER NOT NULL REFERENCES turns (id),
      state TEXT NOT NULL, code TEXT NOT NULL
    );
    CREATE INDEX commits_by_time ON commits (at_ms);

    CREATE TABLE findings (
      commit_id INTEGER NOT NULL REFERENCES commits (id), check_name TEXT NOT NULL,
      PRIMARY KEY (commit_id, check_name)
    ) WITHOUT ROWID;

    ALTER TABLE queries ADD COLUMN call INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX queries_of_call ON queries (call);
  )sql");
}

// kMigrations[n] leads from version n to n + 1.
constexpr std::array kMigrations = {&create_tables, &create_undo_tables, &create_calls};
constexpr auto kVersion = static_cast<std::int64_t>(kMigrations.size());

Result<std::int64_t> read_number(sqlite::Database& database, std::string_view sql) {
  CANDOR_ASSIGN(sqlite::Statement statement, database.prepare(sql));
  CANDOR_ASSIGN(const bool row, statement.step());
  return row ? statement.integer(0) : 0;
}

Diagnostic not_usable(const std::string& path, std::string_view why, std::string hint) {
  return make_error("integrity", path + std::string(why), std::move(hint));
}

// The version of a file that is a ledger, 0 for an empty one.
Result<std::int64_t> recognise_in(sqlite::Database& database, const std::string& path) {
  CANDOR_ASSIGN(const std::int64_t application, read_number(database, "PRAGMA application_id"));
  CANDOR_ASSIGN(const std::int64_t version, read_number(database, "PRAGMA user_version"));
  CANDOR_ASSIGN(const std::int64_t objects, read_number(database, "SELECT count(*) FROM sqlite_schema"));
  if (application == 0 && version == 0 && objects == 0) return 0;
  if (application != kApplicationId || version < 1) {
    return not_usable(path, " is a database of something else", "use another folder: --home DIR");
  }
  if (version > kVersion) {
    return not_usable(path, " was written by a newer version of candor", "run the newer candor, or use --home DIR");
  }
  return version;
}

// In one snapshot: another process may make the file between two of the questions.
Result<std::int64_t> recognise(sqlite::Database& database, const std::string& path) {
  if (database.in_transaction()) return recognise_in(database, path);
  CANDOR_TRY(database.run("BEGIN"));
  Result<std::int64_t> version = recognise_in(database, path);
  if (database.in_transaction()) {
    const Status ended = database.run("ROLLBACK");
    if (version.ok() && !ended.ok()) return ended.error();
  }
  return version;
}

Status migrate(sqlite::Database& database, const std::string& path) {
  CANDOR_ASSIGN(sqlite::Transaction transaction, sqlite::Transaction::begin(database));
  CANDOR_ASSIGN(std::int64_t version, recognise(database, path));  // another process may have been here first
  for (; version < kVersion; ++version) CANDOR_TRY(kMigrations[static_cast<std::size_t>(version)](database));
  CANDOR_TRY(database.run("PRAGMA application_id = " + std::to_string(kApplicationId)));
  CANDOR_TRY(database.run("PRAGMA user_version = " + std::to_string(kVersion)));
  return transaction.commit();
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

Status set_up(sqlite::Database& database, const std::string& path, Durability durability) {
  // A file that will not be used is not even checkpointed.
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, true));
  CANDOR_ASSIGN(const std::int64_t version, recognise(database, path));
  CANDOR_TRY(write_ahead(database));
  if (version < kVersion) CANDOR_TRY(migrate(database, path));
  CANDOR_TRY(database.set(sqlite::Switch::kNoCheckpointOnClose, false));
  CANDOR_TRY(database.set(sqlite::Switch::kDefensive, true));
  CANDOR_TRY(database.set(sqlite::Switch::kTrustedSchema, false));
  const std::string_view synchronous = durability == Durability::kPowerLoss ? "FULL" : "NORMAL";
  return database.run("PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -1024; PRAGMA synchronous = " +
                      std::string(synchronous));
}

Diagnostic system_failure(const std::string& path, int code) {
  const bool full = no_room(code);
  return make_error(full ? "disk-full" : "storage", path + ": " + std::generic_category().message(code),
                    full ? std::string() : "use a folder that can be written: --home DIR");
}

}  // namespace

Result<std::string> prepare_home(const std::string& home) {
  if (home.empty() || home.find('\0') != std::string::npos) return make_error("storage", "the home folder has no name");
  std::filesystem::path made;
  for (const std::filesystem::path& part : std::filesystem::path(home)) {
    made /= part;
    if (mkdir(made.c_str(), 0700) != 0 && errno != EEXIST) {
      struct stat there{};
      const int failed = errno;
      if (stat(made.c_str(), &there) != 0 || !S_ISDIR(there.st_mode)) return system_failure(made.string(), failed);
    }
  }
  std::string path = home + "/ledger.sqlite";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return system_failure(path, errno);
  close(file);
  return path;
}

Result<sqlite::Database> open_file(const std::string& path, Durability durability) {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(path, {.mode = sqlite::OpenMode::kReadWrite,
                                                                         .busy_timeout_ms = kBusyTimeoutMs}));
  Status done = set_up(database, path, durability);
  if (done.ok()) return database;
  Diagnostic failure = std::move(done).error();
  if (failure.message.find(path) == std::string::npos) failure.message = path + ": " + failure.message;
  if (failure.code == "integrity" && failure.hint.empty()) failure.hint = "use another folder: --home DIR";
  return failure;
}

}  // namespace candor::ledger
