// Asking pg_class and pg_attribute. Partitions are their table's affair and not listed.
#include "engine/postgres/catalog.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "engine/postgres/errors.h"
#include "engine/postgres/privileges.h"

namespace candor::engine::postgres {
namespace {

constexpr std::string_view kListed =
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition"
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'"
    " AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')"
    " AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')";

// What the planner would say: rows for each page at the last ANALYZE, times the pages of now.
constexpr std::string_view kRows =
    "CASE WHEN c.relkind IN ('r', 'm') AND c.reltuples >= 0 AND c.relpages > 0 THEN"
    " (c.reltuples / c.relpages * (pg_catalog.pg_relation_size(c.oid) /"
    " pg_catalog.current_setting('block_size')::int4))::int8"
    " WHEN c.relkind IN ('r', 'm') AND pg_catalog.pg_relation_size(c.oid) = 0 THEN 0"
    " WHEN c.relkind = 'p' AND c.reltuples >= 0 THEN c.reltuples::int8 END";

class Rows {
 public:
  explicit Rows(PgResult result) : result_(std::move(result)) {}
  [[nodiscard]] int count() const { return libpq().PQntuples(result_.get()); }
  [[nodiscard]] std::string text(int row, int column) const { return libpq().PQgetvalue(result_.get(), row, column); }
  [[nodiscard]] bool truth(int row, int column) const { return text(row, column) == "t"; }
  [[nodiscard]] std::optional<std::uint64_t> number(int row, int column) const {
    const std::string digits = text(row, column);
    std::uint64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc()) return std::nullopt;
    return number;
  }

 private:
  PgResult result_;
};

Result<Rows> ask(Connection& connection, const std::string& sql, const Parameters& parameters, const SourceSpec& source,
                 const Watch& watch) {
  Reply reply = connection.ask(sql, parameters, watch);
  if (reply.fault) return own_error(*reply.fault, source);
  return Rows(std::move(reply.result));
}

Result<Rows> ask_columns(Connection& connection, const SourceSpec& source, const Watch& watch) {
  return ask(connection,
             // Of a domain the type that it restricts, which is what it is to whoever reads.
             "SELECT c.oid, a.attname, CASE t.typtype WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod)"
             " ELSE pg_catalog.format_type(a.atttypid, a.atttypmod) END, a.attnotnull OR t.typnotnull,"
             " coalesce(a.attnum = ANY (k.indkey), false), pg_catalog.col_description(c.oid, a.attnum),"
             " coalesce(NOT o.collisdeterministic, false) OR t.typname = 'citext', a.attgenerated <> ''"
             " FROM (SELECT c.oid, n.nspname, c.relname" +
                 std::string(kListed) +
                 ") AS c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
                 " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid"
                 " LEFT JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation"
                 " LEFT JOIN pg_catalog.pg_index k ON k.indrelid = c.oid AND k.indisprimary"
                 " WHERE pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')"
                 " ORDER BY c.nspname, c.relname, a.attnum",
             {}, source, watch);
}

}  // namespace

Result<Catalog> read_catalog(Connection& connection, const SourceSpec& source, bool contract, const Watch& watch) {
  CANDOR_ASSIGN(const Rows tables,
                ask(connection,
                    "SELECT c.oid, n.nspname, c.relname, c.relkind = 'v', NOT pg_catalog.pg_table_is_visible(c.oid), " +
                        std::string(kRows) + ", pg_catalog.obj_description(c.oid, 'pg_class')" + std::string(kListed) +
                        " ORDER BY 2, 3",
                    {}, source, watch));
  CANDOR_ASSIGN(const Rows columns, ask_columns(connection, source, watch));
  Catalog catalog;
  CANDOR_ASSIGN(std::string warning, role_warning(connection, source, contract, watch));
  if (!warning.empty()) catalog.warnings.push_back(std::move(warning));
  int column = 0;
  for (int row = 0; row < tables.count(); ++row) {
    CatalogTable table;
    table.source = source.name;
    table.schema = tables.text(row, 1);
    table.name = tables.text(row, 2);
    table.view = tables.truth(row, 3);
    table.schema_needed = tables.truth(row, 4);
    table.rows_estimated = tables.number(row, 5);
    table.comment = tables.text(row, 6);
    bool utf8 = is_utf8(table.schema) && is_utf8(table.name) && is_utf8(table.comment);
    // Both results have one order.
    for (; column < columns.count() && columns.text(column, 0) == tables.text(row, 0); ++column) {
      CatalogColumn out;
      out.name = columns.text(column, 1);
      out.type = columns.text(column, 2);
      out.nullable = !columns.truth(column, 3);
      out.primary_key = columns.truth(column, 4);
      out.collated = columns.truth(column, 6);
      out.computed = columns.truth(column, 7);
      out.comment = columns.text(column, 5);
      utf8 = utf8 && is_utf8(out.name) && is_utf8(out.type) && is_utf8(out.comment);
      table.columns.push_back(std::move(out));
    }
    if (utf8) {
      catalog.tables.push_back(std::move(table));
    } else {
      catalog.warnings.push_back("source " + source.name + ": a table's name is not valid UTF-8, and it is left out");
    }
  }
  std::ranges::sort(catalog.tables, {}, [](const CatalogTable& one) { return std::tie(one.schema, one.name); });
  return catalog;
}

Result<TableFacts> read_table_facts(Connection& connection, const SourceSpec& source, const TableName& name,
                                    const std::vector<std::string>& columns, const Watch& watch) {
  TableFacts facts;
  facts.resolved = {source.name, name.schema, name.table};
  if (!name.source.empty() && !same_name(name.source, source.name)) return facts;
  CANDOR_ASSIGN(
      const Rows tables,
      ask(connection,
          "SELECT c.oid, n.nspname, c.relname, c.relkind = 'r' AND NOT c.relhassubclass, " + std::string(kRows) +
              ", pg_catalog.pg_table_size(c.oid)" + std::string(kListed) +
              " AND CASE $1::text WHEN '' THEN pg_catalog.pg_table_is_visible(c.oid) ELSE n.nspname = $1::text END"
              " AND c.relname = $2::text",
          {name.schema, name.table}, source, watch));
  if (tables.count() == 0) return facts;
  facts.exists = true;
  facts.resolved = {source.name, tables.text(0, 1), tables.text(0, 2)};
  facts.base_table = tables.truth(0, 3);
  facts.rows_estimated = tables.number(0, 4);
  facts.bytes_max = facts.base_table ? tables.number(0, 5) : std::nullopt;
  CANDOR_ASSIGN(const Rows described,
                ask(connection,
                    "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod),"
                    " CASE WHEN a.attlen > 0 THEN a.attlen WHEN a.atttypid IN (1042, 1043) AND a.atttypmod > 4"
                    " THEN 4 * (a.atttypmod - 4) END,"
                    " a.attcollation <> 0 AND NOT coalesce(k.collisdeterministic, true)"
                    " FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_collation k ON k.oid = a.attcollation"
                    " WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
                    {tables.text(0, 0)}, source, watch));
  for (int row = 0; row < described.count(); ++row) {
    ColumnFacts fact;
    fact.name = described.text(row, 0);
    fact.type = described.text(row, 1);
    const bool asked = std::ranges::any_of(columns, [&](const auto& one) { return same_name(one, fact.name); });
    if (asked) fact.width_max = described.number(row, 2);
    fact.collated = described.truth(row, 3);
    facts.columns.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace candor::engine::postgres
