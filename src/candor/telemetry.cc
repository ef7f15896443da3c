// Writing telemetry records.
#include "candor/telemetry.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/render_json.h"
#include "candor/execution.h"
#include "candor/service.h"
#include "json/json.h"
#include "sql/lexer.h"

namespace candor {
namespace {

json::Node number(std::uint64_t value) { return json::Node::number(static_cast<std::int64_t>(value)); }

ledger::Telemetry begun(const Caller& caller, const ledger::TurnKey& turn) {
  constexpr std::size_t kNameChars = 80;
  ledger::Telemetry telemetry;
  telemetry.surface = caller.surface;
  telemetry.caller = utf8_prefix(caller.name, kNameChars);
  telemetry.session = turn.session;
  telemetry.turn = turn.turn;
  return telemetry;
}

std::vector<std::string> fingerprints_of(std::string_view text) {
  std::vector<std::string> fingerprints;
  for (const Span& span : sql::split_statements(text)) {
    fingerprints.push_back(fingerprint_of(text.substr(span.start, span.end - span.start)));
  }
  return fingerprints;
}

}  // namespace

std::string log_line(const ledger::Telemetry& record) {
  json::Node node = json::Node::object();
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) node.set(name, json::Node::string(value));
  };
  text("surface", record.surface);
  text("caller", record.caller);
  text("session", record.session);
  text("turn", record.turn);
  node.set("succeeded", json::Node::boolean(record.succeeded));
  text("statement_type", record.statement_type);
  text("resource", record.resource);
  node.set("statement_count", number(record.statement_count));
  node.set("row_or_affected_count", number(record.row_or_affected_count));
  node.set("result_chars", number(record.result_chars)).set("rows_omitted", number(record.rows_omitted));
  node.set("duration_ms", json::Node::number(record.duration_ms)).set("sql_length", number(record.sql_length));
  text("sql_fingerprint", record.sql_fingerprint);
  text("error_code", record.error_code);
  text("reason", record.reason);
  return json::dump(node);
}

std::string fingerprint_of(std::string_view statement) { return sha256_hex(sql::normalize(statement)); }

void add_failure(ledger::CallPart& part, const Diagnostic& failure) {
  part.outcome = ledger::outcome_of(failure.code);
  part.rejections = ledger::rejections_of(failure);
  const auto offer = [&](const Diagnostic& one) {
    if (one.fix.empty()) return;
    std::string fingerprint = fingerprint_of(one.fix);
    if (std::ranges::find(part.offered, fingerprint) == part.offered.end())
      part.offered.push_back(std::move(fingerprint));
  };
  offer(failure);
  for (const Diagnostic& other : failure.others) offer(other);
}

std::string further_codes(const Diagnostic& failure) {
  std::set<std::string> codes;
  for (const Diagnostic& other : failure.others) codes.insert(other.code);
  codes.erase(failure.code);
  std::string text;
  for (const std::string& code : codes) text += (text.empty() ? "" : ",") + code;
  return text;
}

void Service::Asked::restart() {
  began = std::chrono::steady_clock::now();
  started_ms = unix_ms();
}

// What is told of one statement that ran: the telemetry points into the rest.
struct Service::Recording {
  ledger::Telemetry telemetry;
  ledger::CallPart part;
};

void Service::fill(Recording& recording, const Caller& caller, const Prepared& prepared, Execution& execution) {
  ledger::QueryRecord& query = execution.query;
  query.elapsed_ms = static_cast<std::int64_t>(ms_since(execution.began));
  ledger::Telemetry& telemetry = recording.telemetry;
  telemetry = begun(caller, query.turn);
  telemetry.succeeded = query.succeeded;
  telemetry.statement_type = query.kind;
  telemetry.resource = query.target.empty() ? query.source : query.target;
  telemetry.statement_count = execution.statement_count;
  telemetry.row_or_affected_count = execution.end.affected_count.value_or(execution.end.row_count);
  constexpr std::uint64_t kBrackets = 2;
  telemetry.result_chars = query.succeeded && query.columns != "[]" ? execution.row_chars + kBrackets : 0;
  telemetry.rows_omitted = execution.omitted();
  telemetry.duration_ms = ms_since(execution.began);
  telemetry.sql_length = query.sql.size();
  telemetry.sql_fingerprint = sha256_hex(query.sql);
  telemetry.error_code = query.error_code;
  ledger::CallPart& part = recording.part;
  part.call = &prepared.asked->call;
  part.source = query.source;
  part.sent = fingerprints_of(query.sql);
  part.repairs = execution.repairs;
  if (execution.failure) {
    add_failure(part, *execution.failure);
    telemetry.reason = further_codes(*execution.failure);
  }
  telemetry.part = &part;
}

Status Service::record(const Caller& caller, const Prepared& prepared, Execution& execution) {
  return record_all(caller, prepared, {&execution});
}

Status Service::record_all(const Caller& caller, const Prepared& prepared, const std::vector<Execution*>& executions) {
  std::vector<Recording> recordings(executions.size());
  std::vector<ledger::Recorded> records;
  for (std::size_t i = 0; i < executions.size(); ++i) {
    fill(recordings[i], caller, prepared, *executions[i]);
    records.push_back({&executions[i]->query, &recordings[i].telemetry});
  }
  Result<std::vector<std::string>> ids = ledger_->record_queries(records);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    ledger::Telemetry& telemetry = recordings[i].telemetry;
    if (ids.ok()) {
      executions[i]->query.id = std::move((*ids)[i]);
      log(telemetry);
      continue;
    }
    telemetry.succeeded = false;
    telemetry.error_code = ids.error().code;
    add_failure(recordings[i].part, ids.error());
    tell(telemetry);
  }
  return ids.ok() ? Status(Ok{}) : Status(std::move(ids).error());
}

// Without a session the call belongs to no turn, and is counted in none.
void Service::tell_unrun(const Caller& caller, const Prepared& prepared, std::string_view sql,
                         const Diagnostic& failure) {
  ledger::Telemetry telemetry = begun(caller, prepared.turn);
  telemetry.statement_type = "rejected";
  telemetry.duration_ms = ms_since(prepared.asked->began);
  telemetry.sql_length = sql.size();
  telemetry.sql_fingerprint = sha256_hex(sql);
  telemetry.error_code = failure.code;
  telemetry.reason = further_codes(failure);
  ledger::CallPart part;
  part.call = &prepared.asked->call;
  add_failure(part, failure);
  if (!prepared.turn.session.empty()) telemetry.part = &part;
  tell(telemetry);
}

void Service::tell(const ledger::Telemetry& record) {
  ledger_->record_telemetry(record);
  log(record);
}

void Service::log(const ledger::Telemetry& record) const {
  if (!configuration_.log_json) return;
  // One write a line, so that lines of several threads do not mix.
  const std::string line = log_line(record) + "\n";
  std::cerr.write(line.data(), static_cast<std::streamsize>(line.size())).flush();
}

}  // namespace candor
