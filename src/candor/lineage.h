// What the objects of the scratch database were made from, told by the session's writes in their order.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger.h"
#include "sql/lexer.h"

namespace candor {

// What is followed: marks, numbers that the caller gives a meaning (a file whose rows are not all there, a write).
using Marks = std::set<std::size_t>;

class Lineage {
 public:
  // The marks that a write brings by itself: its position in the list, and the part of its text that it reads.
  using MarksOf = std::function<Marks(std::size_t position, std::string_view read)>;
  Lineage(const std::vector<ledger::QueryRecord>& writes, const MarksOf& marks_of);

  // The marks of everything in the scratch database that the statement reads or calls.
  [[nodiscard]] Marks of(std::string_view statement) const;

 private:
  std::map<std::string, Marks, std::less<>> objects_;  // by lower-case name
};

}  // namespace candor
