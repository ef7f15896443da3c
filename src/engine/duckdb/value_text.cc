// Formatting of scalar values. The calendar is the proleptic Gregorian one, as in the engine.
#include "engine/duckdb/value_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <vector>

namespace candor::engine::duckdb::internal {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;

struct CivilDate {
  std::int64_t year;  // astronomical: 0 is 1 BC
  unsigned month;
  unsigned day;
};

// Days since 1970-01-01 to a date, by eras of 400 years that begin on the first of March (H. Hinnant's chrono algorithms).
CivilDate civil_from_days(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const auto day_of_era = static_cast<std::uint64_t>(days - era * 146'097);
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t shifted_month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<unsigned>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  const std::int64_t year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0);
  return {year, month, day};
}

// Whether the year is one before Christ; then " (BC)" was written.
bool format_civil(ShortText& out, std::int64_t days) {
  const CivilDate date = civil_from_days(days);
  const bool before_christ = date.year <= 0;
  const auto year = static_cast<std::uint64_t>(before_christ ? 1 - date.year : date.year);
  out.digits(year, 4);
  out.push('-');
  out.digits(date.month, 2);
  out.push('-');
  out.digits(date.day, 2);
  if (before_christ) out.push(" (BC)");
  return before_christ;
}

int decimal_places(std::int64_t per_second) {
  int places = 0;
  for (; per_second > 1; per_second /= 10) ++places;
  return places;
}

void format_clock(ShortText& out, std::uint64_t seconds) {
  out.digits(seconds / 3600, 2);
  out.push(':');
  out.digits(seconds / 60 % 60, 2);
  out.push(':');
  out.digits(seconds % 60, 2);
}

void count_of(ShortText& out, std::int64_t count, std::string_view unit) {
  if (count == 0) return;
  if (!out.view().empty()) out.push(' ');
  if (count < 0) out.push('-');
  out.number(count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count));
  out.push(' ');
  out.push(unit);
  if (count != 1 && count != -1) out.push('s');
}

}  // namespace

void ShortText::push(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(bytes_.data() + size_, text.data(), text.size());
  size_ += text.size();
}

void ShortText::number(std::uint64_t value) {
  const auto done = std::to_chars(bytes_.data() + size_, bytes_.data() + bytes_.size(), value);
  size_ = static_cast<std::size_t>(done.ptr - bytes_.data());
}

void ShortText::digits(std::uint64_t value, int width) {
  std::array<char, 24> reversed;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  int count = 0;
  for (; value > 0 || count < width; value /= 10)
    reversed[static_cast<std::size_t>(count++)] = static_cast<char>('0' + value % 10);
  while (count > 0) push(reversed[static_cast<std::size_t>(--count)]);
}

void ShortText::fraction(std::uint64_t value, int width) {
  if (value == 0) return;
  for (; value % 10 == 0; value /= 10) --width;
  push('.');
  digits(value, width);
}

void format_date(ShortText& out, std::int32_t days) {
  constexpr std::int32_t kInfinity = std::numeric_limits<std::int32_t>::max();
  if (days == kInfinity || days == -kInfinity) {
    out.push(days > 0 ? "infinity" : "-infinity");
    return;
  }
  format_civil(out, days);
}

void format_timestamp(ShortText& out, std::int64_t units, std::int64_t per_second, std::string_view zone) {
  constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  if (units == kInfinity || units == -kInfinity) {
    out.push(units > 0 ? "infinity" : "-infinity");
    return;
  }
  std::int64_t seconds = units / per_second;
  std::int64_t part = units % per_second;
  if (part < 0) {
    part += per_second;
    --seconds;
  }
  std::int64_t days = seconds / kSecondsPerDay;
  std::int64_t clock = seconds % kSecondsPerDay;
  if (clock < 0) {
    clock += kSecondsPerDay;
    --days;
  }
  const bool before_christ = format_civil(out, days);
  out.push(before_christ ? ' ' : 'T');
  format_clock(out, static_cast<std::uint64_t>(clock));
  out.fraction(static_cast<std::uint64_t>(part), decimal_places(per_second));
  out.push(zone);
}

void format_time(ShortText& out, std::int64_t units, std::int64_t per_second) {
  const auto value = static_cast<std::uint64_t>(units);
  const auto unit = static_cast<std::uint64_t>(per_second);
  format_clock(out, value / unit);
  out.fraction(value % unit, decimal_places(per_second));
}

