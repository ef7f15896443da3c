// The side file: one Value in the encoding of base/value.h behind a line with the version of the format.
#include "engine/duckdb/file_origin.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "base/no_room.h"
#include "base/value.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::string_view kVersionLine = "candor file source 1\n";

Value list(std::vector<Value> parts) {
  Value value;
  value.kind = CellKind::kList;
  value.parts = std::move(parts);
  return value;
}

Value number(std::uint64_t value) { return integer_value(static_cast<std::int64_t>(value)); }

Value texts(const std::vector<std::string>& all) {
  Value value = list({});
  for (const std::string& text : all) value.parts.push_back(text_value(text));
  return value;
}

Value table_value(const FileTable& table) {
  const FileOrigin& origin = table.origin;
  Value rejected = list({});
  for (const RejectedRow& row : origin.rejected)
    rejected.parts.push_back(list({number(row.line), text_value(row.reason)}));
  Value notes = list({});
  for (const ColumnNote& note : table.notes)
    notes.parts.push_back(list({text_value(note.column), text_value(note.note)}));
  return list({text_value(table.name), number(table.view ? 1 : 0), number(table.rows), std::move(notes),
               text_value(origin.path), text_value(origin.format), text_value(origin.delimiter),
               text_value(origin.quote), number(origin.header ? 1 : 0), text_value(origin.encoding),
               number(origin.bytes), number(origin.rows_rejected), std::move(rejected), text_value(origin.failure)});
}

// Takes the parts of a list one after the other; wrong kinds and missing parts make it fail.
class Parts {
 public:
  Parts(const Value& value, bool& ok) : value_(value), ok_(ok) { ok_ = ok_ && value.kind == CellKind::kList; }
  std::string text() {
    const Value* part = next(CellKind::kText);
    return part == nullptr ? std::string() : part->text;
  }
  std::uint64_t number() {
    const Value* part = next(CellKind::kInteger);
    return part == nullptr ? 0 : static_cast<std::uint64_t>(part->integer);
  }
  std::vector<Value> items() {
    const Value* part = next(CellKind::kList);
    return part == nullptr ? std::vector<Value>() : part->parts;
  }

 private:
  const Value* next(CellKind kind) {
    if (!ok_ || at_ >= value_.parts.size() || value_.parts[at_].kind != kind) {
      ok_ = false;
      return nullptr;
    }
    return &value_.parts[at_++];
  }
  const Value& value_;
  bool& ok_;
  std::size_t at_ = 0;
};

FileTable read_table(const Value& value, bool& ok) {
  FileTable table;
  FileOrigin& origin = table.origin;
  Parts parts(value, ok);
  table.name = parts.text();
  table.view = parts.number() != 0;
  table.rows = parts.number();
  for (const Value& item : parts.items()) {
    Parts note(item, ok);
    std::string column = note.text();
    table.notes.push_back({.column = std::move(column), .note = note.text()});
  }
  origin.path = parts.text();
  origin.format = parts.text();
  origin.delimiter = parts.text();
  origin.quote = parts.text();
  origin.header = parts.number() != 0;
  origin.encoding = parts.text();
  origin.bytes = parts.number();
  origin.rows_rejected = parts.number();
  for (const Value& item : parts.items()) {
    Parts row(item, ok);
    const std::uint64_t line = row.number();
    origin.rejected.push_back({.line = line, .reason = row.text()});
  }
  origin.failure = parts.text();
  return table;
}

}  // namespace

Status write_origin(const std::string& path, const FileSource& source) {
  Value tables = list({});
  for (const FileTable& table : source.tables) tables.parts.push_back(table_value(table));
  std::string bytes(kVersionLine);
  CellWriter writer(bytes);
  write_value(writer, list({text_value(source.version), std::move(tables), texts(source.warnings),
                            texts(source.allowed_paths)}));
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return Ok{};
  return make_error(no_room(errno) ? "disk-full" : "file-error", "can't write " + path, {}, std::strerror(errno));
}

std::optional<FileSource> read_origin(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file || !bytes.starts_with(kVersionLine)) return std::nullopt;
  CellReader reader(std::string_view(bytes).substr(kVersionLine.size()));
  const Value value = read_value(reader);
  bool ok = reader.ok() && reader.at_end();
  FileSource source;
  Parts parts(value, ok);
  source.version = parts.text();
  for (const Value& table : parts.items()) source.tables.push_back(read_table(table, ok));
  for (const Value& warning : parts.items()) source.warnings.push_back(warning.text);
  for (const Value& allowed : parts.items()) source.allowed_paths.push_back(allowed.text);
  if (!ok) return std::nullopt;
  return source;
}

}  // namespace candor::engine::duckdb
