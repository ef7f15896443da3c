// One batch is one row of undo_batches; its rows lie in undo_rows until it is undone, or was never written.
#include "ledger/undo.h"

#include <array>
#include <utility>

#include "ledger/owner.h"

namespace candor::ledger {

namespace {

struct StateName {
  UndoState state;
  std::string_view name;
};
constexpr std::array<StateName, 6> kStates = {{
    {UndoState::kPending, "pending"},
    {UndoState::kDone, "done"},
    {UndoState::kUndoing, "undoing"},
    {UndoState::kUndone, "undone"},
    {UndoState::kDropped, "dropped"},
    {UndoState::kExpired, "expired"},
}};

UndoState state_named(std::string_view name) {
  for (const StateName& one : kStates) {
    if (one.name == name) return one.state;
  }
  return UndoState::kPending;
}

}  // namespace

std::string_view to_string(UndoState state) { return kStates[static_cast<std::size_t>(state)].name; }

namespace undo {
namespace {

#define CANDOR_UNDO_COLUMNS                                                                             \
  "id, session, turn, surface, source, contract, scope_column, scope_value, tables, statements, rows, " \
  "changed_others, "                                                                                    \
  "state, kept_ms, undone_ms"
#define CANDOR_UNDO_PAGE(condition)                                                      \
  "SELECT " CANDOR_UNDO_COLUMNS " FROM undo_batches WHERE state <> 'dropped' " condition \
  " ORDER BY id DESC "                                                                   \
  "LIMIT ?1 OFFSET ?2"

UndoBatch read_batch(const Run& run) {
  UndoBatch batch;
  batch.id = "b" + std::to_string(run.integer(0));
  batch.turn = {run.text(1), run.text(2)};
  batch.surface = run.text(3);
  batch.source = run.text(4);
  batch.contract = run.text(5);
  batch.scope_column = run.text(6);
  batch.scope_value = run.text(7);
  batch.tables = run.text(8);
  batch.statements = static_cast<std::uint64_t>(run.integer(9));
  batch.rows = static_cast<std::uint64_t>(run.integer(10));
  batch.changed_others = run.integer(11) != 0;
  batch.state = state_named(run.text(12));
  batch.kept_ms = run.integer(13);
  batch.undone_ms = run.integer(14);
  return batch;
}

}  // namespace

Status forget(Connection& connection, std::int64_t before_ms) {
  CANDOR_TRY(
      connection.execute("UPDATE undo_batches SET state = 'expired' WHERE kept_ms < ?1 AND owner = '' "
                         "AND state IN ('pending', 'done', 'undoing')",
                         before_ms));
  if (connection.database().changes() == 0) return Ok{};
  return connection.execute(
      "DELETE FROM undo_rows WHERE batch IN (SELECT id FROM undo_batches WHERE state = 'expired')");
}

Result<std::string> keep(Connection& connection, const UndoBatch& batch, const std::vector<UndoRow>& rows,
                         const std::string& owner) {
  const std::int64_t now = now_ms();
  CANDOR_TRY(connection.execute(
      "INSERT INTO undo_batches (session, turn, surface, source, contract, scope_column, scope_value, tables, "
      "statements, rows, changed_others, state, kept_ms, undone_ms, owner, owned_ms) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'pending', ?12, 0, ?13, ?12)",
      batch.turn.session, batch.turn.turn, batch.surface, batch.source, batch.contract, batch.scope_column,
      batch.scope_value, batch.tables, batch.statements, static_cast<std::uint64_t>(rows.size()), batch.changed_others,
      now, owner));
  const std::int64_t id = connection.database().last_insert_rowid();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const UndoRow& row = rows[i];
    CANDOR_TRY(connection.execute(
        "INSERT INTO undo_rows (batch, position, table_number, keys, before, after) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        id, static_cast<std::uint64_t>(i), row.table, row.keys, row.before, row.after));
  }
  return "b" + std::to_string(id);
}

Result<UndoBatch> take(Connection& connection, const std::string& id, const std::string& owner) {
  const std::int64_t number = row_number(id, 'b');
  UndoBatch batch;
  {
    CANDOR_ASSIGN(Run run, connection.start("SELECT " CANDOR_UNDO_COLUMNS ", owner, owned_ms FROM undo_batches "
                                            "WHERE id = ?1 AND state <> 'dropped'",
                                            number));
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) {
      return make_error("not-found", number == 0 ? "a batch's id is a b and a number" : "there is no batch " + id,
                        "candor undo --list");
    }
    batch = read_batch(run);
    const std::string holder = run.text(15);
    if (!holder.empty() && owner_lives(holder, run.integer(16), now_ms())) {
      return make_error("busy", "batch " + id + " is being written or undone at this moment", "wait, then look again");
    }
  }
  CANDOR_TRY(
      connection.execute("UPDATE undo_batches SET owner = ?2, owned_ms = ?3 WHERE id = ?1", number, owner, now_ms()));
  return batch;
}

Result<std::vector<UndoRow>> rows(Connection& connection, const std::string& id) {
  CANDOR_ASSIGN(Run run, connection.start("SELECT table_number, keys, before, after FROM undo_rows WHERE batch = ?1 "
                                          "ORDER BY position",
                                          row_number(id, 'b')));
  std::vector<UndoRow> found;
  for (;;) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return found;
    found.push_back({static_cast<std::uint64_t>(run.integer(0)), run.text(1), run.text(2), run.text(3)});
  }
}

Status settle(Connection& connection, const std::string& id, UndoState state, const std::string& owner) {
  const std::int64_t number = row_number(id, 'b');
  const bool ended = state == UndoState::kUndone || state == UndoState::kDropped;
  const std::int64_t undone = state == UndoState::kUndone ? now_ms() : 0;
  // While an undo is under way its process goes on holding the batch.
  CANDOR_TRY(connection.execute(
      "UPDATE undo_batches SET state = ?2, undone_ms = ?3, owner = CASE WHEN ?2 = 'undoing' THEN owner ELSE '' END "
      "WHERE id = ?1 AND owner = ?4",
      number, to_string(state), undone, owner));
  if (connection.database().changes() != 1) return make_error("internal", "batch " + id + " is not held here");
  if (!ended) return Ok{};
  return connection.execute("DELETE FROM undo_rows WHERE batch = ?1", number);
}

Status leave(Connection& connection, const std::string& id, const std::string& owner) {
  return connection.execute("UPDATE undo_batches SET owner = '' WHERE id = ?1 AND owner = ?2", row_number(id, 'b'),
                            owner);
}

Status leave_all(Connection& connection, const std::string& owner) {
  return connection.execute("UPDATE undo_batches SET owner = '' WHERE owner = ?1", owner);
}

Result<std::vector<UndoBatch>> batches(Connection& connection, const std::string& session, const Page& page,
                                       std::uint64_t& total) {
  const std::int64_t from = first_row(page.from, 'b');
  {
    CANDOR_ASSIGN(Run count,
                  connection.start("SELECT count(*) FROM undo_batches WHERE state <> 'dropped' AND id <= ?2 AND "
                                   "(?1 = '' OR session = ?1)",
                                   session, from));
    CANDOR_TRY(count.step());
    total = static_cast<std::uint64_t>(count.integer(0));
  }
  CANDOR_ASSIGN(Run run, connection.start(CANDOR_UNDO_PAGE("AND id <= ?4 AND (?3 = '' OR session = ?3)"), page.limit,
                                          page.offset, session, from));
  std::vector<UndoBatch> found;
  for (;;) {
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return found;
    found.push_back(read_batch(run));
  }
}

}  // namespace undo
}  // namespace candor::ledger
