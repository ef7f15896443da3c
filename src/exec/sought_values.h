// Which values of which columns a statement's conditions look for: private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bind/bound.h"

namespace candor::exec {

enum class SoughtForm : std::uint8_t {
  kEqual,     // column = 'v'; LOWER(column) = 'v' when `fold`
  kIn,        // column IN ('v', …)
  kLike,      // column LIKE 'v', without a wildcard; ILIKE when `fold`
  kPattern,   // column LIKE 'v%'
  kHas,       // 'v' = ANY(column)
  kOverlap,   // column OVERLAP ('v', …)
  kContains,  // column CONTAINS ('v', …)
  kMidnight,  // datetime = a date: midnight alone
};

struct Sought {
  const contract::Resource* resource = nullptr;
  std::size_t column = 0;  // of the resource
  bool elements = false;   // the values are elements of this array
  SoughtForm form = SoughtForm::kEqual;
  bool fold = false;
  bool negated = false;
  bool beside_others = false;  // under an OR: rows come though this value is not there
  std::string name;            // the column as the statement sees it
  std::vector<Value> values;   // the first 20
  std::string escape;          // of kPattern
};

// Of WHERE and HAVING, and those of subqueries whose rows decide: conditions that compare a column of a resource with literals.
[[nodiscard]] std::vector<Sought> sought_values(const bind::BoundSelect& plan);

}  // namespace candor::exec
