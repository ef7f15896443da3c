// Where in a text a name stands for a common table expression.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sql/lexer.h"

namespace candor::sql {

// Visibility by token index. Asked with rising indices, in linear time over the whole text.
class CteRanges {
 public:
  explicit CteRanges(const std::vector<Token>& tokens);
  // Whether `name` (one part, any case) is a common table expression at that token. A name that is not RECURSIVE is not
  // visible inside of its own query: there it can be the table of the same name.
  [[nodiscard]] bool covers(std::size_t token, std::string_view name);

 private:
  struct Range {
    std::size_t start, end;
    std::string name;
  };
  void read_with(const std::vector<Token>& tokens, std::size_t with, const std::vector<std::size_t>& closing,
                 std::size_t end);

  std::vector<Range> ranges_;  // by start
  std::size_t started_ = 0;
  std::unordered_map<std::string, std::size_t> last_end_;
};

}  // namespace candor::sql
