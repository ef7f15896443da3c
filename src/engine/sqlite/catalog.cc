// Tables, columns and estimates from SQLite's own schema.
#include "engine/sqlite/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "engine/sqlite/affinity.h"
#include "engine/sqlite/errors.h"
#include "engine/sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;

struct Table {
  std::string name;
  std::string type;  // table, view, virtual, shadow
  bool without_rowid = false;
};

struct TableColumn {
  std::string name, type;
  bool not_null = false;
  bool primary_key = false;
  bool computed = false;
};

// Reads on one connection within one call; SQLite's failures become those of the source.
class Reader {
 public:
  Reader(Connection& connection, const SourceSpec& source)
      : connection_(connection), source_(source), trusted_(connection) {}

  template <typename Row>
  Status each(std::string_view text, const std::vector<std::string>& parameters, Row row) {
    auto statement = connection_.database().prepare(text);
    if (!statement.ok()) return failed(std::move(statement).error(), text);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      CANDOR_TRY(statement->bind_text(static_cast<int>(i) + 1, parameters[i]));
    }
    while (true) {
      auto more = statement->step();
      if (!more.ok()) return failed(std::move(more).error(), text);
      if (!*more) return Ok{};
      row(*statement);
    }
  }

  Result<std::vector<Table>> tables() {
    std::vector<Table> tables;
    CANDOR_TRY(each("SELECT name, type, wr FROM pragma_table_list WHERE schema <> 'temp' ORDER BY name", {},
                    [&](const sql::Statement& row) {
                      tables.push_back({std::string(row.text(0)), std::string(row.text(1)), row.integer(2) != 0});
                    }));
    return tables;
  }

  Result<std::vector<TableColumn>> columns(const std::string& table) {
    std::vector<TableColumn> columns;
    // hidden = 1 are arguments and control columns of virtual tables; 2 and 3 are generated columns.
    CANDOR_TRY(
        each("SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid",
             {table}, [&](const sql::Statement& row) {
               columns.push_back({std::string(row.text(0)), std::string(row.text(1)), row.integer(2) != 0,
                                  row.integer(3) != 0, row.integer(4) != 0});
             }));
    return columns;
  }

  // ANALYZE's count where there is one; of a table with row ids never more than their range allows.
  Result<std::optional<std::uint64_t>> rows_estimated(const Table& table) {
    if (table.type != "table") return std::optional<std::uint64_t>();
    std::optional<std::uint64_t> estimate;
    CANDOR_ASSIGN(const bool analyzed, has_statistics());
    if (analyzed) {
      CANDOR_TRY(each("SELECT stat FROM sqlite_stat1 WHERE tbl = ?1", {table.name}, [&](const sql::Statement& row) {
        // The first number of any index of the table; an index with a WHERE counts less than the table has.
        const auto rows = std::strtoull(std::string(row.text(0)).c_str(), nullptr, 10);
        estimate = std::max<std::uint64_t>(estimate.value_or(0), rows);
      }));
    }
    if (table.without_rowid) return estimate;
    std::optional<std::uint64_t> range;
    const std::string name = sql::quote_identifier(table.name);
    // Apart, each of the two is one look into the tree.
    auto looked = each("SELECT (SELECT min(_rowid_) FROM " + name + "), (SELECT max(_rowid_) FROM " + name + ")", {},
                       [&](const sql::Statement& row) {
                         range = row.is_null(0) ? 0
                                                : static_cast<std::uint64_t>(row.integer(1)) -
                                                      static_cast<std::uint64_t>(row.integer(0)) + 1;
                       });
    if (!looked.ok()) return estimate;  // a column of its own hides the name of the row id
    return std::optional<std::uint64_t>(std::min(estimate.value_or(*range), *range));
  }

  Result<std::uint64_t> pragma_number(std::string_view pragma) {
    std::uint64_t number = 0;
    CANDOR_TRY(
        each(pragma, {}, [&](const sql::Statement& row) { number = static_cast<std::uint64_t>(row.integer(0)); }));
    return number;
  }

 private:
  Result<bool> has_statistics() {
    if (!statistics_) {
      bool found = false;
      CANDOR_TRY(each("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'", {},
                      [&](const sql::Statement&) { found = true; }));
      statistics_ = found;
    }
    return *statistics_;
  }

  Diagnostic failed(Diagnostic failure, std::string_view text) {
    return statement_error(std::move(failure), connection_, connection_.database().fault(), source_, text);
  }

  Connection& connection_;
  const SourceSpec& source_;
  Connection::Trusted trusted_;
  std::optional<bool> statistics_;
};

