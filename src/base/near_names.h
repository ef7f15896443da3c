// The nearest names to one that does not exist, for "did you mean". The same rule for tables, columns, settings and flags.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace candor {

// At most `most` of `known`, nearest first, each once; empty when none is near. First come names that differ in case alone,
// then in separators (CustomerID, customer_id), in number (customer, customers), then those of which one begins with the
// other (ord, orders), then those a few slips of the pen away (optimal string alignment distance, at most a third of the
// length), then those that share a whole word at an end (name, customer_name).
[[nodiscard]] std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& known,
                                                  std::size_t most = 3);

}  // namespace candor
