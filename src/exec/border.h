// Where a page begins and ends: whether the rows on both sides of it are told apart by the ORDER BY, as far as their own values
// say so. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/order.h"
#include "lower/lower.h"

namespace candor::exec {

// Whether two rows are equal under an ORDER BY. Unknown: by their values alone it can't be said what the database takes for
// equal.
enum class Same : std::uint8_t { kEqual, kDifferent, kUnknown };

// The values of ORDER BY of the rows of a page, as the engine gave them, and of its neighbours.
class Borders {
 public:
  // `keys`: the columns of ORDER BY. `exact_texts`: texts that are not the same are never equal.
  Borders(const Page& page, bool begins_inside, const std::vector<std::size_t>& keys, bool exact_texts)
      : page_(page), begins_inside_(begins_inside), keys_(keys), exact_texts_(exact_texts) {}
  // `rows`: as read by options_of, with the row before the page if there is one, and the one behind it. The page's own rows,
  // cut to `columns`.
  [[nodiscard]] std::vector<std::vector<Value>> take(std::vector<std::vector<Value>> rows, std::size_t columns);

  // A row outside of the page may equal its first or last one.
  [[nodiscard]] bool may_tie() const { return before_ != Same::kDifferent || behind_ != Same::kDifferent; }
  // The values by which the database can count the rows that tie, the first row's and the last row's, as far as they are
  // needed; none where it has to look at each row's place.
  [[nodiscard]] std::vector<lower::Lowering::Border> counted_by() const;
  // From what it counted, in that order. Nothing where that does not fit the rows that were seen.
  [[nodiscard]] std::optional<Ties> ties(const std::vector<std::uint64_t>& equal) const;

 private:
  using Row = lower::Lowering::Border;
  [[nodiscard]] Same same(const Row& a, const Row& b) const;
  void look(const std::vector<Row>& rows, std::size_t first, std::size_t end);

  const Page& page_;
  const bool begins_inside_;
  const std::vector<std::size_t>& keys_;
  const bool exact_texts_;
  Same before_ = Same::kDifferent;
  Same behind_ = Same::kDifferent;
  Row first_, last_;
  // Rows of the page that equal its first and its last one; 0: not all could be compared.
  std::uint64_t leading_ = 0, trailing_ = 0;
  bool all_equal_ = false;
};

}  // namespace candor::exec
