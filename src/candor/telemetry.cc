// Writing telemetry records.
#include "candor/telemetry.h"

#include <cstdint>
#include <iostream>
#include <utility>

#include "candor/service.h"
#include "json/json.h"

namespace candor {
namespace {

json::Node number(std::uint64_t value) { return json::Node::number(static_cast<std::int64_t>(value)); }

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
