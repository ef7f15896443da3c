// The texts of DuckDB's scalar values from their physical form: dates, times, decimals, big integers, bits, geometries.
// Pure functions over plain numbers and bytes; ISO 8601 where there is one, else as the engine prints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace candor::engine::duckdb::internal {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

// A short text without an allocation; every text of a fixed-width value fits.
class ShortText {
 public:
  void push(char c) { bytes_[size_++] = c; }
  void push(std::string_view text);
  void number(std::uint64_t value);
  void digits(std::uint64_t value, int width);  // with leading zeros
  // ".5" for a fraction of `width` digits without its trailing zeros; nothing for 0.
  void fraction(std::uint64_t value, int width);
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 96> bytes_;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  std::size_t size_ = 0;
};

// Days since 1970-01-01. "2024-03-07", "infinity", "0044-03-15 (BC)" (years before 1 as the engine prints them).
void format_date(ShortText& out, std::int32_t days);

// Units of 1/`per_second` since 1970-01-01T00:00:00. The fraction's trailing zeros are left out. `zone` is appended to
// finite values: "" or "+00:00". Years before 1 as the engine prints them: "0044-03-15 (BC) 12:30:00".
void format_timestamp(ShortText& out, std::int64_t units, std::int64_t per_second, std::string_view zone);

// Units of 1/`per_second` since midnight: "12:30:00.5"; "24:00:00" is one.
void format_time(ShortText& out, std::int64_t units, std::int64_t per_second);

// DuckDB's TIMETZ: 40 bits of microseconds, 24 bits of offset. "12:30:00+05:30", seconds of the offset where not 0.
void format_time_tz(ShortText& out, std::uint64_t bits);

// "1 year 2 months -3 days 04:05:06.789", "00:00:00" for nothing.
void format_interval(ShortText& out, std::int32_t months, std::int32_t days, std::int64_t micros);

// "12.50" for 1250 with scale 2; "-0.05"; always a digit before the point.
void format_decimal(ShortText& out, Int128 unscaled, int scale);

void format_integer(ShortText& out, Int128 value);
void format_unsigned(ShortText& out, UInt128 value);

// DuckDB's UUID: the 128 bits with the first one flipped.
void format_uuid(ShortText& out, std::uint64_t lower, std::int64_t upper);

// The digits of a BIGNUM: three bytes of header, then the magnitude from the highest byte, all inverted when negative.
// Empty when the bytes are no BIGNUM.
[[nodiscard]] std::string format_bignum(std::string_view bytes);

// "0101" of a BIT: one byte that says how many bits of the next one are padding. Empty when the bytes are no BIT.
[[nodiscard]] std::string format_bits(std::string_view bytes);

// WKT of little-endian WKB with ISO dimensions, as the engine prints it: "POINT Z (1 2 3)", "MULTIPOINT (EMPTY, 1 2)".
// Nothing when the bytes are no WKB.
[[nodiscard]] std::optional<std::string> format_geometry(std::string_view wkb);

}  // namespace candor::engine::duckdb::internal
