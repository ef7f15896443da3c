// Rows of a statement under the flags that shape lists.
#include "candor/statement_rows.h"

#include <algorithm>
#include <utility>

#include "base/render_json.h"
#include "candor/documents.h"

namespace candor {
namespace {

using json::Node;

// The type may hold keys that no list of columns tells.
bool is_nested(const std::string& type) {
  return type.find("STRUCT") != std::string::npos || type.find("MAP") != std::string::npos ||
         type.find("JSON") != std::string::npos || type.find("json") != std::string::npos ||
         type.find("object") != std::string::npos;
}

// One cell as the document shows it. JSON that holds a number beyond every double can't be looked into.
Node node_of(CellReader& reader, bool& mixed) {
  CellReader ahead = reader;
  const Cell cell = ahead.next();
  switch (cell.kind) {
    case CellKind::kNull:
      reader = ahead;
      return {};
    case CellKind::kText:
      reader = ahead;
      return Node::string(std::string(cell.text));
    case CellKind::kInteger:
      reader = ahead;
      mixed = mixed || integer_needs_string(cell.integer);
      return integer_needs_string(cell.integer) ? Node::string(std::to_string(cell.integer))
                                                : Node::number(cell.integer);
    case CellKind::kIntegerText:
      mixed = true;
      break;
    default:
      break;
  }
  std::string text;
  append_json(text, reader);
  Result<Node> parsed = json::parse(text);
  return parsed.ok() ? *std::move(parsed) : Node::raw(std::move(text));
}

}  // namespace

RowReader::RowReader(std::vector<Column> columns)
    : columns_(std::move(columns)), names_(unique_names(columns_)), mixed_(columns_.size(), false) {}

Node RowReader::read_row(CellReader& reader) {
  Node row = Node::object();
  row.members().reserve(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    bool mixed = mixed_[i];
    row.members().emplace_back(names_[i], node_of(reader, mixed));
    mixed_[i] = mixed;
  }
  return row;
}

bool RowReader::read(const RowBatch& batch, const std::function<bool(Node row)>& visitor) {
  CellReader reader(batch.cells);
  for (std::uint32_t i = 0; i < batch.rows && reader.ok(); ++i) {
    if (!visitor(read_row(reader))) return false;
  }
  return true;
}

StatementRows::StatementRows(scope::AgentSurface surface, const RowReader& reader, std::vector<Node> page, Scan scan)
    : surface_(std::move(surface)), names_(reader.names()), page_(std::move(page)), scan_(std::move(scan)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (is_nested(reader.columns()[i].type)) open_.push_back(names_[i]);
  }
  // A limit on characters ended the page before its limit of rows did.
  if (surface_.output_truncated_by == "result_chars") {
    surface_.ceiling = {scope::LimitSource::kDefault, scope::LimitKind::kPagination, page_.size(), 0};
  }
}

bool StatementRows::cut() const {
  const scope::Ceiling& ceiling = surface_.ceiling;
  return ceiling.kind != scope::LimitKind::kNone &&
         (ceiling.offset > 0 || !surface_.universe_total || ceiling.limit < *surface_.universe_total);
}

scope::Declaration StatementRows::declare() const {
  scope::Declaration declaration;
  declaration.array = "rows";
  declaration.ceiling = surface_.ceiling;
  declaration.catalogue.keys = names_;
  declaration.catalogue.open = open_;
  declaration.content = {"*"};
  declaration.order = surface_.order;
  declaration.raise_with = surface_.ceiling.source == scope::LimitSource::kStatement ? "LIMIT " : "";
  if (!surface_.output_truncated_by.empty()) declaration.cut_by = surface_.output_truncated_by;
  return declaration;
}

Result<scope::Universe> StatementRows::universe() {
  return scope::Universe{surface_.universe_total, surface_.universe_reason};
}

Status StatementRows::visit(const scope::Slice& slice, const scope::Visitor& visitor) {
  const bool is_page = slice.below == nullptr && slice.limit && slice.offset == surface_.ceiling.offset;
  if (is_page) {
    for (std::size_t i = 0; i < page_.size() && i < *slice.limit; ++i) {
      if (!visitor(page_[i])) break;
    }
    return Ok{};
  }
  std::uint64_t matched = 0;
  bool wanted = true;
  const auto judge = [&](Node row) {
    if (slice.below != nullptr && !slice.below->matches(row)) return true;
    ++matched;
    const bool inside = matched > slice.offset && (!slice.limit || matched - slice.offset <= *slice.limit);
    // Rows behind the ceiling are counted, so that what matched is known.
    if (wanted && inside) wanted = visitor(std::move(row));
    return wanted || slice.below != nullptr;
  };
  if (cut()) {
    CANDOR_TRY(scan_(judge));
  } else {
    for (const Node& row : page_) {
      if (!judge(row)) break;
    }
  }
  if (slice.below != nullptr) matched_ = matched;
  return Ok{};
}

Result<std::uint64_t> StatementRows::count(const scope::Predicate& below) {
  if (!matched_) {
    scope::Slice slice;
    slice.below = &below;
    CANDOR_TRY(visit(slice, [](const Node& /*row*/) { return true; }));
  }
  return *matched_;
}

void StatementRows::complete(scope::AgentSurface& surface) const {
  surface.ties_at_border = surface_.ties_at_border;
  surface.order_reason = surface_.order_reason;
}

ShapedRows shaped_rows(scope::ShapedList list, const RowReader& reader) {
  ShapedRows rows;
  const auto add = [&](std::size_t i) {
    if (std::ranges::find(rows.keys, reader.names()[i]) != rows.keys.end()) return;
    rows.keys.push_back(reader.names()[i]);
    rows.columns.push_back(reader.columns()[i]);
    rows.mixed.push_back(reader.mixed()[i]);
  };
  const auto stands_for = [](const std::string& key, const std::string& name) {
    return key == name || (key.size() > name.size() && key.starts_with(name) && key[name.size()] == '.');
  };
  const bool all = list.selected().empty();
  for (std::size_t i = 0; all && i < reader.names().size(); ++i) add(i);
  for (const std::string& key : list.selected()) {
    for (std::size_t i = 0; i < reader.names().size(); ++i) {
      if (stands_for(key, reader.names()[i])) add(i);
    }
  }
  rows.list = std::make_shared<const scope::ShapedList>(std::move(list));
  return rows;
}

}  // namespace candor
