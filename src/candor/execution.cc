// See execution.h.
#include "candor/execution.h"

#include "scope/document.h"

namespace candor {
namespace {

constexpr std::size_t kEvidenceBytes = std::size_t{1} << 20U;  // of a result's rows that the ledger keeps

json::Node names_node(const std::vector<std::string>& names) {
  json::Node list = json::Node::array();
  for (const std::string& name : names) list.push(json::Node::string(name));
  return list;
}

}  // namespace

std::string columns_json(const std::vector<Column>& columns) {
  std::string out = "[";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    out += i > 0 ? R"(,{"name":)" : R"({"name":)";
    append_json_string(out, columns[i].name);
    out += R"(,"type":)";
    append_json_string(out, columns[i].type);
    out += R"(,"id":"c)" + std::to_string(i) + "\"}";
  }
  return out + "]";
}

void Service::Execution::begin(const Prepared& prepared) {
  began = prepared.asked->began;
  query.turn = prepared.turn;
  query.started_ms = prepared.asked->started_ms;
}

void Service::Execution::describe(const engine::Header& header) {
  query.kind = std::string(engine::to_string(header.kind));
  query.target = header.target;
  query.columns = columns_json(header.columns);
  query.temporary_objects = json::dump(names_node(header.temporary_objects));
}

void Service::Execution::succeed(bool has_result) {
  query.succeeded = true;
  query.row_count = end.row_count;
  // A LIMIT of the statement's own is part of the question; what it shows is shown whole.
  const bool rows_kept_back = end.surface.output_truncated && end.surface.output_truncated_by != "statement";
  query.output_cut = rows_kept_back || cell_cut || evidence_full;
  query.rows = evidence + "]";
  if (has_result) query.scope = json::dump(scope::surface_document(end.surface));
}

void Service::Execution::keep(const RowBatch& batch, std::size_t columns) {
  CellReader reader(batch.cells);
  std::string beyond;  // rows that are counted and not kept
  for (std::uint32_t row = 0; row < batch.rows; ++row) {
    evidence_full = evidence_full || evidence.size() > kEvidenceBytes;
    std::string& text = evidence_full ? beyond : evidence;
    if (evidence_full) beyond.clear();
    const std::size_t before = text.size();
    if (row_chars > 0) text += ',';
    text += '[';
    for (std::size_t column = 0; column < columns; ++column) {
      if (column > 0) text += ',';
      CellReader ahead = reader;
      cell_cut = cell_cut || ahead.next().kind == CellKind::kCut;
      append_json(text, reader);
    }
    text += ']';
    row_chars += text.size() - before;
  }
}

void Service::Execution::keep_shaped(const ShapedRows& shaped) {
  const scope::ShapedList& list = *shaped.list;
  const auto keep_row = [&](const std::string& row) {
    evidence_full = evidence_full || evidence.size() > kEvidenceBytes;
    row_chars += row.size() + (row_chars > 0 ? 1 : 0);
    if (!evidence_full) evidence += (evidence.size() > 1 ? "," : "") + row;
  };
  query.columns = columns_json(list.count() ? std::vector<Column>{{"count", "BIGINT"}} : shaped.columns);
  if (list.count()) return keep_row("[" + std::to_string(*list.count()) + "]");
  for (const json::Node& row : list.rows()) {
    json::Node cells = json::Node::array();
    for (const std::string& key : shaped.keys) {
      const json::Node* value = row.find(key);
      cells.push(value == nullptr ? json::Node() : *value);
    }
    keep_row(json::dump(cells));
  }
}

}  // namespace candor
