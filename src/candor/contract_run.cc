// Ask, through a contract: a batch is parsed and bound as a whole, then run; its writes are one transaction.
#include <chrono>
#include <ctime>
#include <utility>

#include "bind/binder.h"
#include "candor/execution.h"
#include "candor/shape.h"
#include "dialect/parser.h"
#include "dialect/printer.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::string text(20, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts));
  return text;
}

// All errors of a batch as one: the first, with the others in it.
Diagnostic together(std::vector<Diagnostic> errors) {
  Diagnostic first = std::move(errors.front());
  first.others.assign(std::make_move_iterator(errors.begin() + 1), std::make_move_iterator(errors.end()));
  return first;
}

// In a batch an error says of which statement it is.
void name_statement(std::string_view sql, const std::vector<Span>& statements, Diagnostic& error) {
  if (statements.size() < 2 || !error.span) return;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (error.span->start < statements[i].start || error.span->start >= statements[i].end) continue;
    const std::string text(
        sql.substr(statements[i].start, std::min<std::size_t>(statements[i].end - statements[i].start, 200)));
    error.detail +=
        (error.detail.empty() ? "" : " ") + std::string("in statement ") + std::to_string(i + 1) + ": " + text;
  }
}

RowBatch batch_of(const std::vector<std::vector<Value>>& rows) {
  RowBatch batch;
  CellWriter writer(batch.cells);
  for (const std::vector<Value>& row : rows) {
    for (const Value& value : row) write_value(writer, value);
    ++batch.rows;
  }
  return batch;
}

}  // namespace

void Service::reject(const Caller& caller, const Prepared& prepared, const std::string& source, std::string_view sql,
                     const Diagnostic& failure) {
  Execution execution;
  execution.begin(prepared);
  execution.query.sql = std::string(sql);
  execution.query.source = source;
  execution.statement_count = std::max<std::size_t>(sql::split_statements(sql).size(), 1);
  execution.query.kind = "rejected";
  execution.query.engine = "contract";
  execution.query.columns = "[]";
  execution.query.rows = "[]";
  execution.query.temporary_objects = "[]";
  execution.query.source_versions = "{}";
  execution.fail(failure);
  (void)record(caller, prepared, execution).ok();
}

struct Service::Ran {
  Execution execution;
  StatementStart start;
  RowBatch rows;
};

Service::Ran Service::ran(const Prepared& prepared, const Published& published, StatementStart start,
                          std::string normalized, const exec::Outcome& outcome, const Delivery& delivery) {
  Ran made;
  Execution& execution = made.execution;
  execution.begin(prepared);
  execution.query.sql = start.sql;
  execution.statement_count = start.count;
  execution.query.source = published.contract.source;
  execution.query.engine = "contract";
  execution.query.source_versions = "{}";
  start.header.kind = outcome.kind;
  start.header.columns = outcome.columns;
  start.header.target = engine::writes(outcome.kind) ? outcome.resource : "";
  execution.describe(start.header);
  made.rows = batch_of(outcome.rows);
  if (delivery.shaped) {
    execution.keep_shaped(*delivery.shaped);
    start.header.columns = delivery.shaped->columns;
  } else {
    execution.keep(made.rows, outcome.columns.size());
  }
  StatementEnd& end = execution.end;
  end.statement_type = execution.query.kind;
  end.resource = outcome.resource;
  end.shaped = delivery.shaped;
  end.row_count = end.shaped ? (end.shaped->list->count() ? 1 : end.shaped->list->rows().size()) : outcome.rows.size();
  end.affected_count = outcome.affected;
  end.normalized_sql = std::move(normalized);
  end.surface = end.shaped ? end.shaped->list->surface() : outcome.surface;
  for (const bind::BoundWarning& warning : outcome.warnings) {
    end.warnings.push_back({warning.code, warning.message, warning.hint});
    if (!warning.kind.empty()) execution.repairs.push_back(warning.kind);
  }
  end.dry_run = delivery.dry_run;
  end.batch_id = delivery.batch_id;
  if (!delivery.not_kept.empty()) {
    end.warnings.push_back({"undo-not-kept", "the write can't be undone: " + delivery.not_kept,
                            "keep a copy of the source where that matters"});
  }
  if (delivery.shaping_ignored) tell_shaping_ignored(end);
  if (delivery.dry_run) {
    end.warnings.push_back({"dry-run", "nothing was kept: this is what the write would do",
                            "send it again without the dry run to keep it"});
  }
  if (!published.kept.empty()) {
    end.warnings.push_back(
        {"contract-kept",
         "the contract's file was changed and can't be read, so the old one is in force: " + published.kept,
         "candor contract check " + published.contract.file});
  }
  execution.succeed(!outcome.columns.empty());
  made.start = std::move(start);
  return made;
}

