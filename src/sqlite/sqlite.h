// SQLite behind two RAII classes; the only module that sees sqlite3.h. A connection and its statements belong to one
// thread at a time; `interrupt` alone may come from any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/value.h"

struct sqlite3;
struct sqlite3_stmt;

namespace candor::sqlite {

struct ScalarFunction;  // functions.h
struct AggregateFunction;
struct Tokenizer;  // tokenizer.h

enum class OpenMode { kReadOnly, kReadWrite, kCreate };

struct OpenOptions {
  OpenMode mode = OpenMode::kReadOnly;
  bool uri = false;  // the path is a "file:" URI with parameters
  bool follow_symlinks = true;
  int busy_timeout_ms = 0;  // how long a lock held by another connection is waited for
  // The file holds UTF-8 alone: a row with another text fails with `integrity`, for the file is damaged.
  bool utf8_only = false;
};

// What went wrong, in SQLite's classes; for callers that give a fault another code than `error()` does.
enum class Fault {
  kNone,
  kError,        // SQL that does not fit the schema, a function's error …
  kBusy,         // another connection holds the lock
  kLocked,       // this connection, or one that shares its cache, holds it
  kInterrupted,  // interrupt() or the progress handler
  kDenied,       // by the authorizer
  kReadOnly,
  kTooBig,  // over a limit
  kNoMemory,
  kDiskFull,
  kIo,
  kCorrupt,
  kNotADatabase,
  kCannotOpen,
  kDuplicate,   // a PRIMARY KEY, UNIQUE or row id that is there already
  kNotNull,     // NULL where a column has none
  kConstraint,  // any other
  kMismatch,
  kMisuse,
  kOther,
};

// What the authorizer is asked about; the values are SQLite's.
enum class Action : int {
  kCopy = 0,
  kCreateIndex = 1,
  kCreateTable = 2,
  kCreateTempIndex = 3,
  kCreateTempTable = 4,
  kCreateTempTrigger = 5,
  kCreateTempView = 6,
  kCreateTrigger = 7,
  kCreateView = 8,
  kDelete = 9,
  kDropIndex = 10,
  kDropTable = 11,
  kDropTempIndex = 12,
  kDropTempTable = 13,
  kDropTempTrigger = 14,
  kDropTempView = 15,
  kDropTrigger = 16,
  kDropView = 17,
  kInsert = 18,
  kPragma = 19,
  kRead = 20,
  kSelect = 21,
  kTransaction = 22,
  kUpdate = 23,
  kAttach = 24,
  kDetach = 25,
  kAlterTable = 26,
  kReindex = 27,
  kAnalyze = 28,
  kCreateVirtualTable = 29,
  kDropVirtualTable = 30,
  kFunction = 31,
  kSavepoint = 32,
  kRecursive = 33,
};

// One question to the authorizer. What `first` and `second` are depends on the action: table and column of kRead, empty and
// the name of kFunction, name and argument of kPragma (see sqlite.org/c3ref/c_alter_table.html).
struct AccessRequest {
  Action action = Action::kSelect;
  std::string_view first, second;
  std::string_view database;  // "main", "temp" …; may be empty
  std::string_view inside;    // the innermost view or trigger that asks; empty: the statement itself
};
enum class Access { kAllow, kDeny, kIgnore };
using Authorizer = std::function<Access(const AccessRequest&)>;

// Switches of a connection.
enum class Switch {
  kForeignKeys,
  kTriggers,
  kViews,
  kLoadExtension,
  kDefensive,
  kWritableSchema,
  kTrustedSchema,
  kDoubleQuotedStringsInDml,
  kDoubleQuotedStringsInDdl,
  kNoCheckpointOnClose,
};

enum class Limit {
  kLength,
  kSqlLength,
  kColumns,
  kExpressionDepth,
  kCompoundSelect,
  kOperations,
  kFunctionArguments,
  kAttached,
  kLikePatternLength,
  kVariableNumber,
  kTriggerDepth,
  kWorkerThreads,
};

enum class Storage { kInteger, kReal, kText, kBlob, kNull };

// One prepared statement. It may be destroyed, but not used, after its Database; texts that it returns live until the next step or reset.
class Statement {
 public:
  Statement() = default;
  // True for a text that holds no statement, such as a comment.
  [[nodiscard]] bool empty() const { return statement_ == nullptr; }
  [[nodiscard]] bool readonly() const;  // also true for BEGIN, ATTACH and some PRAGMAs: no gate on its own
  [[nodiscard]] bool explain() const;
  [[nodiscard]] std::string_view sql() const;

  // Parameters count from 1. Texts and blobs are copied.
  [[nodiscard]] int parameter_count() const;
  [[nodiscard]] std::string_view parameter_name(int index) const;  // with its sign; empty: nameless
  // Containers are refused with `invalid-value`; digits beyond int64 and decimals are bound as text.
  [[nodiscard]] Status bind(int index, const Value& value);
  [[nodiscard]] Status bind_null(int index);
  [[nodiscard]] Status bind_integer(int index, std::int64_t value);
  [[nodiscard]] Status bind_real(int index, double value);
  [[nodiscard]] Status bind_text(int index, std::string_view value);
  [[nodiscard]] Status bind_blob(int index, std::string_view value);

