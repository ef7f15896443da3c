// The review without a commit, and receipts run again.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/render_json.h"
#include "candor/documents.h"
#include "candor/service.h"
#include "sql/lexer.h"

namespace candor {
namespace {

// A name that the engine does not know. It is asked to explain the query, which runs nothing.
std::optional<Diagnostic> unknown_name(const std::string& sql, const Route& route, engine::RunRequest request,
                                       const CancelToken& cancel) {
  const std::string explain = route.dialect() == "sqlite" ? "EXPLAIN QUERY PLAN " : "EXPLAIN ";
  request.sql = explain + sql;
  request.allow_writes = false;
  std::optional<Diagnostic> failure;
  const Result<std::unique_ptr<engine::RowStream>> stream = route.engine->run(request, cancel);
  if (!stream.ok()) failure = stream.error();
  while (stream.ok() && !failure) {
    engine::RowStream::Item item = (*stream)->next();
    if (std::holds_alternative<engine::End>(item)) break;
    if (auto* told = std::get_if<Diagnostic>(&item)) failure = std::move(*told);
  }
  constexpr std::string_view kNames[] = {"unknown-table", "unknown-column", "unknown-function"};
  if (!failure || std::ranges::find(kNames, failure->code) == std::end(kNames)) return std::nullopt;
  if (failure->span && failure->span->start >= explain.size()) {
    failure->span->start -= explain.size();
    failure->span->end -= explain.size();
  }
  return failure;
}

}  // namespace

Result<std::vector<Candor::Checked>> Service::check(const Caller& caller, std::string_view sql,
                                                    const RunOptions& options, CancelToken cancel) {
  if (!is_utf8(sql) || sql.find('\0') != std::string_view::npos) {
    return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL", "send the text as UTF-8");
  }
  const std::vector<Span> statements = sql::split_statements(sql);
  if (statements.empty()) return make_error("syntax", "there is no statement in the text", "write a query: SELECT …");
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  std::vector<Checked> all;
  for (const Span& span : statements) {
    Checked checked;
    checked.sql = std::string(sql.substr(span.start, span.end - span.start));
    CANDOR_ASSIGN(const Route route, prepared.session->route(checked.sql, options.source));
    // A query that the engine does not take is an error here, not an undetermined review of nothing.
    Result<std::string> tree = route.engine->syntax_tree(checked.sql);
    if (!tree.ok() && tree.error().code == "syntax" && route.source.empty()) return tree.error();
    if (auto failure = unknown_name(checked.sql, route, request_of(checked.sql, options), cancel)) {
      return explain_failure(*prepared.session, checked.sql, *std::move(failure));
    }
    review::Context context = review_context(*prepared.session, route, checked.sql);
    if (route.source.empty()) context.temporary_objects = prepared.session->temporary_objects();
    context.cancel = cancel;
    checked.checks = review::review_query(checked.sql, context);
    checked.warnings = learn(checked.checks, {route.source, "", "", "checked"}, *prepared.session);
    all.push_back(std::move(checked));
  }
  return all;
}

Result<Verification> Service::verify(const std::string& answer_id, CancelToken cancel) {
  CANDOR_ASSIGN(const ledger::AnswerRecord answer, ledger_->answer(answer_id));
  Verification verification;
  verification.answer_id = answer_id;
  CANDOR_ASSIGN(const json::Node receipt, json::parse(answer.receipt.empty() ? "{}" : answer.receipt));
  verification.entries = stored_counts(receipt);
  if (verification.entries.empty()) return verification;
  CANDOR_ASSIGN(const ledger::QueryRecord query, ledger_->query(answer.query_id));
  Caller caller;
  caller.session = answer.turn.session;
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(const Route route, prepared.session->engine_of(query.source));
  if (route.source != query.source) {
    return make_error("unknown-source", "the receipt counts in '" + query.source + "', which is not published here",
                      "publish it: --source " + query.source + "=PATH");
  }
  for (Verification::Entry& entry : verification.entries) {
    Result<review::Counts> counts = review::count_again(*route.engine, entry.counting_sql, cancel);
    if (counts.ok()) {
      entry.now = *counts;
    } else {
      entry.failure = counts.error();
    }
  }
  return verification;
}

}  // namespace candor
