// Lists as documents and as tables.
#include "cli/list_output.h"

#include <utility>

#include "cli/scope_line.h"
#include "cli/text_layout.h"
#include "scope/filter.h"

namespace candor::cli {
namespace {

std::vector<ListColumn> columns_of(const scope::ShapedList& list, const ListText& text) {
  if (list.selected().empty()) return text.columns;
  std::vector<ListColumn> columns;
  for (const std::string& key : list.selected()) columns.push_back({key, under(key)});
  return columns;
}

}  // namespace

scope::Ceiling ceiling_of(const Arguments& arguments) {
  const bool given = arguments.limit_given || arguments.offset > 0;
  return {given ? scope::LimitSource::kFlag : scope::LimitSource::kDefault, scope::LimitKind::kPagination,
          arguments.limit, arguments.offset};
}

TableCell cell_of(const json::Node& value) {
  if (value.is_null()) return {"NULL", Paint::kDim, false};
  return {value.is_string() ? value.text() : json::dump(value), Paint::kPlain, value.is_number()};
}

std::function<TableCell(const json::Node& row)> under(std::string key) {
  return [key = std::move(key)](const json::Node& row) {
    const json::Node* value = scope::value_at(row, key);
    return value == nullptr ? TableCell{} : cell_of(*value);
  };
}

void print_list(const Context& context, const scope::ShapedList& list, const ListText& text) {
  if (list.count()) {
    context.out.put(counted(*list.count(), text.one, text.many) + filter_words(list.surface()) + "\n");
    return;
  }
  const std::vector<ListColumn> columns = columns_of(list, text);
  std::vector<std::string> titles;
  for (const ListColumn& column : columns) titles.push_back(column.title);
  Table table(context.out, titles, text.lines_max);
  for (const json::Node& row : list.rows()) {
    std::vector<TableCell> cells;
    for (const ListColumn& column : columns) cells.push_back(column.cell(row));
    if (!table.add(std::move(cells))) return;
  }
  if (!list.rows().empty()) table.finish();
  context.out.put(list_line(list.surface(), text.one, text.many) + "\n");
}

ExitCode show_list(const Context& context, scope::List& list, const ListText& text,
                   const std::function<json::Node(const scope::ShapedList&)>& document_of) {
  const Result<scope::ShapedList> shaped = scope::ShapedList::make(list, context.shaping);
  if (!shaped.ok()) return fail(context, shaped.error());
  if (context.document) {
    print_document(context, document_of(*shaped));
  } else {
    print_list(context, *shaped, text);
  }
  return ExitCode::kDone;
}

Status no_shaping(const Context& context, std::string_view what) {
  if (context.arguments.shaping.empty()) return Ok{};
  return make_error("usage", "--filter and the other flags that shape a list can't shape " + std::string(what),
                    "leave them out, or ask for the list");
}

}  // namespace candor::cli
