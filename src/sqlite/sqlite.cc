// The wrapper over sqlite3.h: codes become Diagnostics here, and nowhere else.
#include "sqlite/sqlite.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <new>
#include <sqlite3.h>
#include <system_error>

#include "base/no_room.h"
#include "base/render_json.h"

namespace candor::sqlite {
namespace {

static_assert(static_cast<int>(Action::kRead) == SQLITE_READ &&
              static_cast<int>(Action::kFunction) == SQLITE_FUNCTION &&
              static_cast<int>(Action::kRecursive) == SQLITE_RECURSIVE &&
              static_cast<int>(Action::kPragma) == SQLITE_PRAGMA);

std::string_view view(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }
std::string_view view(const unsigned char* text, int bytes) {
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes)};
}

// A write that failed for want of room: SQLite calls ENOSPC alone SQLITE_FULL, and quotas and limits of size I/O errors.
bool lacks_room(int code, int system_error) {
  if ((code & 0xFF) == SQLITE_FULL) return true;
  if ((code & 0xFF) != SQLITE_IOERR && (code & 0xFF) != SQLITE_CANTOPEN) return false;
  return no_room(system_error);
}

Fault constraint_of(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_ROWID:
      return Fault::kDuplicate;
    case SQLITE_CONSTRAINT_NOTNULL:
      return Fault::kNotNull;
    default:
      return Fault::kConstraint;
  }
}

// `system_error` is errno as the failed call left it: SQLite's own record of it misses failed commits.
Fault fault_of(int code, int system_error) {
  if (lacks_room(code, system_error)) return Fault::kDiskFull;
  switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return Fault::kNone;
    case SQLITE_ERROR:
      return Fault::kError;
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:
      return Fault::kBusy;
    case SQLITE_LOCKED:
      return Fault::kLocked;
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT:
      return Fault::kInterrupted;
    case SQLITE_AUTH:
    case SQLITE_PERM:
      return Fault::kDenied;
    case SQLITE_READONLY:
      return Fault::kReadOnly;
    case SQLITE_TOOBIG:
      return Fault::kTooBig;
    case SQLITE_NOMEM:
      return Fault::kNoMemory;
    case SQLITE_IOERR:
      return Fault::kIo;
    case SQLITE_CORRUPT:
      return Fault::kCorrupt;
    case SQLITE_NOTADB:
      return Fault::kNotADatabase;
    case SQLITE_CANTOPEN:
      return Fault::kCannotOpen;
    case SQLITE_CONSTRAINT:
      return constraint_of(code);
    case SQLITE_MISMATCH:
      return Fault::kMismatch;
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return Fault::kMisuse;
    default:
      return Fault::kOther;
  }
}

std::string_view code_of(Fault fault) {
  switch (fault) {
    case Fault::kBusy:
    case Fault::kLocked:
      return "busy";
    case Fault::kDiskFull:
      return "disk-full";
    case Fault::kCorrupt:
    case Fault::kNotADatabase:
      return "integrity";
    case Fault::kInterrupted:
      return "cancelled";
    case Fault::kTooBig:
      return "over-limit";
    default:
      return "storage";
  }
}

// The end of the word that starts at `start`, so that an error underlines more than one character.
std::size_t word_end(std::string_view sql, std::size_t start) {
  std::size_t end = start;
  const auto in_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  while (end < sql.size() && in_word(static_cast<unsigned char>(sql[end]))) ++end;
  return end > start ? end : std::min(start + 1, sql.size());
}

