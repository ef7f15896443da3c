// Strings between DuckDB's C API and C++: taking over, quoting.
#pragma once

#include <duckdb.h>
#include <string>
#include <string_view>

namespace candor::engine::duckdb {

// Takes over a C string of the API; empty for null.
[[nodiscard]] inline std::string take_string(char* text) {
  std::string copy = text == nullptr ? "" : text;
  duckdb_free(text);
  return copy;
}

// In quotes of that kind, those inside doubled: '"' makes an identifier, '\'' a literal.
[[nodiscard]] inline std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    out += c;
    if (c == quote) out += c;
  }
  out += quote;
  return out;
}

}  // namespace candor::engine::duckdb
