// Opening a connection, locking it down, and the answers to SQLite's questions while a statement is prepared and runs.
#include "engine/sqlite/sandbox.h"

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <thread>
#include <utility>

#include "base/ascii.h"
#include "engine/sqlite/contract_functions.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;

constexpr int kBusyMs = 1'000;
constexpr std::size_t kIdleMax = 4;
constexpr int kInstructionsBetweenLooks = 1'000;

// Pragmas that only read, and tell nothing of paths. data_version is FTS5's.
constexpr auto kReadingPragmas =
    std::to_array<std::string_view>({"table_info", "table_xinfo", "table_list", "index_list", "index_info",
                                     "index_xinfo", "foreign_key_list", "data_version"});

bool is_reading_pragma(std::string_view name) {
  return std::ranges::any_of(kReadingPragmas, [&](std::string_view known) { return same_name(name, known); });
}

std::string uri_of(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char byte : path) {
    const auto code = static_cast<unsigned char>(byte);
    const bool plain = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') ||
                       code == '/' || code == '.' || code == '_' || code == '-';
    if (plain) {
      uri += byte;
    } else {
      uri += '%';
      uri += kHex[code >> 4U];
      uri += kHex[code & 15U];
    }
  }
  return uri + "?immutable=1";
}

// Bytes 18 and 19 of the header are 2 in a database with a write-ahead log.
bool has_log_format(const std::string& path) {
  auto database = sql::Database::open(path, {});
  if (!database.ok()) return false;
  const std::string head = database->file_start(20);
  return head.size() == 20 && (head[18] == 2 || head[19] == 2);
}

bool has_journal(const std::string& path) {
  struct stat status{};
  return ::stat((path + "-journal").c_str(), &status) == 0 && status.st_size > 0;
}

}  // namespace

std::optional<FileState> file_state(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  FileState state;
  state.device = status.st_dev;
  state.inode = status.st_ino;
  state.size = status.st_size;
  state.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  struct stat log{};
  state.log = ::stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0;
  return state;
}

// ---- Connection ----

Result<std::unique_ptr<Connection>> Connection::open(const SourceSpec& source, Use use) {
  const auto state = file_state(source.path);
  if (!state) {
    return make_error("file-error", "the file of source " + source.name + " is not there",
                      "check the path in the configuration", source.path);
  }
  auto opened = open_as(source, *state, false, use);
  if (use == Use::kContractWrite) return opened;
  if (use == Use::kContract && !opened.ok() && opened.error().code == "file-error" && has_journal(source.path)) {
    CANDOR_TRY(recover(source, *state));
    return open_as(source, *state, false, use);
  }
  // In a folder that can't be written there is no room for the log's index. Without a log the file alone is the
  // database, as long as nobody writes to it: that is looked at after each statement.
  if (!opened.ok() && opened.error().code == "file-error" && !state->log && has_log_format(source.path)) {
    auto immutable = open_as(source, *state, true, use);
    if (immutable.ok()) return immutable;
  }
  return opened;
}

