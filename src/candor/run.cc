// Ask: running the statements of a text, one query of the ledger each.
#include <chrono>
#include <utility>

#include "base/near_names.h"
#include "base/render_json.h"
#include "candor/documents.h"
#include "candor/execution.h"
#include "candor/service.h"
#include "candor/shape.h"
#include "candor/universe.h"
#include "engine/source_version.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string versions_json(const std::map<std::string, std::string>& versions) {
  json::Node node = json::Node::object();
  for (const auto& [source, version] : versions) node.set(source, json::Node::string(version));
  return json::dump(node);
}

}  // namespace

engine::RunRequest Service::request_of(std::string_view sql, const RunOptions& options) const {
  engine::RunRequest request;
  request.sql = std::string(sql);
  request.allow_writes = options.allow_writes;
  request.rows_max = options.rows_max.value_or(static_cast<std::uint64_t>(configuration_.limit("rows_per_result")));
  request.chars_max = static_cast<std::uint64_t>(configuration_.limit("result_chars"));
  request.cell_chars_max = static_cast<std::uint64_t>(configuration_.limit("cell_chars"));
  request.deadline_ms = configuration_.limit("statement_seconds") * 1000;
  request.count_budget_ms = configuration_.limit("count_budget_ms");
  return request;
}

Status Service::check_text(std::string_view sql) const {
  if (!is_utf8(sql) || sql.find('\0') != std::string_view::npos) {
    return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL", "send the text as UTF-8");
  }
  const auto chars_max = static_cast<std::uint64_t>(configuration_.limit("statement_chars"));
  if (sql.size() > chars_max) {
    return make_error(
        "over-limit",
        "the text has " + std::to_string(sql.size()) + " bytes, statement_chars allows " + std::to_string(chars_max),
        "send less at once, or raise limits.statement_chars");
  }
  return Ok{};
}

Status Service::run(const Caller& caller, std::string_view sql, const RunOptions& options, ResultSink& sink,
                    CancelToken cancel) {
  const Result<Prepared> prepared = prepare(caller);
  if (!prepared.ok()) {
    tell_unrun(caller, {}, sql, prepared.error());
    return prepared.error();
  }
  Status done = run_prepared(caller, *prepared, sql, options, sink, cancel);
  if (!done.ok() && prepared->asked->call.id == 0) tell_unrun(caller, *prepared, sql, done.error());
  return done;
}

Status Service::run_prepared(const Caller& caller, const Prepared& prepared, std::string_view sql,
                             const RunOptions& options, ResultSink& sink, const CancelToken& cancel) {
  CANDOR_TRY(check_text(sql));
  CANDOR_ASSIGN(const std::shared_ptr<const Published> published, prepared.session->published(sql, options.source));
  if (published != nullptr) return run_contract(caller, prepared, *published, sql, options, sink, cancel);
  if (options.dry_run) {
    return make_error("statement-not-allowed", "a dry run is for writes through a contract",
                      "leave the dry run away: a source without a contract is never written to");
  }
  const std::vector<Span> statements = sql::split_statements(sql);
  const auto statements_max = static_cast<std::size_t>(configuration_.limit("statements_per_batch"));
  if (statements.empty())
    return make_error("syntax", "there is no statement in the text", "write a statement: SELECT 1");
  if (statements.size() > statements_max) {
    return make_error("over-limit",
                      "the text has " + std::to_string(statements.size()) +
                          " statements, statements_per_batch allows " + std::to_string(statements_max),
                      "send them in several calls, or raise limits.statements_per_batch");
  }
  CANDOR_TRY(check_shaped(options, statements.size()));
  for (std::size_t i = 0; i < statements.size(); ++i) {
    StatementStart start;
    start.index = i;
    start.count = statements.size();
    start.sql = std::string(sql.substr(statements[i].start, statements[i].end - statements[i].start));
    if (!run_one(caller, prepared, std::move(start), options, sink, cancel) && !options.keep_going) break;
  }
  return Ok{};
}

// Hands the rows over, keeping what the ledger is to know of them.
Result<engine::End> Service::hand_over(engine::RowStream& stream, std::size_t columns, ResultSink& sink,
                                       Execution& execution) {
  for (;;) {
    engine::RowStream::Item item = stream.next();
    if (auto* failure = std::get_if<Diagnostic>(&item)) return std::move(*failure);
    if (auto* done = std::get_if<engine::End>(&item)) return *done;
    const auto& batch = std::get<RowBatch>(item);
    execution.keep(batch, columns);
    if (!sink.rows(batch)) return make_error("cancelled", "the reader of the result went away");
  }
}

