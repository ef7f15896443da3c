// What a cell of a text file could be beside text: decided from its characters alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace candor::engine::duckdb {

enum class TextClass : std::uint8_t {
  kInteger,      // at most 15 digits: exact as BIGINT and as DOUBLE
  kLongInteger,  // exact as BIGINT
  kReal,         // DOUBLE keeps all the digits that are written
  kZeros,        // a number with leading zeros
  kPlus,         // digits behind a plus sign
  kLong,         // a number with more digits, or a larger one, than BIGINT or DOUBLE keeps
  kTruth,        // true, false
  kDate,         // 2024-03-07
  kTimestamp,    // 2024-03-07 12:30, 2024-03-07T12:30:00.123456
  kInstant,      // the same with an offset or Z
  kTime,         // 12:30:00.5
  kYearFirst,    // 2024/3/7, 2024.03.07
  kDayFirst,     // 31/12/2024: a date with the day first, and none with the month first
  kMonthFirst,   // 12/31/2024
  kEitherFirst,  // 01/02/2024
  kOther,
};
inline constexpr std::size_t kTextClasses = static_cast<std::size_t>(TextClass::kOther) + 1;

// Blanks around the text do not count.
[[nodiscard]] TextClass classify(std::string_view text);

}  // namespace candor::engine::duckdb
