// One token after the other, in constant memory: what tokenize, split_statements and normalize are made of.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sql/lexer.h"

namespace candor::sql {

// Where the dialects differ it follows DuckDB: comments nest, a lone carriage return ends a line comment, some Unicode
// spaces are white space. A comment that the input ends in is a token (a symbol, not closed), so that it reaches the
// engine and is refused there.
class Scanner {
 public:
  explicit Scanner(std::string_view sql) : sql_(sql) {}
  // False at the end of the text; then `token` is left as it was.
  [[nodiscard]] bool next(Token& token);

 private:
  [[nodiscard]] std::size_t space_at(std::size_t at) const;
  [[nodiscard]] char at(std::size_t index) const { return index < sql_.size() ? sql_[index] : '\0'; }
  [[nodiscard]] bool starts(std::size_t index, std::string_view text) const {
    return sql_.compare(index, text.size(), text) == 0;
  }
  bool skip_blanks(Token& token);
  [[nodiscard]] std::size_t word_end(std::size_t from) const;
  std::size_t quoted_end(std::size_t from, char quote, bool escapes);
  std::size_t dollar_quoted_end();
  std::size_t number_end() const;
  std::size_t parameter_end() const;
  std::size_t bracket_name_end();
  std::size_t symbol_end() const;
  void classify(Token& token);
  void finish(Token& token, TokenKind kind, std::size_t end);

  std::string_view sql_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  bool closed_ = true;
  bool brackets_left_ = true;      // false once a search for "]" came to the end: keeps the scan linear
  std::array<Token, 3> before_{};  // the last tokens, newest first
};

}  // namespace candor::sql
