// A statement as DuckDB's parser may read it for the review: only texts of which both parsers make the same tree.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::engine::postgres {

// The text with comments blanked and unquoted names folded to lower case, byte for byte as long as `sql`, so that places
// in it are places in `sql`. Fails with `unsupported-syntax` for anything that the two read differently or that one of
// them does not know: other operators than comparisons and arithmetic, casts to types that are not the same in both, two
// comparisons beside each other, whose binding differs.
[[nodiscard]] Result<std::string> text_for_parser(std::string_view sql);

}  // namespace candor::engine::postgres
