// What all formats share: size, encoding, failures that stay with their file. And Parquet, which needs nothing else.
#include "engine/duckdb/file_import.h"

#include <utility>

#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/file_text.h"

namespace candor::engine::duckdb {
namespace {

Diagnostic not_utf8(const TextScan& scan) {
  std::string where = "its text is not UTF-8";
  if (scan.invalid) {
    where += ", first at byte " + std::to_string(scan.invalid->byte) + " on line " + std::to_string(scan.invalid->line);
  }
  return make_error("file-error", scan.utf16 ? where + "; it looks like UTF-16" : where,
                    scan.utf16 ? "set `encoding: utf-16` for the source in candor.yaml"
                               : "set `encoding: latin-1` (or windows-1252) for the source in candor.yaml");
}

// The path of the file as UTF-8: itself, or a copy in the work directory.
Result<std::string> as_utf8(const ImportTask& task, FileOrigin& origin) {
  origin.encoding = "utf-8";
  if (task.file.compressed) return task.file.real_path;
  CANDOR_ASSIGN(const TextScan scan, scan_text(task.file.real_path));
  if (task.file.bytes == 0 || (scan.first_character == '\0' && !scan.invalid && !scan.utf16)) {
    return make_error("file-error", "the file is empty");
  }
  const bool json = task.file.format == FileFormat::kJson || task.file.format == FileFormat::kNdjson;
  std::string encoding = "utf-8";
  if (scan.invalid || scan.utf16) {
    if (task.encoding == "utf-8" || (scan.utf16 && task.encoding != "utf-16")) return not_utf8(scan);
    encoding = task.encoding;
  } else if (!json || !scan.byte_order_mark) {
    return task.file.real_path;
  }
  // The engine takes a byte order mark before JSON for a part of it: it gets a copy without one.
  origin.encoding = encoding;
  std::string copy = task.work_directory + "/text";
  CANDOR_TRY(transcode(task.file.real_path, encoding, copy));
  return copy;
}

// The engine names the file that it read by its full path, a copy by ours.
std::string with_own_name(std::string message, const ImportTask& task) {
  for (const std::string& path : {task.file.real_path, task.work_directory + "/text", task.work_directory + "/lines"}) {
    for (std::size_t at = message.find(path); at != message.npos; at = message.find(path, at + task.file.path.size())) {
      message.replace(at, path.size(), task.file.path);
    }
  }
  return message;
}

Status import_text(ImportSession& session, const ImportTask& task, FileTable& out) {
  if (task.file.bytes > task.file_bytes_max) {
    return make_error("file-error",
                      "the file has " + std::to_string(task.file.bytes) + " bytes, more than the " +
                          std::to_string(task.file_bytes_max) + " that are imported",
                      "raise import_mb in candor.yaml, or convert the file to Parquet or to a .duckdb file");
  }
  CANDOR_ASSIGN(const std::string path, as_utf8(task, out.origin));
  const bool csv = task.file.format == FileFormat::kCsv || task.file.format == FileFormat::kTsv;
  return csv ? import_csv(session, task, path, out) : import_json(session, task, path, out);
}

}  // namespace

Status import_parquet(ImportSession& session, const ImportTask& task, FileTable& out) {
  const std::string from = "read_parquet(" + in_quotes(task.file.real_path, '\'') + ", hive_partitioning = false)";
  const std::string name = in_quotes(task.table, '"');
  if (task.file.bytes > task.file_bytes_max) {
    out.view = true;
    return session.run("CREATE VIEW cache.main." + name + " AS SELECT * FROM " + from);
  }
  return session.run("CREATE TABLE cache.main." + name + " AS SELECT * FROM " + from);
}

Result<FileTable> import_file(ImportSession& session, const ImportTask& task) {
  FileTable out;
  out.name = task.table;
  out.origin.path = task.file.path;
  out.origin.format = to_string(task.file.format);
  out.origin.bytes = task.file.bytes;
  Status done =
      task.file.format == FileFormat::kParquet ? import_parquet(session, task, out) : import_text(session, task, out);
  if (done && !out.view) {
    auto rows = session.count("SELECT count(*) FROM cache.main." + in_quotes(task.table, '"'));
    if (rows) {
      out.rows = *rows;
    } else {
      done = std::move(rows).error();
    }
  }
  if (done) return out;
  Diagnostic failure = std::move(done).error();
  if (failure.code == "cancelled" || failure.code == "disk-full" || failure.code == "internal") return failure;
  CANDOR_TRY(session.run("DROP TABLE IF EXISTS cache.main." + in_quotes(task.table, '"')));
  out.origin.failure = with_own_name(failure.message, task);
  if (!failure.hint.empty()) out.origin.failure += ": " + failure.hint;
  out.view = false;
  out.notes.clear();
  return out;
}

}  // namespace candor::engine::duckdb
