// Aligned tables for people. The first rows decide the widths; those after them stream through in constant memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"
#include "cli/text_layout.h"

namespace candor::cli {

struct TableCell {
  std::string text;  // may hold line breaks; made visible by the table
  Paint paint = Paint::kPlain;
  bool number = false;  // for the alignment of its column
};

class Table {
 public:
  // `lines_max`: lines that a folded cell may take; 0: all.
  Table(const Stream& out, std::vector<std::string> titles, std::size_t lines_max = 8);

  // One cell a column. False when nobody reads any more.
  bool add(std::vector<TableCell> row);
  // Prints what waits. Without rows the head alone.
  bool finish();
  // Whether anything was printed yet.
  [[nodiscard]] bool begun() const { return laid_out_; }

 private:
  bool lay_out();
  void choose_widths();
  void widen(const std::vector<TableCell>& row);
  [[nodiscard]] std::string head() const;
  void append_row(std::string& text, const std::vector<TableCell>& row) const;
  void append_record(std::string& text, const std::vector<TableCell>& row);

  const Stream* out_;
  std::vector<std::string> titles_;
  std::size_t lines_max_;
  std::vector<std::vector<TableCell>> waiting_;
  std::vector<std::size_t> widths_;
  std::vector<Align> aligns_;
  bool laid_out_ = false;
  bool records_ = false;  // too many columns for the width: one line a column
  std::size_t records_shown_ = 0;
};

}  // namespace candor::cli
