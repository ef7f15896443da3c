// Rows of a result made into cells: the caps, the cuts, and what a DECIMAL column can hold.
#include <cstdlib>
#include <utility>

#include "base/render_json.h"
#include "engine/postgres/rows.h"
#include "engine/postgres/tokens.h"
#include "engine/postgres/values.h"

namespace candor::engine::postgres {
namespace {

constexpr std::uint64_t kUncounted = std::uint64_t{1} << 62U;

// The text that stands for a cell that is too long: a text itself, the JSON of anything with parts. Nothing for numbers.
std::optional<std::string> whole_text(std::string_view encoded) {
  CellReader reader(encoded);
  switch (CellReader(encoded).next().kind) {
    case CellKind::kText:
    case CellKind::kDecimal:
    case CellKind::kOther:
      return std::string(reader.next().text);
    case CellKind::kJson:
    case CellKind::kBlob:
    case CellKind::kList: {
      std::string json;
      append_json(json, reader);
      return json;
    }
    default:
      return std::nullopt;
  }
}

bool is_decimal(const std::string& exact_type) { return exact_type.starts_with("DECIMAL("); }

}  // namespace

Result<std::vector<Column>> columns_of(const PGresult* described, const std::vector<TypePointer>& types, bool exact) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string name = libpq().PQfname(described, static_cast<int>(i));
    if (!is_utf8(name)) {
      return make_error("invalid-value", "the name of column " + std::to_string(i + 1) + " is not valid UTF-8",
                        "name it with AS");
    }
    columns.push_back({name, exact ? types[i]->exact : types[i]->name});
  }
  return columns;
}

// A value that was not seen when the type was decided must not be rounded.
Status RowWriter::fits(std::size_t column, std::string_view text) const {
  const std::string& type = columns_[column].type;
  const Digits digits = digits_of(text);
  const std::size_t comma = type.find(',');
  const int precision = std::atoi(type.c_str() + std::string_view("DECIMAL(").size());
  const int scale = std::atoi(type.c_str() + comma + 1);
  if (digits.number && digits.fraction <= scale && digits.whole <= precision - scale) return Ok{};
  const std::string quoted = quote_name(columns_[column].name);
  return make_error("type-mismatch",
                    "column " + std::to_string(column + 1) + " (" + columns_[column].name + ") holds " +
                        (digits.number ? "a number that " + type + " can't hold" : std::string(text)),
                    "CAST(" + quoted + " AS text) AS " + quoted);
}

Status RowWriter::append_cell(const PGresult* result, int row, std::size_t column, std::string& cells) {
  CellWriter writer(cells);
  const int index = static_cast<int>(column);
  if (libpq().PQgetisnull(result, row, index) != 0) {
    writer.null();
    return Ok{};
  }
  const std::string_view text(libpq().PQgetvalue(result, row, index),
                              static_cast<std::size_t>(libpq().PQgetlength(result, row, index)));
  if (request_.exact_types && is_decimal(columns_[column].type)) CANDOR_TRY(fits(column, text));
  const std::size_t start = cells.size();
  if (auto appended = append_value(writer, *types_[column], text); !appended.ok()) {
    Diagnostic failure = std::move(appended).error();
    failure.message =
        "column " + std::to_string(column + 1) + " (" + columns_[column].name + ") holds " + failure.message;
    failure.detail = "row " + std::to_string(rows_ + 1);
    failure.hint = "CAST(" + quote_name(columns_[column].name) + " AS bytea)";
    return failure;
  }
  // A list's or a blob's JSON is a few times as long as the server's text, but not more.
  if (text.size() > request_.cell_chars_max / 8) cut(cells, start);
  return Ok{};
}

void RowWriter::cut(std::string& cells, std::size_t start) const {
  const auto text = whole_text(std::string_view(cells).substr(start));
  if (!text || text->size() <= request_.cell_chars_max) return;
  const std::size_t chars = utf8_length(*text);
  if (chars <= request_.cell_chars_max) return;
  cells.resize(start);
  CellWriter(cells).cut(static_cast<std::int64_t>(chars), utf8_prefix(*text, request_.cell_chars_max));
}

Status RowWriter::append(const PGresult* result, int row, RowBatch& batch) {
  const std::size_t start = batch.cells.size();
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (auto appended = append_cell(result, row, i, batch.cells); !appended.ok()) {
      batch.cells.resize(start);
      return appended;
    }
  }
  if (request_.chars_max < kUncounted) {
    CellReader reader(std::string_view(batch.cells).substr(start));
    std::string json;
    while (!reader.at_end()) append_json(json, reader);
    // "[…]" around, commas between the cells, and one to the row before.
    chars_ += utf8_length(json) + 2 + (types_.empty() ? 0 : types_.size() - 1) + (rows_ > 0 ? 1 : 0);
  }
  ++batch.rows;
  ++rows_;
  return Ok{};
}

}  // namespace candor::engine::postgres
