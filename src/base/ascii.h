// Letters of ASCII without regard to their case: how DuckDB and SQLite compare the names of tables, columns and functions.
// Other letters are compared as they stand, in every locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace candor {

[[nodiscard]] constexpr char lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

[[nodiscard]] inline std::string lower_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower_ascii(c);
  return lowered;
}

[[nodiscard]] constexpr bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, [](char c) { return lower_ascii(c); }, [](char c) { return lower_ascii(c); });
}

}  // namespace candor
