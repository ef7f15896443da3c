// What the review must know of a table before it reads any of it: all from the catalog and the storage's statistics.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/errors.h"
#include "engine/duckdb/rows.h"
#include "engine/duckdb/tokens.h"
#include "engine/duckdb/values.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::chrono::seconds kCatalogDeadline{30};

std::uint64_t read_count(const std::optional<std::string>& text) {
  std::uint64_t count = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), count);
  return count;
}

std::string full_name(const TableName& name) {
  return quote_name(name.source) + "." + quote_name(name.schema) + "." + quote_name(name.table);
}

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// The longest label of ENUM('a', 'b').
std::uint64_t enum_width(std::string_view type) {
  std::uint64_t width = 0;
  for (const Token& token : tokenize(type)) {
    if (token.kind == TokenKind::kString) width = std::max<std::uint64_t>(width, token.text.size() - 2);
  }
  return width;
}

// Bytes of a value of a type whose values are all of one size; nothing for the others.
std::optional<std::uint64_t> fixed_width(std::string_view type) {
  struct Width {
    std::string_view name;
    std::uint64_t bytes;
  };
  constexpr std::array kWidths = {Width{"BOOLEAN", 1},
                                  Width{"TINYINT", 1},
                                  Width{"UTINYINT", 1},
                                  Width{"SMALLINT", 2},
                                  Width{"USMALLINT", 2},
                                  Width{"INTEGER", 4},
                                  Width{"UINTEGER", 4},
                                  Width{"BIGINT", 8},
                                  Width{"UBIGINT", 8},
                                  Width{"HUGEINT", 16},
                                  Width{"UHUGEINT", 16},
                                  Width{"FLOAT", 4},
                                  Width{"DOUBLE", 8},
                                  Width{"DATE", 4},
                                  Width{"TIME", 8},
                                  Width{"TIME_NS", 8},
                                  Width{"TIMESTAMP", 8},
                                  Width{"TIMESTAMP_S", 8},
                                  Width{"TIMESTAMP_MS", 8},
                                  Width{"TIMESTAMP_NS", 8},
                                  Width{"TIME WITH TIME ZONE", 8},
                                  Width{"TIMESTAMP WITH TIME ZONE", 8},
                                  Width{"INTERVAL", 16},
                                  Width{"UUID", 16}};
  if (!type.empty() && type.back() == ']') return std::nullopt;
  if (begins_with(type, "DECIMAL(")) return 16;
  if (begins_with(type, "ENUM(")) return enum_width(type);
  const auto found =
      std::find_if(kWidths.begin(), kWidths.end(), [&](const Width& width) { return width.name == type; });
  return found == kWidths.end() ? std::nullopt : std::optional<std::uint64_t>(found->bytes);
}

bool is_text(std::string_view type) { return type == "VARCHAR" || type == "JSON"; }

// Lower-case names of the columns whose definition in a CREATE TABLE text has a COLLATE.
std::vector<std::string> collated_columns(const std::string& create) {
  std::vector<std::string> names;
  const std::vector<Token> tokens = tokenize(create);
  std::string current;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const bool opens = tokens[i].depth == 1 && (is_symbol(tokens[i - 1], ',') || is_symbol(tokens[i - 1], '('));
    if (opens && is_name(tokens[i])) current = lower_ascii(name_of(tokens[i]));
    if (is_word(tokens[i], "collate")) names.push_back(current);
  }
  return names;
}

struct CatalogEntry {
  TableName name;
  bool view = false;
  std::uint64_t rows = 0;
  std::string create;
};

class FactsReader {
 public:
  FactsReader(Core& core, duckdb_connection connection) : core_(core), connection_(connection) {}

  Result<TableFacts> read(const TableName& name, const std::vector<std::string>& columns) {
    TableFacts facts;
    facts.resolved = name;
    CANDOR_ASSIGN(const std::vector<CatalogEntry> entries, read_entries(name.table));
    const CatalogEntry* entry = resolve(name, entries);
    facts.shadowed = is_shadowed(name.table, entry, entries);
    if (entry == nullptr) return facts;
    facts.resolved = entry->name;
    facts.exists = true;
    facts.base_table = !entry->view;
    if (!entry->view) facts.rows_estimated = entry->rows;
    CANDOR_TRY(read_columns(*entry, facts));
    for (ColumnFacts& column : facts.columns) {
      if (asked(columns, column.name)) column.width_max = fixed_width(column.type);
    }
    if (!entry->view) CANDOR_TRY(read_widths(*entry, columns, facts));
    return facts;
  }

