// A first contract: what the catalog says, what its defaults and foreign keys add, and what the values show.
#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "candor/contract_source.h"
#include "candor/contract_values.h"
#include "candor/service.h"
#include "contract/initial.h"

namespace candor {
namespace {

using contract::FoundColumn;
using contract::FoundTable;
using Row = ContractSource::Row;

constexpr std::string_view kDuckdbSchema = "main";  // of SQLite too
constexpr std::string_view kPostgresSchema = "public";

// `usual`: the schema that goes without saying.
FoundTable found_of(const engine::CatalogTable& table, std::string_view usual) {
  FoundTable found;
  if (!same_name(table.schema, usual)) found.schema = table.schema;
  found.name = table.name;
  found.view = table.view;
  found.comment = table.comment;
  for (const engine::CatalogColumn& column : table.columns) {
    FoundColumn one;
    one.name = column.name;
    one.type = column.type;
    // SQLite lets a key of any type be NULL that does not say NOT NULL; it is no key then.
    one.nullable = column.nullable && !column.primary_key;
    one.primary_key = column.primary_key;
    one.comment = column.comment;
    found.columns.push_back(std::move(one));
  }
  return found;
}

FoundColumn* column_of(FoundTable& table, std::string_view name) {
  const auto found =
      std::ranges::find_if(table.columns, [&](const FoundColumn& column) { return same_name(column.name, name); });
  return found == table.columns.end() ? nullptr : &*found;
}

Status add_sqlite_facts(ContractSource& source, FoundTable& table) {
  CANDOR_ASSIGN(const std::vector<Row> defaults,
                source.ask("SELECT name, dflt_value FROM pragma_table_xinfo(?1) WHERE dflt_value IS NOT NULL",
                           {text_value(table.name)}));
  for (const Row& row : defaults) {
    if (FoundColumn* column = column_of(table, row[0].text)) column->default_text = row[1].text;
  }
  const auto keys = std::ranges::count_if(table.columns, &FoundColumn::primary_key);
  for (FoundColumn& column : table.columns) {
    // https://sqlite.org/lang_createtable.html#rowid: such a column is the row's number, and fills itself in.
    if (keys == 1 && column.primary_key && same_name(column.type, "INTEGER") && column.default_text.empty())
      column.default_text = "rowid";
  }
  CANDOR_ASSIGN(
      const std::vector<Row> references,
      source.ask(R"(SELECT "from", "table", "to" FROM pragma_foreign_key_list(?1))", {text_value(table.name)}));
  for (const Row& row : references) table.references.push_back({row[0].text, "", row[1].text, row[2].text});
  return Ok{};
}

FoundTable* table_of(std::vector<FoundTable>& tables, std::string_view usual, const Value& schema, const Value& name) {
  const auto found = std::ranges::find_if(tables, [&](const FoundTable& table) {
    return same_name(table.name, name.text) && same_name(table.schema.empty() ? usual : table.schema, schema.text);
  });
  return found == tables.end() ? nullptr : &*found;
}

// Rows begin with schema, table and column.
FoundColumn* column_of(std::vector<FoundTable>& tables, std::string_view usual, const Row& row) {
  FoundTable* table = table_of(tables, usual, row[0], row[1]);
  return table == nullptr ? nullptr : column_of(*table, row[2].text);
}

Status add_duckdb_facts(ContractSource& source, std::vector<FoundTable>& tables) {
  CANDOR_ASSIGN(const std::vector<Row> defaults,
                source.ask("SELECT schema_name, table_name, column_name, column_default FROM duckdb_columns() WHERE "
                           "database_name = ? AND column_default IS NOT NULL",
                           {text_value(source.name())}));
  for (const Row& row : defaults) {
    if (FoundColumn* column = column_of(tables, kDuckdbSchema, row)) column->default_text = row[3].text;
  }
  CANDOR_ASSIGN(const std::vector<Row> references,
                source.ask("SELECT schema_name, table_name, unnest(constraint_column_names), referenced_table, "
                           "unnest(referenced_column_names) FROM duckdb_constraints() WHERE database_name = ? AND "
                           "constraint_type = 'FOREIGN KEY'",
                           {text_value(source.name())}));
  for (const Row& row : references) {
    FoundTable* table = table_of(tables, kDuckdbSchema, row[0], row[1]);
    // A foreign key of DuckDB stays in its schema.
    if (table != nullptr) table->references.push_back({row[2].text, table->schema, row[3].text, row[4].text});
  }
  return Ok{};
}

constexpr std::string_view kPostgresColumns =
    "SELECT n.nspname, c.relname, a.attname, %s FROM pg_catalog.pg_attribute a"
    " JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_catalog.pg_type t ON t.oid = a.atttypid %s WHERE a.attnum > 0 AND NOT a.attisdropped"
    " AND n.nspname NOT IN ('pg_catalog', 'information_schema') %s";

std::string of_postgres_columns(std::string_view what, std::string_view joins, std::string_view rest) {
  std::string sql(kPostgresColumns);
  for (const std::string_view part : {what, joins, rest}) sql.replace(sql.find("%s"), 2, part);
  return sql;
}

// An enumeration is the list of its values.
Status add_postgres_enumerations(ContractSource& source, std::vector<FoundTable>& tables) {
  CANDOR_ASSIGN(const std::vector<Row> labels,
                source.ask(of_postgres_columns("pg_catalog.quote_literal(e.enumlabel)",
                                               "JOIN pg_catalog.pg_enum e ON e.enumtypid = t.oid",
                                               "ORDER BY n.nspname, c.relname, a.attnum, e.enumsortorder")));
  FoundColumn* last = nullptr;
  const auto close = [&] {
    if (last != nullptr) last->type += ")";
  };
  for (const Row& row : labels) {
    FoundColumn* column = column_of(tables, kPostgresSchema, row);
    if (column == nullptr) continue;
    if (column != last) {
      close();
      column->type = "ENUM(" + row[3].text;
    } else {
      column->type += ", " + row[3].text;
    }
    last = column;
  }
  close();
  return Ok{};
}

Status add_postgres_facts(ContractSource& source, std::vector<FoundTable>& tables) {
  CANDOR_TRY(add_postgres_enumerations(source, tables));
  CANDOR_ASSIGN(
      const std::vector<Row> defaults,
      source.ask(of_postgres_columns("coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 'identity')",
                                     "LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum",
                                     "AND (d.oid IS NOT NULL OR a.attidentity <> '')")));
  for (const Row& row : defaults) {
    if (FoundColumn* column = column_of(tables, kPostgresSchema, row)) column->default_text = row[3].text;
  }
  CANDOR_ASSIGN(
      const std::vector<Row> references,
      source.ask(of_postgres_columns("rn.nspname, r.relname, ra.attname",
                                     "JOIN pg_catalog.pg_constraint k ON k.conrelid = c.oid AND k.contype = 'f'"
                                     " JOIN LATERAL unnest(k.conkey, k.confkey) AS m(here, there) ON m.here = a.attnum"
                                     " JOIN pg_catalog.pg_class r ON r.oid = k.confrelid"
                                     " JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace"
                                     " JOIN pg_catalog.pg_attribute ra ON ra.attrelid = r.oid AND ra.attnum = m.there",
                                     "ORDER BY n.nspname, c.relname, a.attnum, r.relname")));
  for (const Row& row : references) {
    FoundTable* table = table_of(tables, kPostgresSchema, row[0], row[1]);
    if (table == nullptr) continue;
    const std::string schema = same_name(row[3].text, kPostgresSchema) ? "" : row[3].text;
    table->references.push_back({row[2].text, schema, row[4].text, row[5].text});
  }
  return Ok{};
}

// SQLite lets a foreign key leave the column away that it refers to: the other table's key is meant.
void complete_references(std::vector<FoundTable>& tables) {
  for (FoundTable& table : tables) {
    for (contract::FoundReference& reference : table.references) {
      if (!reference.referred.empty()) continue;
      const auto other =
          std::ranges::find_if(tables, [&](const FoundTable& one) { return same_name(one.name, reference.table); });
      if (other == tables.end()) continue;
      const auto key = std::ranges::find_if(other->columns, &FoundColumn::primary_key);
      if (key != other->columns.end()) reference.referred = key->name;
    }
  }
}

}  // namespace

Result<std::string> Service::initial_contract(const Caller& caller, const std::string& source, CancelToken cancel) {
  CANDOR_ASSIGN(const config::Source meant, source_for_contract(configuration_, source));
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(ContractSource opened, ContractSource::open(*prepared.session, meant, std::move(cancel)));
  contract::FoundSource found;
  found.source = meant.name;
  for (const engine::CatalogTable& table : opened.catalog().tables)
    found.tables.push_back(found_of(table, opened.postgres() ? kPostgresSchema : kDuckdbSchema));
  if (opened.sqlite()) {
    for (FoundTable& table : found.tables) CANDOR_TRY(add_sqlite_facts(opened, table));
    complete_references(found.tables);
  } else if (opened.postgres()) {
    CANDOR_TRY(add_postgres_facts(opened, found.tables));
  } else {
    CANDOR_TRY(add_duckdb_facts(opened, found.tables));
  }
  for (std::size_t i = 0; i < found.tables.size(); ++i) {
    CANDOR_TRY(see_types(opened, opened.catalog().tables[i], found.tables[i]));
    CANDOR_TRY(see_values(opened, opened.catalog().tables[i], found.tables[i]));
  }
  return contract::initial_contract(found);
}

}  // namespace candor
