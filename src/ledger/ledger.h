// The ledger: sessions, turns, queries, answers, the review's slot and telemetry, in one SQLite file that survives a crash
// and is shared by processes. Documents are stored as JSON text that the callers make and read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/calls.h"
#include "ledger/statistics.h"

namespace candor::ledger {

// A turn of a session: named by the caller, or counted by the ledger ("1", "2", …; the next begins when an answer of the
// current one is accepted).
struct TurnKey {
  std::string session;
  std::string turn;
  friend bool operator==(const TurnKey&, const TurnKey&) = default;
};

struct QueryRecord {
  std::string id;  // "q17"; given by record_query
  TurnKey turn;
  std::string sql;
  std::string engine;  // "duckdb" or "sqlite"
  std::string source;  // of SQLite: its name
  std::string kind;    // select, insert, create …
  std::string target;  // of a write
  bool succeeded = false;
  std::string error_code;   // when it failed
  std::string columns;      // JSON array of {name,type,id}
  std::string rows;         // JSON array of row arrays, as they were shown
  bool output_cut = false;  // not all rows or cells of the result were shown or kept
  std::uint64_t row_count = 0;
  std::string scope;              // JSON: agent_surface
  std::string temporary_objects;  // JSON array of names
  std::string source_versions;    // JSON object: source -> version of its files when the query ran
  std::int64_t started_ms = 0;    // Unix time
  std::int64_t elapsed_ms = 0;
};

struct AnswerRecord {
  std::string id;  // "a3"; given by record_answer
  TurnKey turn;
  std::string body;      // JSON: the input of answer_commit
  std::string digest;    // SHA-256 of what makes two commits the same
  std::string state;     // committed, acknowledged, unresolved
  std::string query_id;  // located; empty: none
  std::string receipt;   // JSON
  std::int64_t committed_ms = 0;
};

// The review's slot of a turn.
struct Slot {
  enum class State { kFree, kReserved, kHeld, kDone };
  State state = State::kFree;
  std::string digest;  // of the answer that was held
  std::string hold;    // JSON: the hold as it was sent
  bool mine = false;   // this call reserved it
};

struct Telemetry {
  std::string surface, caller, session, turn;
  bool succeeded = false;
  std::string statement_type, resource;
  std::uint64_t statement_count = 1, row_or_affected_count = 0, result_chars = 0, rows_omitted = 0, sql_length = 0;
  double duration_ms = 0;
  std::string sql_fingerprint;  // SHA-256 of the text
  std::string error_code, reason;
  // For statistics, and in no line of a log.
  const CallPart* part = nullptr;
  const CommitPart* commit = nullptr;
};

// A query with the telemetry that is written along with it; null: none.
struct Recorded {
  const QueryRecord* query = nullptr;
  const Telemetry* telemetry = nullptr;
};

// What was sent in one call, for sending it again elsewhere.
struct SentCall {
  std::string query_id;  // of its first statement
  TurnKey turn;
  std::string sql;
};

// ---- batches of writes that can be undone ----

enum class UndoState : std::uint8_t {
  kPending,  // kept; whether the source has the batch is not known until it says so
  kDone,     // the source has it
  kUndoing,  // about to be taken back; whether the source has that is not known
  kUndone,
  kDropped,  // the source never had it
  kExpired,  // too old: its rows were forgotten
};
[[nodiscard]] std::string_view to_string(UndoState state);

struct UndoBatch {
  std::string id;  // "b12"; given by keep_undo
  TurnKey turn;
  std::string surface;
  std::string source, contract;
  std::string scope_column, scope_value;  // whose rows they are; empty: the contract has no scope
  std::string tables;                     // JSON
  std::uint64_t statements = 0, rows = 0;
  bool changed_others = false;  // the source's own triggers or foreign keys changed rows that are not among them
  UndoState state = UndoState::kPending;
  std::int64_t kept_ms = 0, undone_ms = 0;  // Unix time; 0: it was not
};

struct UndoRow {
  std::uint64_t table = 0;          // its place in `tables`
  std::string keys, before, after;  // JSON; before and after are empty where there is no row
};

struct Page {
  std::uint64_t limit = 50;
  std::uint64_t offset = 0;
  std::string from = {};  // the id to begin with, as if nothing younger were there; empty: the youngest
};

class Ledger {
 public:
  // Opens or creates `home`/ledger.sqlite (folder mode 0700). Fails with `storage`, `integrity` (no ledger, newer schema),
  // `disk-full`, `busy`.
  [[nodiscard]] static Result<std::unique_ptr<Ledger>> open(const std::string& home);
  virtual ~Ledger() = default;

