// What a batch of writes did to the rows of a source, exactly: for undoing it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "contract/contract.h"

namespace candor::exec {

// A row as it was before the batch and as it is after it.
struct Change {
  const contract::Resource* resource = nullptr;
  Value key_before, key_after;  // the same, unless the batch wrote the key
  std::string before, after;    // rows as text_of_row gives them, all columns that are not computed; empty: no row
};

struct Changes {
  std::vector<Change> rows;     // in the order in which they were written; rows that are as they were are left out
  bool changed_others = false;  // triggers or foreign keys of the source changed further rows
  std::string cannot_keep;      // why there are no rows here although some were written; empty: they are here
};

// Values as JSON, one text for one row and another for any other row, and the way back. Fails with `integrity` for a text
// that is none.
[[nodiscard]] std::string text_of_row(const std::vector<Value>& row);
[[nodiscard]] Result<std::vector<Value>> row_of_text(const std::string& text);

}  // namespace candor::exec
