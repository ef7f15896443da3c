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

FoundTable found_of(const engine::CatalogTable& table) {
  FoundTable found;
  if (!same_name(table.schema, "main")) found.schema = table.schema;
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

Status add_duckdb_facts(ContractSource& source, std::vector<FoundTable>& tables) {
  const auto table_named = [&](const std::string& schema, const std::string& name) -> FoundTable* {
    const auto found = std::ranges::find_if(tables, [&](const FoundTable& table) {
      return same_name(table.name, name) && same_name(table.schema.empty() ? "main" : table.schema, schema);
    });
    return found == tables.end() ? nullptr : &*found;
  };
  CANDOR_ASSIGN(const std::vector<Row> defaults,
                source.ask("SELECT schema_name, table_name, column_name, column_default FROM duckdb_columns() WHERE "
                           "database_name = ? AND column_default IS NOT NULL",
                           {text_value(source.name())}));
  for (const Row& row : defaults) {
    FoundTable* table = table_named(row[0].text, row[1].text);
    FoundColumn* column = table == nullptr ? nullptr : column_of(*table, row[2].text);
    if (column != nullptr) column->default_text = row[3].text;
  }
  CANDOR_ASSIGN(const std::vector<Row> references,
                source.ask("SELECT schema_name, table_name, unnest(constraint_column_names), referenced_table, "
                           "unnest(referenced_column_names) FROM duckdb_constraints() WHERE database_name = ? AND "
                           "constraint_type = 'FOREIGN KEY'",
                           {text_value(source.name())}));
  for (const Row& row : references) {
    FoundTable* table = table_named(row[0].text, row[1].text);
    // A foreign key of DuckDB stays in its schema.
    if (table != nullptr) table->references.push_back({row[2].text, table->schema, row[3].text, row[4].text});
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
  for (const engine::CatalogTable& table : opened.catalog().tables) found.tables.push_back(found_of(table));
  if (opened.sqlite()) {
    for (FoundTable& table : found.tables) CANDOR_TRY(add_sqlite_facts(opened, table));
    complete_references(found.tables);
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