  // Begins the session where it does not exist. The current turn's name.
  [[nodiscard]] virtual Result<std::string> current_turn(const std::string& session) = 0;

  // Written before the result leaves, with its telemetry in the same transaction. The id.
  [[nodiscard]] virtual Result<std::string> record_query(const QueryRecord& query,
                                                         const Telemetry* telemetry = nullptr) = 0;
  // The same of statements that ran together: all of them in one transaction, or none. Their ids.
  [[nodiscard]] virtual Result<std::vector<std::string>> record_queries(const std::vector<Recorded>& queries) = 0;
  // The id of the youngest query of all sessions; empty when there is none.
  [[nodiscard]] virtual Result<std::string> last_query() = 0;
  // A query of the session, of any turn. `unknown-query` when it is not there.
  [[nodiscard]] virtual Result<QueryRecord> query(const std::string& session, const std::string& id) = 0;
  [[nodiscard]] virtual Result<QueryRecord> query(const std::string& id) = 0;
  // The turn's completed SELECTs, oldest first, with their outputs.
  [[nodiscard]] virtual Result<std::vector<QueryRecord>> completed_queries(const TurnKey& turn) = 0;
  // Writes of the session recorded after `query_id` (empty: all), oldest first, without outputs: did a table change since?
  [[nodiscard]] virtual Result<std::vector<QueryRecord>> writes_after(const std::string& session,
                                                                      const std::string& query_id) = 0;
  // Newest first, without outputs; `session` empty: of all. Sets `total`.
  [[nodiscard]] virtual Result<std::vector<QueryRecord>> queries(const std::string& session, Page page,
                                                                 std::uint64_t& total) = 0;

  // Reserves the turn's slot for this process, in one transaction. Free, or reserved by a process that no longer lives:
  // reserved and `mine`. Else what stands there.
  [[nodiscard]] virtual Result<Slot> reserve_slot(const TurnKey& turn) = 0;
  // Nothing fired: the slot is free again.
  [[nodiscard]] virtual Status release_slot(const TurnKey& turn) = 0;
  // The hold is durable before it is sent.
  [[nodiscard]] virtual Status hold(const TurnKey& turn, const std::string& digest, const std::string& hold_json) = 0;

  // Durable when it returns; ends the turn when the ledger counts it; marks a held slot done. The id.
  [[nodiscard]] virtual Result<std::string> record_answer(const AnswerRecord& answer) = 0;
  [[nodiscard]] virtual Result<AnswerRecord> answer(const std::string& id) = 0;
  [[nodiscard]] virtual Result<std::vector<AnswerRecord>> answers(const std::string& session, Page page,
                                                                  std::uint64_t& total) = 0;

  // Keeps a batch, pending and held by this process; durable when it returns. Forgets the rows of those that were kept before
  // `forget_before_ms` (Unix time). The id.
  [[nodiscard]] virtual Result<std::string> keep_undo(const UndoBatch& batch, const std::vector<UndoRow>& rows,
                                                      std::int64_t forget_before_ms) = 0;
  // Takes hold of a batch, so that one process alone undoes it. Fails with `not-found`, and with `busy` while a process that
  // lives holds it.
  [[nodiscard]] virtual Result<UndoBatch> take_undo(const std::string& id) = 0;
  [[nodiscard]] virtual Result<std::vector<UndoRow>> undo_rows(const std::string& id) = 0;
  // Of a batch that is held here: durable when it returns. Lets go of it, unless it is kUndoing; the rows of one that is
  // undone or dropped are removed.
  [[nodiscard]] virtual Status settle_undo(const std::string& id, UndoState state) = 0;
  // Lets go of a batch as it is.
  [[nodiscard]] virtual Status leave_undo(const std::string& id) = 0;
  // Newest first, without those that were dropped; `session` empty: of all. Sets `total`.
  [[nodiscard]] virtual Result<std::vector<UndoBatch>> undo_batches(const std::string& session, Page page,
                                                                    std::uint64_t& total) = 0;

  virtual void record_telemetry(const Telemetry& record) = 0;  // a failure is dropped: it must not fail a call

  // What telemetry adds up to, as of one moment.
  [[nodiscard]] virtual Result<Statistics> statistics(const StatisticsFilter& filter) = 0;
  // The calls in the order in which they came, until `take` returns false. Those that could not be kept as a text are left
  // out: text that is not UTF-8, or is over a limit.
  [[nodiscard]] virtual Status each_call(const StatisticsFilter& filter,
                                         const std::function<bool(const SentCall&)>& take) = 0;

  // `integrity` when the file is damaged.
  [[nodiscard]] virtual Status check() = 0;
};

}  // namespace candor::ledger
