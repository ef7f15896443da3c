// Names of statement kinds, and what an engine without contracts says.
#include "engine/engine.h"

#include <utility>

namespace candor::engine {

std::string_view to_string(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
      return "select";
    case StatementKind::kExplain:
      return "explain";
    case StatementKind::kDescribe:
      return "describe";
    case StatementKind::kInsert:
      return "insert";
    case StatementKind::kUpdate:
      return "update";
    case StatementKind::kDelete:
      return "delete";
    case StatementKind::kCreate:
      return "create";
    case StatementKind::kDrop:
      return "drop";
  }
  return "unknown";
}

bool writes(StatementKind kind) {
  switch (kind) {
    case StatementKind::kSelect:
    case StatementKind::kExplain:
    case StatementKind::kDescribe:
      return false;
    case StatementKind::kInsert:
    case StatementKind::kUpdate:
    case StatementKind::kDelete:
    case StatementKind::kCreate:
    case StatementKind::kDrop:
      return true;
  }
  return true;
}

std::string written_name(const CatalogTable& table) {
  return table.source + "." + (table.schema_needed ? table.schema + "." : "") + table.name;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): those who do begin one keep the token
Result<std::unique_ptr<Transaction>> Engine::begin(std::int64_t /*wait_ms*/, CancelToken /*cancel*/) {
  return make_error("read-only", "the source is published for reading");
}

Result<Answer> whole_answer(RowStream& rows) {
  Answer answer;
  answer.header = rows.header();
  while (true) {
    RowStream::Item item = rows.next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (const auto* end = std::get_if<End>(&item)) {
      answer.end = *end;
      return answer;
    }
    answer.rows.push_back(std::get<RowBatch>(std::move(item)));
  }
}

Answers answers_of(const std::vector<RunRequest>& requests, const Starter& start) {
  Answers answers;
  for (const RunRequest& request : requests) {
    auto started = start(request);
    Result<Answer> answer = started.ok() ? whole_answer(**started) : Result<Answer>(std::move(started).error());
    if (!answer.ok()) {
      answers.failure = std::move(answer).error();
      return answers;
    }
    answers.done.push_back(*std::move(answer));
  }
  return answers;
}

Answers Transaction::run_all(const std::vector<RunRequest>& requests, const CancelToken& cancel) {
  return answers_of(requests, [&](const RunRequest& request) { return run(request, cancel); });
}

}  // namespace candor::engine
