// The streaming document of a run: columns first, rows as they come, then what is known at the end.
#include <string>
#include <utility>

#include "base/render_json.h"
#include "scope/document.h"
#include "wire/wire.h"

namespace candor::wire {
namespace {

constexpr std::size_t kHeadBytes = 64 * 1024;
constexpr std::size_t kFlushBytes = 64 * 1024;

// Passes over one cell. Whether an integer of it, at any depth, is written as a string.
bool has_string_integer(CellReader& reader) {
  const Cell cell = reader.next();
  switch (cell.kind) {
    case CellKind::kInteger:
      return integer_needs_string(cell.integer);
    case CellKind::kIntegerText:
      return true;
    case CellKind::kList:
    case CellKind::kStruct:
    case CellKind::kMap: {
      bool found = false;
      const std::uint64_t parts = std::uint64_t{cell.count} * (cell.kind == CellKind::kList ? 1 : 2);
      for (std::uint64_t i = 0; i < parts && reader.ok(); ++i) found = has_string_integer(reader) || found;
      return found;
    }
    default:
      return false;
  }
}

void append_member(std::string& out, std::string_view name, const json::Node& value) {
  out += ',';
  append_json_string(out, name);
  out += ':';
  json::append(out, value);
}

json::Node number(std::uint64_t value) { return json::Node::number(static_cast<std::int64_t>(value)); }

// Everything of a document but its braces, to be put after other members.
void append_members(std::string& out, const json::Node& document) {
  for (const auto& [name, value] : document.members()) append_member(out, name, value);
}

std::uint64_t omitted_rows(const StatementEnd& end) {
  const auto& total = end.surface.universe_total;
  return end.surface.output_truncated && total && *total > end.row_count ? *total - end.row_count : 0;
}

}  // namespace

DocumentSink::DocumentSink(Write write, RowShape shape) : write_(std::move(write)), shape_(shape) {}
DocumentSink::~DocumentSink() = default;

void DocumentSink::put(std::string_view text) {
  out_ += text;
  if (out_.size() >= kFlushBytes && rows_open_) flush();
}

void DocumentSink::flush() {
  characters_ += out_.size();
  if (!reader_gone_ && !out_.empty()) reader_gone_ = !write_(out_);
  out_.clear();
}

void DocumentSink::start(const StatementStart& start) {
  if (!opened_) {
    opened_ = true;
    batch_ = start.count > 1;
    if (batch_) out_ += R"({"statement_type":"batch","statements":[)";
  }
  statements_expected_ = start.count;
  if (statements_++ > 0) out_ += ',';
  current_ = start;
  rows_open_ = false;
  rows_seen_ = 0;
  head_.clear();
  names_ = shape_ == RowShape::kObjects ? unique_names(start.header.columns) : std::vector<std::string>();
  mixed_.assign(start.header.columns.size(), false);
  mixed_told_ = mixed_;
}

void DocumentSink::append_columns(bool with_encoding) {
  out_ += R"("columns":[)";
  const auto& columns = current_.header.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out_ += ',';
    out_ += R"({"name":)";
    append_json_string(out_, columns[i].name);
    out_ += R"(,"type":)";
    append_json_string(out_, columns[i].type);
    out_ += R"(,"id":"c)" + std::to_string(i) + '"';
    if (with_encoding && mixed_[i]) {
      out_ += R"(,"encoding":"mixed-string")";
      mixed_told_[i] = true;
    }
    out_ += '}';
  }
  out_ += ']';
}

void DocumentSink::open_rows() {
  out_ += R"({"statement_type":)";
  append_json_string(out_, engine::to_string(current_.header.kind));
  if (!current_.header.columns.empty()) {
    out_ += ',';
    append_columns(true);
    out_ += R"(,"rows":[)";
  }
  out_ += head_;
  head_.clear();
  rows_open_ = true;
}

bool DocumentSink::rows(const RowBatch& batch) {
  CellReader reader(batch.cells);
  std::string& out = rows_open_ ? out_ : head_;
  const std::size_t columns = current_.header.columns.size();
  const bool objects = shape_ == RowShape::kObjects;
  for (std::uint32_t row = 0; row < batch.rows; ++row) {
    if (rows_seen_++ > 0) out += ',';
    out += objects ? '{' : '[';
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) out += ',';
      if (objects) {
        append_json_string(out, names_[column]);
        out += ':';
      }
      CellReader ahead = reader;
      if (!mixed_[column] && has_string_integer(ahead)) mixed_[column] = true;
      append_json(out, reader);
    }
    out += objects ? '}' : ']';
  }
  if (!rows_open_ && head_.size() >= kHeadBytes) {
    open_rows();
    flush();
  } else if (rows_open_ && out_.size() >= kFlushBytes) {
    flush();
  }
  return !reader_gone_;
}