// Who writes may be killed, our own worker too, and what it left half-way keeps readers out until somebody who may write
// takes it back. That brings back the last committed state, and changes nothing else.
Status Connection::recover(const SourceSpec& source, const FileState& file) {
  const auto give_up = Clock::now() + std::chrono::milliseconds(kBusyMs);
  while (true) {
    // Its first look into the file takes back what is half-way.
    const auto opened = open_as(source, file, false, Use::kContractWrite);
    if (opened.ok()) return Ok{};
    if (opened.error().code != "file-locked" || Clock::now() >= give_up) return opened.error();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Result<std::unique_ptr<Connection>> Connection::open_as(const SourceSpec& source, const FileState& file, bool immutable,
                                                        Use use) {
  sql::OpenOptions options;
  options.mode = use == Use::kContractWrite ? sql::OpenMode::kReadWrite : sql::OpenMode::kReadOnly;
  options.uri = immutable;
  // Who begins a transaction waits as long as its caller wants.
  options.busy_timeout_ms = use == Use::kContractWrite ? 0 : kBusyMs;
  auto database = sql::Database::open(immutable ? uri_of(source.path) : source.path, options);
  if (!database.ok()) {
    return make_error("file-error", "source " + source.name + " can't be opened: " + database.error().message,
                      "check that the file can be read", source.path);
  }
  std::unique_ptr<Connection> made(new Connection(std::move(*database), file, immutable, use));
  if (auto locked = made->lock_down(source); !locked.ok()) {
    return opening_error(std::move(locked).error(), made->database_.fault(), source);
  }
  return made;
}

Status Connection::lock_down(const SourceSpec& source) {
  using sql::Limit;
  using sql::Switch;
  for (const Switch off : {Switch::kLoadExtension, Switch::kWritableSchema, Switch::kDoubleQuotedStringsInDml,
                           Switch::kDoubleQuotedStringsInDdl}) {
    CANDOR_TRY(database_.set(off, false));
  }
  CANDOR_TRY(database_.set(Switch::kDefensive, true));
  // A trigger that keeps a full-text index up to date uses a virtual table, which SQLite 3.40 takes for unsafe. With a
  // contract the schema is the operator's own; Candor's functions are barred from it either way.
  CANDOR_TRY(database_.set(Switch::kTrustedSchema, use_ != Use::kAgent));
  // What the application does when rows change, and what it forbids, holds for Candor's writes too.
  const bool writing = use_ == Use::kContractWrite;
  CANDOR_TRY(database_.set(Switch::kTriggers, writing));
  CANDOR_TRY(database_.set(Switch::kForeignKeys, writing));
  database_.set_limit(Limit::kAttached, 0);
  database_.set_limit(Limit::kLength, 256 << 20);
  database_.set_limit(Limit::kSqlLength, 16 << 20);
  database_.set_limit(Limit::kLikePatternLength, 1'000);
  database_.set_limit(Limit::kWorkerThreads, 0);
  // A file that gets shorter under a memory map ends the process.
  CANDOR_TRY(database_.run("PRAGMA mmap_size=0; PRAGMA cell_size_check=1; PRAGMA cache_size=-8000"));
  if (!writing) CANDOR_TRY(database_.run("PRAGMA query_only=1"));
  // Reads the file for the first time: what is no database shows here.
  CANDOR_TRY(database_.run("SELECT count(*) FROM sqlite_schema"));
  CANDOR_TRY(database_.set_main_name(source.name));
  if (use_ != Use::kAgent) CANDOR_TRY(add_contract_functions(database_));
  database_.set_progress(kInstructionsBetweenLooks, [this] { return should_stop(); });
  stop_at_ = Clock::now() + std::chrono::seconds(10);
  CANDOR_TRY(warm_virtual_tables());
  unwatch();
  database_.set_authorizer([this](const sql::AccessRequest& request) { return authorize(request); });
  return Ok{};
}

// A virtual table that is first used declares itself by a CREATE TABLE, and some prepare statements that write; the
// allow-list would refuse them. Those that are not used here can't be used later.
Status Connection::warm_virtual_tables() {
  std::vector<std::string> names = {"json_each", "json_tree"};
  for (const std::string_view pragma : kReadingPragmas) names.push_back("pragma_" + std::string(pragma));
  {
    CANDOR_ASSIGN(auto tables,
                  database_.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage = 0"));
    while (true) {
      CANDOR_ASSIGN(const bool more, tables.step());
      if (!more) break;
      names.emplace_back(tables.text(0));
    }
  }
  for (const std::string& name : names) {
    auto rows = database_.prepare("SELECT * FROM " + sql::quote_identifier(name) + " LIMIT 1");
    // A module that SQLite does not have, or a damaged table: the statement that names it will say so.
    if (rows.ok()) (void)rows->step();
  }
  return Ok{};
}

sql::Access Connection::authorize(const sql::AccessRequest& request) {
  using sql::Access;
  using sql::Action;
  switch (request.action) {
    case Action::kSelect:
    case Action::kRecursive:
      return Access::kAllow;
    case Action::kRead:
      if (!same_name(request.database, "temp")) return Access::kAllow;
      break;
    case Action::kFunction:
      if (may_call(request)) return Access::kAllow;
      if (!refused_function_) refused_function_ = std::string(request.second);
      break;
    case Action::kInsert:
    case Action::kUpdate:
    case Action::kDelete:
      if (may_write(request)) return Access::kAllow;
      break;
    case Action::kPragma:
      if (is_reading_pragma(request.first) || (trusted_ && request.second.empty())) return Access::kAllow;
      break;
    case Action::kTransaction:
      if (trusted_) return Access::kAllow;
      break;
    default:
      break;
  }
  refused_ = true;
  return Access::kDeny;
}

// What the application's views and triggers call is the application's affair; SQLite itself keeps the dangerous functions
// out of them.
bool Connection::may_call(const sql::AccessRequest& request) const {
  if (find_function(request.second) != nullptr) return true;
  return use_ != Use::kAgent && (!request.inside.empty() || request.second.starts_with("candor_"));
}

bool Connection::may_write(const sql::AccessRequest& request) {
  if (use_ != Use::kContractWrite || same_name(request.database, "temp")) return false;
  if (!request.inside.empty()) return true;
  if (!written_) written_ = request.action;
  return request.first.size() < 7 || !same_name(request.first.substr(0, 7), "sqlite_");
}

bool Connection::should_stop() {
  if (cancel_ && cancel_->cancelled()) {
    stopped_ = Stop::kCancelled;
  } else if (Clock::now() >= stop_at_) {
    stopped_ = Stop::kDeadline;
  }
  return stopped_ != Stop::kNone;
}

void Connection::watch(CancelToken cancel, Clock::time_point stop_at) {
  cancel_ = std::move(cancel);
  stop_at_ = stop_at;
  stopped_ = Stop::kNone;
  forget_refusals();
}

void Connection::unwatch() {
  cancel_.reset();
  stop_at_ = Clock::time_point::max();
  stopped_ = Stop::kNone;
}

void Connection::forget_refusals() {
  refused_ = false;
  refused_function_.reset();
  written_.reset();
}

// ---- Pool ----

Result<Pool::Lease> Pool::fresh_lease() {
  CANDOR_ASSIGN(auto connection, Connection::open(source_, use_));
  return Lease(shared_from_this(), std::move(connection));
}

Result<Pool::Lease> Pool::lease() {
  const auto now = file_state(source_.path);
  {
    const std::lock_guard lock(mutex_);
    // A file that was put in the place of the old one is another database.
    std::erase_if(idle_, [&](const auto& connection) {
      return !now || !now->same_file(connection->file()) || (connection->immutable() && *now != connection->file());
    });
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(shared_from_this(), std::move(connection));
    }
  }
  return fresh_lease();
}

void Pool::give_back(std::shared_ptr<Connection> connection) {
  connection->unwatch();
  if (connection->refused() || connection->database().in_transaction()) return;
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(connection));
}

}  // namespace candor::engine::sqlite
