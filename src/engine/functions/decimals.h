// Decimals as SQLite keeps them: 64-bit integers, and doubles of which fifteen digits are meant. They are reckoned by their
// digits, so that 0.99 times 3 is 2.97; a result of more than fifteen digits is rounded to them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace candor::engine::functions {

using Decimal = std::variant<std::int64_t, double>;

// Fail with `number-overflow` beyond the largest double.
[[nodiscard]] Result<Decimal> add(const Decimal& a, const Decimal& b);
[[nodiscard]] Result<Decimal> subtract(const Decimal& a, const Decimal& b);
[[nodiscard]] Result<Decimal> multiply(const Decimal& a, const Decimal& b);

// A number's digits, exact. Fails with `number-overflow` for more of them than are kept, and with `type-mismatch` for what is
// no number.
[[nodiscard]] Result<Decimal> text_to_decimal(std::string_view text);

// Rounded, half away from zero.
[[nodiscard]] Decimal at_scale(const Decimal& value, std::int64_t scale);
// Of a text by all of its digits.
[[nodiscard]] Result<Decimal> text_to_decimal(std::string_view text, std::int64_t scale);

// Whether it has at most `precision` digits, `scale` of them behind the point; fails with `number-overflow`.
[[nodiscard]] Status check_precision(const Decimal& value, std::int64_t precision, std::int64_t scale);

class DecimalSum {
 public:
  void add(const Decimal& value);
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Requires a value. Fail with `number-overflow`.
  [[nodiscard]] Result<Decimal> sum() const;
  [[nodiscard]] Result<double> average() const;

 private:
  std::int64_t count_ = 0;
  std::optional<std::int64_t> whole_ = 0;  // while all were integers, and their sum is one
  double sum_ = 0, lost_ = 0;
  std::int64_t scale_ = 0;
};

// Of doubles, added up in their order as the other engines do.
class NumberSum {
 public:
  void add(double value);
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Requires a value. Fails with `number-overflow` where finite numbers give none.
  [[nodiscard]] Result<double> sum() const;

 private:
  std::int64_t count_ = 0;
  double sum_ = 0;
  bool finite_ = true;
};

}  // namespace candor::engine::functions
