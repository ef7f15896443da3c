// Prints the demo's steps.
#include "cli/demo_page.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace candor::cli {
namespace {

using json::Node;

constexpr std::size_t kWidth = 96;
constexpr std::string_view kIndent = "        ";  // below "agent" and "candor"
constexpr std::string_view kAgent = "\x1b[36m", kGood = "\x1b[32m", kHeld = "\x1b[33m", kBold = "\x1b[1m",
                           kDim = "\x1b[2m";

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void put_wrapped(std::string_view text, std::string_view indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (column == 0 || column + 1 + word.size() > kWidth - indent.size()) {
      if (column > 0) put("\n");
      put(indent);
      column = 0;
    } else {
      put(" ");
      ++column;
    }
    put(word);
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  put("\n");
}

std::string cell_text(const Node& cell) {
  if (cell.is_null()) return "NULL";
  return cell.is_string() || cell.is_number() ? cell.text() : json::dump(cell);
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::string blanks(width > text.size() ? width - text.size() : 0, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

// Lines of aligned columns; a column is to the right when all its cells are numbers.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right) {
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i > 0 ? "  " : "") + padded(row[i], widths[i], right[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string scope_text(const Node& surface, std::int64_t rows) {
  const Node& total = surface["universe_total"];
  const std::string shown = grouped_digits(rows) + (rows == 1 ? " row" : " rows");
  if (!total.integer()) return shown + ", of a whole that was not counted";
  if (*total.integer() == rows) return shown + ", all there are";
  return shown + " of " + grouped_digits(*total.integer()) + " (" +
         std::string(surface.string_or("query_limit_kind", "")) + ")";
}

}  // namespace

std::string grouped_digits(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string DemoPage::painted(std::string_view text, std::string_view colour) const {
  if (!colour_) return std::string(text);
  return std::string(colour) + std::string(text) + "\x1b[0m";
}

void DemoPage::heading(std::string_view text) { put("\n" + painted(text, kBold) + "\n\n"); }

void DemoPage::prose(std::string_view text) {
  put_wrapped(text, "");
  put("\n");
}

void DemoPage::verbatim(std::string_view text) { put(std::string(text) + "\n"); }

void DemoPage::call(std::string_view tool, std::string_view argument) {
  put(painted("agent", kAgent) + "   " + painted(tool, kBold) + "\n");
  while (!argument.empty()) {
    const std::size_t end = std::min(argument.find('\n'), argument.size());
    put(std::string(kIndent) + std::string(argument.substr(0, end)) + "\n");
    argument.remove_prefix(std::min(end + 1, argument.size()));
  }
}

void DemoPage::reply(std::string_view title, std::string_view colour) {
  put(painted("candor", colour) + "  " + painted(title, kBold) + "\n");
}

void DemoPage::result(const Node& document) {
  const auto& columns = document["columns"].items();
  std::vector<std::vector<std::string>> rows(1);
  std::vector<bool> right(columns.size(), true);
  for (const Node& column : columns) rows.front().push_back(column["name"].text());
  for (const Node& row : document["rows"].items()) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Node& cell = row.items()[i];
      cells.push_back(cell_text(cell));
      right[i] = right[i] && (cell.is_number() || cell.is_null());
    }
  }
  reply(std::string(document.string_or("query_id", "")) + ": " +
            scope_text(document["agent_surface"], static_cast<std::int64_t>(rows.size()) - 1),
        kGood);
  bool first = true;
  for (const std::string& line : aligned(rows, right)) {
    put(std::string(kIndent) + (first ? painted(line, kDim) : line) + "\n");
    first = false;
  }
  for (const Node& warning : document["warnings"].items()) put_wrapped("note: " + warning["message"].text(), kIndent);
  put("\n");
}

void DemoPage::joins(const Node& list) {
  std::vector<std::vector<std::string>> lines;
  for (const Node& join : list.items()) {
    for (const std::string_view name : {"left", "right"}) {
      const Node& side = join[name];
      const std::int64_t rows = side["rows"].integer().value_or(0), matched = side["matched"].integer().value_or(0);
      lines.push_back({side["table"].text(), grouped_digits(rows) + " rows", grouped_digits(matched) + " with a match",
                       percent(matched, rows)});
    }
  }
  for (const std::string& line : aligned(lines, {false, true, true, true}))
    put(std::string(kIndent) + "  " + line + "\n");
}

void DemoPage::checks(const Node& list) {
  for (const Node& check : list.items()) {
    const std::string_view reason = check.string_or("reason", "");
    put(std::string(kIndent) + padded(check["check"].text(), 17, false) + check["verdict"].text());
    put((reason.empty() ? "" : " (" + std::string(reason) + ")") + "\n");
    joins(check["joins"]);
  }
}

void DemoPage::outcome(const Node& document) {
  if (document.string_or("status", "") == "committed") {
    const Node& receipt = document["receipt"];
    reply("committed as " + std::string(document.string_or("answer_id", "?")) + ", with a receipt", kGood);
    const std::string_view query = receipt.string_or("query_id", "");
    put(std::string(kIndent) + padded("query", 17, false) + std::string(query.empty() ? "none found" : query) + "\n");
    checks(receipt["checks"]);
  } else {
    reply(document.string_or("title", "?"), kHeld);
    for (const Node& finding : document["findings"].items()) {
      put_wrapped(std::string(finding.string_or("check", "")) + ": " + std::string(finding.string_or("message", "")),
                  kIndent);
    }
    joins(document["evidence"]["joins"]);
  }
  put("\n");
}

void DemoPage::failure(const Node& document) {
  reply("error: " + std::string(document.string_or("code", "?")), kHeld);
  put_wrapped(document.string_or("message", ""), kIndent);
  put("\n");
}

}  // namespace candor::cli