void Service::deliver(const Caller& caller, const Prepared& prepared, std::vector<Ran> statements, ResultSink& sink) {
  std::vector<Execution*> executions;
  executions.reserve(statements.size());
  for (Ran& one : statements) executions.push_back(&one.execution);
  const Status recorded = record_all(caller, prepared, executions);
  for (Ran& one : statements) {
    if (!recorded.ok()) {
      sink.failed(one.start, recorded.error());
      continue;
    }
    StatementEnd& end = one.execution.end;
    end.query_id = one.execution.query.id;
    end.elapsed_ms = ms_since(one.execution.began);
    sink.start(one.start);
    if (!one.start.header.columns.empty() && !end.shaped) (void)sink.rows(one.rows);
    sink.end(end);
  }
}

Result<exec::Environment> Service::environment_of(const Published& published, const RunOptions& options) const {
  exec::Environment environment;
  environment.engine = published.engine;
  environment.contract = &published.contract;
  environment.storage = published.storage;
  environment.storage.now = utc_now();
  environment.statement_ms = configuration_.limit("statement_seconds") * 1000;
  environment.count_budget_ms = configuration_.limit("count_budget_ms");
  environment.dry_run = options.dry_run;
  environment.changes_others = published.changes_others;
  const std::optional<contract::Scope>& scope = published.contract.scope;
  if (!scope) return environment;
  if (scope->claim.empty()) {
    environment.storage.scope_value = scope->value;
    return environment;
  }
  const auto claim = configuration_.claims.find(scope->claim);
  if (claim == configuration_.claims.end()) {
    return make_error("scope-missing", "the caller has no claim '" + scope->claim + "', so no row is readable",
                      "--claim " + scope->claim + "=VALUE");
  }
  environment.storage.scope_value = claim->second;
  return environment;
}

// The batch with its warnings, or all its errors.
Result<std::vector<bind::BoundStatement>> Service::bind_batch(std::string_view sql,
                                                              const exec::Environment& environment,
                                                              const CancelToken& cancel) {
  const contract::Contract& contract = *environment.contract;
  const dialect::ParseLimits limits{static_cast<std::size_t>(contract.predicate_depth),
                                    static_cast<std::size_t>(contract.statements_per_batch)};
  const dialect::Parsed parsed = dialect::parse(sql, limits);
  bind::Bound bound = bind::bind(sql, parsed, {&contract, environment.storage.scope_value});
  for (const auto& [error, resource] : bound.unbounded_writes) {
    const Result<std::uint64_t> rows = exec::count_rows(*resource, environment, cancel);
    if (rows.ok()) bound.errors[error].message += ": it has " + std::to_string(*rows);
  }
  std::vector<Diagnostic> errors = parsed.errors;
  errors.insert(errors.end(), std::make_move_iterator(bound.errors.begin()),
                std::make_move_iterator(bound.errors.end()));
  if (!errors.empty()) return together(std::move(errors));
  for (const dialect::ReadAs& read : parsed.read_as) {
    for (bind::BoundStatement& statement : bound.statements) {
      if (read.span.start < statement.span.start || read.span.start >= statement.span.end) continue;
      statement.warnings.push_back(
          {"read-as", read.written + " was read as " + read.read, "write " + read.read, std::string(read.kind)});
    }
  }
  for (std::size_t i = 0; i < bound.statements.size(); ++i)
    bound.statements[i].text = dialect::print(parsed.statements[i]);
  return std::move(bound.statements);
}