 private:
  static bool asked(const std::vector<std::string>& columns, const std::string& name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& other) { return lower_ascii(other) == lower_ascii(name); });
  }

  Result<std::vector<CatalogEntry>> read_entries(const std::string& table) {
    CANDOR_ASSIGN(const std::vector<TextRow> rows,
                  query_text(connection_,
                             "SELECT database_name, schema_name, table_name, estimated_size::VARCHAR, sql, 'table' "
                             "FROM system.main.duckdb_tables() WHERE NOT internal AND lower(table_name) = $1 UNION ALL "
                             "SELECT database_name, schema_name, view_name, NULL, NULL, 'view' "
                             "FROM system.main.duckdb_views() WHERE NOT internal AND lower(view_name) = $1",
                             {lower_ascii(table)}));
    std::vector<CatalogEntry> entries;
    for (const TextRow& row : rows) {
      CatalogEntry& entry = entries.emplace_back();
      entry.name = TableName{row[0].value_or(""), row[1].value_or(""), row[2].value_or("")};
      entry.rows = read_count(row[3]);
      entry.create = row[4].value_or("");
      entry.view = row[5] == "view";
    }
    return entries;
  }

  static const CatalogEntry* find(const std::vector<CatalogEntry>& entries, std::string_view source,
                                  std::string_view schema) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const CatalogEntry& entry) {
      return lower_ascii(entry.name.source) == lower_ascii(source) &&
             lower_ascii(entry.name.schema) == lower_ascii(schema);
    });
    return found == entries.end() ? nullptr : &*found;
  }

  [[nodiscard]] bool is_source(const std::string& name) const {
    return lower_ascii(name) == kScratch ||
           std::any_of(core_.sources.begin(), core_.sources.end(),
                       [&](const OpenSource& source) { return lower_ascii(source.spec.name) == lower_ascii(name); });
  }

  // As the agent's search path does: the scratch, then the sources. A name of several sources stands for none.
  [[nodiscard]] const CatalogEntry* resolve(const TableName& name, const std::vector<CatalogEntry>& entries) const {
    if (!name.source.empty()) return find(entries, name.source, name.schema.empty() ? "main" : name.schema);
    if (!name.schema.empty() && is_source(name.schema)) return find(entries, name.schema, "main");
    const std::string schema = name.schema.empty() ? "main" : name.schema;
    if (const CatalogEntry* scratch = find(entries, kScratch, schema)) return scratch;
    const CatalogEntry* only = nullptr;
    for (const OpenSource& source : core_.sources) {
      const CatalogEntry* entry = find(entries, source.spec.name, schema);
      if (entry == nullptr) continue;
      if (only != nullptr) return nullptr;
      only = entry;
    }
    return only;
  }

  bool is_shadowed(const std::string& table, const CatalogEntry* resolved, const std::vector<CatalogEntry>& entries) {
    const std::vector<std::string> temporaries = core_.connections.temporaries();
    const bool temporary = std::any_of(temporaries.begin(), temporaries.end(), [&](const std::string& other) {
      return lower_ascii(other) == lower_ascii(table);
    });
    return temporary || std::any_of(entries.begin(), entries.end(),
                                    [&](const CatalogEntry& entry) { return entry.view && &entry != resolved; });
  }

  // From a prepared statement: the whole catalog of columns would be read otherwise.
  Status read_columns(const CatalogEntry& entry, TableFacts& facts) {
    Prepared prepared;
    const std::string sql = "SELECT * FROM " + full_name(entry.name);
    if (duckdb_prepare(connection_, sql.c_str(), prepared.out()) != DuckDBSuccess) {
      const char* error = duckdb_prepare_error(prepared.get());
      return translate_error(error == nullptr ? "" : error, {});
    }
    const std::vector<std::string> collated = collated_columns(entry.create);
    for (idx_t i = 0; i < duckdb_prepared_statement_column_count(prepared.get()); ++i) {
      const char* name = duckdb_prepared_statement_column_name(prepared.get(), i);
      const LogicalType type(duckdb_prepared_statement_column_logical_type(prepared.get(), i));
      ColumnFacts& column = facts.columns.emplace_back();
      column.name = name == nullptr ? "" : name;
      duckdb_free(const_cast<char*>(name));
      column.type = type_name(type.get());
      column.collated = std::find(collated.begin(), collated.end(), lower_ascii(column.name)) != collated.end();
    }
    return Ok{};
  }

  struct Storage {
    std::uint64_t rows = 0;
    std::uint64_t width = 0;
    bool known = true;
    bool updates = false;
  };

  Status read_widths(const CatalogEntry& entry, const std::vector<std::string>& columns, TableFacts& facts) {
    const bool texts = std::any_of(facts.columns.begin(), facts.columns.end(), [&](const ColumnFacts& column) {
      return is_text(column.type) && asked(columns, column.name);
    });
    if (!texts || !addressable(entry.name)) return Ok{};
    CANDOR_TRY(read_storage(entry, columns, facts));
    const bool unknown = std::any_of(facts.columns.begin(), facts.columns.end(), [&](const ColumnFacts& column) {
      return is_text(column.type) && asked(columns, column.name) && !column.width_max;
    });
    if (lower_ascii(entry.name.source) != kScratch || !unknown) return Ok{};
    // Another transaction may keep the engine from it: then the updates stay pending, and say so.
    if (!execute(connection_, "CHECKPOINT scratch").ok()) return Ok{};
    // It has dropped deleted rows, so the number of rows is another one too.
    CANDOR_ASSIGN(const std::vector<CatalogEntry> entries, read_entries(entry.name.table));
    const CatalogEntry* again = find(entries, entry.name.source, entry.name.schema);
    if (again == nullptr || again->view) return Ok{};
    facts.rows_estimated = again->rows;
    return read_storage(*again, columns, facts);
  }

  // pragma_storage_info reads its argument without doubled quotes, and so would look at another table.
  static bool addressable(const TableName& name) {
    return (name.source + name.schema + name.table).find('"') == std::string::npos;
  }

  Status read_storage(const CatalogEntry& entry, const std::vector<std::string>& columns, TableFacts& facts) {
    CANDOR_ASSIGN(const std::vector<TextRow> rows,
                  query_text(connection_,
                             "SELECT column_name, segment_type, \"count\"::VARCHAR, stats, has_updates::VARCHAR "
                             "FROM system.main.pragma_storage_info($1)",
                             {full_name(entry.name)}));
    std::map<std::string, Storage> storage;
    for (const TextRow& row : rows) {
      Storage& column = storage[lower_ascii(row[0].value_or(""))];
      column.updates = column.updates || row[4] != "false";
      if (row[1] == "VARCHAR") add_segment(column, read_count(row[2]), row[3].value_or(""));
    }
    facts.pending_updates = false;
    for (ColumnFacts& column : facts.columns) {
      if (!is_text(column.type) || !asked(columns, column.name)) continue;
      const Storage& stored = storage[lower_ascii(column.name)];
      if (stored.updates) facts.pending_updates = true;
      const bool known = stored.known && !stored.updates && stored.rows == entry.rows;
      column.width_max = known ? std::optional<std::uint64_t>(stored.width) : std::nullopt;
    }
    return Ok{};
  }

  static void add_segment(Storage& column, std::uint64_t rows, const std::string& stats) {
    constexpr std::string_view kMark = "Max String Length: ";
    column.rows += rows;
    const std::size_t at = stats.find(kMark);
    std::uint64_t width = 0;
    if (at != std::string::npos) {
      const char* from = stats.data() + at + kMark.size();
      const auto [end, failure] = std::from_chars(from, stats.data() + stats.size(), width);
      if (failure == std::errc() && end != from) {
        column.width = std::max(column.width, width);
        return;
      }
    }
    // A segment of NULLs alone has no longest text.
    if (stats.find("Has No Null: false") == std::string::npos) column.known = false;
  }

  Core& core_;
  duckdb_connection connection_;
};

}  // namespace

Result<TableFacts> DuckdbEngine::table_facts(const TableName& name, const std::vector<std::string>& columns) {
  CANDOR_ASSIGN(const Core::Reading reading, core_->read_catalog(Clock::now() + kCatalogDeadline));
  return FactsReader(*core_, reading.lease.get()).read(name, columns);
}

}  // namespace candor::engine::duckdb