bool concerns_all(std::string_view code) {
  return code == "file-locked" || code == "statement-timeout" || code == "read-only";
}

bool is_own(std::string_view name) { return name.size() >= 7 && same_name(name.substr(0, 7), "sqlite_"); }

Result<CatalogTable> describe(Reader& reader, const Table& table, const SourceSpec& source) {
  CatalogTable described;
  described.source = source.name;
  described.schema = "main";
  described.name = table.name;
  described.view = table.type == "view";
  CANDOR_ASSIGN(const auto columns, reader.columns(table.name));
  for (const TableColumn& column : columns) {
    if (!is_utf8(column.name) || !is_utf8(column.type)) {
      return make_error("invalid-value", "a column's name is not valid UTF-8");
    }
    CatalogColumn out;
    out.name = column.name;
    out.type = column.type;
    out.nullable = !column.not_null;
    out.primary_key = column.primary_key;
    out.computed = column.computed;
    described.columns.push_back(std::move(out));
  }
  CANDOR_ASSIGN(described.rows_estimated, reader.rows_estimated(table));
  return described;
}

}  // namespace

Result<Catalog> read_catalog(Connection& connection, const SourceSpec& source) {
  Reader reader(connection, source);
  CANDOR_ASSIGN(const auto tables, reader.tables());
  Catalog catalog;
  for (const Table& table : tables) {
    if (table.type == "shadow" || is_own(table.name)) continue;
    if (!is_utf8(table.name)) {
      catalog.warnings.push_back("source " + source.name + ": a table's name is not valid UTF-8, and it is left out");
      continue;
    }
    auto described = describe(reader, table, source);
    // A view over a table that is gone, or a virtual table without its module, is left out; a lock is another matter.
    if (!described.ok() && concerns_all(described.error().code)) return std::move(described).error();
    if (described.ok()) {
      catalog.tables.push_back(std::move(*described));
    } else {
      catalog.warnings.push_back("source " + source.name + ": " + table.name +
                                 " is left out: " + described.error().message);
    }
  }
  std::ranges::sort(catalog.tables, {}, &CatalogTable::name);
  return catalog;
}

Result<TableFacts> read_table_facts(Connection& connection, const SourceSpec& source, const TableName& name,
                                    const std::vector<std::string>& columns) {
  TableFacts facts;
  facts.resolved = {source.name, "main", name.table};
  const bool here = (name.source.empty() || same_name(name.source, source.name) || same_name(name.source, "main")) &&
                    (name.schema.empty() || same_name(name.schema, "main"));
  if (!here) return facts;
  Reader reader(connection, source);
  CANDOR_ASSIGN(const auto tables, reader.tables());
  const auto table = std::ranges::find_if(tables, [&](const Table& one) { return same_name(one.name, name.table); });
  if (table == tables.end()) return facts;
  facts.exists = true;
  facts.resolved.table = table->name;
  facts.base_table = table->type == "table";
  CANDOR_ASSIGN(facts.rows_estimated, reader.rows_estimated(*table));
  CANDOR_ASSIGN(const std::uint64_t pages, reader.pragma_number("PRAGMA page_count"));
  CANDOR_ASSIGN(const std::uint64_t page_bytes, reader.pragma_number("PRAGMA page_size"));
  facts.bytes_max = pages * page_bytes;
  CANDOR_ASSIGN(const auto described, reader.columns(table->name));
  for (const TableColumn& column : described) {
    ColumnFacts fact;
    fact.name = column.name;
    fact.type = column.type;
    const bool asked = std::ranges::any_of(columns, [&](const auto& one) { return same_name(one, column.name); });
    const Affinity affinity = affinity_of(column.type);
    // By the column's affinity. A row can break it, which costs a probe time but does not make it wrong.
    if (asked && facts.base_table && (affinity == Affinity::kInteger || affinity == Affinity::kReal))
      fact.width_max = 8;
    if (facts.base_table) {
      const auto metadata = connection.database().column_metadata({}, table->name, column.name);
      // What can't be told is taken for a collation of its own.
      fact.collated = !metadata.ok() || !same_name(metadata->collation, "BINARY");
    }
    facts.columns.push_back(std::move(fact));
  }
  return facts;
}

}  // namespace candor::engine::sqlite
