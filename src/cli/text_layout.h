// Text measured and cut in terminal cells: grapheme clusters are never taken apart, control characters never get through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace candor::cli {

// The text with every control character, and every character that turns the direction of writing, as an escape (\t,
// \u001B): data must not be able to steer the terminal. Line breaks are kept where `keep_lines`, else they become \n.
[[nodiscard]] std::string visible(std::string_view text, bool keep_lines = false);

// Terminal cells that valid UTF-8 takes: 2 for wide characters and emoji, 0 for combining marks.
[[nodiscard]] std::size_t width_of(std::string_view text);

// The longest prefix of at most `width` cells.
[[nodiscard]] std::string_view prefix_of_width(std::string_view text, std::size_t width);

// The text in lines of at most `width` cells, broken after blanks where there are some. At least one line. Past
// `lines_max` lines the last one ends in "… +N" with the number of characters left out; 0: all lines.
[[nodiscard]] std::vector<std::string> folded(std::string_view text, std::size_t width, std::size_t lines_max = 0);

enum class Align : std::uint8_t { kLeft, kRight };
[[nodiscard]] std::string padded(std::string_view text, std::size_t width, Align align);

// "1234567" as "1,234,567".
[[nodiscard]] std::string grouped(std::uint64_t number);
// "6.3 %"; empty where there is no whole. Neither rounded up to all nor down to nothing.
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);
// "2026-11-01 09:30:00", in the zone of the system.
[[nodiscard]] std::string local_time(std::int64_t unix_ms);
// "1 row", "2,000 rows".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace candor::cli
