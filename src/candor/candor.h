// The facade that every surface calls: start reading here. A Candor serves any number of sessions over one set of
// sources; all calls may be made from several threads at once.
//
//   run        ask: one or more statements against the sources and the session's scratch database
//   explain    what a contract makes of statements, without running them
//   materialize  copy a query's rows into a scratch table, so that sources can be joined
//   schema     what there is to ask
//   commit     answer: find the query, review it, hold once or accept with a receipt
//   check      the same review without a commit
//   answers, queries, verify   the ledger, read
//   undo       take back a batch of writes that went through a contract
//   replay     a log of statements held against a contract, without a database
//   describe_contract, check_contract, initial_contract   what an operator publishes, printed, held against its source, begun
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "base/value.h"
#include "candor/explanation.h"
#include "config/config.h"
#include "engine/engine.h"
#include "json/json.h"
#include "ledger/ledger.h"
#include "review/review.h"
#include "scope/list.h"
#include "scope/scope.h"

namespace candor {

// Who calls: which surface, session and turn. An empty turn is the session's current one.
struct Caller {
  std::string surface = "cli";
  std::string session = "cli";
  std::string turn;
  std::string name;  // the client or user, as it calls itself; for telemetry alone
};

// ---- ask ----

struct RunOptions {
  std::string source;                     // engine to use; empty: found from the tables named
  bool allow_writes = true;               // on the scratch database
  std::optional<std::uint64_t> rows_max;  // a flag's ceiling, below the configured one
  bool keep_going = false;                // of a batch: go on after a failed statement
  bool dry_run = false;                   // of writes through a contract: count and show, and undo all of it
  // Flags that shape the rows of a single SELECT; a text of several statements is refused with them. The facade then hands
  // over no batches of rows: they stand in StatementEnd::shaped. A statement that writes is run as if they were not there.
  scope::Shaping shaping;
};

// Rows of a statement that were shaped. Each is an object by `keys`; values that --select chose inside of a column stand in it
// as they did.
struct ShapedRows {
  std::shared_ptr<const scope::ShapedList> list;
  std::vector<std::string> keys;  // of the columns that are left, unique
  std::vector<Column> columns;
  std::vector<bool> mixed;  // columns with an integer that had to be a string
};

struct Warning {
  std::string code, message, hint;
};

// What is known of a statement before its first row.
struct StatementStart {
  std::size_t index = 0;  // in its batch, from 0
  std::size_t count = 1;  // statements of the batch
  std::string sql;
  engine::Header header;
};

// What is known after its last row.
struct StatementEnd {
  std::string query_id;
  std::string statement_type;  // "select", "create" …
  std::string resource;        // of a write its table; of a read the source, or empty
  std::uint64_t row_count = 0;
  std::optional<std::uint64_t> affected_count;
  std::optional<std::uint64_t> rows_scanned;  // told with zero rows, where the engine knows
  std::vector<Warning> warnings;
  std::string normalized_sql;
  scope::AgentSurface surface;
  bool dry_run = false;  // a write through a contract that was undone
  std::string batch_id;  // of writes through a contract that can be undone; the same for each statement of the batch
  double elapsed_ms = 0;
  std::optional<ShapedRows> shaped;  // where RunOptions::shaping asked for it
};

// Takes rows as they come. Calls for one statement: start, rows…, then end or failed. Returning false from `rows` cancels.
class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual void start(const StatementStart& start) = 0;
  virtual bool rows(const RowBatch& batch) = 0;
  virtual void end(const StatementEnd& end) = 0;
  // A statement that failed, before or in the middle of its rows; recorded in the ledger like any other.
  virtual void failed(const StatementStart& start, const Diagnostic& failure) = 0;
};

// What a review measured of a join before, as it is remembered.
struct KnownJoin {
  struct Side {
    std::string table, key;  // "patients", "patients.mrn": as texts, which may be quoted or cut
    std::uint64_t rows = 0, matched = 0;
  };
  std::string memory;   // its name in the memory
  std::string text;     // "patients.mrn joins labs.patient_mrn: 97 % measured on 2026-11-30"
  Side here, there;     // here: of the table that was asked for
  double coverage = 0;  // share of `here`, 0…1
  bool filtered = false, sample = false;
  std::string measured_at;
  std::optional<bool> stale;  // absent: not compared, for `stale_reason`
  std::string stale_reason;
};

// Tables of the engines, and the resources of contracts in the contracts' own words.
struct Schema : engine::Catalog {
  std::vector<std::string> notes;  // what the contracts say of their data as a whole
  // Of the tables that were asked for by name: best first, so many of how many there are. Absent: not looked for.
  std::optional<std::uint64_t> known_joins_total;
  std::vector<KnownJoin> known_joins;
  std::uint64_t known_joins_max = 0;
};

