// Arithmetic of doubles, brought back to the digits that it would have in decimals.
#include "engine/functions/decimals.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string>

#include "engine/functions/casts.h"
#include "engine/functions/errors.h"
#include "engine/functions/numbers.h"

namespace candor::engine::functions {
namespace {

constexpr std::int64_t kDigits = 15;  // that a double keeps, whatever they are

double real_of(const Decimal& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

// Digits before the point: 3 of 123.4, -1 of 0.01.
std::int64_t width_of(double value) {
  return value == 0 ? 0 : static_cast<std::int64_t>(std::floor(std::log10(std::abs(value)))) + 1;
}

// Digits behind the point, of the fifteen that are meant.
std::int64_t scale_of(double value) {
  if (!std::isfinite(value) || std::rint(value) == value) return 0;
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), "%.14e", value);
  const std::string_view whole(text.data());
  const std::size_t mark = whole.find('e');
  std::string_view digits = whole.substr(0, mark);
  while (digits.ends_with('0')) digits.remove_suffix(1);
  const std::size_t point = digits.find('.');
  const auto behind = point == std::string_view::npos ? 0 : static_cast<std::int64_t>(digits.size() - point - 1);
  int exponent = 0;
  const bool plus = whole[mark + 1] == '+';
  (void)std::from_chars(whole.data() + mark + (plus ? 2 : 1), whole.data() + whole.size(), exponent);
  return std::max<std::int64_t>(behind - exponent, 0);
}

std::int64_t scale_of(const Decimal& value) {
  return std::holds_alternative<double>(value) ? scale_of(std::get<double>(value)) : 0;
}

// The result as the decimal that it would be.
Result<Decimal> settled(double value, std::int64_t scale, bool finite) {
  if (std::isinf(value) && finite) return number_overflow();
  return Decimal(round(value, std::min(scale, std::max<std::int64_t>(kDigits - width_of(value), 0))));
}

bool both_finite(const Decimal& a, const Decimal& b) { return std::isfinite(real_of(a)) && std::isfinite(real_of(b)); }

template <typename Whole, typename Real>
Result<Decimal> reckoned(const Decimal& a, const Decimal& b, std::int64_t scale, Whole whole, Real real) {
  const auto* left = std::get_if<std::int64_t>(&a);
  const auto* right = std::get_if<std::int64_t>(&b);
  if (left != nullptr && right != nullptr) {
    const Result<std::int64_t> made = whole(*left, *right);
    if (made.ok()) return Decimal(*made);
  }
  return settled(real(real_of(a), real_of(b)), scale, both_finite(a, b));
}

// Digits from the first to the last that is not zero.
std::size_t significant(std::string_view text) {
  text = text.substr(0, std::min(text.find_first_of("eE"), text.size()));
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? 0 : digits.find_last_not_of('0') - first + 1;
}

// Adds, and keeps what the addition loses (Neumaier, 1974).
void compensated(double& sum, double& lost, double value) {
  const double next = sum + value;
  lost += std::abs(sum) >= std::abs(value) ? (sum - next) + value : (value - next) + sum;
  sum = next;
}

}  // namespace

Result<Decimal> add(const Decimal& a, const Decimal& b) {
  return reckoned(
      a, b, std::max(scale_of(a), scale_of(b)), [](std::int64_t x, std::int64_t y) { return add(x, y); },
      [](double x, double y) { return x + y; });
}

Result<Decimal> subtract(const Decimal& a, const Decimal& b) {
  return reckoned(
      a, b, std::max(scale_of(a), scale_of(b)), [](std::int64_t x, std::int64_t y) { return subtract(x, y); },
      [](double x, double y) { return x - y; });
}

Result<Decimal> multiply(const Decimal& a, const Decimal& b) {
  return reckoned(
      a, b, scale_of(a) + scale_of(b), [](std::int64_t x, std::int64_t y) { return multiply(x, y); },
      [](double x, double y) { return x * y; });
}

Result<Decimal> text_to_decimal(std::string_view text) {
  const Result<double> number = text_to_number(text);
  if (!number.ok()) return number.error();
  if (const Result<std::int64_t> whole = text_to_integer(text); whole.ok()) return Decimal(*whole);
  if (significant(text) <= static_cast<std::size_t>(kDigits)) return Decimal(*number);
  return make_error("number-overflow", shown(text) + " has more than the fifteen digits that SQLite keeps of a decimal",
                    "write fewer digits");
}

Decimal at_scale(const Decimal& value, std::int64_t scale) {
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? value : Decimal(round(*real, scale));
}

Result<Decimal> text_to_decimal(std::string_view text, std::int64_t scale) {
  const Result<double> number = text_to_number(text);
  if (!number.ok()) return number.error();
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  CANDOR_ASSIGN(std::string rounded, decimal(text, scale));
  while (rounded.find('.') != std::string::npos && (rounded.ends_with('0') || rounded.ends_with('.'))) {
    const bool point = rounded.ends_with('.');
    rounded.pop_back();
    if (point) break;
  }
  return text_to_decimal(rounded);
}

Status check_precision(const Decimal& value, std::int64_t precision, std::int64_t scale) {
  const double bound = std::pow(10.0, static_cast<double>(precision - scale));
  if (std::abs(real_of(value)) < bound) return Ok{};
  return make_error("number-overflow", "the column has room for " + std::to_string(precision - scale) +
                                           " digits before the point, and the value has more");
}

void DecimalSum::add(const Decimal& value) {
  ++count_;
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) {
    scale_ = std::max(scale_, scale_of(value));
    whole_.reset();
  } else if (whole_) {
    const Result<std::int64_t> next = functions::add(*whole_, *whole);
    whole_ = next.ok() ? std::optional(*next) : std::nullopt;
  }
  compensated(sum_, lost_, real_of(value));
}

Result<Decimal> DecimalSum::sum() const {
  if (whole_) return Decimal(*whole_);
  if (!std::isfinite(sum_)) return number_overflow();
  return settled(sum_ + lost_, scale_, true);
}

Result<double> DecimalSum::average() const {
  CANDOR_ASSIGN(const Decimal total, sum());
  // The double that is meant is not the decimal itself: a wider one comes nearer to that.
  std::array<char, 64> text{};
  long double wide = real_of(total);
  const auto written = std::to_chars(text.data(), text.data() + text.size(), real_of(total));
  if (!whole_) std::from_chars(text.data(), written.ptr, wide);
  if (whole_) wide = static_cast<long double>(*whole_);
  return static_cast<double>(wide / static_cast<long double>(count_));
}

void NumberSum::add(double value) {
  ++count_;
  finite_ = finite_ && std::isfinite(value);
  sum_ += value;
}

Result<double> NumberSum::sum() const {
  if (finite_ && !std::isfinite(sum_)) return number_overflow();
  return sum_;
}

}  // namespace candor::engine::functions
