// Numbers as digit strings: read from how they were written, compared and rounded without ever becoming a double.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace candor::review {

// An exact decimal. Zero is never negative.
struct Decimal {
  bool negative = false;
  std::string whole;       // digits before the point, without leading zeros: "" for 0.5
  std::string fraction;    // digits after it, without trailing zeros
  std::size_t places = 0;  // digits after the point as written: 2 for "1.50"; 0 for "1e3"
};

// Reads a JSON number: sign, digits, point, exponent. Absent when it is none, or when its exponent is beyond 400.
[[nodiscard]] std::optional<Decimal> parse_number(std::string_view digits);

// Reads a text that a person would call a number: "12,345", "12 345.60", "1'000", "83.3 %", "83,3", "-7". Blanks may be
// narrow or non-breaking. A percent sign is dropped: "83.3 %" is 83.3. Texts with leading zeros ("00123") are none, since
// ids are written so.
[[nodiscard]] std::optional<Decimal> parse_written_number(std::string_view text);

[[nodiscard]] bool is_zero(const Decimal& number);

// <0, 0, >0, by magnitude alone.
[[nodiscard]] int compare_magnitude(const Decimal& a, const Decimal& b);

// Magnitudes that `committed` may stand for when it was rounded (a half either way) or truncated at its written places:
// from |c| - half a unit of the last place, included, to |c| + a unit, excluded.
struct Interval {
  Decimal from, below;
};
[[nodiscard]] Interval rounding_interval(const Decimal& committed);

// More than ten in magnitude, or with a fraction: what does not appear by chance.
[[nodiscard]] bool is_telling(const Decimal& number);

}  // namespace candor::review
