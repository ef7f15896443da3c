// Dates and times as text: UTC, without a zone, years 1 to 9999, microseconds. Canonical is 2024-03-05T06:07:08, with a
// fraction where there is one and no zeros at its end, so that the order of the texts is that of the times.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace candor::engine::functions {

// Microseconds since 1970.
using Instant = std::int64_t;

// Reads what applications store: a date alone (midnight), T or a blank before the time, without seconds, a fraction of any
// length (digits beyond the sixth are cut off, as DuckDB does), and Z, UTC or an offset, which is brought to UTC. Fails
// with `bad-stored-value`.
[[nodiscard]] Result<Instant> read_datetime(std::string_view text);
[[nodiscard]] std::string write_datetime(Instant instant);
[[nodiscard]] bool is_canonical_datetime(std::string_view text);

// The date of an instant, "2024-03-05".
[[nodiscard]] std::string write_date(Instant instant);
[[nodiscard]] bool is_canonical_date(std::string_view text);

// Months first, where a day that the month does not have becomes its last, then days, then microseconds. Fails with
// `bad-argument` outside of the years 1 to 9999.
[[nodiscard]] Result<Instant> add_interval(Instant instant, std::int64_t months, std::int64_t days,
                                           std::int64_t microseconds);

// Units: second, minute, hour, day, week (from Monday), month, quarter, year, in any case. Fails with `bad-argument`.
[[nodiscard]] Result<Instant> truncate(std::string_view unit, Instant instant);

// PostgreSQL's values: year, month, day, hour, minute, dow (Sunday 0), isodow (Monday 1 … 7), doy, week (ISO 8601),
// quarter as integers; second and epoch with their fraction. Fails with `bad-argument`.
[[nodiscard]] Result<std::variant<std::int64_t, double>> extract(std::string_view unit, Instant instant);

// %Y %m %d %H %M %S %j %w %W %U %u %V %G %y %b %B %a %A %p %I %f (six digits) %s %%. Fails with `bad-argument`.
[[nodiscard]] Result<std::string> format_time(std::string_view format, Instant instant);

// (a - b) in seconds.
[[nodiscard]] double difference_seconds(Instant a, Instant b);

}  // namespace candor::engine::functions