  // True: there is a row. False: the statement is done.
  [[nodiscard]] Result<bool> step();
  // Ready to run again, without parameters.
  void reset();
  // Ready to run again, with the same parameters.
  void rewind();
  // How often a full scan went on to a further row since the statement was prepared.
  [[nodiscard]] std::int64_t scan_steps() const;

  // Columns count from 0.
  [[nodiscard]] int column_count() const;
  [[nodiscard]] std::string_view column_name(int column) const;
  // Empty where the column is an expression.
  [[nodiscard]] std::string_view column_declared_type(int column) const;
  [[nodiscard]] std::string_view column_database(int column) const;
  [[nodiscard]] std::string_view column_table(int column) const;
  [[nodiscard]] std::string_view column_origin(int column) const;

  // Of the current row. A text or blob that memory does not suffice for throws std::bad_alloc: it must not look empty.
  [[nodiscard]] Storage storage(int column) const;
  [[nodiscard]] bool is_null(int column) const { return storage(column) == Storage::kNull; }
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] std::string_view text(int column) const;  // NULs and bytes that are not UTF-8 included
  [[nodiscard]] std::string_view blob(int column) const;
  // Appends the value as one cell. False, and nothing appended, for a text that is not valid UTF-8.
  [[nodiscard]] bool append_cell(int column, CellWriter& out) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(sqlite3_stmt* statement, Fault* fault, bool utf8_only)
      : statement_(statement), fault_(fault), utf8_only_(utf8_only) {}
  [[nodiscard]] Diagnostic failed(int code, int system_error);
  [[nodiscard]] Status bound(int code);
  [[nodiscard]] Result<bool> checked_row();
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Fault* fault_ = nullptr;  // the connection's
  bool utf8_only_ = false;
};

struct ColumnMetadata {
  std::string declared_type, collation;
  bool not_null = false, primary_key = false, autoincrement = false;
};

class Database {
 public:
  // Opens with extended error codes. Fails with `not-found` or `storage` when it can't be opened; whether the file is a
  // database shows with the first statement (`integrity`).
  [[nodiscard]] static Result<Database> open(const std::string& path, const OpenOptions& options);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  // Prepares the first statement of `sql`. `tail`: how many bytes it took, so that the rest is sql.substr(tail).
  // `persistent`: it will be kept and run often. Errors carry a span into `sql` where SQLite knows one.
  [[nodiscard]] Result<Statement> prepare(std::string_view sql, std::size_t* tail = nullptr, bool persistent = false);
  // Runs all statements of the text and drops their rows.
  [[nodiscard]] Status run(std::string_view sql);

  [[nodiscard]] Status set(Switch which, bool on);
  // The name by which statements speak of the main database, instead of "main".
  [[nodiscard]] Status set_main_name(std::string name);
  // Returns the limit in force before. A limit can't be raised over the one compiled in.
  int set_limit(Limit which, int value);
  void set_busy_timeout(int milliseconds);
  // Asked while statements are prepared. An empty function removes it. It must neither throw nor use the connection.
  void set_authorizer(Authorizer authorizer);
  // Called about every `instructions` virtual machine steps; true stops the statement with `cancelled`. An empty function
  // removes it. It must neither throw nor use the connection.
  void set_progress(int instructions, std::function<bool()> stop);

  // Stops what runs. May be called from any thread while the Database lives.
  void interrupt();

  [[nodiscard]] std::int64_t changes() const;  // rows of the latest insert, update or delete
  [[nodiscard]] std::int64_t total_changes() const;
  [[nodiscard]] std::int64_t last_insert_rowid() const;
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] bool holds_snapshot()
      const;  // a transaction, or a statement that is not done, reads or writes the file
  [[nodiscard]] bool is_readonly() const;
  // The first bytes of the file, through SQLite's own handle: closing another one of this process would drop the locks
  // that its connections hold. Empty: it can't be read, or is shorter.
  [[nodiscard]] std::string file_start(int bytes);
  [[nodiscard]] Result<ColumnMetadata> column_metadata(std::string_view database, std::string_view table,
                                                       std::string_view column);

  // The class of the latest failure on this connection.
  [[nodiscard]] Fault fault() const;

 private:
  struct State;
  friend Status add_function(Database& database, const ScalarFunction& function);
  friend Status add_function(Database& database, const AggregateFunction& function);
  friend Status add_tokenizer(Database& database, const Tokenizer& tokenizer);
  [[nodiscard]] sqlite3* handle() const;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// BEGIN IMMEDIATE now, ROLLBACK at the end unless `commit` succeeded.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  [[nodiscard]] Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

// Identifier in double quotes, text in single ones.
[[nodiscard]] std::string quote_identifier(std::string_view name);
[[nodiscard]] std::string quote_text(std::string_view text);

// The version of the library in use, "3.40.1".
[[nodiscard]] std::string_view version();

// A ceiling for what the library allocates in this process, in bytes; allocations beyond it fail.
void set_heap_limit(std::int64_t bytes);

}  // namespace candor::sqlite
