// The ways of a statement are those of contract_run.cc, without the last step.
#include "candor/explain.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bind/binder.h"
#include "bind/plan_text.h"
#include "candor/service.h"
#include "dialect/parser.h"
#include "dialect/printer.h"
#include "dialect/tree_text.h"
#include "exec/exec.h"
#include "sql/lexer.h"

namespace candor {
namespace {

std::string_view name_of(sql::TokenKind kind) {
  switch (kind) {
    case sql::TokenKind::kWord:
      return "word";
    case sql::TokenKind::kQuoted:
      return "name";
    case sql::TokenKind::kString:
      return "string";
    case sql::TokenKind::kNumber:
      return "number";
    case sql::TokenKind::kParameter:
      return "parameter";
    case sql::TokenKind::kSymbol:
      return "symbol";
  }
  return "";
}

std::string_view name_of(lower::Target target) {
  switch (target) {
    case lower::Target::kDuckdb:
      return "duckdb";
    case lower::Target::kSqlite:
      return "sqlite";
    case lower::Target::kPostgres:
      return "postgresql";
  }
  return "";
}

std::vector<Explanation::Statement> split(std::string_view sql, std::vector<Span>& spans) {
  std::vector<Explanation::Statement> statements;
  const std::vector<sql::Token> tokens = sql::tokenize(sql);
  spans = sql::split_statements(sql);
  auto token = tokens.begin();
  for (const Span& span : spans) {
    Explanation::Statement& made = statements.emplace_back();
    made.sql = std::string(sql.substr(span.start, span.end - span.start));
    while (token != tokens.end() && token->span.start < span.start) ++token;
    for (; token != tokens.end() && token->span.start < span.end; ++token)
      made.tokens.push_back({std::string(name_of(token->kind)), std::string(token->text), token->span});
  }
  return statements;
}

std::optional<Diagnostic> together(std::vector<Diagnostic> errors, std::vector<Diagnostic> more) {
  errors.insert(errors.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  if (errors.empty()) return std::nullopt;
  Diagnostic first = std::move(errors.front());
  first.others.assign(std::make_move_iterator(errors.begin() + 1), std::make_move_iterator(errors.end()));
  return first;
}

}  // namespace

Explanation explain(std::string_view sql, const contract::Contract& contract, const lower::Storage& storage) {
  Explanation made;
  made.engine = name_of(storage.target);
  const dialect::Parsed parsed = dialect::parse(sql, {static_cast<std::size_t>(contract.predicate_depth),
                                                      static_cast<std::size_t>(contract.statements_per_batch)});
  bind::Bound bound = bind::bind(sql, parsed, {&contract, storage.scope_value});
  std::vector<Span> spans;
  made.statements = split(sql, spans);
  const auto statement_at = [&](std::size_t start) -> Explanation::Statement* {
    const auto found = std::ranges::find_if(spans, [&](const Span& s) { return start >= s.start && start < s.end; });
    return found == spans.end() ? nullptr : &made.statements[static_cast<std::size_t>(found - spans.begin())];
  };
  for (const dialect::Statement& one : parsed.statements) {
    Explanation::Statement* statement = statement_at(one.span.start);
    if (statement == nullptr) continue;
    statement->tree = dialect::outline_of(one);
    statement->normalized_sql = dialect::print(one);
  }
  for (const bind::BoundStatement& one : bound.statements) {
    Explanation::Statement* statement = statement_at(one.span.start);
    if (statement == nullptr) continue;
    statement->plan = bind::outline_of(one);
    for (const bind::BoundWarning& warning : one.warnings)
      statement->warnings.push_back({warning.code, warning.message, warning.hint});
    for (exec::Step& step : exec::steps_of(one, contract, storage)) {
      statement->steps.push_back({std::move(step.name), std::move(step.when), std::move(step.lowered.sql),
                                  std::move(step.lowered.parameters)});
    }
  }
  made.failure = together(parsed.errors, std::move(bound.errors));
  return made;
}

Result<Explanation> Service::explain(const Caller& caller, std::string_view sql, const RunOptions& options) {
  CANDOR_TRY(check_text(sql));
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(const std::shared_ptr<const Published> published, prepared.session->published(sql, options.source));
  if (published == nullptr) {
    return make_error(
        "statement-not-allowed",
        "what is explained is a statement for a contract, and this source is published without one",
        "without --explain, EXPLAIN SELECT … asks the engine itself; SQLite takes EXPLAIN QUERY PLAN SELECT …");
  }
  CANDOR_ASSIGN(const exec::Environment environment, environment_of(*published, options));
  return candor::explain(sql, published->contract, environment.storage);
}

}  // namespace candor