struct Materialized {
  std::string table;  // in the scratch database
  std::uint64_t rows = 0;
  std::vector<Column> columns;
  std::string query_id;
  std::vector<Warning> warnings;
};

// ---- answer ----

struct Hold {
  std::vector<review::CheckResult> checks;  // all of them, at least one with a finding
  std::string final_query_id;
  double join_check_ms = 0;
};

struct Receipt {
  std::string query_id;  // located; empty: none, for `query_reason`
  std::string query_reason;
  std::string query_sql;
  std::string scope;  // JSON of the query's agent_surface
  std::vector<review::CheckResult> checks;
  bool acknowledged = false;  // the findings were shown in a hold before
  double join_check_ms = 0;
};

struct CommitOutcome {
  bool held = false;
  Hold hold;              // when held
  std::string answer_id;  // when committed
  std::string status;     // "committed" or, for an answer without values, "unresolved"
  Receipt receipt;        // when committed
  json::Node document;    // the outcome as every surface shows it
};

// The result of running a receipt's counting statements again.
struct Verification {
  struct Entry {
    std::string check, counting_sql;
    review::Counts stored, now;
    std::optional<Diagnostic> failure;
    [[nodiscard]] bool same() const { return !failure && stored == now; }
  };
  std::string answer_id;
  std::vector<Entry> entries;
};

// What an undo did, or with a dry run would do.
struct Undone {
  // undone; already (an undo before was cut short after it had taken effect); nothing (the source never had the batch)
  enum class Outcome : std::uint8_t { kUndone, kAlready, kNothing };
  struct Resource {
    std::string name;
    std::uint64_t removed = 0, restored = 0, inserted = 0;  // undoing an INSERT, UPDATE, DELETE
  };
  std::string batch_id, source;
  Outcome outcome = Outcome::kUndone;
  bool dry_run = false;
  std::uint64_t rows = 0;
  std::vector<Resource> resources;
  std::vector<Warning> warnings;
  std::string query_id;
};

// The resources that a batch wrote to.
[[nodiscard]] std::vector<std::string> resource_names(const ledger::UndoBatch& batch);

// ---- contracts ----

enum class ContractFormat : std::uint8_t { kMarkdown, kMcp, kOpenapi, kJson };

// What a source's data says against a contract.
struct ContractCheck {
  struct Fault {
    // missing-table, missing-column, missing-scope, wrong-type, null-values, unreadable-values, enum-values, duplicate-keys
    std::string kind;
    std::string resource, column;        // column empty: the resource as a whole
    std::optional<std::uint64_t> count;  // rows; of duplicate-keys the values of the key that stand more than once
    std::string message;                 // one line
    std::vector<std::string> examples;   // at most three values
  };
  struct Resource {
    std::string name, table;
    std::optional<std::uint64_t> rows;  // of all scopes; absent where the table isn't there or can't be read
  };
  std::string contract, file, source;
  std::vector<Resource> resources;
  std::vector<Fault> faults;
  std::vector<std::string> notes;  // no faults, but to be known: tables that the scope does not part
};

// How the MCP tools describe themselves for one contract.
struct ContractTools {
  std::string source, contract;
  std::string query, execute;  // descriptions of sql_query and sql_execute
  bool takes_writes = false;
};

// ---- replay ----

// A call of a log.
struct ReplayCall {
  std::string_view sql;
  std::string_view turn;   // empty: not known
  std::string_view place;  // "log.sql:17", "q17"
};

// What a contract would have said to a log of calls. Every number is defined in docs/stats.md.
struct ReplayReport {
  struct Example {
    std::string place, sql, message, fix;  // `sql` in one line, shortened
  };
  struct Class {
    std::string code;
    std::uint64_t calls = 0, errors = 0, fixes = 0;
    std::vector<Example> examples;  // at most three, the first ones
  };
  struct Name {
    std::string resource, column;
    std::uint64_t calls = 0, fixes = 0;
    bool explained = false;  // the contract says under `absent` what to do instead
  };
  std::string contract, file;
  std::uint64_t calls = 0, accepted = 0;
  std::uint64_t repairable = 0;    // rejected calls all of whose errors came with a repair
  std::uint64_t repaired = 0;      // of these, accepted once repaired
  std::vector<Class> classes;      // those of most calls first
  std::vector<Name> names;         // columns and, without one, resources that are not there; those of most calls first
  std::uint64_t names_beyond = 0;  // errors about further names, which were too many to be told apart
  std::vector<ledger::Statistics::Repair> read_as;
  ledger::Statistics::Turns met, clean;  // of calls that named a turn

  [[nodiscard]] std::uint64_t rejected() const { return calls - accepted; }
};

