// The ledger over two connections: one whose commits survive a crash of the process, for what is frequent, and one whose
// commits survive a loss of power, for holds and answers. Both write to one log, so that what is durable is a prefix.
#include "ledger/ledger.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "base/codes.h"
#include "config/home.h"
#include "ledger/call_reader.h"
#include "ledger/call_records.h"
#include "ledger/connection.h"
#include "ledger/file_place.h"
#include "ledger/owner.h"
#include "ledger/schema.h"
#include "ledger/undo.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {
namespace {

// The columns that read_query reads, without and with the output.
#define CANDOR_QUERY_COLUMNS                                                                                 \
  "q.id, q.session, q.turn, q.kind, q.succeeded, q.error_code, q.engine, q.source, q.target, q.started_ms, " \
  "q.elapsed_ms, q.row_count, q.output_cut, q.sql, q.columns, q.scope, q.temporary_objects, q.source_versions"
#define CANDOR_QUERY_WITH_OUTPUT \
  "SELECT " CANDOR_QUERY_COLUMNS ", coalesce(o.rows, '') FROM queries q LEFT JOIN outputs o ON o.query = q.id "
#define CANDOR_ANSWER_COLUMNS "id, session, turn, state, query, digest, committed_ms, body, receipt"
// One page, newest first. The inner query is answered from an index alone; only the page's rows are fetched.
#define CANDOR_PAGE(columns, table, condition)                                         \
  "SELECT " columns " FROM " table " WHERE id IN (SELECT id FROM " table " " condition \
  " ORDER BY id DESC LIMIT ?1 "                                                        \
  "OFFSET ?2) ORDER BY id DESC"

QueryRecord read_query(const Run& run, bool with_output) {
  QueryRecord query;
  query.id = "q" + std::to_string(run.integer(0));
  query.turn = {run.text(1), run.text(2)};
  query.kind = run.text(3);
  query.succeeded = run.integer(4) != 0;
  query.error_code = run.text(5);
  query.engine = run.text(6);
  query.source = run.text(7);
  query.target = run.text(8);
  query.started_ms = run.integer(9);
  query.elapsed_ms = run.integer(10);
  query.row_count = static_cast<std::uint64_t>(run.integer(11));
  query.output_cut = run.integer(12) != 0;
  query.sql = run.text(13);
  query.columns = run.text(14);
  query.scope = run.text(15);
  query.temporary_objects = run.text(16);
  query.source_versions = run.text(17);
  if (with_output) query.rows = run.text(18);
  return query;
}

AnswerRecord read_answer(const Run& run) {
  AnswerRecord answer;
  answer.id = "a" + std::to_string(run.integer(0));
  answer.turn = {run.text(1), run.text(2)};
  answer.state = run.text(3);
  answer.query_id = run.text(4);
  answer.digest = run.text(5);
  answer.committed_ms = run.integer(6);
  answer.body = run.text(7);
  answer.receipt = run.text(8);
  return answer;
}

Result<std::vector<QueryRecord>> read_queries(Run& run, bool with_output) {
  std::vector<QueryRecord> queries;
  for (;;) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return queries;
    queries.push_back(read_query(run, with_output));
  }
}

// A write that failed for good changed nothing; one that was cut off may have.
bool may_have_written(const QueryRecord& query) {
  if (query.succeeded) return true;
  const CodeInfo* code = find_code(query.error_code);
  return code == nullptr || code->error_class != ErrorClass::kPermanent;
}

Slot::State slot_state(std::string_view name) {
  if (name == "reserved") return Slot::State::kReserved;
  return name == "held" ? Slot::State::kHeld : Slot::State::kDone;
}

// The id that a record gives its call is the call's own only when the record is kept.
class KeepsCall {
 public:
  explicit KeepsCall(const Telemetry* telemetry)
      : call_(telemetry == nullptr || telemetry->part == nullptr ? nullptr : telemetry->part->call), before_(id()) {}
  [[nodiscard]] std::int64_t id() const { return call_ == nullptr ? 0 : call_->id; }
  template <typename Recorded>
  [[nodiscard]] Recorded unless_failed(Recorded recorded) const {
    if (!recorded.ok() && call_ != nullptr) call_->id = before_;
    return recorded;
  }

 private:
  Call* call_;
  std::int64_t before_;
};

