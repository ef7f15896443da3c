// Integers that do not overflow unseen, and decimal rounding by what a number looks like.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::engine::functions {

// Fail with `integer-overflow` beyond 64 bits.
[[nodiscard]] Result<std::int64_t> add(std::int64_t a, std::int64_t b);
[[nodiscard]] Result<std::int64_t> subtract(std::int64_t a, std::int64_t b);
[[nodiscard]] Result<std::int64_t> multiply(std::int64_t a, std::int64_t b);
[[nodiscard]] Result<std::int64_t> negate(std::int64_t a);
[[nodiscard]] Result<std::int64_t> absolute(std::int64_t a);

// Of doubles, as PostgreSQL does it. Fail with `number-overflow` where finite numbers give an infinity, and where numbers
// that are not zero give zero. A division by zero is the caller's affair.
[[nodiscard]] Result<double> add(double a, double b);
[[nodiscard]] Result<double> subtract(double a, double b);
[[nodiscard]] Result<double> multiply(double a, double b);
[[nodiscard]] Result<double> divide(double a, double b);
[[nodiscard]] Diagnostic number_overflow();

// Rounded to a whole number, half away from zero. Fails with `integer-overflow`.
[[nodiscard]] Result<std::int64_t> to_integer(double value);

// Half away from zero, at `places` after the point or, where negative, before it. A double is rounded as its shortest
// decimal text, so that 1.005 at two places is 1.01 and not what its binary value would give. Infinities and NaN stay.
[[nodiscard]] double round(double value, std::int64_t places);
[[nodiscard]] Result<std::int64_t> round(std::int64_t value, std::int64_t places);

// A decimal with exactly `scale` digits after the point, rounded likewise: "12.50". Zero has no sign. Fails with
// `bad-stored-value` for what is no finite decimal number, and with `bad-argument` for a scale outside 0 … 38.
[[nodiscard]] Result<std::string> decimal(double value, std::int64_t scale);
[[nodiscard]] Result<std::string> decimal(std::int64_t value, std::int64_t scale);
[[nodiscard]] Result<std::string> decimal(std::string_view value, std::int64_t scale);

}  // namespace candor::engine::functions
