// Choosing widths, folding, drawing.
#include "cli/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace candor::cli {
namespace {

constexpr std::size_t kRowsMeasured = 1'000;
constexpr std::size_t kColumnWidthMin = 8;   // a column is folded no narrower than this
constexpr std::size_t kRecordValueMin = 20;  // nor a value of a record

std::size_t widest_line(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    width = std::max(width, width_of(text.substr(at, end - at)));
    at = end + 1;
  }
  return width;
}

}  // namespace

Table::Table(const Stream& out, std::vector<std::string> titles, std::size_t lines_max)
    : out_(&out), titles_(std::move(titles)), lines_max_(lines_max) {
  for (std::string& title : titles_) title = visible(title);
}

bool Table::add(std::vector<TableCell> row) {
  for (TableCell& cell : row) cell.text = visible(cell.text, true);
  if (!laid_out_) {
    waiting_.push_back(std::move(row));
    return waiting_.size() < kRowsMeasured || lay_out();
  }
  widen(row);
  std::string text;
  records_ ? append_record(text, row) : append_row(text, row);
  return out_->put(text);
}

// A row after the first ones may be wider. A number is never folded; a text only where the line has no room.
void Table::widen(const std::vector<TableCell>& row) {
  for (std::size_t i = 0; i < row.size() && !records_; ++i) {
    const std::size_t width = widest_line(row[i].text);
    if (width <= widths_[i]) continue;
    const std::size_t used = std::accumulate(widths_.begin(), widths_.end(), 3 * widths_.size());
    const std::size_t room = out_->width() > used ? out_->width() - used : 0;
    widths_[i] = row[i].number ? width : std::min(width, widths_[i] + room);
  }
}

bool Table::finish() { return laid_out_ || lay_out(); }

// Natural widths where they fit; else the widest columns give way first, down to a minimum.
void Table::choose_widths() {
  const std::size_t columns = titles_.size();
  widths_.assign(columns, 1);
  aligns_.assign(columns, Align::kLeft);
  for (std::size_t i = 0; i < columns; ++i) {
    widths_[i] = std::max<std::size_t>(widest_line(titles_[i]), 1);
    bool numbers = false;
    bool others = false;
    for (const auto& row : waiting_) {
      widths_[i] = std::max(widths_[i], widest_line(row[i].text));
      (row[i].number ? numbers : others) |= row[i].paint != Paint::kDim;
    }
    if (numbers && !others) aligns_[i] = Align::kRight;
  }
  const std::size_t frame = columns == 0 ? 0 : 3 * (columns - 1) + 2;
  const std::size_t room = out_->width() > frame ? out_->width() - frame : 0;
  // Numbers keep their width; texts are folded, no narrower than the minimum.
  std::vector<std::size_t> least(columns);
  for (std::size_t i = 0; i < columns; ++i)
    least[i] = aligns_[i] == Align::kRight ? widths_[i] : std::min(widths_[i], kColumnWidthMin);
  records_ = std::accumulate(least.begin(), least.end(), std::size_t{0}) > room && columns > 1;
  std::size_t total = std::accumulate(widths_.begin(), widths_.end(), std::size_t{0});
  while (!records_ && total > room) {
    // The widest text gives way, down to the next one.
    std::size_t widest = columns;
    std::size_t next = 1;
    for (std::size_t i = 0; i < columns; ++i) {
      if (widths_[i] <= least[i]) continue;
      if (widest == columns || widths_[i] > widths_[widest]) {
        if (widest != columns) next = widths_[widest];
        widest = i;
      } else {
        next = std::max(next, widths_[i]);
      }
    }
    if (widest == columns) break;
    const std::size_t down_to = std::max(least[widest], std::min(next, widths_[widest] - 1));
    const std::size_t give = std::min(total - room, widths_[widest] - down_to);
    widths_[widest] -= give;
    total -= give;
  }
}

std::string Table::head() const {
  const bool unicode = out_->unicode();
  std::vector<TableCell> titles;
  for (const std::string& title : titles_) titles.push_back({title, Paint::kBold, false});
  std::string text;
  append_row(text, titles);
  std::string rule;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    if (i > 0) rule += unicode ? "┼" : "+";
    for (std::size_t dash = 0; dash < widths_[i] + 2; ++dash) rule += unicode ? "─" : "-";
  }
  text += out_->painted(Paint::kDim, rule) + "\n";
  return text;
}

bool Table::lay_out() {
  laid_out_ = true;
  choose_widths();
  std::string text = records_ ? "" : head();
  for (const auto& row : waiting_) records_ ? append_record(text, row) : append_row(text, row);
  waiting_.clear();
  waiting_.shrink_to_fit();
  return out_->put(text);
}

void Table::append_row(std::string& text, const std::vector<TableCell>& row) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells.push_back(folded(row[i].text, widths_[i], lines_max_));
    height = std::max(height, cells.back().size());
  }
  const std::string bar = out_->painted(Paint::kDim, out_->unicode() ? "│" : "|");
  for (std::size_t line = 0; line < height; ++line) {
    std::string drawn = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) drawn += " " + bar + " ";
      const bool last = i + 1 == row.size();
      const std::string_view piece = line < cells[i].size() ? std::string_view(cells[i][line]) : std::string_view();
      // No blanks behind the last column, so that a copied table has none.
      const bool pad = !last || aligns_[i] == Align::kRight;
      const std::string filled = pad ? padded(piece, widths_[i], aligns_[i]) : std::string(piece);
      drawn += out_->painted(row[i].paint, filled);
    }
    text += drawn + "\n";
  }
}

// "── 3 ──" and a line a column.
void Table::append_record(std::string& text, const std::vector<TableCell>& row) {
  std::size_t names = 0;
  for (const std::string& title : titles_) names = std::max(names, width_of(title));
  names = std::min(names, out_->width() / 3);
  const std::size_t room = std::max(out_->width() > names + 5 ? out_->width() - names - 5 : 0, kRecordValueMin);
  const std::string rule = out_->unicode() ? "──" : "--";
  text += out_->painted(Paint::kDim, rule + " " + grouped(++records_shown_) + " " + rule) + "\n";
  const std::string bar = out_->painted(Paint::kDim, out_->unicode() ? "│" : "|");
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::vector<std::string> title = folded(titles_[i], names);
    const std::vector<std::string> value = folded(row[i].text, room, lines_max_);
    for (std::size_t line = 0; line < std::max(title.size(), value.size()); ++line) {
      const std::string name = padded(line < title.size() ? title[line] : "", names, Align::kLeft);
      text += " " + out_->painted(Paint::kBold, name) + " " + bar + " ";
      if (line < value.size()) text += out_->painted(row[i].paint, value[line]);
      text += "\n";
    }
  }
}

}  // namespace candor::cli
