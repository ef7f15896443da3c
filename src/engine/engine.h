// The interface of a database engine, as the rest of Candor sees it. Implementations: duckdb/ and sqlite/ run inside a
// worker process; worker/ is the client that speaks to one. A policy is in force before any agent's text is seen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value.h"

namespace candor::engine {

// The session's own database, as statements name it; no source may have this name.
inline constexpr std::string_view kScratch = "scratch";

// What an engine opens. Paths are real paths.
enum class SourceKind : std::uint8_t { kDuckdb, kSqlite, kFiles, kPostgres };

struct SourceSpec {
  std::string name;  // the name by which statements speak of it: a SQL identifier
  SourceKind kind = SourceKind::kFiles;
  std::string path;      // of the database, the file, or the folder of files; of PostgreSQL a URL, with its password
  std::string encoding;  // of text files, empty for UTF-8; else one that the engine knows, such as "latin-1"
  std::vector<std::string> environment =
      {};                    // of PostgreSQL: settings such as "PGUSER=reader", which its URL goes before
  bool unsafe_role = false;  // of PostgreSQL: connect even with a role that can do more than read and write rows
};

// What an engine may do and how much it may take. Applied when it is opened; no statement can widen it.
struct Policy {
  std::vector<SourceSpec> sources;
  std::string scratch_path;     // the session's scratch database; empty: none (SQLite)
  std::string temp_directory;   // for spilling; emptied when the engine is closed
  std::string cache_directory;  // where file sources are kept in the engine's own format
  // The one source is published through a contract: nothing but Candor's own statements runs on it (Lane::kContract),
  // some of which write. Files are opened for as short as a call lasts, so that other programs can write to them.
  bool contract = false;
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  std::uint64_t import_bytes_max = std::uint64_t{8} << 30U;  // a larger file of rows is not copied into the cache
  int threads = 2;
};

enum class StatementKind : std::uint8_t { kSelect, kExplain, kDescribe, kInsert, kUpdate, kDelete, kCreate, kDrop };
[[nodiscard]] std::string_view to_string(StatementKind kind);
[[nodiscard]] bool writes(StatementKind kind);  // insert, update, delete, create, drop

// Whose statement it is. The agent's run under the allow-list with the agent's search path and temporary objects; the
// review's and the catalog's run on a connection of their own that sees no user object but by its full name. Those of a
// contract were lowered by Candor from what it parsed and bound; they name tables in full, and call Candor's functions
// (docs/decisions/0060-contract-engines.md), which no agent's statement can.
enum class Lane : std::uint8_t { kAgent, kReview, kContract };

struct RunRequest {
  std::string sql;                // one statement
  std::vector<Value> parameters;  // bound to $1, $2, … (?1, ?2, … in SQLite)
  Lane lane = Lane::kAgent;
  bool allow_writes = false;             // on the scratch database
  std::uint64_t rows_max = 1000;         // rows to hand over; those after it are only counted
  std::uint64_t chars_max = 48'000;      // of rendered JSON; no further row is handed over once it is passed
  std::uint64_t cell_chars_max = 8'000;  // longer cells are cut and say so
  std::int64_t deadline_ms = 30'000;     // from the start of the run; then `statement-timeout`
  std::int64_t count_budget_ms = 1'000;  // how long to go on counting after the last row that was handed over
  // For copying rows elsewhere: Header.columns carry DuckDB types that hold every value of the result exactly. An engine
  // without static types (SQLite) looks at every row first, in the same snapshot, and fails with `mixed-types`.
  bool exact_types = false;
};

struct Header {
  StatementKind kind = StatementKind::kSelect;
  std::vector<Column> columns;  // empty for statements without a result
  std::string target;           // of a write: the table, view or macro, unquoted, as the catalog names it
  std::vector<std::string> temporary_objects;  // the agent's temporary tables and views at this moment
  // Which state of its source the statement reads, where the engine can tell (PostgreSQL): while it is the same, nothing
  // was written in between. Empty: not known.
  std::string state;
};

struct End {
  std::uint64_t rows = 0;                   // handed over
  std::optional<std::uint64_t> rows_total;  // all rows of the result, when it was counted to its end
  bool cut_by_chars = false;                // chars_max ended the handing over
  std::optional<std::uint64_t> affected;    // of a write
  // Of a write through a contract: whether triggers or foreign keys of the database changed other rows with it, where the
  // engine tells.
  bool changed_others = false;
  std::optional<std::uint64_t> rows_scanned;  // rows read by the scans below the result, where the engine tells
};

// Rows of one statement. Pull until End or a Diagnostic; both are final. Destroyed early it cancels the statement.
class RowStream {
 public:
  virtual ~RowStream() = default;
  [[nodiscard]] virtual const Header& header() const = 0;
  using Item = std::variant<RowBatch, End, Diagnostic>;
  // End comes only after the engine's error slot was read.
  [[nodiscard]] virtual Item next() = 0;
};

// All that one statement gave.
struct Answer {
  Header header;
  std::vector<RowBatch> rows;
  End end;
};

// Pulls the rows to their end.
[[nodiscard]] Result<Answer> whole_answer(RowStream& rows);

// What several statements gave.
struct Answers {
  std::vector<Answer> done;           // of the first statements, in their order
  std::optional<Diagnostic> failure;  // of the one behind those; no later one was run
};

// Starts one after the other, and pulls the rows of each to their end.
using Starter = std::function<Result<std::unique_ptr<RowStream>>(const RunRequest&)>;
[[nodiscard]] Answers answers_of(const std::vector<RunRequest>& requests, const Starter& start);

// ---- the catalog ----

struct CatalogColumn {
  std::string name;
  std::string type;
  bool nullable = true;
  bool primary_key = false;
  bool collated = false;  // compares by a rule of its own, by which texts can be equal that are not the same
  bool computed = false;  // from other columns of the row: it can't be written
  std::string comment;
  std::string
      note;  // what the source's opening decided about it: "kept as text: 314 of 3,218 values have leading zeros"
};

struct RejectedRow {
  std::uint64_t line = 0;  // of the file, from 1
  std::string reason;
};

// Where a table of a file source comes from and how it was read.
struct FileOrigin {
  std::string path;       // relative to the source's folder
  std::string format;     // csv, tsv, parquet, json, ndjson
  std::string delimiter;  // of text formats
  std::string quote;
  bool header = false;
  std::string encoding;  // "utf-8" unless configured
  std::uint64_t bytes = 0;
  std::uint64_t rows_rejected = 0;
  std::vector<RejectedRow> rejected;  // the first of them, at most 20
  std::string failure;                // why it could not be read at all; then the table has no columns
};

struct CatalogTable {
  std::string source;  // "scratch" or the source's name
  std::string schema;  // inside the source: "main"
  std::string name;
  bool view = false;
  bool temporary = false;
  bool schema_needed = false;                   // a statement finds it only by its schema
  std::optional<std::uint64_t> rows_estimated;  // the catalog's estimate; exact where `rows_exact`
  bool rows_exact = false;
  std::string comment;
  std::vector<CatalogColumn> columns;
  std::optional<FileOrigin> file;
};

// The name by which a statement reads the table: source.table, or source.schema.table.
[[nodiscard]] std::string written_name(const CatalogTable& table);

struct Catalog {
  std::vector<CatalogTable> tables;   // sorted by source, schema, name
  std::vector<std::string> warnings;  // files that were left out, with the reason
};

// ---- what the review asks, answered from the catalog alone ----

struct TableName {
  std::string source;  // catalog: "scratch" or a source's name; empty: as the agent's search path resolves it
  std::string schema;  // empty likewise
  std::string table;
  friend bool operator==(const TableName&, const TableName&) = default;
};

struct ColumnFacts {
  std::string name;
  std::string type;
  std::optional<std::uint64_t> width_max;  // characters or bytes of the widest value; absent: not known
  bool collated = false;                   // compares by another rule than its bytes
};

struct TableFacts {
  TableName resolved;  // the full, three-part name
  bool exists = false;
  bool base_table = false;
  bool shadowed = false;         // a temporary object or a view of that name would win over it
  bool pending_updates = false;  // of one of the columns asked for, after a checkpoint of the scratch was tried
  std::optional<std::uint64_t> rows_estimated;
  std::optional<std::uint64_t>
      bytes_max;                     // no column of the table can be larger than this as a whole, where that is known
  std::vector<ColumnFacts> columns;  // all columns of the table, in order; widths only of those asked for
};

struct FunctionFacts {
  std::string name;
  bool built_in = false;    // and no user object of that name, macro or operator, anywhere on the agent's path
  bool repeatable = false;  // the same arguments give the same value
};

// A transaction that writes to a source with a contract. Rolls back what was not committed when it is destroyed.
class Transaction {
 public:
  virtual ~Transaction() = default;
  // A statement of Lane::kContract, reading or writing; its stream must be read to its end before the next one begins.
  // Fails besides with `duplicate-key`, `constraint-violation`, `null-not-allowed` and `concurrent-change`; after a
  // failure only rolling back is left.
  [[nodiscard]] virtual Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) = 0;
  // The same for several statements, one after the other, each to its end; nothing is run after the first that fails. An
  // engine in another process is asked once for all of them. All their rows are held in memory.
  [[nodiscard]] virtual Answers run_all(const std::vector<RunRequest>& requests, const CancelToken& cancel);
  // `concurrent-change` when another writer was first, `disk-full`, `busy` when readers do not let go, what a constraint
  // says that is looked at last; `write-unknown` when the engine ended meanwhile. Whatever it fails with, nothing was kept,
  // but for the last.
  [[nodiscard]] virtual Status commit() = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  // Starts one statement. Fails with `statement-not-allowed`, `read-only`, `syntax`, `unknown-table`, `unknown-column`,
  // `type-mismatch`, `engine-error`, `statement-timeout`, `cancelled`, `engine-died` and others of codes.h. Diagnostics carry
  // spans into `sql`. For unknown names `detail` is the missing name alone: nearest names over all sources are added above.
  [[nodiscard]] virtual Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) = 0;

  [[nodiscard]] virtual Result<Catalog> catalog() = 0;

  // DuckDB's own parser, whatever the engine: `json_serialize_sql` of the text, in a private instance without user
  // objects. Fails with `syntax` and a span.
  [[nodiscard]] virtual Result<std::string> syntax_tree(std::string_view sql) = 0;
  // The way back, `json_deserialize_sql`. Not faithful: the caller parses the text again and compares.
  [[nodiscard]] virtual Result<std::string> print_tree(std::string_view tree) = 0;

  [[nodiscard]] virtual Result<TableFacts> table_facts(const TableName& name,
                                                       const std::vector<std::string>& columns) = 0;
  [[nodiscard]] virtual Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) = 0;

  // Creates scratch table `table` from rows that another engine gave; `types` are this engine's. The reader is pulled
  // until it gives End. Nothing is left behind when it fails. Fails with `duplicate-table` unless `replace`.
  [[nodiscard]] virtual Result<std::uint64_t> append(const std::string& table, const std::vector<Column>& columns,
                                                     bool replace, RowStream& rows, CancelToken cancel) = 0;

  // Begins a transaction on the source of a contract, and waits up to `wait_ms` for other writers. Sees one state of the
  // source from its first statement on. Fails with `busy`, `file-locked`, and `read-only` without a contract.
  [[nodiscard]] virtual Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel);
};

}  // namespace candor::engine
