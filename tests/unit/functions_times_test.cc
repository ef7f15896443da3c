// Dates and times: what is read, what is written, and what glibc's calendar says of the same moments.
#include <array>
#include <cmath>
#include <ctime>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "engine/functions/times.h"

namespace candor::engine::functions {
namespace {

std::string canonical(std::string_view text) {
  const auto instant = read_datetime(text);
  return instant.ok() ? write_datetime(*instant) : instant.error().code;
}

TEST(FunctionsTimes, WhatApplicationsStoreIsRead) {
  EXPECT_EQ(canonical("2024-03-05"), "2024-03-05T00:00:00");
  EXPECT_EQ(canonical("2024-03-05 06:07"), "2024-03-05T06:07:00");
  EXPECT_EQ(canonical("2024-03-05T06:07:08"), "2024-03-05T06:07:08");
  EXPECT_EQ(canonical("2024-03-05 06:07:08.5"), "2024-03-05T06:07:08.5");
  EXPECT_EQ(canonical("2024-03-05 06:07:08.500000"), "2024-03-05T06:07:08.5");
  EXPECT_EQ(canonical("2024-03-05 06:07:08.000"), "2024-03-05T06:07:08");
  EXPECT_EQ(canonical("2024-03-05 06:07:08.1234567"), "2024-03-05T06:07:08.123456") << "cut off, as DuckDB does";
  EXPECT_EQ(canonical("2024-03-05T06:07:08Z"), "2024-03-05T06:07:08");
  EXPECT_EQ(canonical("2024-03-05 06:07:08 UTC"), "2024-03-05T06:07:08");
  EXPECT_EQ(canonical("2024-03-05T06:07:08+02:00"), "2024-03-05T04:07:08");
  EXPECT_EQ(canonical("2024-03-05 06:07:08+02"), "2024-03-05T04:07:08");
  EXPECT_EQ(canonical("2024-03-05 06:07:08.25-0530"), "2024-03-05T11:37:08.25");
  EXPECT_EQ(canonical("2024-01-01T00:30+01:00"), "2023-12-31T23:30:00");
  EXPECT_EQ(canonical("0001-01-01"), "0001-01-01T00:00:00");
  EXPECT_EQ(canonical("9999-12-31 23:59:59.999999"), "9999-12-31T23:59:59.999999");
  EXPECT_EQ(canonical("2024-02-29"), "2024-02-29T00:00:00");
}

TEST(FunctionsTimes, WhatIsNoTimeIsRefused) {
  for (const char* wrong : {"",
                            "2024",
                            "2024-3-5",
                            "2024-03",
                            "2023-02-29",
                            "2024-13-01",
                            "2024-00-01",
                            "2024-01-32",
                            "0000-01-01",
                            "2024-03-05X06:07",
                            "2024-03-05 6:07",
                            "2024-03-05 24:00",
                            "2024-03-05 06:60",
                            "2024-03-05 06:07:60",
                            "2024-03-05 06:07:08.",
                            "2024-03-05 06",
                            "2024-03-05 06:07:08+",
                            "2024-03-05 06:07:08+2",
                            " 2024-03-05",
                            "2024-03-05 ",
                            "2024-03-05+02:00",
                            "2024-03-05 06:07:08+16:00",
                            "2024-03-05 06:07:08+02:60",
                            "05.03.2024",
                            "1709618828",
                            "now",
                            "10000-01-01",
                            "-2024-01-01",
                            "0001-01-01 00:00+01:00",
                            "9999-12-31 23:59:59-01:00",
                            "2024-03-05 06:07:08 CET"}) {
    EXPECT_EQ(canonical(wrong), "bad-stored-value") << wrong;
  }
}

TEST(FunctionsTimes, CanonicalTextsAreThoseThatAreWritten) {
  for (const char* text : {"2024-03-05T06:07:08", "2024-03-05T06:07:08.5", "2024-02-29T23:59:59.000001"}) {
    EXPECT_TRUE(is_canonical_datetime(text)) << text;
    EXPECT_EQ(canonical(text), text);
  }
  for (const char* text : {"2024-03-05 06:07:08", "2024-03-05T06:07:08.50", "2024-03-05T06:07:08.", "2024-03-05T06:07",
                           "2024-02-30T06:07:08", "2024-03-05T24:07:08", "2024-03-05T06:60:08", "2024-03-05T06:07:60",
                           "0000-03-05T06:07:08", "2024-03-05T06:07:08.1234567", "2024-03-05T06:07:08Z", ""}) {
    EXPECT_FALSE(is_canonical_datetime(text)) << text;
  }
  EXPECT_TRUE(is_canonical_date("2024-02-29"));
  for (const char* text : {"2023-02-29", "2024-2-29", "2024-02-29T00:00:00", "0000-01-01", ""}) {
    EXPECT_FALSE(is_canonical_date(text)) << text;
  }
}

std::string moved(std::string_view text, std::int64_t months, std::int64_t days, std::int64_t micros) {
  const auto sum = add_interval(*read_datetime(text), months, days, micros);
  return sum.ok() ? write_datetime(*sum) : sum.error().code;
}

// As PostgreSQL does; DuckDB is asked the same in contract_functions_test.cc.
TEST(FunctionsTimes, MonthsEndWhereTheyEnd) {
  EXPECT_EQ(moved("2024-01-31", 1, 0, 0), "2024-02-29T00:00:00");
  EXPECT_EQ(moved("2023-01-31", 1, 0, 0), "2023-02-28T00:00:00");
  EXPECT_EQ(moved("2024-03-31", -1, 0, 0), "2024-02-29T00:00:00");
  EXPECT_EQ(moved("2024-02-29", 12, 1, 3'600'000'000), "2025-03-01T01:00:00");
  EXPECT_EQ(moved("2024-01-31", 1, 1, 0), "2024-03-01T00:00:00") << "months come first";
  EXPECT_EQ(moved("2024-01-01", 0, 0, -1), "2023-12-31T23:59:59.999999");
  EXPECT_EQ(moved("1969-12-31 23:59:59.5", 0, 0, 500'000), "1970-01-01T00:00:00");
  EXPECT_EQ(moved("9999-12-31", 0, 1, 0), "bad-argument");
  EXPECT_EQ(moved("0001-01-01", 0, 0, -1), "bad-argument");
  EXPECT_EQ(moved("2024-01-01", INT64_MAX, 0, 0), "bad-argument");
  EXPECT_EQ(moved("2024-01-01", 0, INT64_MIN, 0), "bad-argument");
  EXPECT_EQ(moved("2024-01-01", 0, 0, INT64_MAX), "bad-argument");
}

std::string truncated(std::string_view unit, std::string_view text) {
  const auto start = truncate(unit, *read_datetime(text));
  return start.ok() ? write_datetime(*start) : start.error().code;
}

TEST(FunctionsTimes, UnitsBeginWhereTheyBegin) {
  constexpr std::string_view kMoment = "2024-05-15T13:14:15.161718";
  EXPECT_EQ(truncated("second", kMoment), "2024-05-15T13:14:15");
  EXPECT_EQ(truncated("MINUTE", kMoment), "2024-05-15T13:14:00");
  EXPECT_EQ(truncated("hour", kMoment), "2024-05-15T13:00:00");
  EXPECT_EQ(truncated("day", kMoment), "2024-05-15T00:00:00");
  EXPECT_EQ(truncated("week", kMoment), "2024-05-13T00:00:00");
  EXPECT_EQ(truncated("week", "2024-05-13"), "2024-05-13T00:00:00");
  EXPECT_EQ(truncated("week", "2024-05-12 23:59"), "2024-05-06T00:00:00") << "Sunday ends a week";
  EXPECT_EQ(truncated("month", kMoment), "2024-05-01T00:00:00");
  EXPECT_EQ(truncated("quarter", kMoment), "2024-04-01T00:00:00");
  EXPECT_EQ(truncated("year", kMoment), "2024-01-01T00:00:00");
  EXPECT_EQ(truncated("hour", "1969-12-31 23:30"), "1969-12-31T23:00:00");
  for (const char* wrong : {"", "dow", "epoch", "century", "days"})
    EXPECT_EQ(truncated(wrong, kMoment), "bad-argument");
}

std::string part(std::string_view unit, std::string_view text) {
  const auto value = extract(unit, *read_datetime(text));
  if (!value.ok()) return value.error().code;
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) return std::to_string(*integer);
  std::array<char, 40> out{};
  std::snprintf(out.data(), out.size(), "%.6f", std::get<double>(*value));
  return out.data();
}

TEST(FunctionsTimes, PartsArePostgresqls) {
  constexpr std::string_view kSunday = "2024-12-29T06:07:08.25";
  EXPECT_EQ(part("year", kSunday), "2024");
  EXPECT_EQ(part("month", kSunday), "12");
  EXPECT_EQ(part("day", kSunday), "29");
  EXPECT_EQ(part("hour", kSunday), "6");
  EXPECT_EQ(part("minute", kSunday), "7");
  EXPECT_EQ(part("second", kSunday), "8.250000");
  EXPECT_EQ(part("dow", kSunday), "0");
  EXPECT_EQ(part("isodow", kSunday), "7");
  EXPECT_EQ(part("doy", kSunday), "364");
  EXPECT_EQ(part("week", kSunday), "52");
  EXPECT_EQ(part("week", "2024-12-30"), "1");
  EXPECT_EQ(part("week", "2021-01-03"), "53");
  EXPECT_EQ(part("quarter", kSunday), "4");
  EXPECT_EQ(part("EPOCH", kSunday), "1735452428.250000");
  EXPECT_EQ(part("epoch", "1969-12-31T23:59:59.5"), "-0.500000");
  EXPECT_EQ(part("century", kSunday), "bad-argument");
}

// The same moments by glibc's calendar.
TEST(FunctionsTimes, FormatsAreTheCLibrarys) {
  std::mt19937_64 random(11);  // NOLINT(cert-msc51-cpp): the same in every run
  constexpr const char* kFormat = "%Y-%m-%d %H:%M:%S %j %w %W %U %u %V %G %y %b %B %a %A %p %I %%";
  for (int i = 0; i < 20'000; ++i) {
    // The years 1001 to 2999, for "%Y" and "%G" have no zeros before them in glibc.
    const auto seconds = static_cast<std::time_t>(random() % 63'000'000'000) - 30'560'000'000;
    std::tm civil{};
    ASSERT_NE(::gmtime_r(&seconds, &civil), nullptr);
    std::array<char, 200> expected{};
    ASSERT_GT(std::strftime(expected.data(), expected.size(), kFormat, &civil), 0U);
    const Instant instant = static_cast<Instant>(seconds) * 1'000'000 + static_cast<Instant>(random() % 1'000'000);
    const auto formatted = format_time(kFormat, instant);
    ASSERT_TRUE(formatted.ok());
    ASSERT_EQ(*formatted, expected.data());
    ASSERT_EQ(*format_time("%s", instant), std::to_string(seconds));
    ASSERT_EQ(*read_datetime(write_datetime(instant)), instant);
    ASSERT_EQ(std::get<std::int64_t>(*extract("doy", instant)), civil.tm_yday + 1);
    ASSERT_EQ(std::get<std::int64_t>(*extract("dow", instant)), civil.tm_wday);
  }
}

TEST(FunctionsTimes, FormatsOfTheirOwn) {
  const Instant instant = *read_datetime("0987-03-05 06:07:08.000120");
  EXPECT_EQ(*format_time("%Y %f %S.%f", instant), "0987 000120 08.000120");
  EXPECT_EQ(*format_time("é%d…", instant), "é05…");
  for (const char* wrong : {"%", "%Q", "%d %", "%é", "%-d"}) {
    EXPECT_EQ(format_time(wrong, instant).error().code, "bad-argument") << wrong;
  }
}

TEST(FunctionsTimes, DifferencesAreSeconds) {
  EXPECT_EQ(difference_seconds(*read_datetime("2024-01-02"), *read_datetime("2024-01-01 12:00:00.5")), 43'199.5);
  EXPECT_EQ(difference_seconds(*read_datetime("2024-01-01"), *read_datetime("2024-01-02")), -86'400);
}

}  // namespace
}  // namespace candor::engine::functions
