// Rows of calls, of what was wrong with them and of commits.
#include "ledger/call_records.h"

#include <algorithm>

#include "base/codes.h"
#include "base/render_json.h"
#include "ledger/connection.h"

namespace candor::ledger {
namespace {

constexpr std::size_t kNameChars = 120;

void add_rejection(std::vector<Rejection>& to, const Diagnostic& one) {
  to.push_back({one.code, std::string(utf8_prefix(one.resource, kNameChars)),
                std::string(utf8_prefix(one.column, kNameChars)), !one.fix.empty()});
}

// Turns are numbered, so that grouping by them compares numbers.
Result<std::int64_t> turn_number(Connection& connection, const Telemetry& record) {
  CANDOR_TRY(connection.execute("INSERT INTO turns (session, turn) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                                record.session, record.turn));
  CANDOR_ASSIGN(Run number,
                connection.start("SELECT id FROM turns WHERE session = ?1 AND turn = ?2", record.session, record.turn));
  CANDOR_TRY(number.step());
  return number.integer(0);
}

Status add_to_call(Connection& connection, const Telemetry& record, const CallPart& part, std::int64_t turn,
                   std::int64_t at_ms) {
  const auto outcome = static_cast<std::int64_t>(part.outcome);
  if (part.call->id != 0) {
    return connection.execute(
        "UPDATE calls SET outcome = max(outcome, ?2), source = CASE source WHEN '' THEN ?3 ELSE source END "
        "WHERE id = ?1",
        part.call->id, outcome, part.source);
  }
  CANDOR_TRY(connection.execute("INSERT INTO calls (at_ms, turn, outcome, source, surface) VALUES (?1, ?2, ?3, ?4, ?5)",
                                at_ms, turn, outcome, part.source, record.surface));
  part.call->id = connection.database().last_insert_rowid();
  return Ok{};
}

Status record_part(Connection& connection, const Telemetry& record, const CallPart& part, std::int64_t at_ms) {
  CANDOR_ASSIGN(const std::int64_t turn, turn_number(connection, record));
  CANDOR_TRY(add_to_call(connection, record, part, turn, at_ms));
  const std::int64_t call = part.call->id;
  for (const std::string& fingerprint : part.sent) {
    CANDOR_TRY(
        connection.execute("UPDATE offers SET taken_by = ?1 WHERE turn = ?2 AND fingerprint = ?3 AND taken_by = 0 "
                           "AND call <> ?1",
                           call, turn, fingerprint));
  }
  for (const Rejection& one : part.rejections) {
    CANDOR_TRY(
        connection.execute("INSERT INTO rejections (call, at_ms, code, fix_offered, resource, \"column\") "
                           "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                           call, at_ms, one.code, one.fix_offered, one.resource, one.column));
  }
  for (const std::string& fingerprint : part.offered) {
    CANDOR_TRY(
        connection.execute("INSERT INTO offers (turn, fingerprint, call, at_ms, taken_by) VALUES (?1, ?2, ?3, ?4, 0) "
                           "ON CONFLICT DO NOTHING",
                           turn, fingerprint, call, at_ms));
  }
  for (const std::string& kind : part.repairs) {
    CANDOR_TRY(connection.execute("INSERT INTO repairs (call, at_ms, kind) VALUES (?1, ?2, ?3)", call, at_ms, kind));
  }
  return Ok{};
}

Status record_commit(Connection& connection, const Telemetry& record, const CommitPart& part, std::int64_t at_ms) {
  CANDOR_ASSIGN(const std::int64_t turn, turn_number(connection, record));
  CANDOR_TRY(connection.execute("INSERT INTO commits (at_ms, turn, state, code) VALUES (?1, ?2, ?3, ?4)", at_ms, turn,
                                part.state, record.error_code));
  const std::int64_t id = connection.database().last_insert_rowid();
  for (const std::string& check : part.findings) {
    CANDOR_TRY(connection.execute("INSERT INTO findings (commit_id, check_name) VALUES (?1, ?2)", id, check));
  }
  return Ok{};
}

}  // namespace

CallOutcome outcome_of(std::string_view error_code) {
  if (error_code == "engine-error") return CallOutcome::kRejected;  // what an engine says of a text that it won't run
  const CodeInfo* info = find_code(error_code);
  if (info == nullptr || info->error_class != ErrorClass::kPermanent) return CallOutcome::kFailed;
  constexpr ExitCode kRejections[] = {ExitCode::kRejected,  ExitCode::kUsage,     ExitCode::kNotFound,
                                      ExitCode::kOverLimit, ExitCode::kDuplicate, ExitCode::kSession};
  return std::ranges::find(kRejections, info->exit) != std::end(kRejections) ? CallOutcome::kRejected
                                                                             : CallOutcome::kFailed;
}

std::vector<Rejection> rejections_of(const Diagnostic& failure) {
  std::vector<Rejection> rejections;
  add_rejection(rejections, failure);
  for (const Diagnostic& other : failure.others) add_rejection(rejections, other);
  return rejections;
}

Status record_call(Connection& connection, const Telemetry& record, std::int64_t at_ms) {
  if (record.part != nullptr) CANDOR_TRY(record_part(connection, record, *record.part, at_ms));
  if (record.commit != nullptr) CANDOR_TRY(record_commit(connection, record, *record.commit, at_ms));
  return Ok{};
}

}  // namespace candor::ledger