class FileLedger final : public Ledger {
 public:
  FileLedger(sqlite::Database frequent, sqlite::Database durable, const std::string& path)
      : place_(path),
        frequent_(std::move(frequent), place_),
        durable_(std::move(durable), place_),
        owner_(own_identity()) {}

  // Reservations end with their owner; those of a process that was killed are found dead by the next one.
  ~FileLedger() override {
    const std::lock_guard lock(frequent_.mutex);
    const Status released = frequent_.execute("DELETE FROM slots WHERE state = 'reserved' AND owner = ?1", owner_);
    (void)released.ok();
    (void)undo::leave_all(frequent_, owner_).ok();
  }

  Result<std::string> current_turn(const std::string& session) override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(const std::int64_t counted, counted_turn(frequent_, session));
    if (counted > 0) return std::to_string(counted);
    CANDOR_TRY(frequent_.execute(kBeginSession, session));
    CANDOR_ASSIGN(const std::int64_t begun, counted_turn(frequent_, session));
    return std::to_string(begun);
  }

  Result<std::string> record_query(const QueryRecord& query, const Telemetry* telemetry) override {
    CANDOR_ASSIGN(std::vector<std::string> ids, record_queries({{&query, telemetry}}));
    return std::move(ids.front());
  }

  Result<std::vector<std::string>> record_queries(const std::vector<Recorded>& queries) override {
    const std::lock_guard lock(frequent_.mutex);
    std::vector<KeepsCall> calls;
    for (const Recorded& one : queries) calls.emplace_back(one.telemetry);
    auto recorded = frequent_.transaction([&]() -> Result<std::vector<std::string>> {
      std::vector<std::string> ids;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        CANDOR_ASSIGN(ids.emplace_back(), insert_query(queries[i], calls[i]));
      }
      return ids;
    });
    for (const KeepsCall& call : calls) recorded = call.unless_failed(std::move(recorded));
    return recorded;
  }

  Result<std::string> last_query() override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(const std::int64_t id, number("SELECT coalesce(max(id), 0) FROM queries"));
    return id == 0 ? std::string() : "q" + std::to_string(id);
  }

  Result<QueryRecord> query(const std::string& session, const std::string& id) override {
    CANDOR_ASSIGN(QueryRecord found, query(id));
    if (found.turn.session == session) return found;
    return unknown_query(id);
  }

  Result<QueryRecord> query(const std::string& id) override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(Run run, frequent_.start(CANDOR_QUERY_WITH_OUTPUT "WHERE q.id = ?1", row_number(id, 'q')));
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return unknown_query(id);
    return read_query(run, true);
  }

  Result<std::vector<QueryRecord>> completed_queries(const TurnKey& turn) override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(Run run,
                  frequent_.start(CANDOR_QUERY_WITH_OUTPUT "WHERE q.session = ?1 AND q.turn = ?2 "
                                                           "AND q.kind = 'select' AND q.succeeded ORDER BY q.id",
                                  turn.session, turn.turn));
    return read_queries(run, true);
  }

  Result<std::vector<QueryRecord>> writes_after(const std::string& session, const std::string& query_id) override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(Run run,
                  frequent_.start("SELECT " CANDOR_QUERY_COLUMNS " FROM queries q WHERE q.session = ?1 "
                                  "AND q.kind IN ('insert', 'update', 'delete', 'create', 'drop', 'materialize') "
                                  "AND q.id > ?2 ORDER BY q.id",
                                  session, row_number(query_id, 'q')));
    CANDOR_ASSIGN(std::vector<QueryRecord> writes, read_queries(run, false));
    std::erase_if(writes, [](const QueryRecord& write) { return !may_have_written(write); });
    return writes;
  }

  Result<std::vector<QueryRecord>> queries(const std::string& session, Page page, std::uint64_t& total) override {
    const std::lock_guard lock(frequent_.mutex);
    const std::int64_t from = first_row(page.from, 'q');
    CANDOR_ASSIGN(const std::int64_t counted,
                  session.empty()
                      ? number("SELECT count(*) FROM queries WHERE id <= ?1", from)
                      : number("SELECT count(*) FROM queries WHERE id <= ?1 AND session = ?2", from, session));
    total = static_cast<std::uint64_t>(counted);
    CANDOR_ASSIGN(Run run, session.empty()
                               ? frequent_.start(CANDOR_PAGE(CANDOR_QUERY_COLUMNS, "queries q", "WHERE id <= ?3"),
                                                 page.limit, page.offset, from)
                               : frequent_.start(
                                     CANDOR_PAGE(CANDOR_QUERY_COLUMNS, "queries q", "WHERE id <= ?3 AND session = ?4"),
                                     page.limit, page.offset, from, session));
    return read_queries(run, false);
  }

  Result<Slot> reserve_slot(const TurnKey& turn) override {
    const std::lock_guard lock(frequent_.mutex);
    return frequent_.transaction([&]() -> Result<Slot> {
      Slot slot;
      CANDOR_ASSIGN(const bool free, read_slot(turn, slot));
      if (!free) return slot;
      slot = {Slot::State::kReserved, "", "", true};
      CANDOR_TRY(
          frequent_.execute("INSERT OR REPLACE INTO slots (session, turn, state, owner, reserved_ms, digest, hold) "
                            "VALUES (?1, ?2, 'reserved', ?3, ?4, '', '')",
                            turn.session, turn.turn, owner_, now_ms()));
      return slot;
    });
  }

  Status release_slot(const TurnKey& turn) override {
    const std::lock_guard lock(frequent_.mutex);
    return frequent_.execute("DELETE FROM slots WHERE session = ?1 AND turn = ?2 AND state = 'reserved' AND owner = ?3",
                             turn.session, turn.turn, owner_);
  }

  Status hold(const TurnKey& turn, const std::string& digest, const std::string& hold_json) override {
    const std::lock_guard lock(durable_.mutex);
    return durable_.transaction([&]() -> Status {
      CANDOR_TRY(
          durable_.execute("UPDATE slots SET state = 'held', digest = ?4, hold = ?5 WHERE session = ?1 AND turn = ?2 "
                           "AND state = 'reserved' AND owner = ?3",
                           turn.session, turn.turn, owner_, digest, hold_json));
      if (durable_.database().changes() == 1) return Ok{};
      return make_error("internal", "a hold needs the turn's slot, which is not reserved here");
    });
  }

  Result<std::string> record_answer(const AnswerRecord& answer) override {
    const std::lock_guard lock(durable_.mutex);
    return durable_.transaction([&]() -> Result<std::string> {
      CANDOR_TRY(
          durable_.execute("INSERT INTO answers (session, turn, state, query, digest, committed_ms, body, receipt) "
                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                           answer.turn.session, answer.turn.turn, answer.state, answer.query_id, answer.digest,
                           answer.committed_ms == 0 ? now_ms() : answer.committed_ms, answer.body, answer.receipt));
      const std::int64_t id = durable_.database().last_insert_rowid();
      CANDOR_TRY(durable_.execute("UPDATE slots SET state = 'done' WHERE session = ?1 AND turn = ?2 AND state = 'held'",
                                  answer.turn.session, answer.turn.turn));
      CANDOR_TRY(end_turn(answer.turn));
      return "a" + std::to_string(id);
    });
  }

  Result<AnswerRecord> answer(const std::string& id) override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(Run run,
                  frequent_.start("SELECT " CANDOR_ANSWER_COLUMNS " FROM answers WHERE id = ?1", row_number(id, 'a')));
    CANDOR_ASSIGN(const bool row, run.step());
    if (row) return read_answer(run);
    return make_error("not-found", "there is no answer " + printable(id), "candor answers");
  }

  Result<std::vector<AnswerRecord>> answers(const std::string& session, Page page, std::uint64_t& total) override {
    const std::lock_guard lock(frequent_.mutex);
    const std::int64_t from = first_row(page.from, 'a');
    CANDOR_ASSIGN(const std::int64_t counted,
                  session.empty()
                      ? number("SELECT count(*) FROM answers WHERE id <= ?1", from)
                      : number("SELECT count(*) FROM answers WHERE id <= ?1 AND session = ?2", from, session));
    total = static_cast<std::uint64_t>(counted);
    CANDOR_ASSIGN(
        Run run, session.empty()
                     ? frequent_.start(CANDOR_PAGE(CANDOR_ANSWER_COLUMNS, "answers", "WHERE id <= ?3"), page.limit,
                                       page.offset, from)
                     : frequent_.start(CANDOR_PAGE(CANDOR_ANSWER_COLUMNS, "answers", "WHERE id <= ?3 AND session = ?4"),
                                       page.limit, page.offset, from, session));
    std::vector<AnswerRecord> found;
    for (;;) {
      CANDOR_ASSIGN(const bool row, run.step());
      if (!row) return found;
      found.push_back(read_answer(run));
    }
  }

  // A record must be there before the source commits, and the step of an undo likewise: both on the durable connection.
  Result<std::string> keep_undo(const UndoBatch& batch, const std::vector<UndoRow>& rows,
                                std::int64_t forget_before_ms) override {
    const std::lock_guard lock(durable_.mutex);
    return durable_.transaction([&]() -> Result<std::string> {
      CANDOR_TRY(undo::forget(durable_, forget_before_ms));
      return undo::keep(durable_, batch, rows, owner_);
    });
  }

  Result<UndoBatch> take_undo(const std::string& id) override {
    const std::lock_guard lock(frequent_.mutex);
    return frequent_.transaction([&] { return undo::take(frequent_, id, owner_); });
  }

  Result<std::vector<UndoRow>> undo_rows(const std::string& id) override {
    const std::lock_guard lock(frequent_.mutex);
    return undo::rows(frequent_, id);
  }

  Status settle_undo(const std::string& id, UndoState state) override {
    // That the source has a batch can be found out again: the step after its commit need not survive a loss of power.
    Connection& connection = state == UndoState::kDone ? frequent_ : durable_;
    const std::lock_guard lock(connection.mutex);
    return connection.transaction([&] { return undo::settle(connection, id, state, owner_); });
  }

  Status leave_undo(const std::string& id) override {
    const std::lock_guard lock(frequent_.mutex);
    return undo::leave(frequent_, id, owner_);
  }

  Result<std::vector<UndoBatch>> undo_batches(const std::string& session, Page page, std::uint64_t& total) override {
    const std::lock_guard lock(frequent_.mutex);
    return undo::batches(frequent_, session, page, total);
  }

  void record_telemetry(const Telemetry& record) override {
    const std::lock_guard lock(frequent_.mutex);
    const KeepsCall call(&record);
    (void)call.unless_failed(frequent_.transaction([&]() -> Status { return insert_telemetry(record); })).ok();
  }

  Result<Statistics> statistics(const StatisticsFilter& filter) override {
    const std::lock_guard lock(frequent_.mutex);
    return read_statistics(frequent_.database(), filter);
  }

  Status each_call(const StatisticsFilter& filter, const std::function<bool(const SentCall&)>& take) override {
    const std::lock_guard lock(frequent_.mutex);
    return read_calls(frequent_.database(), filter, take);
  }

  Status check() override {
    const std::lock_guard lock(frequent_.mutex);
    CANDOR_ASSIGN(Run run, frequent_.start("PRAGMA integrity_check(1)"));
    CANDOR_ASSIGN(const bool row, run.step());
    if (row && run.text(0) == "ok") return Ok{};
    return make_error("integrity", "the ledger's file is damaged", "keep a copy of the file and use another --home DIR",
                      row ? run.text(0) : "");
  }

 private:
  Result<std::string> insert_query(const Recorded& recorded, const KeepsCall& call) {
    const QueryRecord& query = *recorded.query;
    if (recorded.telemetry != nullptr) CANDOR_TRY(insert_telemetry(*recorded.telemetry));
    CANDOR_TRY(frequent_.execute(
        "INSERT INTO queries (session, turn, kind, succeeded, error_code, engine, source, target, started_ms, "
        "elapsed_ms, row_count, output_cut, sql, columns, scope, temporary_objects, source_versions, call) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        query.turn.session, query.turn.turn, query.kind, query.succeeded, query.error_code, query.engine, query.source,
        query.target, query.started_ms, query.elapsed_ms, query.row_count, query.output_cut, query.sql, query.columns,
        query.scope, query.temporary_objects, query.source_versions, call.id()));
    const std::int64_t id = frequent_.database().last_insert_rowid();
    if (!query.rows.empty()) {
      CANDOR_TRY(frequent_.execute("INSERT INTO outputs (query, rows) VALUES (?1, ?2)", id, query.rows));
    }
    return "q" + std::to_string(id);
  }

  Status insert_telemetry(const Telemetry& record) {
    const std::int64_t at_ms = now_ms();
    CANDOR_TRY(record_call(frequent_, record, at_ms));
    return frequent_.execute(
        "INSERT INTO telemetry (at_ms, surface, caller, session, turn, succeeded, statement_type, resource, "
        "statement_count, row_or_affected_count, result_chars, rows_omitted, sql_length, duration_ms, sql_fingerprint, "
        "error_code, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        at_ms, record.surface, record.caller, record.session, record.turn, record.succeeded, record.statement_type,
        record.resource, record.statement_count, record.row_or_affected_count, record.result_chars, record.rows_omitted,
        record.sql_length, record.duration_ms, record.sql_fingerprint, record.error_code, record.reason);
  }

  static constexpr std::string_view kBeginSession = "INSERT OR IGNORE INTO sessions (name, counted) VALUES (?1, 1)";

  // Ids come from callers: what is no id is not repeated in a message.
  static std::string printable(const std::string& id) {
    const bool plain = !id.empty() && id.size() <= 40 &&
                       std::ranges::all_of(id, [](unsigned char byte) { return byte > 0x20 && byte < 0x7F; });
    return plain ? id : "of this name";
  }

  static Diagnostic unknown_query(const std::string& id) {
    return make_error("unknown-query", "there is no query " + printable(id) + " in this session", "candor queries");
  }

  // The session's current turn; 0 when it was not begun.
  static Result<std::int64_t> counted_turn(Connection& connection, const std::string& session) {
    CANDOR_ASSIGN(Run run, connection.start("SELECT counted FROM sessions WHERE name = ?1", session));
    CANDOR_ASSIGN(const bool row, run.step());
    return row ? run.integer(0) : 0;
  }

  template <typename... Arguments>
  Result<std::int64_t> number(std::string_view sql, const Arguments&... arguments) {
    CANDOR_ASSIGN(Run run, frequent_.start(sql, arguments...));
    CANDOR_ASSIGN(const bool row, run.step());
    return row ? run.integer(0) : 0;
  }

  // True when the slot may be reserved: nothing stands there, or a reservation of a process that is no more.
  Result<bool> read_slot(const TurnKey& turn, Slot& slot) {
    CANDOR_ASSIGN(Run run,
                  frequent_.start("SELECT state, owner, reserved_ms, digest, hold FROM slots WHERE session = ?1 "
                                  "AND turn = ?2",
                                  turn.session, turn.turn));
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return true;
    slot.state = slot_state(run.text(0));
    slot.digest = run.text(3);
    slot.hold = run.text(4);
    return slot.state == Slot::State::kReserved && !owner_lives(run.text(1), run.integer(2), now_ms());
  }

  // Advances the session when the turn is its counted one. A number that a caller has used as a name already is passed
  // over: its slot and its queries belong to another question.
  Status end_turn(const TurnKey& turn) {
    CANDOR_TRY(durable_.execute(kBeginSession, turn.session));
    CANDOR_ASSIGN(std::int64_t counted, counted_turn(durable_, turn.session));
    if (std::to_string(counted) != turn.turn) return Ok{};
    for (bool taken = true; taken;) {
      const std::string next = std::to_string(++counted);
      CANDOR_ASSIGN(Run run, durable_.start("SELECT EXISTS (SELECT 1 FROM queries WHERE session = ?1 AND turn = ?2) OR "
                                            "EXISTS (SELECT 1 FROM slots WHERE session = ?1 AND turn = ?2) OR "
                                            "EXISTS (SELECT 1 FROM answers WHERE session = ?1 AND turn = ?2)",
                                            turn.session, next));
      CANDOR_TRY(run.step());
      taken = run.integer(0) != 0;
    }
    return durable_.execute("UPDATE sessions SET counted = ?2 WHERE name = ?1", turn.session, counted);
  }

  FilePlace place_;
  Connection frequent_;
  Connection durable_;
  const std::string owner_;
};

}  // namespace

Result<std::unique_ptr<Ledger>> Ledger::open(const std::string& home) {
  CANDOR_ASSIGN(const std::string path, config::prepare_file(home, "ledger.sqlite"));
  CANDOR_ASSIGN(sqlite::Database frequent, open_file(path, Durability::kCrash));
  CANDOR_ASSIGN(sqlite::Database durable, open_file(path, Durability::kPowerLoss));
  return std::unique_ptr<Ledger>(std::make_unique<FileLedger>(std::move(frequent), std::move(durable), path));
}

}  // namespace candor::ledger
