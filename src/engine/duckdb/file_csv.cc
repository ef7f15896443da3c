// CSV and TSV: the dialect by the engine's sniffer, all cells as text first, then types that lose nothing.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/duckdb/column_types.h"
#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/file_import.h"
#include "engine/duckdb/file_text.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::string_view kDelimiters = ",;\t|";

struct Dialect {
  std::string delimiter;
  std::string quote = "\"";
  std::string escape = "\"";
  std::string comment;     // "#" where lines that begin with it are none of the table
  std::uint64_t skip = 0;  // lines before the header or the first row
  bool header = false;
  std::vector<std::string> names;
};

std::string long_lines(std::uint64_t longest) {
  constexpr std::uint64_t kUsual = 1'000'000;
  if (longest <= kUsual) return {};
  const std::string size = std::to_string(longest * 2);
  return ", max_line_size = " + size + ", buffer_size = " + std::to_string(longest * 4);
}

// `options` narrow the search. Values that the sniffer did not see are "(empty)".
Result<Dialect> sniff(ImportSession& session, const std::string& path, const std::string& options) {
  CANDOR_ASSIGN(auto rows,
                session.rows("SELECT Delimiter, Quote, Escape, SkipRows::VARCHAR, HasHeader::VARCHAR, Comment, "
                             "unnest(list_transform(Columns, c -> c.name)) FROM sniff_csv(" +
                             in_quotes(path, '\'') + options + ")"));
  if (rows.empty()) return make_error("file-error", "the engine finds no columns in the file");
  Dialect dialect;
  const auto given = [](const std::string& cell) { return !cell.empty() && cell != "(empty)"; };
  dialect.delimiter = given(rows[0][0]) ? rows[0][0] : "";
  if (given(rows[0][1])) dialect.quote = rows[0][1];
  dialect.escape = given(rows[0][2]) ? rows[0][2] : dialect.quote;
  dialect.skip = std::stoull(rows[0][3]);
  dialect.header = rows[0][4] == "true";
  if (rows[0][5] == "#") dialect.comment = rows[0][5];
  for (auto& row : rows) dialect.names.push_back(std::move(row[6]));
  return dialect;
}

// The sniffer takes a file with ragged rows for one of a single column, or gives up: then the delimiter that stands in the
// only name, or the format's own, is tried with rows that do not fit left out.
Result<Dialect> find_dialect(ImportSession& session, const ImportTask& task, const std::string& path,
                             const std::string& lines) {
  std::string own = task.file.format == FileFormat::kTsv ? "\t" : ",";
  const std::string first_try = task.file.format == FileFormat::kTsv ? ", delim = '\t'" : "";
  Result<Dialect> found = sniff(session, path, first_try + lines);
  if (!found && found.error().code != "file-error") return found;
  if (found && found->names.size() > 1) return found;
  if (found) {
    const std::string& name = found->names.front();
    const std::size_t at = name.find(own) != name.npos ? name.find(own) : name.find_first_of(kDelimiters);
    if (at == name.npos) {
      found->delimiter = own;
      return found;
    }
    own = name.substr(at, 1);
  }
  Result<Dialect> again = sniff(session, path, ", delim = " + in_quotes(own, '\'') + ", ignore_errors = true" + lines);
  if (!again) return found ? std::move(found) : std::move(again);
  if (found && again->names.size() == 1) return found;
  return again;
}

std::string staged(std::size_t column) { return "c" + std::to_string(column); }

std::string reading(const std::string& path, const Dialect& dialect, bool header, const std::string& lines) {
  std::string sql = "read_csv(" + in_quotes(path, '\'') +
                    ", auto_detect = false, delim = " + in_quotes(dialect.delimiter, '\'') +
                    ", quote = " + in_quotes(dialect.quote, '\'') + ", escape = " + in_quotes(dialect.escape, '\'') +
                    ", comment = " + in_quotes(dialect.comment, '\'') + ", skip = " + std::to_string(dialect.skip) +
                    ", header = " + (header ? "true" : "false") + lines + ", columns = {";
  for (std::size_t i = 0; i < dialect.names.size(); ++i) sql += (i > 0 ? ", " : "") + staged(i) + ": 'VARCHAR'";
  return sql + "}";
}

// Names that the sniffer changed, because they repeat or are empty, get a note with what stands in the file.
Status note_renamed(ImportSession& session, const std::string& path, const Dialect& dialect, const std::string& lines,
                    FileTable& out) {
  // Reading one row of thousands of columns costs seconds: only where a name is of the sniffer's making.
  const auto made_up = [](const std::string& name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return digits < name.size() && (name.substr(0, digits).ends_with('_') || name.substr(0, digits) == "column");
  };
  if (!dialect.header || std::ranges::none_of(dialect.names, made_up)) return Ok{};
  auto rows = session.rows("SELECT * FROM " + reading(path, dialect, false, lines) + ", ignore_errors = true) LIMIT 1");
  if (!rows) return rows.error().code == "file-error" ? Status(Ok{}) : Status(std::move(rows).error());
  if (rows->empty()) return Ok{};
  for (std::size_t i = 0; i < dialect.names.size(); ++i) {
    const std::string& raw = (*rows)[0][i];
    if (raw == dialect.names[i]) continue;
    out.notes.push_back(
        {.column = dialect.names[i],
         .note = raw.empty() ? "without a name in the file" : "named " + in_quotes(raw, '"') + " in the file"});
  }
  return Ok{};
}

