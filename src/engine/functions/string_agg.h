// The texts of a group joined in an order that was asked for, wherever the rows came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace candor::engine::functions {

// What rows are sorted by: nothing for NULL; numbers before texts before bytes, texts by code point.
struct Bytes {
  std::string value;
};
using SortKey = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;

struct SortOrder {
  bool descending = false;
  bool nulls_first = false;  // else last, also when descending
};

class StringAgg {
 public:
  // One row whose value is not NULL. `orders` are the same for all rows.
  void add(std::string value, std::vector<SortKey> keys);

  // The values in the order of their keys; those with equal keys in the order in which they came. `distinct`: of equal
  // values only the first. Nothing where there was no row.
  [[nodiscard]] std::optional<std::string> join(const std::string& separator, const std::vector<SortOrder>& orders,
                                                bool distinct);

 private:
  struct Row {
    std::string value;
    std::vector<SortKey> keys;
    std::size_t place = 0;  // in which they came
  };
  std::vector<Row> rows_;
};

}  // namespace candor::engine::functions
