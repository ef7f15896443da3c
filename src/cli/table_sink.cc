// Rows to tables.
#include "cli/table_sink.h"

#include <cstdio>
#include <utility>

#include "base/render_json.h"
#include "cli/diagnostic_text.h"
#include "cli/scope_line.h"

namespace candor::cli {
namespace {

constexpr std::size_t kBlobBytesShown = 16;

std::string blob_text(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string text = "x'";
  for (const char byte : bytes.substr(0, kBlobBytesShown)) {
    text += kHex[static_cast<std::uint8_t>(byte) >> 4U];
    text += kHex[static_cast<std::uint8_t>(byte) & 15U];
  }
  if (bytes.size() <= kBlobBytesShown) return text + "'";
  return text + "…' (" + counted(bytes.size(), "byte", "bytes") + ")";
}

bool is_number(CellKind kind) {
  return kind == CellKind::kInteger || kind == CellKind::kIntegerText || kind == CellKind::kReal32 ||
         kind == CellKind::kReal64 || kind == CellKind::kDecimal;
}

std::string elapsed(double ms) {
  char text[32];
  if (ms < 1000) {
    std::snprintf(text, sizeof text, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
  } else {
    std::snprintf(text, sizeof text, "%.2f s", ms / 1000);
  }
  return text;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// "INSERT into orders: 3 rows", "CREATE totals".
std::string write_line(const StatementEnd& end) {
  std::string line = upper(end.statement_type);
  if (!end.resource.empty()) line += " " + visible(end.resource);
  if (end.affected_count) line += ": " + counted(*end.affected_count, "row", "rows");
  if (end.dry_run) line += ", none of it kept";
  return line;
}

}  // namespace

TableCell table_cell(CellReader& reader) {
  CellReader ahead = reader;
  const Cell cell = ahead.next();
  switch (cell.kind) {
    case CellKind::kNull:
      reader = ahead;
      return {"NULL", Paint::kDim, false};
    case CellKind::kBlob:
      reader = ahead;
      return {blob_text(cell.text), Paint::kPlain, false};
    case CellKind::kCut:
      reader = ahead;
      return {std::string(cell.text) + "… (" + grouped(static_cast<std::uint64_t>(cell.integer)) + " characters)",
              Paint::kPlain, false};
    case CellKind::kText:
      if (cell.text == "NULL") {
        reader = ahead;
        return {"'NULL'", Paint::kPlain, false};
      }
      break;
    default:
      break;
  }
  return {plain_text(reader), Paint::kPlain, is_number(cell.kind)};
}

void TableSink::start(const StatementStart& start) {
  sql_ = start.sql;
  last_ = start.index + 1 == start.count;
  columns_ = start.header.columns.size();
  table_.reset();
  if (columns_ == 0) return;
  std::vector<std::string> titles;
  titles.reserve(columns_);
  for (const Column& column : start.header.columns) titles.push_back(column.name);
  table_.emplace(*out_, std::move(titles));
}

bool TableSink::rows(const RowBatch& batch) {
  if (!table_) return true;
  progress_->stop();
  if (std::exchange(printed_, false)) out_->put("\n");
  CellReader reader(batch.cells);
  for (std::uint32_t i = 0; i < batch.rows && reader.ok(); ++i) {
    std::vector<TableCell> row;
    row.reserve(columns_);
    for (std::size_t column = 0; column < columns_; ++column) row.push_back(table_cell(reader));
    if (!table_->add(std::move(row))) return false;
  }
  progress_->restart();
  return true;
}

void TableSink::end(const StatementEnd& end) {
  progress_->stop();
  if (std::exchange(printed_, true)) out_->put("\n");
  std::string text;
  if (table_) {
    table_->finish();
    text = scope_line(end.surface, end.row_count, end.rows_scanned);
  } else {
    text = write_line(end);
  }
  text += out_->painted(Paint::kDim, "  (" + end.query_id + ", " + elapsed(end.elapsed_ms) + ")") + "\n";
  for (const Warning& warning : end.warnings) text += warning_text(*out_, warning);
  if (!end.batch_id.empty() && last_)
    text += out_->painted(Paint::kDim, "to take it back: candor undo " + end.batch_id) + "\n";
  out_->put(text);
  progress_->restart();
}

void TableSink::failed(const StatementStart& start, const Diagnostic& failure) {
  progress_->stop();
  // Rows that came before the failure are no result: those that wait are dropped, those that were shown are named so.
  if (table_ && table_->begun()) {
    out_->put(out_->painted(Paint::kRed, "not the whole result: the statement failed before its end") + "\n");
  }
  table_.reset();
  if (start.count > 1) {
    err_->put("statement " + std::to_string(start.index + 1) + " of " + std::to_string(start.count) + "\n");
  }
  err_->put(diagnostic_text(*err_, failure, start.sql));
  if (exit_ == ExitCode::kDone) exit_ = exit_code(failure);
  printed_ = true;
}

}  // namespace candor::cli