Diagnostic failure(sqlite3* database, int code, int system_error, std::string_view sql = {}) {
  std::string message(view(database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)));
  for (char& byte : message) byte = byte == '\n' || byte == '\r' ? ' ' : byte;
  if (!is_utf8(message)) message = sqlite3_errstr(code);
  const Fault fault = fault_of(code, system_error);
  Diagnostic diagnostic = make_error(code_of(fault), std::move(message));
  const bool outside = fault == Fault::kDiskFull || fault == Fault::kIo || fault == Fault::kCannotOpen;
  if (outside && system_error != 0) diagnostic.detail = std::generic_category().message(system_error);
  const int offset = database != nullptr && !sql.empty() ? sqlite3_error_offset(database) : -1;
  if (offset >= 0 && static_cast<std::size_t>(offset) <= sql.size()) {
    const auto start = static_cast<std::size_t>(offset);
    diagnostic.span = Span{start, word_end(sql, start)};
  }
  return diagnostic;
}

int switch_option(Switch which) {
  switch (which) {
    case Switch::kForeignKeys:
      return SQLITE_DBCONFIG_ENABLE_FKEY;
    case Switch::kTriggers:
      return SQLITE_DBCONFIG_ENABLE_TRIGGER;
    case Switch::kViews:
      return SQLITE_DBCONFIG_ENABLE_VIEW;
    case Switch::kLoadExtension:
      return SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION;
    case Switch::kDefensive:
      return SQLITE_DBCONFIG_DEFENSIVE;
    case Switch::kWritableSchema:
      return SQLITE_DBCONFIG_WRITABLE_SCHEMA;
    case Switch::kTrustedSchema:
      return SQLITE_DBCONFIG_TRUSTED_SCHEMA;
    case Switch::kDoubleQuotedStringsInDml:
      return SQLITE_DBCONFIG_DQS_DML;
    case Switch::kDoubleQuotedStringsInDdl:
      return SQLITE_DBCONFIG_DQS_DDL;
    case Switch::kNoCheckpointOnClose:
      return SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
  }
  return -1;
}

constexpr std::array kLimitIds = {
    SQLITE_LIMIT_LENGTH,          SQLITE_LIMIT_SQL_LENGTH,      SQLITE_LIMIT_COLUMN,
    SQLITE_LIMIT_EXPR_DEPTH,      SQLITE_LIMIT_COMPOUND_SELECT, SQLITE_LIMIT_VDBE_OP,
    SQLITE_LIMIT_FUNCTION_ARG,    SQLITE_LIMIT_ATTACHED,        SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
    SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_LIMIT_TRIGGER_DEPTH,   SQLITE_LIMIT_WORKER_THREADS};

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char byte : text) {
    if (byte == quote) out += quote;
    out += byte;
  }
  out += quote;
  return out;
}

}  // namespace

// ---- Statement ----

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

bool Statement::readonly() const { return sqlite3_stmt_readonly(statement_.get()) != 0; }
bool Statement::explain() const { return sqlite3_stmt_isexplain(statement_.get()) != 0; }
std::string_view Statement::sql() const { return view(sqlite3_sql(statement_.get())); }
int Statement::parameter_count() const { return sqlite3_bind_parameter_count(statement_.get()); }
std::string_view Statement::parameter_name(int index) const {
  return view(sqlite3_bind_parameter_name(statement_.get(), index));
}

Diagnostic Statement::failed(int code, int system_error) {
  *fault_ = fault_of(code, system_error);
  return failure(sqlite3_db_handle(statement_.get()), code, system_error);
}

Status Statement::bound(int code) {
  if (code == SQLITE_OK) return Ok{};
  return failed(code, 0);
}

Status Statement::bind(int index, const Value& value) {
  switch (value.kind) {
    case CellKind::kNull:
      return bind_null(index);
    case CellKind::kBoolean:
    case CellKind::kInteger:
      return bind_integer(index, value.integer);
    case CellKind::kReal32:
    case CellKind::kReal64:
      return bind_real(index, value.real);
    case CellKind::kBlob:
      return bind_blob(index, value.text);
    case CellKind::kList:
    case CellKind::kStruct:
    case CellKind::kMap:
    case CellKind::kCut:
      return make_error("invalid-value", "a list, struct, map or cut text can't be a parameter in SQLite");
    default:
      return bind_text(index, value.text);
  }
}

