// The facade that every surface calls: start reading here. A Candor serves any number of sessions over one set of
// sources; all calls may be made from several threads at once.
//
//   run        ask: one or more statements against the sources and the session's scratch database
//   materialize  copy a query's rows into a scratch table, so that sources can be joined
//   schema     what there is to ask
//   commit     answer: find the query, review it, hold once or accept with a receipt
//   check      the same review without a commit
//   answers, queries, verify   the ledger, read
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
#include "config/config.h"
#include "engine/engine.h"
#include "json/json.h"
#include "ledger/ledger.h"
#include "review/review.h"
#include "scope/scope.h"

namespace candor {

// Who calls: which surface, session and turn. An empty turn is the session's current one.
struct Caller {
  std::string surface = "cli";
  std::string session = "cli";
  std::string turn;
};

// ---- ask ----

struct RunOptions {
  std::string source;                     // engine to use; empty: found from the tables named
  bool allow_writes = true;               // on the scratch database
  std::optional<std::uint64_t> rows_max;  // a flag's ceiling, below the configured one
  bool keep_going = false;                // of a batch: go on after a failed statement
  bool dry_run = false;                   // of writes through a contract: count and show, and undo all of it
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
  double elapsed_ms = 0;
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

class Candor {
 public:
  // Opens the ledger; sources and engines open when they are first needed. `worker` is the path of candor-worker.
  [[nodiscard]] static Result<std::unique_ptr<Candor>> open(config::Configuration configuration, std::string worker);
  virtual ~Candor() = default;

  [[nodiscard]] virtual const config::Configuration& configuration() const = 0;

  // Runs the statements of `sql` in order; each is one query of the ledger. Fails as a whole only before the first
  // statement (`over-limit`, `invalid-text`, `locked` …); a failed statement goes to the sink and ends the batch.
  [[nodiscard]] virtual Status run(const Caller& caller, std::string_view sql, const RunOptions& options,
                                   ResultSink& sink, CancelToken cancel) = 0;

  [[nodiscard]] virtual Result<Materialized> materialize(const Caller& caller, std::string_view sql,
                                                         const std::string& table, bool replace,
                                                         const RunOptions& options, CancelToken cancel) = 0;

  // All tables of all sources and of the session's scratch; `resource` (a table, or source.table) narrows it, else
  // `unknown-table` with the nearest.
  [[nodiscard]] virtual Result<engine::Catalog> schema(const Caller& caller, const std::string& resource) = 0;

  // `input` as answer_commit takes it. A fault of the review never fails it.
  [[nodiscard]] virtual Result<CommitOutcome> commit(const Caller& caller, const json::Node& input,
                                                     CancelToken cancel) = 0;

  // Reviews each SELECT of the text without a commit.
  struct Checked {
    std::string sql;
    std::vector<review::CheckResult> checks;
  };
  [[nodiscard]] virtual Result<std::vector<Checked>> check(const Caller& caller, std::string_view sql,
                                                           const RunOptions& options, CancelToken cancel) = 0;

  [[nodiscard]] virtual Result<Verification> verify(const std::string& answer_id, CancelToken cancel) = 0;

  // The ledger, for reading.
  [[nodiscard]] virtual ledger::Ledger& ledger() = 0;

  // Ends what runs and closes the engines of a session that will not come back; its scratch database is kept when
  // `keep`, else removed.
  virtual void close_session(const std::string& session, bool keep) = 0;
};

}  // namespace candor