Status Service::run_contract(const Caller& caller, const Prepared& prepared, const Published& published,
                             std::string_view sql, const RunOptions& options, ResultSink& sink,
                             const CancelToken& cancel) {
  const auto rejected = [&](Diagnostic failure) -> Status {
    const std::vector<Span> statements = sql::split_statements(sql);
    name_statement(sql, statements, failure);
    for (Diagnostic& other : failure.others) name_statement(sql, statements, other);
    reject(caller, prepared, published.contract.source, sql, failure);
    if (failure.code == "source-changed") prepared.session->look_anew(published.contract.source);
    return failure;
  };
  const Result<exec::Environment> environment = environment_of(published, options);
  if (!environment.ok()) return rejected(environment.error());
  const Result<std::vector<bind::BoundStatement>> batch = bind_batch(sql, *environment, cancel);
  if (!batch.ok()) return rejected(batch.error());
  const auto start_of = [&](std::size_t index) {
    StatementStart start;
    start.index = index;
    start.count = batch->size();
    const Span span = (*batch)[index].span;
    start.sql = std::string(sql.substr(span.start, span.end - span.start));
    return start;
  };
  if (batch->front().write != nullptr) {
    if (!options.allow_writes)
      return rejected(make_error("statement-not-allowed", "this call reads alone", "send the write to sql_execute"));
    std::size_t failed = 0;
    exec::Written written;
    Delivery delivery;
    delivery.dry_run = options.dry_run;
    delivery.shaping_ignored = options.shaping.given();
    Status done = write_contract(caller, prepared, published, *batch, *environment, cancel, failed, written, delivery);
    if (!done.ok()) {
      Diagnostic failure = std::move(done).error();
      if (failed < batch->size() && !failure.span) failure.span = (*batch)[failed].span;
      return rejected(std::move(failure));
    }
    std::vector<Ran> statements;
    for (std::size_t i = 0; i < written.outcomes.size(); ++i)
      statements.push_back(ran(prepared, published, start_of(i), (*batch)[i].text, written.outcomes[i], delivery));
    deliver(caller, prepared, std::move(statements), sink);
    return Ok{};
  }
  if (const Status fit = check_shaped(options, batch->size()); !fit.ok()) return rejected(fit.error());
  for (std::size_t i = 0; i < batch->size(); ++i) {
    const bind::BoundStatement& statement = (*batch)[i];
    if (i > 0) prepared.asked->restart();
    Result<exec::Outcome> outcome =
        statement.select != nullptr ? exec::read(*statement.select, *environment, cancel)
                                    : Result<exec::Outcome>(exec::discover(*statement.discovery, published.contract));
    if (!outcome.ok()) {
      Diagnostic failure = std::move(outcome).error();
      failure.span = statement.span;
      if (i == 0) return rejected(std::move(failure));
      name_statement(sql, sql::split_statements(sql), failure);
      reject(caller, prepared, published.contract.source, start_of(i).sql, failure);
      sink.failed(start_of(i), failure);
      return Ok{};
    }
    outcome->warnings.insert(outcome->warnings.begin(), statement.warnings.begin(), statement.warnings.end());
    Delivery delivery;
    Result<std::optional<ShapedRows>> shaped = shape_outcome(statement, *environment, options, *outcome, cancel);
    if (!shaped.ok()) return rejected(std::move(shaped).error());
    delivery.shaped = *std::move(shaped);
    std::vector<Ran> alone;
    alone.push_back(ran(prepared, published, start_of(i), (*batch)[i].text, *outcome, delivery));
    deliver(caller, prepared, std::move(alone), sink);
  }
  return Ok{};
}

}  // namespace candor
