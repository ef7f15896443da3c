// Expressions, each with a number, to be found again by what they are: long lists are compared with long lists.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "bind/bound.h"

namespace candor::bind {

class ExprIndex {
 public:
  // Keeps a pointer to it. Of equal ones the first keeps its number.
  void add(const BoundExpr& expr, std::size_t number);
  [[nodiscard]] std::optional<std::size_t> find(const BoundExpr& expr) const;

 private:
  std::unordered_multimap<std::size_t, std::pair<const BoundExpr*, std::size_t>> known_;
};

}  // namespace candor::bind