// A shaped result comes whole, and its budget is of all that stands around it.
void DocumentSink::end_shaped(const StatementEnd& end) {
  const ShapedRows& shaped = *end.shaped;
  json::Node document = json::Node::object();
  document.set("statement_type", json::Node::string(std::string(engine::to_string(current_.header.kind))));
  if (!shaped.list->count()) {
    mixed_ = shaped.mixed;
    std::string before = std::exchange(out_, {});
    append_columns(true);
    std::string columns = std::exchange(out_, std::move(before));
    constexpr std::string_view kName = R"("columns":)";
    document.set("columns", json::Node::raw(columns.substr(kName.size())));
    document.set("row_count", number(end.row_count));
  }
  document.set("query_id", json::Node::string(end.query_id));
  if (!end.resource.empty()) document.set("resource", json::Node::string(end.resource));
  if (end.rows_scanned) document.set("rows_scanned", number(*end.rows_scanned));
  document.set("warnings", warnings_node(end.warnings));
  document.set("normalized_sql", json::Node::string(end.normalized_sql));
  document.set("elapsed_ms", json::Node::number(end.elapsed_ms));
  const auto as_array = [&](const json::Node& row) {
    json::Node cells = json::Node::array();
    for (const std::string& key : shaped.keys) {
      const json::Node* value = row.find(key);
      cells.push(value == nullptr ? json::Node() : *value);
    }
    return cells;
  };
  shaped.list->put_into(document, shape_ == RowShape::kObjects ? scope::ShapedList::Render() : as_array);
  if (const json::Node* rows = document.find("rows"); rows != nullptr && document.find("row_count") != nullptr)
    document.set("row_count", number(rows->items().size()));
  json::append(out_, document);
  rows_open_ = true;
}

void DocumentSink::end(const StatementEnd& end) {
  if (end.shaped) return end_shaped(end);
  if (!rows_open_) open_rows();
  if (!current_.header.columns.empty()) out_ += ']';
  json::Node late = json::Node::object();
  for (std::size_t i = 0; i < mixed_.size(); ++i) {
    if (mixed_[i] && !mixed_told_[i]) late.set("c" + std::to_string(i), json::Node::string("mixed-string"));
  }
  if (!late.members().empty()) append_member(out_, "column_encodings", late);
  append_member(out_, "row_count", number(end.row_count));
  append_member(out_, "query_id", json::Node::string(end.query_id));
  if (!end.resource.empty()) append_member(out_, "resource", json::Node::string(end.resource));
  if (end.affected_count) append_member(out_, "affected_count", number(*end.affected_count));
  if (!end.batch_id.empty()) append_member(out_, "batch_id", json::Node::string(end.batch_id));
  if (end.dry_run) append_member(out_, "dry_run", json::Node::boolean(true));
  if (end.rows_scanned) append_member(out_, "rows_scanned", number(*end.rows_scanned));
  append_member(out_, "warnings", warnings_node(end.warnings));
  append_member(out_, "normalized_sql", json::Node::string(end.normalized_sql));
  if (!current_.header.columns.empty() || !end.surface.shaping_ignored.empty()) {
    append_member(out_, "agent_surface", scope::surface_document(end.surface));
  }
  append_member(out_, "elapsed_ms", json::Node::number(end.elapsed_ms));
  out_ += '}';
  batch_id_ = end.batch_id;
  affected_total_ += end.affected_count.value_or(0);
  rows_omitted_ += omitted_rows(end);
}

void DocumentSink::failed(const StatementStart& start, const Diagnostic& failure) {
  if (statements_ == 0 || current_.index != start.index || (statements_ != start.index + 1)) this->start(start);
  failure_ = failure;
  const json::Node document = error_document(failure);
  if (rows_open_) {
    // Rows have left already: the document says at its end that they are not the whole.
    if (!current_.header.columns.empty()) out_ += ']';
    append_members(out_, document);
    out_ += '}';
  } else {
    head_.clear();
    json::append(out_, document);
  }
}

ExitCode DocumentSink::finish(const Status& overall) {
  if (!overall.ok() && !failure_) failure_ = overall.error();
  if (!opened_) {
    json::append(out_, failure_ ? error_document(*failure_) : json::Node::object());
  } else if (batch_) {
    out_ += ']';
    append_member(out_, "statement_count", number(statements_expected_));
    append_member(out_, "affected_count_total", number(affected_total_));
    append_member(out_, "rows_omitted", number(rows_omitted_));
    if (!batch_id_.empty()) append_member(out_, "batch_id", json::Node::string(batch_id_));
    if (failure_) append_members(out_, error_document(*failure_));
    out_ += '}';
  }
  flush();
  return failure_ ? exit_code(*failure_) : ExitCode::kDone;
}

}  // namespace candor::wire
