// JSON and NDJSON: lines that are no JSON are counted, the rest is read by the engine; then texts that are dates get their
// type, and numbers that would lose digits become text.
#include <algorithm>
#include <fstream>
#include <utility>

#include "base/strict_json.h"
#include "engine/duckdb/column_types.h"
#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/file_import.h"
#include "engine/duckdb/file_text.h"

namespace candor::engine::duckdb {
namespace {

struct JsonColumn {
  std::string name;
  std::string type;
};

std::string reading(const std::string& path, const std::string& format, std::uint64_t longest_line,
                    const std::string& columns = {}) {
  // Only ISO dates are dates by themselves; times stay text until all of them were looked at.
  std::string sql = "read_json(" + in_quotes(path, '\'') + ", format = '" + format +
                    "', sample_size = -1, dateformat = '%Y-%m-%d', timestampformat = 'iso'";
  if (longest_line > 8'000'000) sql += ", maximum_object_size = " + std::to_string(longest_line * 2);
  return sql + columns + ")";
}

Result<std::vector<JsonColumn>> columns_of(ImportSession& session, const std::string& table) {
  CANDOR_ASSIGN(
      auto rows,
      session.rows(
          "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'temp' AND table_name = " +
          in_quotes(table, '\'') + " ORDER BY column_index"));
  std::vector<JsonColumn> columns;
  for (auto& row : rows) columns.push_back({.name = std::move(row[0]), .type = std::move(row[1])});
  return columns;
}

// Columns whose numbers are integers with more digits than DOUBLE keeps.
Result<std::vector<std::string>> columns_that_lose(ImportSession& session, const std::string& path,
                                                   const std::string& format, std::uint64_t longest_line,
                                                   const std::vector<JsonColumn>& columns) {
  std::vector<std::string> lose;
  for (const JsonColumn& column : columns) {
    if (column.type != "DOUBLE") continue;
    const std::string name = in_quotes(column.name, '\'');
    auto count = session.count(
        "SELECT count(*) FROM " + reading(path, format, longest_line, ", columns = {" + name + ": 'JSON'}") +
        " WHERE regexp_full_match(" + in_quotes(column.name, '"') + "::VARCHAR, '-?[0-9]{16,}') AND " +
        in_quotes(column.name, '"') + "::VARCHAR::DECIMAL(38,0) IS DISTINCT FROM TRY_CAST(" +
        in_quotes(column.name, '"') + "::VARCHAR::DOUBLE AS DECIMAL(38,0))");
    if (!count && count.error().code != "file-error") return std::move(count).error();
    if (!count || *count > 0) lose.push_back(column.name);
  }
  return lose;
}

Status stage(ImportSession& session, const std::string& path, const std::string& format, std::uint64_t longest_line,
             FileTable& out) {
  CANDOR_TRY(session.run("DROP TABLE IF EXISTS temp.staging"));
  CANDOR_TRY(session.run("CREATE TEMP TABLE staging AS SELECT * FROM " + reading(path, format, longest_line)));
  CANDOR_ASSIGN(const std::vector<JsonColumn> columns, columns_of(session, "staging"));
  CANDOR_ASSIGN(const std::vector<std::string> lose, columns_that_lose(session, path, format, longest_line, columns));
  if (lose.empty()) return Ok{};
  std::string list;
  for (const JsonColumn& column : columns) {
    const bool text = std::ranges::find(lose, column.name) != lose.end();
    list += (list.empty() ? "" : ", ") + in_quotes(column.name, '\'') + ": " +
            in_quotes(text ? "VARCHAR" : column.type, '\'');
  }
  CANDOR_TRY(session.run("DROP TABLE temp.staging"));
  CANDOR_TRY(session.run("CREATE TEMP TABLE staging AS SELECT * FROM " +
                         reading(path, format, longest_line, ", columns = {" + list + "}")));
  for (const std::string& name : lose)
    out.notes.push_back({.column = name, .note = "kept as text: integers with more digits than a number keeps"});
  return Ok{};
}

// Only times and dates: a JSON string of digits is a text by its writer's will.
bool is_temporal(const std::string& type) { return type == "DATE" || type == "TIME" || type.starts_with("TIMESTAMP"); }

Status make_typed(ImportSession& session, const ImportTask& task, FileTable& out) {
  CANDOR_ASSIGN(const std::vector<JsonColumn> columns, columns_of(session, "staging"));
  std::vector<std::string> texts;
  for (const JsonColumn& column : columns) {
    if (column.type == "VARCHAR") texts.push_back(in_quotes(column.name, '"'));
  }
  std::vector<ColumnType> types;
  if (!texts.empty()) {
    CANDOR_ASSIGN(types, decide_types(session, "temp.staging", texts));
  }
  std::string sql;
  std::size_t next = 0;
  for (const JsonColumn& column : columns) {
    const std::string name = in_quotes(column.name, '"');
    std::string expression = name;
    if (column.type == "VARCHAR") {
      const ColumnType& type = types[next++];
      const bool noted = std::ranges::find(out.notes, column.name, &ColumnNote::column) != out.notes.end();
      if (is_temporal(type.type)) expression = type.expression;
      if (!noted && !type.note.empty() &&
          (is_temporal(type.type) || type.note.find("day and month") != std::string::npos)) {
        out.notes.push_back({.column = column.name, .note = type.note});
      }
    }
    sql += (sql.empty() ? "" : ", ") + expression + " AS " + name;
  }
  return session.run("CREATE TABLE cache.main." + in_quotes(task.table, '"') + " AS SELECT " + sql +
                     " FROM temp.staging");
}

// A file that ends in .json may hold a document a line: its first line is a whole object then.
bool begins_with_whole_object(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line) && line.find_first_not_of(" \t\r") == line.npos) {
  }
  return is_strict_json(line);
}

}  // namespace

Status import_json(ImportSession& session, const ImportTask& task, const std::string& path, FileTable& out) {
  std::string from = path;
  std::string format = task.file.format == FileFormat::kNdjson ? "newline_delimited" : "auto";
  std::uint64_t longest_line = 0;
  if (!task.file.compressed) {
    CANDOR_ASSIGN(const TextScan scan, scan_text(path));
    longest_line = scan.longest_line;
    if (format == "auto" && scan.first_character == '[') format = "array";
    if (format == "auto" && scan.first_character == '{' && scan.lines > 1 && begins_with_whole_object(path))
      format = "newline_delimited";
    if (format != "newline_delimited") {
      CANDOR_ASSIGN(const bool closed, is_closed_json(path));
      if (!closed) return make_error("file-error", "the JSON text is not closed: the file is half written or damaged");
    }
    if (format == "newline_delimited") {
      from = task.work_directory + "/lines";
      CANDOR_ASSIGN(LineCheck check, copy_json_lines(path, from));
      if (check.accepted == 0) return make_error("file-error", "no line of the file is valid JSON");
      out.origin.rows_rejected = check.rejected;
      out.origin.rejected = std::move(check.first_rejected);
      if (check.rejected == 0) from = path;
    }
  }
  CANDOR_TRY(stage(session, from, format, longest_line, out));
  CANDOR_TRY(make_typed(session, task, out));
  return session.run("DROP TABLE temp.staging");
}

}  // namespace candor::engine::duckdb