Status read_rejects(ImportSession& session, const TextScan& scan, const Dialect& dialect, FileTable& out) {
  CANDOR_ASSIGN(const std::uint64_t encoding,
                session.count("SELECT count(*) FROM reject_errors WHERE error_message LIKE 'Invalid unicode%'"));
  if (encoding > 0) {
    return make_error("file-error", "its text is not UTF-8",
                      "unpack the file and set `encoding:` for the source in candor.yaml");
  }
  CANDOR_ASSIGN(out.origin.rows_rejected, session.count("SELECT count(DISTINCT line) FROM reject_errors"));
  CANDOR_ASSIGN(
      auto rows,
      session.rows(
          "SELECT line::VARCHAR, any_value(error_message) FROM reject_errors GROUP BY line ORDER BY line LIMIT " +
          std::to_string(kRejectedShown)));
  for (const auto& row : rows) {
    out.origin.rejected.push_back({.line = std::stoull(row[0]), .reason = row[1].substr(0, row[1].find('\n'))});
  }
  // A quote that never closes takes all lines after it into one value, which is one rejected row for the engine.
  CANDOR_ASSIGN(auto open,
                session.rows("SELECT line::VARCHAR FROM reject_errors WHERE error_message LIKE '%unterminated quote%' "
                             "ORDER BY line DESC LIMIT 1"));
  if (!open.empty() && scan.lines > std::stoull(open[0][0])) {
    const std::uint64_t behind = scan.lines - std::stoull(open[0][0]);
    out.origin.rows_rejected += behind;
    for (RejectedRow& rejected : out.origin.rejected) {
      if (rejected.line == std::stoull(open[0][0]))
        rejected.reason += " The " + std::to_string(behind) + " lines behind it are lost with it.";
    }
  }
  if (!dialect.comment.empty()) {
    out.origin.rows_rejected += scan.hash_lines;
    for (const std::uint64_t line : scan.first_hash_lines)
      out.origin.rejected.push_back({.line = line, .reason = "a comment"});
    std::ranges::sort(out.origin.rejected, {}, [](const RejectedRow& row) { return std::tie(row.line, row.reason); });
  }
  for (std::uint64_t line = dialect.skip; line > 0; --line) {
    if (line <= kRejectedShown)
      out.origin.rejected.insert(out.origin.rejected.begin(), {.line = line, .reason = "before the header"});
  }
  out.origin.rows_rejected += dialect.skip;
  if (out.origin.rejected.size() > kRejectedShown) out.origin.rejected.resize(kRejectedShown);
  return Ok{};
}

void add_note(FileTable& out, const std::string& column, const std::string& note) {
  if (note.empty()) return;
  const auto found = std::ranges::find(out.notes, column, &ColumnNote::column);
  if (found != out.notes.end()) {
    found->note += "; " + note;
  } else {
    out.notes.push_back({.column = column, .note = note});
  }
}

Status make_typed(ImportSession& session, const ImportTask& task, const Dialect& dialect, FileTable& out) {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < dialect.names.size(); ++i) columns.push_back(staged(i));
  CANDOR_ASSIGN(const std::vector<ColumnType> types, decide_types(session, "temp.staging", columns));
  std::string sql = "CREATE TABLE cache.main." + in_quotes(task.table, '"') + " AS SELECT ";
  for (std::size_t i = 0; i < types.size(); ++i) {
    sql += (i > 0 ? ", " : "") + types[i].expression + " AS " + in_quotes(dialect.names[i], '"');
    add_note(out, dialect.names[i], types[i].note);
  }
  return session.run(sql + " FROM temp.staging");
}

}  // namespace

Status import_csv(ImportSession& session, const ImportTask& task, const std::string& path, FileTable& out) {
  TextScan scan;
  if (!task.file.compressed) {
    CANDOR_ASSIGN(scan, scan_text(path));
  }
  const std::string lines = long_lines(scan.longest_line);
  CANDOR_ASSIGN(Dialect dialect, find_dialect(session, task, path, lines));
  if (dialect.delimiter.empty()) dialect.delimiter = ",";
  out.origin.delimiter = dialect.delimiter;
  out.origin.quote = dialect.quote;
  out.origin.header = dialect.header;
  for (const char* leftover : {"temp.staging", "temp.reject_errors", "temp.reject_scans"}) {
    CANDOR_TRY(session.run("DROP TABLE IF EXISTS " + std::string(leftover)));
  }
  CANDOR_TRY(session.run("CREATE TEMP TABLE staging AS SELECT * FROM " + reading(path, dialect, dialect.header, lines) +
                         ", store_rejects = true, rejects_limit = 0)"));
  CANDOR_TRY(read_rejects(session, scan, dialect, out));
  CANDOR_TRY(note_renamed(session, path, dialect, lines, out));
  CANDOR_TRY(make_typed(session, task, dialect, out));
  return session.run("DROP TABLE temp.staging");
}

}  // namespace candor::engine::duckdb
