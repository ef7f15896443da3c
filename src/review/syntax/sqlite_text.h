// Which SQLite statements DuckDB's parser reads as SQLite does. The review parses SQLite's text with DuckDB's parser, and
// only behind this list: what the two take differently never reaches the tree.
#pragma once

#include <string_view>

#include "base/result.h"

namespace candor::review::syntax {

// Fails with `unsupported-syntax`, naming the token.
[[nodiscard]] Status check_sqlite_text(std::string_view sql);

}  // namespace candor::review::syntax
