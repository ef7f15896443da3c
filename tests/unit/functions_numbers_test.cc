// Checked integers; rounding of what a number looks like.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>

#include "engine/functions/numbers.h"

namespace candor::engine::functions {
namespace {

std::string told(const Result<std::int64_t>& result) {
  return result.ok() ? std::to_string(*result) : result.error().code;
}
std::string told(const Result<std::string>& result) { return result.ok() ? *result : result.error().code; }

TEST(FunctionsNumbers, IntegersDoNotOverflowUnseen) {
  EXPECT_EQ(told(add(INT64_MAX - 1, 1)), "9223372036854775807");
  EXPECT_EQ(told(add(INT64_MAX, 1)), "integer-overflow");
  EXPECT_EQ(told(subtract(INT64_MIN, 1)), "integer-overflow");
  EXPECT_EQ(told(subtract(-1, INT64_MIN)), "9223372036854775807");
  EXPECT_EQ(told(multiply(3'037'000'500, 3'037'000'500)), "integer-overflow");
  EXPECT_EQ(told(multiply(INT64_MIN, 1)), "-9223372036854775808");
  EXPECT_EQ(told(negate(INT64_MIN)), "integer-overflow");
  EXPECT_EQ(told(absolute(INT64_MIN)), "integer-overflow");
  EXPECT_EQ(told(absolute(-7)), "7");
}

TEST(FunctionsNumbers, ADoubleIsRoundedAsItIsWritten) {
  EXPECT_EQ(round(1.005, 2), 1.01);
  EXPECT_EQ(round(2.675, 2), 2.68);
  EXPECT_EQ(round(0.285, 2), 0.29);
  EXPECT_EQ(round(5.015, 2), 5.02);
  EXPECT_EQ(round(2.5, 0), 3);
  EXPECT_EQ(round(-2.5, 0), -3);
  EXPECT_EQ(round(0.5, 0), 1);
  EXPECT_EQ(round(0.49999999999999994, 0), 0);
  EXPECT_EQ(round(1234.5, -2), 1200);
  EXPECT_EQ(round(1250.0, -2), 1300);
  EXPECT_EQ(round(49.0, -2), 0);
  EXPECT_EQ(round(50.0, -2), 100);
  EXPECT_EQ(round(9.995, 2), 10);
  EXPECT_EQ(round(1e300, 2), 1e300);
  EXPECT_EQ(round(5e-324, 2), 0);
  EXPECT_EQ(round(0.1, 400), 0.1);
  EXPECT_EQ(round(123.456, INT64_MIN), 0);
  EXPECT_EQ(round(123.456, INT64_MAX), 123.456);
  EXPECT_TRUE(std::isnan(round(std::nan(""), 2)));
  EXPECT_EQ(round(-HUGE_VAL, 2), -HUGE_VAL);
}

// Decimals of up to six places, where the answer is known exactly from integers.
TEST(FunctionsNumbers, RoundingIsThatOfTheDecimal) {
  std::mt19937_64 random(7);  // NOLINT(cert-msc51-cpp): the same in every run
  constexpr std::array<std::int64_t, 7> kPowers = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000};
  for (int i = 0; i < 50'000; ++i) {
    const auto millionths = static_cast<std::int64_t>(random() % 2'000'000'000'000) - 1'000'000'000'000;
    const std::size_t places = random() % 6;
    const std::int64_t unit = kPowers[6 - places];
    const std::int64_t half = millionths < 0 ? -unit / 2 : unit / 2;
    const std::int64_t expected = (millionths + half) / unit;  // in units of the last place
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%lld.%06llde-6", static_cast<long long>(millionths), 0LL);
    const double value = std::strtod(text.data(), nullptr);
    std::snprintf(text.data(), text.size(), "%lld.0e-%zu", static_cast<long long>(expected), places);
    ASSERT_EQ(round(value, static_cast<std::int64_t>(places)), std::strtod(text.data(), nullptr))
        << millionths << " at " << places;
  }
}

TEST(FunctionsNumbers, IntegersAreRoundedBeforeThePoint) {
  EXPECT_EQ(told(round(std::int64_t{15}, -1)), "20");
  EXPECT_EQ(told(round(std::int64_t{-15}, -1)), "-20");
  EXPECT_EQ(told(round(std::int64_t{14}, -1)), "10");
  EXPECT_EQ(told(round(std::int64_t{4}, -1)), "0");
  EXPECT_EQ(told(round(std::int64_t{15}, 3)), "15");
  EXPECT_EQ(told(round(INT64_MAX, -1)), "integer-overflow");
  EXPECT_EQ(told(round(INT64_MIN, -18)), "-9000000000000000000");
  EXPECT_EQ(told(round(INT64_MAX, -25)), "0");
}

TEST(FunctionsNumbers, DecimalsKeepTheirScale) {
  EXPECT_EQ(told(decimal(12.5, 2)), "12.50");
  EXPECT_EQ(told(decimal(std::int64_t{12}, 2)), "12.00");
  EXPECT_EQ(told(decimal("12.345", 2)), "12.35");
  EXPECT_EQ(told(decimal("-12.345", 2)), "-12.35");
  EXPECT_EQ(told(decimal("99.995", 2)), "100.00");
  EXPECT_EQ(told(decimal("0.004", 2)), "0.00");
  EXPECT_EQ(told(decimal("-0.004", 2)), "0.00") << "zero has no sign";
  EXPECT_EQ(told(decimal("00012", 0)), "12");
  EXPECT_EQ(told(decimal("1e3", 1)), "1000.0");
  EXPECT_EQ(told(decimal(".5", 1)), "0.5");
  EXPECT_EQ(told(decimal("5.", 1)), "5.0");
  EXPECT_EQ(told(decimal("+1.25e-1", 4)), "0.1250");
  EXPECT_EQ(told(decimal(1e22, 0)), "10000000000000000000000");
  EXPECT_EQ(told(decimal("12345678901234567890123456789012345678", 2)), "12345678901234567890123456789012345678.00");
  for (const char* wrong :
       {"", " 1", "1 ", "abc", "1,5", "0x1F", "--1", "1e", "1e999999999", ".", "NaN", "inf", "1e5000"}) {
    EXPECT_EQ(told(decimal(wrong, 2)), "bad-stored-value") << wrong;
  }
  EXPECT_EQ(told(decimal(HUGE_VAL, 2)), "bad-stored-value");
  EXPECT_EQ(told(decimal(std::int64_t{1}, -1)), "bad-argument");
  EXPECT_EQ(told(decimal(std::int64_t{1}, 39)), "bad-argument");
}

}  // namespace
}  // namespace candor::engine::functions