void format_time_tz(ShortText& out, std::uint64_t bits) {
  constexpr std::int64_t kOffsetMax = 16 * 3600 - 1;  // stored as the distance from the largest, so that bits compare
  format_time(out, static_cast<std::int64_t>(bits >> 24U), 1'000'000);
  const std::int64_t offset = kOffsetMax - static_cast<std::int64_t>(bits & 0xFFFFFFU);
  const auto size = static_cast<std::uint64_t>(offset < 0 ? -offset : offset);
  out.push(offset < 0 ? '-' : '+');
  out.digits(size / 3600, 2);
  out.push(':');
  out.digits(size / 60 % 60, 2);
  if (size % 60 != 0) {
    out.push(':');
    out.digits(size % 60, 2);
  }
}

void format_interval(ShortText& out, std::int32_t months, std::int32_t days, std::int64_t micros) {
  count_of(out, months / 12, "year");
  count_of(out, months % 12, "month");
  count_of(out, days, "day");
  if (micros == 0 && !out.view().empty()) return;
  if (!out.view().empty()) out.push(' ');
  if (micros < 0) out.push('-');
  const std::uint64_t size = micros < 0 ? 0 - static_cast<std::uint64_t>(micros) : static_cast<std::uint64_t>(micros);
  format_clock(out, size / 1'000'000);
  out.fraction(size % 1'000'000, 6);
}

void format_unsigned(ShortText& out, UInt128 value) {
  constexpr std::uint64_t kChunk = 10'000'000'000'000'000'000ULL;  // 10^19
  if (value <= std::numeric_limits<std::uint64_t>::max()) {
    out.number(static_cast<std::uint64_t>(value));
    return;
  }
  const UInt128 high = value / kChunk;
  format_unsigned(out, high);
  out.digits(static_cast<std::uint64_t>(value % kChunk), 19);
}

void format_integer(ShortText& out, Int128 value) {
  if (value < 0) out.push('-');
  format_unsigned(out, value < 0 ? 0 - static_cast<UInt128>(value) : static_cast<UInt128>(value));
}

void format_decimal(ShortText& out, Int128 unscaled, int scale) {
  if (unscaled < 0) out.push('-');
  ShortText digits;
  format_unsigned(digits, unscaled < 0 ? 0 - static_cast<UInt128>(unscaled) : static_cast<UInt128>(unscaled));
  const std::string_view all = digits.view();
  const auto places = static_cast<std::size_t>(scale);
  if (places == 0) {
    out.push(all);
    return;
  }
  if (all.size() > places) {
    out.push(all.substr(0, all.size() - places));
    out.push('.');
    out.push(all.substr(all.size() - places));
    return;
  }
  out.push("0.");
  for (std::size_t i = all.size(); i < places; ++i) out.push('0');
  out.push(all);
}

void format_uuid(ShortText& out, std::uint64_t lower, std::int64_t upper) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::array<std::uint64_t, 2> halves = {static_cast<std::uint64_t>(upper) ^ (std::uint64_t{1} << 63U), lower};
  int written = 0;
  for (const std::uint64_t half : halves) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (written == 8 || written == 12 || written == 16 || written == 20) out.push('-');
      out.push(kHex[(half >> static_cast<unsigned>(shift)) & 15U]);
      ++written;
    }
  }
}

std::string format_bignum(std::string_view bytes) {
  constexpr std::size_t kHeader = 3;
  constexpr std::uint64_t kChunk = 1'000'000'000'000'000'000ULL;  // 10^18: eight more bits fit beside it in 128
  if (bytes.size() <= kHeader) return {};
  const bool negative = (static_cast<std::uint8_t>(bytes[0]) & 0x80U) == 0;
  std::vector<std::uint64_t> chunks = {0};  // base 10^18, the lowest first
  for (const char byte : bytes.substr(kHeader)) {
    const auto raw = static_cast<std::uint8_t>(byte);
    UInt128 carry = negative ? static_cast<std::uint8_t>(~raw) : raw;
    for (std::uint64_t& chunk : chunks) {
      carry += static_cast<UInt128>(chunk) << 8U;
      chunk = static_cast<std::uint64_t>(carry % kChunk);
      carry /= kChunk;
    }
    if (carry > 0) chunks.push_back(static_cast<std::uint64_t>(carry));
  }
  std::string text = negative ? "-" : "";
  for (std::size_t i = chunks.size(); i-- > 0;) {
    ShortText digits;
    digits.digits(chunks[i], i + 1 == chunks.size() ? 1 : 18);
    text += digits.view();
  }
  return text;
}

std::string format_bits(std::string_view bytes) {
  if (bytes.size() < 2) return {};
  const auto padding = static_cast<std::uint8_t>(bytes[0]);
  if (padding > 7) return {};
  std::string text;
  text.reserve((bytes.size() - 1) * 8);
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    for (int bit = i == 1 ? 7 - padding : 7; bit >= 0; --bit)
      text += ((byte >> static_cast<unsigned>(bit)) & 1U) != 0 ? '1' : '0';
  }
  return text;
}

}  // namespace candor::engine::duckdb::internal
