// Copying a query's rows, with exact types, into a scratch table, so that sources of two engines can be joined.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "candor/execution.h"
#include "candor/service.h"
#include "sql/lexer.h"

namespace candor {
namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;

bool plain_identifier(std::string_view name) {
  constexpr std::size_t kLengthMax = 80;
  if (name.empty() || name.size() > kLengthMax || (name.front() >= '0' && name.front() <= '9')) return false;
  for (const char c : name) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!fine) return false;
  }
  return true;
}

// A table's columns have different names; a result's need not.
Status check_names(const std::vector<Column>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    const bool twice =
        std::any_of(columns.begin(), column, [&](const Column& other) { return same_name(other.name, column->name); });
    if (twice) {
      return make_error("duplicate-column", "the query has two columns named '" + column->name + "'",
                        "give each a name of its own: SELECT a.id AS a_id, b.id AS b_id");
    }
  }
  return Ok{};
}

}  // namespace

Result<Materialized> Service::materialize(const Caller& caller, std::string_view sql, const std::string& table,
                                          bool replace, const RunOptions& options, CancelToken cancel) {
  const Result<Prepared> prepared = prepare(caller);
  if (!prepared.ok()) {
    tell_unrun(caller, {}, sql, prepared.error());
    return prepared.error();
  }
  Result<Materialized> made = copy_rows(caller, *prepared, sql, table, replace, options, cancel);
  if (!made.ok() && prepared->asked->call.id == 0) tell_unrun(caller, *prepared, sql, made.error());
  return made;
}

Result<Materialized> Service::copy_rows(const Caller& caller, const Prepared& prepared, std::string_view sql,
                                        const std::string& table, bool replace, const RunOptions& options,
                                        const CancelToken& cancel) {
  if (!is_utf8(sql) || sql.find('\0') != std::string_view::npos) {
    return make_error("invalid-text", "the statement is not valid UTF-8 or holds a NUL", "send the text as UTF-8");
  }
  if (!plain_identifier(table)) {
    return make_error("bad-request", "'" + table + "' can't name a scratch table",
                      "use letters, digits and underscores, up to 80, not beginning with a digit");
  }
  if (sql::split_statements(sql).size() != 1) {
    return make_error("several-statements", "materialize takes one query", "send one SELECT");
  }
  CANDOR_ASSIGN(const Route route, prepared.session->route(sql, options.source));
  CANDOR_ASSIGN(engine::Engine * scratch, prepared.session->duckdb());
  engine::RunRequest request = request_of(sql, options);
  request.allow_writes = false;
  request.exact_types = true;
  request.rows_max = options.rows_max.value_or(kNoLimit);
  request.chars_max = kNoLimit;
  request.cell_chars_max = kNoLimit;
  auto rows = route.engine->run(request, cancel);
  if (!rows.ok()) return explain_failure(*prepared.session, sql, rows.error());
  Materialized result;
  result.table = table;
  result.columns = (*rows)->header().columns;
  CANDOR_TRY(check_names(result.columns));
  CANDOR_ASSIGN(result.rows, scratch->append(table, result.columns, replace, **rows, cancel));
  prepared.session->scratch_changed();
  Execution execution;
  execution.begin(prepared);
  ledger::QueryRecord& query = execution.query;
  query.sql = std::string(sql);
  query.engine = std::string(route.dialect());
  query.source = route.source;
  query.kind = "materialize";
  query.target = table;
  query.succeeded = true;
  query.row_count = result.rows;
  query.columns = "[]";
  query.rows = "[]";
  query.temporary_objects = "[]";
  query.source_versions = "{}";
  execution.end.row_count = result.rows;
  CANDOR_TRY(record(caller, prepared, execution));
  result.query_id = query.id;
  add_table_warnings(*prepared.session, sql, result.warnings);
  return result;
}

}  // namespace candor