// Parses and binds calls, and runs nothing: no database is opened. The memory that it takes does not grow with the calls,
// but with the turns that they name.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual void add(const ReplayCall& call) = 0;
  [[nodiscard]] virtual ReplayReport report() const = 0;
};

class Candor {
 public:
  // A replay against the contract of the file, as `source` (empty: the source that it names) publishes it. Claims are not
  // needed. Fails with `configuration` and every fault of the file.
  [[nodiscard]] static Result<std::unique_ptr<Replay>> replay(const config::Configuration& configuration,
                                                              const std::string& file, const std::string& source);

  // The contract of the file, described for agents and programs. No database and no ledger is opened. Fails with
  // `configuration` and every fault of the file.
  [[nodiscard]] static Result<std::string> describe_contract(const config::Configuration& configuration,
                                                             const std::string& file, ContractFormat format);

  // For each source with a contract; one that can't be read is left out, and its fault added to `faults`.
  [[nodiscard]] static std::vector<ContractTools> contract_tools(const config::Configuration& configuration,
                                                                 std::vector<Diagnostic>& faults);

  // Opens the ledger; sources and engines open when they are first needed. `worker` is the path of candor-worker.
  [[nodiscard]] static Result<std::unique_ptr<Candor>> open(config::Configuration configuration, std::string worker);
  virtual ~Candor() = default;

  [[nodiscard]] virtual const config::Configuration& configuration() const = 0;

  // Runs the statements of `sql` in order; each is one query of the ledger. Fails as a whole only before the first
  // statement (`over-limit`, `invalid-text`, `locked` …); a failed statement goes to the sink and ends the batch.
  [[nodiscard]] virtual Status run(const Caller& caller, std::string_view sql, const RunOptions& options,
                                   ResultSink& sink, CancelToken cancel) = 0;

  // What a contract makes of the text, without running it. Errors of the text are in the explanation; fails for a source
  // without a contract (`statement-not-allowed`), without the caller's claim, and where the source can't be opened.
  [[nodiscard]] virtual Result<Explanation> explain(const Caller& caller, std::string_view sql,
                                                    const RunOptions& options) = 0;

  [[nodiscard]] virtual Result<Materialized> materialize(const Caller& caller, std::string_view sql,
                                                         const std::string& table, bool replace,
                                                         const RunOptions& options, CancelToken cancel) = 0;

  // All tables of all sources and of the session's scratch; `resource` (a table, or source.table) narrows it, else
  // `unknown-table` with the nearest.
  [[nodiscard]] virtual Result<Schema> schema(const Caller& caller, const std::string& resource) = 0;

  // `input` as answer_commit takes it. A fault of the review never fails it.
  [[nodiscard]] virtual Result<CommitOutcome> commit(const Caller& caller, const json::Node& input,
                                                     CancelToken cancel) = 0;

  // Reviews each SELECT of the text without a commit.
  struct Checked {
    std::string sql;
    std::vector<review::CheckResult> checks;
    std::vector<Warning> warnings;
  };
  [[nodiscard]] virtual Result<std::vector<Checked>> check(const Caller& caller, std::string_view sql,
                                                           const RunOptions& options, CancelToken cancel) = 0;

  [[nodiscard]] virtual Result<Verification> verify(const std::string& answer_id, CancelToken cancel) = 0;

  // Takes back a batch of writes through a contract, in one transaction. Fails with `undo-refused` when a row is no longer as
  // the batch left it, when the batch was undone, belongs to another scope than the caller's, or its tables are published no
  // more; with `not-found`, `busy`, `unknown-source`, `scope-missing`. Then nothing is written.
  [[nodiscard]] virtual Result<Undone> undo(const Caller& caller, const std::string& batch_id, bool dry_run,
                                            CancelToken cancel) = 0;

  // Holds the file's contract against its source: `source`, else the one that the contract names, else the only one. Looks
  // at every row of every table. Fails with `configuration` for faults of the file; what the data says against it is no
  // failure.
  [[nodiscard]] virtual Result<ContractCheck> check_contract(const Caller& caller, const std::string& file,
                                                             const std::string& source, CancelToken cancel) = 0;

  // The text of a first contract for the source; empty: the only one. Looks at values where types don't tell.
  [[nodiscard]] virtual Result<std::string> initial_contract(const Caller& caller, const std::string& source,
                                                             CancelToken cancel) = 0;

  // The ledger, for reading.
  [[nodiscard]] virtual ledger::Ledger& ledger() = 0;

  // Ends what runs and closes the engines of a session that will not come back; its scratch database is kept when
  // `keep`, else removed.
  virtual void close_session(const std::string& session, bool keep) = 0;
};

}  // namespace candor
