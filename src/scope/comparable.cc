// Reading numbers and moments, and comparing them by all their digits.
#include "scope/comparable.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "base/ascii.h"

namespace candor::scope {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text) {
  const auto* end = std::ranges::find_if_not(text, is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A number as 0.DIGITS * 10^exponent, without zeros at either end of the digits; of zero there are none.
struct Scaled {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// Far beyond what two exponents and the length of a text may add up to.
constexpr std::int64_t kExponentMax = std::numeric_limits<std::int64_t>::max() / 4;

std::int64_t exponent_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec == std::errc::result_out_of_range) return text.starts_with('-') ? -kExponentMax : kExponentMax;
  return std::clamp(value, -kExponentMax, kExponentMax);
}

Scaled scaled(std::string_view text) {
  Scaled number;
  number.negative = text.starts_with('-');
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (const std::size_t at = text.find_first_of("eE"); at != std::string_view::npos) {
    number.exponent = exponent_of(text.substr(at + 1));
    text = text.substr(0, at);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  number.digits = std::string(text.substr(0, point));
  number.exponent += static_cast<std::int64_t>(point);
  if (point < text.size()) number.digits += text.substr(point + 1);
  const std::size_t zeros = std::min(number.digits.find_first_not_of('0'), number.digits.size());
  number.digits.erase(0, zeros);
  number.exponent -= static_cast<std::int64_t>(zeros);
  number.digits.erase(number.digits.find_last_not_of('0') + 1);
  if (number.digits.empty()) number = Scaled();
  return number;
}

int sign_of(bool less) { return less ? -1 : 1; }

int compare_exactly(std::string_view left, std::string_view right) {
  const Scaled a = scaled(left);
  const Scaled b = scaled(right);
  const int side_a = a.digits.empty() ? 0 : a.negative ? -1 : 1;
  const int side_b = b.digits.empty() ? 0 : b.negative ? -1 : 1;
  if (side_a != side_b) return sign_of(side_a < side_b);
  if (a.exponent != b.exponent) return side_a * sign_of(a.exponent < b.exponent);
  return side_a * a.digits.compare(b.digits);
}

// [+-] digits [. digits] [e [+-] digits], with a digit on one side of the point at least.
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::size_t digits = digits_at(text);
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::size_t fraction = digits_at(text);
    digits += fraction;
    text.remove_prefix(fraction);
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && digits_at(text) == text.size();
}

// Takes a number of exactly `digits` digits off the front, behind `before`.
std::optional<int> take(std::string_view& text, std::size_t digits, std::string_view before = {}) {
  if (!text.starts_with(before)) return std::nullopt;
  const std::string_view from = text.substr(before.size());
  if (from.size() < digits || digits_at(from.substr(0, digits)) != digits) return std::nullopt;
  int value = 0;
  std::from_chars(from.data(), from.data() + digits, value);
  text = from.substr(digits);
  return value;
}

// "Z", "+02", "+0200", "-09:30", "+01:00:30" in seconds east of Greenwich; nothing is UTC.
std::optional<int> zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const int side = text.front() == '-' ? -1 : 1;
  text.remove_prefix(1);
  const auto hours = take(text, 2);
  if (!hours) return std::nullopt;
  int parts[2] = {0, 0};
  for (int& part : parts) {
    if (text.empty()) break;
    const auto value = take(text, 2, text.starts_with(':') ? ":" : "");
    if (!value || *value > 59) return std::nullopt;
    part = *value;
  }
  if (!text.empty() || *hours > 23) return std::nullopt;
  return side * ((*hours * 60 + parts[0]) * 60 + parts[1]);
}

std::int32_t take_fraction(std::string_view& text) {
  if (!text.starts_with('.') && !text.starts_with(',')) return 0;
  const std::size_t digits = digits_at(text.substr(1));
  std::string nanos(text.substr(1, std::min<std::size_t>(digits, 9)));
  nanos.resize(9, '0');
  text.remove_prefix(digits + (digits > 0 ? 1 : 0));
  std::int32_t value = 0;
  std::from_chars(nanos.data(), nanos.data() + nanos.size(), value);
  return value;
}

}  // namespace

bool Comparable::read_number(std::string_view text, Comparable& into) {
  const std::string_view unsigned_text = text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
  if (same_name(unsigned_text, "infinity") || same_name(unsigned_text, "inf")) {
    into.infinite_ = text.starts_with('-') ? -1 : 1;
  } else if (is_number(text)) {
    const std::string_view plain = text.starts_with('+') ? text.substr(1) : text;
    const auto done = std::from_chars(plain.data(), plain.data() + plain.size(), into.near_);
    if (done.ec != std::errc()) into.near_ = std::numeric_limits<double>::quiet_NaN();
    into.digits_ = std::string(plain);
  } else {
    return false;
  }
  into.kind_ = Kind::kNumber;
  return true;
}

bool Comparable::read_time(std::string_view text, Comparable& into) {
  const auto year = take(text, 4);
  const auto month = take(text, 2, "-");
  const auto day = month ? take(text, 2, "-") : std::nullopt;
  if (!year || !month || !day) return false;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return false;
  std::int64_t seconds = std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400};
  if (!text.empty()) {
    if (text.front() != 'T' && text.front() != 't' && text.front() != ' ') return false;
    text.remove_prefix(1);
    const auto hour = take(text, 2);
    if (!hour || *hour > 23) return false;
    int parts[2] = {0, 0};
    for (int& part : parts) {
      if (!text.starts_with(':')) break;
      const auto value = take(text, 2, ":");
      if (!value || *value > 59) return false;
      part = *value;
    }
    into.nanos_ = take_fraction(text);
    const auto east = zone(text);
    if (!east) return false;
    seconds += (*hour * 60 + parts[0]) * 60 + parts[1] - *east;
  }
  into.seconds_ = seconds;
  into.kind_ = Kind::kTime;
  return true;
}

Comparable Comparable::of(std::string_view text) {
  Comparable made;
  text = trimmed(text);
  if (read_number(text, made)) return made;
  Comparable moment;
  if (read_time(text, moment)) return moment;
  return {};
}

int Comparable::compare(const Comparable& a, const Comparable& b) {
  if (a.kind_ == Kind::kTime) {
    if (a.seconds_ != b.seconds_) return sign_of(a.seconds_ < b.seconds_);
    return a.nanos_ == b.nanos_ ? 0 : sign_of(a.nanos_ < b.nanos_);
  }
  if (a.infinite_ != 0 || b.infinite_ != 0) return a.infinite_ - b.infinite_;
  // Rounding keeps the order: doubles that differ tell it, equal ones don't.
  if (a.near_ < b.near_) return -1;
  if (a.near_ > b.near_) return 1;
  return compare_exactly(a.digits_, b.digits_);
}

}  // namespace candor::scope
