// See names.h.
#include "review/syntax/names.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "review/syntax/tree.h"

namespace candor::review::syntax {
namespace {

void add_once(std::vector<std::size_t>& tables, std::size_t table) {
  if (std::find(tables.begin(), tables.end(), table) == tables.end()) tables.push_back(table);
}

std::string dotted(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

std::vector<std::string> rest(const std::vector<std::string>& parts, std::size_t from) {
  return {parts.begin() + static_cast<std::ptrdiff_t>(from), parts.end()};
}

}  // namespace

std::optional<std::string> Names::column_of(std::size_t table, std::string_view name) const {
  for (const engine::ColumnFacts& column : facts_[table].columns) {
    if (same_name(column.name, name)) return column.name;
  }
  return std::nullopt;
}

bool Names::has_column(std::string_view name) const {
  for (std::size_t table = 0; table < facts_.size(); ++table) {
    if (column_of(table, name)) return true;
  }
  return false;
}

const MergedColumn* Names::merged(std::string_view name) const {
  for (const MergedColumn& column : merged_) {
    if (same_name(column.name, name)) return &column;
  }
  return nullptr;
}

void Names::merge(const std::string& name, const std::vector<std::size_t>& tables) {
  for (MergedColumn& column : merged_) {
    if (!same_name(column.name, name)) continue;
    for (const std::size_t table : tables) add_once(column.tables, table);
    return;
  }
  merged_.push_back({name, tables});
}

Result<BoundColumn> Names::bind_unqualified(const std::vector<std::string>& parts) const {
  if (const MergedColumn* column = merged(parts[0])) {
    const std::size_t table = column->tables.front();
    return BoundColumn{table, column_of(table, parts[0]).value_or(parts[0]), rest(parts, 1)};
  }
  std::optional<BoundColumn> found;
  for (std::size_t table = 0; table < facts_.size(); ++table) {
    const auto column = column_of(table, parts[0]);
    if (!column) continue;
    if (found) return make_error("column-not-resolved", "the column " + parts[0] + " could be of two tables");
    found = BoundColumn{table, *column, rest(parts, 1)};
  }
  if (!found) return make_error("column-not-resolved", "the column " + dotted(parts) + " is in none of the tables");
  return *found;
}

// alias.column, schema.table.column, catalog.schema.table.column, each with fields behind it.
std::optional<BoundColumn> Names::bind_qualified(const std::vector<std::string>& parts) const {
  for (std::size_t qualifiers = 0; qualifiers < 3 && qualifiers + 1 < parts.size(); ++qualifiers) {
    for (std::size_t table = 0; table < facts_.size(); ++table) {
      const TableRef& ref = select_.tables[table];
      if (!same_name(ref.alias, parts[qualifiers])) continue;
      if (qualifiers > 0 && ref.has_alias) continue;
      const engine::TableName& full = facts_[table].resolved;
      const auto names_place = [&](const std::string& part) {
        return same_name(part, ref.schema) || same_name(part, ref.catalog) || same_name(part, full.schema) ||
               same_name(part, full.source);
      };
      if (!std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(qualifiers), names_place)) continue;
      if (const auto column = column_of(table, parts[qualifiers + 1])) {
        return BoundColumn{table, *column, rest(parts, qualifiers + 2)};
      }
    }
  }
  return std::nullopt;
}

Result<BoundColumn> Names::bind(const std::vector<std::string>& parts) const {
  if (parts.empty()) return make_error("column-not-resolved", "a column has no name");
  if (parts.size() > 1) {
    if (auto column = bind_qualified(parts)) return *std::move(column);
  }
  return bind_unqualified(parts);
}

Result<std::vector<std::size_t>> Names::tables_read(const json::Node& node) const {
  std::vector<std::size_t> tables;
  std::optional<Diagnostic> failure;
  for_each_expression(node, [&](const json::Node& expression) {
    if (!is_column(expression) || failure) return;
    const Result<BoundColumn> column = bind(column_names(expression));
    if (column.ok()) {
      add_once(tables, column->table);
    } else {
      failure = column.error();
    }
  });
  if (failure) return *std::move(failure);
  return tables;
}

Result<std::vector<std::size_t>> Names::tables_referenced(const json::Node& node) const {
  CANDOR_ASSIGN(std::vector<std::size_t> tables, tables_read(node));
  for_each_expression(node, [&](const json::Node& expression) {
    const std::vector<std::string> parts = column_names(expression);
    const MergedColumn* column = parts.size() == 1 ? merged(parts[0]) : nullptr;
    if (column == nullptr) return;
    for (const std::size_t table : column->tables) add_once(tables, table);
  });
  return tables;
}

json::Node Names::qualified(const json::Node& node) const {
  json::Node copy = node;
  for_each_expression(copy, [&](json::Node& expression) {
    if (!is_column(expression)) return;
    const Result<BoundColumn> column = bind(column_names(expression));
    if (!column.ok()) return;
    std::vector<std::string> parts = {select_.tables[column->table].alias, column->column};
    parts.insert(parts.end(), column->fields.begin(), column->fields.end());
    set_column_names(expression, parts);
  });
  return copy;
}

}  // namespace candor::review::syntax
