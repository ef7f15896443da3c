// Asking pg_proc and pg_operator.
#include "engine/postgres/functions.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "engine/postgres/errors.h"
#include "engine/postgres/parameters.h"

namespace candor::engine::postgres {
namespace {

// Volatile because their values change, or because they look at files of tables: nothing else comes of them. How long
// pg_sleep takes is the deadline's affair. `system` and `bernoulli` stand after TABLESAMPLE.
constexpr std::string_view kHarmless =
    "{clock_timestamp,timeofday,random,random_normal,gen_random_uuid,uuidv4,uuidv7,current_query,"
    "pg_sleep,pg_sleep_for,pg_sleep_until,pg_relation_size,pg_table_size,pg_total_relation_size,pg_indexes_size,"
    "pg_database_size,pg_partition_tree,pg_partition_ancestors,pg_is_in_recovery,pg_jit_available,txid_status,"
    "pg_xact_status,system,bernoulli}";

// Not volatile by the catalog, and yet they run a text that was not looked at (contrib/tablefunc, contrib/xml2), or show
// the statements of other sessions.
constexpr std::string_view kRefused =
    "{crosstab,crosstab2,crosstab3,crosstab4,crosstabn,connectby,xpath_table,pg_stat_get_activity,"
    "pg_stat_get_backend_activity}";

// $1 schemas, $2 names and $3 whether written like a column, of the calls; $4 operators; $5 the source's name as a schema's;
// $6 and $7 the lists above. A row each for what is found: kind, schema, name, and why it is refused.
constexpr std::string_view kAsk =
    "WITH found AS (SELECT p.oid FROM pg_catalog.pg_proc p WHERE p.proname = ANY ($2::pg_catalog.name[])"
    " UNION SELECT o.oprcode::pg_catalog.oid FROM pg_catalog.pg_operator o"
    " WHERE o.oprname = ANY ($4::pg_catalog.name[]) AND o.oprnamespace <> 'pg_catalog'::pg_catalog.regnamespace),"
    " judged AS (SELECT p.oid, n.nspname, p.proname,"
    // A row's column can be a function of the row: of a composite type, a record or any type.
    " (SELECT t.typtype IN ('c', 'd', 'p') FROM pg_catalog.pg_type t WHERE t.oid = p.proargtypes[0]) AS of_row,"
    " CASE WHEN p.proname = ANY ($7::pg_catalog.name[]) THEN 'runs a text of its own or shows other sessions'"
    " WHEN NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c') THEN 'is written in ' || l.lanname"
    " WHEN p.provolatile = 'v' AND NOT (n.nspname = 'pg_catalog' AND p.proname = ANY ($6::pg_catalog.name[]))"
    " THEN 'is volatile' END AS why"
    " FROM found JOIN pg_catalog.pg_proc p ON p.oid = found.oid"
    " JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang)"
    " SELECT DISTINCT 'function', j.nspname::text, j.proname::text, j.why"
    " FROM unnest($1::text[], $2::text[], $3::bool[]) AS called(schema, name, attribute)"
    " JOIN judged j ON j.proname = called.name AND (NOT called.attribute OR j.of_row)"
    " AND CASE called.schema WHEN '' THEN j.nspname = ANY (pg_catalog.current_schemas(true))"
    " ELSE j.nspname = called.schema END"
    " UNION SELECT 'operator', j.nspname::text, o.oprname::text, j.why FROM pg_catalog.pg_operator o"
    " JOIN judged j ON j.oid = o.oprcode WHERE o.oprname = ANY ($4::pg_catalog.name[]) AND j.why IS NOT NULL"
    " UNION SELECT 'schema', n.nspname::text, '', NULL FROM pg_catalog.pg_namespace n"
    " WHERE pg_catalog.lower(n.nspname::text) = $5"
    " UNION SELECT 'state', '', pg_catalog.txid_current_snapshot()::text, NULL";

Diagnostic refused(const std::string& kind, const std::string& schema, const std::string& name, const std::string& why,
                   const Statement& statement) {
  const std::string full = schema == "pg_catalog" ? name : schema + "." + name;
  std::string hint = "ask for the columns themselves";
  if (schema != "pg_catalog" && why == "is volatile") {
    hint = "declare it STABLE where it only reads, or publish a view that calls it";
  }
  Diagnostic made = make_error("statement-not-allowed",
                               "the " + kind + " " + full + " is not allowed here: it " + why +
                                   (why == "is volatile" ? ", so it may write or change how the server works" : ""),
                               std::move(hint), name);
  const auto call = std::ranges::find(statement.called, name, &Called::name);
  if (call != statement.called.end()) made.span = call->span;
  return made;
}

}  // namespace

Result<Checked> check_called(Statement& statement, Connection& connection, const SourceSpec& source,
                             const Watch& watch) {
  Checked checked;
  std::vector<std::string> schemas;
  std::vector<std::string> names;
  std::vector<std::string> attributes;
  for (const Called& called : statement.called) {
    schemas.push_back(called.schema);
    names.push_back(called.name);
    attributes.emplace_back(called.attribute ? "t" : "f");
  }
  Reply reply = connection.ask(
      std::string(kAsk),
      {array_literal(schemas), array_literal(names), array_literal(attributes), array_literal(statement.operators),
       lower_ascii(source.name), std::string(kHarmless), std::string(kRefused)},
      watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const PGresult* rows = reply.result.get();
  bool schema = false;
  for (int row = 0; row < libpq().PQntuples(rows); ++row) {
    const std::string kind = libpq().PQgetvalue(rows, row, 0);
    const std::string name = libpq().PQgetvalue(rows, row, 2);
    if (kind == "state") {
      checked.state = name;
    } else if (kind == "schema") {
      schema = true;
    } else if (libpq().PQgetisnull(rows, row, 3) == 0) {
      return refused(kind, libpq().PQgetvalue(rows, row, 1), name, libpq().PQgetvalue(rows, row, 3), statement);
    } else {
      checked.known.push_back(name);
    }
  }
  if (!schema) statement.blank_source_prefixes();
  return checked;
}

Result<std::vector<FunctionFacts>> read_function_facts(const std::vector<std::string>& names, Connection& connection,
                                                       const SourceSpec& source, const Watch& watch) {
  // Built in: everything that the name can mean on the path is in pg_catalog. Repeatable: nothing of it is volatile, and
  // something is immutable; what depends on the session's settings alone is so in every session of ours. Operators of
  // pg_catalog are.
  constexpr std::string_view kFacts =
      "SELECT asked.name, coalesce(bool_and(found.schema = 'pg_catalog'), false),"
      " coalesce(bool_and(found.kind <> 'v') AND bool_or(found.kind = 'i'), false)"
      " FROM pg_catalog.unnest($1::text[]) AS asked(name) LEFT JOIN (SELECT p.proname::text AS name, n.nspname AS "
      "schema,"
      " p.provolatile::text AS kind FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace"
      " UNION ALL SELECT o.oprname::text, n.nspname, CASE n.nspname WHEN 'pg_catalog' THEN 'i' ELSE p.provolatile::text"
      " END FROM pg_catalog.pg_operator o JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace"
      " JOIN pg_catalog.pg_proc p ON p.oid = o.oprcode"
      // Names that the grammar gives its own constructs, which nobody can redefine, and one of the review's parser.
      " UNION ALL SELECT grammar.name, 'pg_catalog', 'i' FROM (VALUES ('nullif'), ('coalesce'), ('greatest'), "
      "('least'))"
      " AS grammar(name)) AS found"
      " ON found.name = CASE asked.name WHEN 'count_star' THEN 'count' WHEN 'trim' THEN 'btrim' ELSE asked.name END"
      " AND found.schema = ANY (pg_catalog.current_schemas(true)) GROUP BY asked.name";
  Reply reply = connection.ask(std::string(kFacts), {array_literal(names)}, watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const PGresult* rows = reply.result.get();
  std::vector<FunctionFacts> facts;
  for (int row = 0; row < libpq().PQntuples(rows); ++row) {
    const auto truth = [&](int column) { return std::string_view(libpq().PQgetvalue(rows, row, column)) == "t"; };
    facts.push_back({libpq().PQgetvalue(rows, row, 0), truth(1), truth(2)});
  }
  return facts;
}

}  // namespace candor::engine::postgres