Status Statement::bind_null(int index) { return bound(sqlite3_bind_null(statement_.get(), index)); }
Status Statement::bind_integer(int index, std::int64_t value) {
  return bound(sqlite3_bind_int64(statement_.get(), index, value));
}
Status Statement::bind_real(int index, double value) {
  return bound(sqlite3_bind_double(statement_.get(), index, value));
}
// A null pointer would bind NULL: an empty text has a pointer of its own.
Status Statement::bind_text(int index, std::string_view value) {
  const char* bytes = value.data() == nullptr ? "" : value.data();
  return bound(sqlite3_bind_text64(statement_.get(), index, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}
Status Statement::bind_blob(int index, std::string_view value) {
  const char* bytes = value.data() == nullptr ? "" : value.data();
  return bound(sqlite3_bind_blob64(statement_.get(), index, bytes, value.size(), SQLITE_TRANSIENT));
}

Result<bool> Statement::step() {
  errno = 0;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return utf8_only_ ? checked_row() : true;
  if (code == SQLITE_DONE) return false;
  return failed(code, errno);
}

Result<bool> Statement::checked_row() {
  const int columns = sqlite3_data_count(statement_.get());
  for (int column = 0; column < columns; ++column) {
    if (storage(column) != Storage::kText || is_utf8(text(column))) continue;
    const char* file = sqlite3_db_filename(sqlite3_db_handle(statement_.get()), nullptr);
    *fault_ = Fault::kCorrupt;
    return make_error("integrity", std::string(view(file)) + " is damaged: the column " +
                                       std::string(column_name(column)).substr(0, 80) + " holds a text that is not UTF-8");
  }
  return true;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

void Statement::rewind() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::scan_steps() const {
  return sqlite3_stmt_status(statement_.get(), SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
}

int Statement::column_count() const { return sqlite3_column_count(statement_.get()); }
std::string_view Statement::column_name(int column) const {
  return view(sqlite3_column_name(statement_.get(), column));
}
std::string_view Statement::column_declared_type(int column) const {
  return view(sqlite3_column_decltype(statement_.get(), column));
}
std::string_view Statement::column_database(int column) const {
  return view(sqlite3_column_database_name(statement_.get(), column));
}
std::string_view Statement::column_table(int column) const {
  return view(sqlite3_column_table_name(statement_.get(), column));
}
std::string_view Statement::column_origin(int column) const {
  return view(sqlite3_column_origin_name(statement_.get(), column));
}

Storage Statement::storage(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return Storage::kInteger;
    case SQLITE_FLOAT:
      return Storage::kReal;
    case SQLITE_TEXT:
      return Storage::kText;
    case SQLITE_BLOB:
      return Storage::kBlob;
    default:
      return Storage::kNull;
  }
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const bool null = is_null(column);
  const unsigned char* bytes = sqlite3_column_text(statement_.get(), column);
  if (bytes == nullptr && !null) throw std::bad_alloc();
  return bytes == nullptr ? std::string_view() : view(bytes, sqlite3_column_bytes(statement_.get(), column));
}

std::string_view Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr && size > 0) throw std::bad_alloc();
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

bool Statement::append_cell(int column, CellWriter& out) const {
  switch (storage(column)) {
    case Storage::kInteger:
      out.integer(integer(column));
      return true;
    case Storage::kReal:
      out.real64(real(column));
      return true;
    case Storage::kText: {
      const std::string_view value = text(column);
      if (!is_utf8(value)) return false;
      out.text(CellKind::kText, value);
      return true;
    }
    case Storage::kBlob:
      out.text(CellKind::kBlob, blob(column));
      return true;
    case Storage::kNull:
      break;
  }
  out.null();
  return true;
}

// ---- Database ----

struct Database::State {
  sqlite3* handle = nullptr;
  Authorizer authorizer;
  std::function<bool()> stop;
  std::string main_name;  // SQLite keeps a pointer to it
  bool utf8_only = false;
  Fault fault = Fault::kNone;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  // A connection with statements left becomes a zombie that ends with the last of them.
  ~State() {
    sqlite3_set_authorizer(handle, nullptr, nullptr);
    sqlite3_progress_handler(handle, 0, nullptr, nullptr);
    sqlite3_close_v2(handle);
  }

  static int authorize(void* state, int action, const char* first, const char* second, const char* database,
                       const char* inside) {
    const AccessRequest request{static_cast<Action>(action), view(first), view(second), view(database), view(inside)};
    switch (static_cast<State*>(state)->authorizer(request)) {
      case Access::kAllow:
        return SQLITE_OK;
      case Access::kIgnore:
        return SQLITE_IGNORE;
      case Access::kDeny:
        break;
    }
    return SQLITE_DENY;
  }

  Diagnostic failed(int code, int system_error, std::string_view sql = {}) {
    fault = fault_of(code, system_error);
    return failure(handle, code, system_error, sql);
  }

  static int progress(void* state) { return static_cast<State*>(state)->stop() ? 1 : 0; }
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;
sqlite3* Database::handle() const { return state_->handle; }

Result<Database> Database::open(const std::string& path, const OpenOptions& options) {
  if (path.find('\0') != std::string::npos) return make_error("not-found", "a path can't hold a NUL");
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (options.mode) {
    case OpenMode::kReadOnly:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case OpenMode::kReadWrite:
      flags |= SQLITE_OPEN_READWRITE;
      break;
    case OpenMode::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
  }
  if (options.uri) flags |= SQLITE_OPEN_URI;
  if (!options.follow_symlinks) flags |= SQLITE_OPEN_NOFOLLOW;
  auto state = std::make_unique<State>();
  const int code = sqlite3_open_v2(path.c_str(), &state->handle, flags, nullptr);
  if (code != SQLITE_OK) {
    const int system_error = sqlite3_system_errno(state->handle);
    Diagnostic error = failure(state->handle, code, system_error);
    if (error.code == "storage" && system_error == ENOENT) error.code = "not-found";
    error.message = path + ": " + error.message;
    return error;
  }
  sqlite3_busy_timeout(state->handle, options.busy_timeout_ms);
  state->utf8_only = options.utf8_only;
  return Database(std::move(state));
}

Result<Statement> Database::prepare(std::string_view sql, std::size_t* tail, bool persistent) {
  if (const std::size_t nul = sql.find('\0'); nul != std::string_view::npos) {
    Diagnostic error = make_error("invalid-text", "the statement holds a NUL");
    error.span = Span{nul, nul + 1};
    return error;
  }
  const std::string_view text = sql.data() == nullptr ? std::string_view("") : sql;
  if (text.size() > static_cast<std::size_t>(sqlite3_limit(state_->handle, SQLITE_LIMIT_SQL_LENGTH, -1))) {
    return make_error("over-limit", "the statement is longer than SQLite takes");
  }
  errno = 0;
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int code = sqlite3_prepare_v3(state_->handle, text.data(), static_cast<int>(text.size()),
                                      persistent ? SQLITE_PREPARE_PERSISTENT : 0, &statement, &rest);
  if (tail != nullptr) *tail = rest == nullptr ? text.size() : static_cast<std::size_t>(rest - text.data());
  if (code != SQLITE_OK) return state_->failed(code, errno, text);
  return Statement(statement, &state_->fault, state_->utf8_only);
}

Status Database::run(std::string_view sql) {
  while (!sql.empty()) {
    std::size_t tail = 0;
    CANDOR_ASSIGN(Statement statement, prepare(sql, &tail));
    sql.remove_prefix(tail);
    bool more = !statement.empty();
    while (more) {
      CANDOR_ASSIGN(more, statement.step());
    }
  }
  return Ok{};
}

Status Database::set(Switch which, bool on) {
  int now = 0;
  const int code = sqlite3_db_config(state_->handle, switch_option(which), on ? 1 : 0, &now);
  if (code != SQLITE_OK) return state_->failed(code, 0);
  if ((now != 0) != on) return make_error("storage", "SQLite does not know a switch of its connection");
  return Ok{};
}

Status Database::set_main_name(std::string name) {
  state_->main_name = std::move(name);
  const int code = sqlite3_db_config(state_->handle, SQLITE_DBCONFIG_MAINDBNAME, state_->main_name.c_str());
  if (code != SQLITE_OK) return state_->failed(code, 0);
  return Ok{};
}

int Database::set_limit(Limit which, int value) {
  return sqlite3_limit(state_->handle, kLimitIds[static_cast<std::size_t>(which)], value);
}

void Database::set_busy_timeout(int milliseconds) { sqlite3_busy_timeout(state_->handle, milliseconds); }

void Database::set_authorizer(Authorizer authorizer) {
  state_->authorizer = std::move(authorizer);
  const bool there = static_cast<bool>(state_->authorizer);
  sqlite3_set_authorizer(state_->handle, there ? &State::authorize : nullptr, state_.get());
}

void Database::set_progress(int instructions, std::function<bool()> stop) {
  state_->stop = std::move(stop);
  const bool there = static_cast<bool>(state_->stop);
  sqlite3_progress_handler(state_->handle, there ? instructions : 0, there ? &State::progress : nullptr, state_.get());
}

void Database::interrupt() { sqlite3_interrupt(state_->handle); }

std::int64_t Database::changes() const { return sqlite3_changes64(state_->handle); }
std::int64_t Database::total_changes() const { return sqlite3_total_changes64(state_->handle); }
std::int64_t Database::last_insert_rowid() const { return sqlite3_last_insert_rowid(state_->handle); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(state_->handle) == 0; }
bool Database::is_readonly() const { return sqlite3_db_readonly(state_->handle, nullptr) == 1; }

std::string Database::file_start(int bytes) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(state_->handle, nullptr, SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) != SQLITE_OK)
    return {};
  if (file == nullptr || file->pMethods == nullptr) return {};
  std::string start(static_cast<std::size_t>(bytes), '\0');
  if (file->pMethods->xRead(file, start.data(), bytes, 0) != SQLITE_OK) return {};
  return start;
}

Result<ColumnMetadata> Database::column_metadata(std::string_view database, std::string_view table,
                                                 std::string_view column) {
  const char* type = nullptr;
  const char* collation = nullptr;
  int not_null = 0;
  int primary_key = 0;
  int autoincrement = 0;
  const std::string database_name(database);
  const int code = sqlite3_table_column_metadata(state_->handle, database.empty() ? nullptr : database_name.c_str(),
                                                 std::string(table).c_str(), std::string(column).c_str(), &type,
                                                 &collation, &not_null, &primary_key, &autoincrement);
  if (code != SQLITE_OK) return state_->failed(code, 0);
  return ColumnMetadata{std::string(view(type)), std::string(view(collation)), not_null != 0, primary_key != 0,
                        autoincrement != 0};
}

Fault Database::fault() const { return state_->fault; }

// ---- Transaction ----

Result<Transaction> Transaction::begin(Database& database) {
  CANDOR_TRY(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Status Transaction::commit() {
  CANDOR_TRY(database_->run("COMMIT"));
  database_ = nullptr;
  return Ok{};
}

// A failed statement may have rolled back already; a ROLLBACK that fails leaves nothing that could be mended here.
Transaction::~Transaction() {
  if (database_ == nullptr || !database_->in_transaction()) return;
  const Status ended = database_->run("ROLLBACK");
  (void)ended.ok();
}

std::string quote_identifier(std::string_view name) { return quoted(name, '"'); }
std::string quote_text(std::string_view text) { return quoted(text, '\''); }
std::string_view version() { return sqlite3_libversion(); }
void set_heap_limit(std::int64_t bytes) { sqlite3_hard_heap_limit64(bytes); }

}  // namespace candor::sqlite
