// Checked arithmetic, and decimal digits.
#include "engine/functions/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

#include "engine/functions/errors.h"

namespace candor::engine::functions {
namespace {

constexpr std::int64_t kScaleMax = 38;
constexpr std::int64_t kPointMax = 400;  // a double has 309 digits before its point, and a decimal far fewer

Diagnostic overflow() { return make_error("integer-overflow", "the result of the arithmetic is no 64-bit integer"); }

// digits d1 d2 … and a point: the value is 0.d1d2… times ten to the power of `point`. No digits: zero.
struct Digits {
  bool negative = false;
  std::string digits;
  std::int64_t point = 0;

  void trim() {
    const std::size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
    digits.erase(0, zeros);
    point -= static_cast<std::int64_t>(zeros);
    if (digits.empty()) point = 0;
  }

  void round(std::int64_t places) {
    const std::int64_t kept = point + places;
    if (kept >= static_cast<std::int64_t>(digits.size())) return;
    if (kept < 0) {
      digits.clear();
      return trim();
    }
    const bool up = digits[static_cast<std::size_t>(kept)] >= '5';
    digits.resize(static_cast<std::size_t>(kept));
    if (up) increment();
    trim();
  }

  void increment() {
    for (std::size_t at = digits.size(); at-- > 0;) {
      if (digits[at] != '9') {
        ++digits[at];
        return;
      }
      digits[at] = '0';
    }
    digits.insert(digits.begin(), '1');
    ++point;
  }

  // Requires a rounding at `scale` before.
  [[nodiscard]] std::string fixed(std::int64_t scale) const {
    std::string out = negative && !digits.empty() ? "-" : "";
    const auto digit = [&](std::int64_t at) {
      return at >= 0 && at < static_cast<std::int64_t>(digits.size()) ? digits[static_cast<std::size_t>(at)] : '0';
    };
    if (point <= 0) out += '0';
    for (std::int64_t at = 0; at < point; ++at) out += digit(at);
    if (scale > 0) out += '.';
    for (std::int64_t at = point; at < point + scale; ++at) out += digit(at);
    return out;
  }
};

bool read_digits(std::string_view& text, std::string& digits) {
  const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
  digits += text.substr(0, count);
  text.remove_prefix(count);
  return count > 0;
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point.
std::optional<Digits> read(std::string_view text) {
  Digits read;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    read.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool any = read_digits(text, read.digits);
  read.point = static_cast<std::int64_t>(read.digits.size());
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    any = read_digits(text, read.digits) || any;
  }
  if (!any) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    int exponent = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (failure != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    read.point += exponent;
  }
  if (!text.empty()) return std::nullopt;
  read.trim();
  if (read.point > kPointMax) return std::nullopt;
  return read;
}

std::string shortest(double value) {
  std::array<char, 64> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  return {text.data(), written.ptr};
}

Result<std::string> fixed(std::optional<Digits> value, std::int64_t scale, std::string_view text) {
  if (scale < 0 || scale > kScaleMax) return make_error("bad-argument", "a decimal has 0 to 38 digits after the point");
  if (!value) return make_error("bad-stored-value", shown(text) + " is no decimal number");
  value->round(scale);
  return value->fixed(scale);
}

}  // namespace

Result<std::int64_t> add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return overflow();
  return result;
}

Result<std::int64_t> subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return overflow();
  return result;
}

Result<std::int64_t> multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return overflow();
  return result;
}

Result<std::int64_t> negate(std::int64_t a) { return subtract(0, a); }

Result<std::int64_t> absolute(std::int64_t a) { return a < 0 ? negate(a) : Result<std::int64_t>(a); }

Diagnostic number_overflow() {
  return make_error("number-overflow", "the result of the arithmetic is beyond the range of a number");
}

namespace {

Result<double> checked(double result, double a, double b, bool vanished) {
  if (vanished || (std::isinf(result) && std::isfinite(a) && std::isfinite(b))) return number_overflow();
  return result;
}

}  // namespace

Result<double> add(double a, double b) { return checked(a + b, a, b, false); }
Result<double> subtract(double a, double b) { return checked(a - b, a, b, false); }
Result<double> multiply(double a, double b) { return checked(a * b, a, b, a * b == 0 && a != 0 && b != 0); }
Result<double> divide(double a, double b) { return checked(a / b, a, b, a / b == 0 && a != 0 && std::isfinite(b)); }

Result<std::int64_t> to_integer(double value) {
  constexpr double kBound = 9223372036854775808.0;  // the first beyond
  const double whole = round(value, 0);
  if (!(whole >= -kBound && whole < kBound)) return overflow();
  return static_cast<std::int64_t>(whole);
}

double round(double value, std::int64_t places) {
  if (!std::isfinite(value)) return value;
  places = std::clamp<std::int64_t>(places, -kPointMax, 2 * kPointMax);
  auto digits = read(shortest(value));
  if (!digits || digits->point + places >= static_cast<std::int64_t>(digits->digits.size())) return value;
  digits->round(places);
  const std::string text = (digits->negative ? "-0." : "0.") + digits->digits + "0e" + std::to_string(digits->point);
  double rounded = value;
  // What rounds up beyond the largest double stays as it is.
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

Result<std::int64_t> round(std::int64_t value, std::int64_t places) {
  if (places >= 0) return value;
  auto digits = read(std::to_string(value));
  if (!digits) return value;
  digits->round(std::max<std::int64_t>(places, -kPointMax));
  const std::string text = digits->fixed(0);
  std::int64_t rounded = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), rounded).ec != std::errc()) return overflow();
  return rounded;
}

Result<std::string> decimal(double value, std::int64_t scale) {
  const std::string text = shortest(value);
  return fixed(std::isfinite(value) ? read(text) : std::nullopt, scale, text);
}

Result<std::string> decimal(std::int64_t value, std::int64_t scale) {
  const std::string text = std::to_string(value);
  return fixed(read(text), scale, text);
}

Result<std::string> decimal(std::string_view value, std::int64_t scale) { return fixed(read(value), scale, value); }

}  // namespace candor::engine::functions
