// What is published and what the scratch database holds, from the engine's own catalog.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::seconds kCatalogDeadline{30};
constexpr std::chrono::milliseconds kTemporariesDeadline{200};

constexpr const char* kTablesQuery =
    "SELECT database_name, schema_name, table_name, comment, estimated_size::VARCHAR, 'table', "
    "CASE WHEN contains(lower(sql), 'generated') THEN sql END "
    "FROM system.main.duckdb_tables() WHERE NOT internal AND temporary = $1::BOOLEAN UNION ALL "
    "SELECT database_name, schema_name, view_name, comment, NULL, 'view', NULL "
    "FROM system.main.duckdb_views() WHERE NOT internal AND temporary = $1::BOOLEAN";
constexpr const char* kColumnsQuery =
    "SELECT database_name, schema_name, table_name, column_name, data_type, is_nullable::VARCHAR, comment "
    "FROM system.main.duckdb_columns() WHERE NOT internal ORDER BY database_oid, schema_oid, table_oid, column_index";
constexpr const char* kKeysQuery =
    "SELECT database_name, schema_name, table_name, unnest(constraint_column_names) "
    "FROM system.main.duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY'";

using TableKey = std::tuple<std::string, std::string, std::string>;  // database, schema, table; lower case

TableKey key_of(const TextRow& row) {
  return {lower_ascii(row[0].value_or("")), lower_ascii(row[1].value_or("")), lower_ascii(row[2].value_or(""))};
}

std::optional<std::uint64_t> read_count(const std::optional<std::string>& text) {
  std::uint64_t count = 0;
  if (!text) return std::nullopt;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), count);
  if (failure != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return count;
}

// The catalog does not say which columns are computed; the statement that would make the table does. Each column's part of it
// begins with its name, inside the first bracket.
void mark_computed(std::string_view statement, std::vector<CatalogColumn>& columns) {
  const std::vector<Token> tokens = tokenize(statement);
  std::string name;
  bool at_start = false;
  int inside = -1;
  for (const Token& token : tokens) {
    if (inside < 0 && is_symbol(token, '(')) {
      inside = token.depth + 1;
      at_start = true;
    } else if (inside >= 0 && token.depth == inside && is_symbol(token, ',')) {
      at_start = true;
    } else if (at_start) {
      name = is_name(token) ? name_of(token) : std::string();
      at_start = false;
    } else if (token.depth == inside && is_word(token, "generated")) {
      for (CatalogColumn& column : columns) column.computed = column.computed || same_name(column.name, name);
    }
  }
}

// Tables of one connection: the lasting ones, or the temporary ones that it alone sees.
Status read_tables(duckdb_connection connection, bool temporary, std::vector<CatalogTable>& tables) {
  CANDOR_ASSIGN(const std::vector<TextRow> rows, query_text(connection, kTablesQuery, {temporary ? "true" : "false"}));
  CANDOR_ASSIGN(const std::vector<TextRow> columns, query_text(connection, kColumnsQuery));
  CANDOR_ASSIGN(const std::vector<TextRow> keys, query_text(connection, kKeysQuery));
  std::map<TableKey, std::size_t> places;
  std::vector<std::pair<std::size_t, std::string>> with_computed;
  for (const TextRow& row : rows) {
    places[key_of(row)] = tables.size();
    CatalogTable& table = tables.emplace_back();
    table.source = row[0].value_or("");
    table.schema = row[1].value_or("");
    table.name = row[2].value_or("");
    table.comment = row[3].value_or("");
    table.rows_estimated = read_count(row[4]);
    table.view = row[5] == "view";
    table.temporary = temporary;
    table.schema_needed = table.schema != "main";
    if (row[6]) with_computed.emplace_back(places[key_of(row)], *row[6]);
  }
  for (const TextRow& row : columns) {
    const auto place = places.find(key_of(row));
    if (place == places.end()) continue;
    CatalogColumn& column = tables[place->second].columns.emplace_back();
    column.name = row[3].value_or("");
    column.type = row[4].value_or("");
    column.nullable = row[5] != "false";
    column.comment = row[6].value_or("");
  }
  for (const auto& [place, statement] : with_computed) mark_computed(statement, tables[place].columns);
  for (const TextRow& row : keys) {
    const auto place = places.find(key_of(row));
    if (place == places.end()) continue;
    for (CatalogColumn& column : tables[place->second].columns) {
      if (lower_ascii(column.name) == lower_ascii(row[3].value_or(""))) column.primary_key = true;
    }
  }
  return Ok{};
}

// Adds what was decided when the files were read, and the files that became no table.
void add_files(const OpenSource& source, std::vector<CatalogTable>& tables) {
  if (!source.files) return;
  for (const FileTable& file : source.files->tables) {
    const auto found = std::find_if(tables.begin(), tables.end(), [&](const CatalogTable& table) {
      return table.source == source.spec.name && table.schema == "main" &&
             lower_ascii(table.name) == lower_ascii(file.name);
    });
    if (found == tables.end()) {
      CatalogTable& missing = tables.emplace_back();
      missing.source = source.spec.name;
      missing.schema = "main";
      missing.name = file.name;
      missing.file = file.origin;
      continue;
    }
    found->file = file.origin;
    found->view = file.view;
    if (!file.view) {
      found->rows_estimated = file.rows;
      found->rows_exact = true;
    }
    for (const ColumnNote& note : file.notes) {
      for (CatalogColumn& column : found->columns) {
        if (column.name == note.column) column.note = note.note;
      }
    }
  }
}

}  // namespace

Result<Catalog> DuckdbEngine::catalog() {
  Catalog catalog;
  {
    CANDOR_ASSIGN(const Core::Reading reading, core_->read_catalog(Clock::now() + kCatalogDeadline));
    CANDOR_TRY(read_tables(reading.lease.get(), false, catalog.tables));
  }
  for (const OpenSource& source : core_->sources) {
    // The engine gives names in the case of the ATTACH, which is ours.
    add_files(source, catalog.tables);
    if (source.files) {
      catalog.warnings.insert(catalog.warnings.end(), source.files->warnings.begin(), source.files->warnings.end());
    }
  }
  if (core_->connections.any_temporaries()) {
    // A long statement on the main connection must not keep the catalog waiting.
    const Result<Connections::Lease> main =
        core_->connections.agent(true, Clock::now() + kTemporariesDeadline, CancelToken());
    if (main.ok()) {
      CANDOR_TRY(read_tables(main.value().get(), true, catalog.tables));
    } else {
      catalog.warnings.emplace_back("temporary tables are not listed while a statement runs that may use them");
    }
  }
  for (const FailedSource& source : core_->failed) catalog.warnings.push_back(source.why.message);
  std::sort(catalog.tables.begin(), catalog.tables.end(), [](const CatalogTable& a, const CatalogTable& b) {
    return std::tie(a.source, a.schema, a.name) < std::tie(b.source, b.schema, b.name);
  });
  return catalog;
}

}  // namespace candor::engine::duckdb