Status Service::execute(const Prepared& prepared, StatementStart& start, const RunOptions& options, ResultSink& sink,
                        const CancelToken& cancel, Execution& execution) {
  Session& session = *prepared.session;
  CANDOR_ASSIGN(const Route route, session.route(start.sql, options.source));
  execution.query.engine = std::string(route.dialect());
  execution.query.source = route.source;
  const engine::RunRequest request = request_of(start.sql, options);
  CANDOR_ASSIGN(std::unique_ptr<engine::RowStream> stream, route.engine->run(request, cancel));
  start.header = stream->header();
  execution.describe(start.header);
  if (!start.header.state.empty()) execution.versions[route.source] = start.header.state;
  StatementEnd& end = execution.end;
  if (route.source.empty() && session.note_temporary_objects(start.header.temporary_objects)) {
    end.warnings.push_back({"temporary-lost",
                            "the engine was opened again: earlier temporary tables and views are gone",
                            "create them again where they are needed"});
  }
  if (options.shaping.given() && !start.header.columns.empty() && !engine::writes(start.header.kind)) {
    CANDOR_TRY(run_shaped(route, start, options, request, *stream, cancel, execution));
    add_table_warnings(session, start.sql, end.warnings);
    sink.start(start);
    return Ok{};
  }
  sink.start(start);
  Result<engine::End> handed = hand_over(*stream, start.header.columns.size(), sink, execution);
  stream.reset();
  // Even a write that failed may have taken effect before its engine died.
  if (engine::writes(start.header.kind)) session.scratch_changed();
  if (!handed.ok()) return std::move(handed).error();
  const engine::End& last = *handed;
  end.statement_type = execution.query.kind;
  end.resource = start.header.target.empty() ? route.source : start.header.target;
  end.row_count = last.rows;
  end.affected_count = last.affected;
  if (last.rows_total == std::uint64_t{0}) end.rows_scanned = last.rows_scanned;
  end.normalized_sql = sql::normalize(start.sql);
  if (!start.header.columns.empty()) {
    end.surface = surface_of({start.sql, last.rows, last.rows_total, last.cut_by_chars, request.rows_max,
                              options.rows_max.has_value(), request.count_budget_ms, start.header.columns},
                             *route.engine, cancel);
  }
  if (options.shaping.given() && engine::writes(start.header.kind)) tell_shaping_ignored(end);
  add_table_warnings(session, start.sql, end.warnings);
  return Ok{};
}

// What a statement that begins now reads: the files of the sources, and the scratch database as the queries up to the
// youngest one left it.
std::map<std::string, std::string> Service::versions_read(Session& session) {
  std::map<std::string, std::string> versions = session.read_versions();
  // Where the ledger can't tell, the statement can't be recorded either.
  if (Result<std::string> last = ledger_->last_query(); last.ok()) versions[std::string(kScratch)] = *std::move(last);
  return versions;
}

bool Service::run_one(const Caller& caller, const Prepared& prepared, StatementStart start, const RunOptions& options,
                      ResultSink& sink, const CancelToken& cancel) {
  Execution execution;
  prepared.asked->restart();
  execution.begin(prepared);
  execution.statement_count = start.count;
  execution.query.sql = start.sql;
  execution.versions = versions_read(*prepared.session);
  Status done = execute(prepared, start, options, sink, cancel, execution);
  execution.query.source_versions = versions_json(execution.versions);
  std::optional<Diagnostic> failure;
  if (!done.ok()) failure = explain_failure(*prepared.session, start.sql, std::move(done).error());
  if (failure) {
    execution.fail(*failure);
  } else {
    execution.succeed(!start.header.columns.empty());
  }
  const Status recorded = record(caller, prepared, execution);
  // What the ledger does not know can't be committed later: the statement has failed for the caller.
  if (!failure && !recorded.ok()) failure = recorded.error();
  if (failure) {
    sink.failed(start, *failure);
    return false;
  }
  execution.end.query_id = execution.query.id;
  execution.end.elapsed_ms = ms_since(execution.began);
  sink.end(execution.end);
  return true;
}

}  // namespace candor
