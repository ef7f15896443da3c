// See review_session.h.
#include "support/review_session.h"

#include <cstdlib>
#include <iostream>
#include <utility>
#include <variant>

#include "base/render_json.h"
#include "engine/duckdb/duckdb_engine.h"
#include "sql/lexer.h"

namespace candor::test {
namespace {

// Every cell of a statement; the engine's error, if there is one.
Result<std::vector<std::string>> run(engine::Engine& engine, std::string_view sql, engine::Lane lane) {
  engine::RunRequest request;
  request.sql = sql;
  request.lane = lane;
  request.allow_writes = lane == engine::Lane::kAgent;
  request.rows_max = 1'000'000;
  request.chars_max = 100'000'000;
  CANDOR_ASSIGN(const std::unique_ptr<engine::RowStream> stream, engine.run(request, {}));
  std::vector<std::string> cells;
  while (true) {
    engine::RowStream::Item item = stream->next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (std::holds_alternative<engine::End>(item)) return cells;
    CellReader reader(std::get<RowBatch>(item).cells);
    while (!reader.at_end()) cells.push_back(plain_text(reader));
  }
}

}  // namespace

ReviewSession::ReviewSession() {
  engine::Policy policy;
  policy.scratch_path = folder_.path() + "/scratch.duckdb";
  policy.temp_directory = folder_.path() + "/temp";
  policy.cache_directory = folder_.path() + "/cache";
  auto engine = engine::duckdb::DuckdbEngine::open(policy);
  if (!engine.ok()) {
    std::cerr << "the engine does not open: " << engine.error().message << '\n';
    std::abort();
  }
  engine_ = std::move(*engine);
  context.engine = engine_.get();
  context.dialect = "duckdb";
}

std::string ReviewSession::execute(const std::string& sql) {
  for (const Span& span : sql::split_statements(sql)) {
    const auto done =
        run(*engine_, std::string_view(sql).substr(span.start, span.end - span.start), engine::Lane::kAgent);
    if (!done.ok()) return done.error().code + ": " + done.error().message;
  }
  return {};
}

std::vector<std::string> ReviewSession::query(const std::string& sql, engine::Lane lane) {
  auto cells = run(*engine_, sql, lane);
  if (!cells.ok()) return {cells.error().code + ": " + cells.error().message};
  return std::move(*cells);
}

review::CheckResult ReviewSession::coverage(const std::string& sql) {
  for (review::CheckResult& result : review::review_query(sql, context)) {
    if (result.check == "join-coverage") return std::move(result);
  }
  return {};
}

std::string ReviewSession::verdict(const std::string& sql) { return in_words(coverage(sql)); }

std::string in_words(const review::CheckResult& result) {
  std::string text(review::to_string(result.verdict));
  if (!result.reason.empty()) text += " (" + result.reason + ")";
  return text;
}

}  // namespace candor::test
