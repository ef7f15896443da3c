// How a command shows a list: through its declaration, as one document or as a table.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/table.h"
#include "json/json.h"
#include "scope/list.h"

namespace candor::cli {

struct ListColumn {
  std::string title;
  std::function<TableCell(const json::Node& row)> cell;
};

struct ListText {
  std::vector<ListColumn> columns;
  const char* one = "row";  // what a row is called: "query", "queries"
  const char* many = "rows";
  std::size_t lines_max = 2;
};

// The ceiling that --limit and --offset make.
[[nodiscard]] scope::Ceiling ceiling_of(const Arguments& arguments);

// A text, a number, or JSON; NULL is dimmed.
[[nodiscard]] TableCell cell_of(const json::Node& value);
// The value under a key of the row; empty where there is none.
[[nodiscard]] std::function<TableCell(const json::Node& row)> under(std::string key);

// The rows as a table, the keys of --select in place of the columns, and what they are a part of. With --count-only the number.
void print_list(const Context& context, const scope::ShapedList& list, const ListText& text);

// The list under the flags of the command: `document_of` gives its document.
ExitCode show_list(const Context& context, scope::List& list, const ListText& text,
                   const std::function<json::Node(const scope::ShapedList&)>& document_of);

// `usage` where flags that shape a list stand beside something that is none ("one answer").
[[nodiscard]] Status no_shaping(const Context& context, std::string_view what);

}  // namespace candor::cli
