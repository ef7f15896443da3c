// A small recogniser for numbers, dates and times.
#include "engine/duckdb/text_class.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "base/ascii.h"

namespace candor::engine::duckdb {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// The digits that count: without point and the zeros around them.
std::string significant(std::string_view whole, std::string_view fraction) {
  std::string digits = std::string(whole) + std::string(fraction);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (digits.ends_with('0')) digits.pop_back();
  return digits;
}

// Whether the nearest double gives back all digits that are written.
bool keeps_digits(std::string_view number, const std::string& digits) {
  constexpr std::size_t kAlways = 15;  // any decimal of so many digits survives a double
  constexpr std::size_t kNever = 17;   // and a double is told from all others by so many
  double value = 0;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (problem != std::errc{} || end != number.data() + number.size() || !std::isfinite(value)) return false;
  if (digits.size() <= kAlways) return true;
  if (digits.size() > kNever) return false;
  std::array<char, 40> text{};
  const auto done = std::to_chars(text.data(), text.data() + text.size(), std::abs(value),
                                  std::chars_format::scientific, static_cast<int>(digits.size()) - 1);
  const std::string_view written(text.data(), static_cast<std::size_t>(done.ptr - text.data()));
  return significant(written.substr(0, 1), written.substr(2, digits.size() - 1)) == digits;
}

std::optional<TextClass> number_class(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-')) rest.remove_prefix(1);
  const std::string_view whole = rest.substr(0, digits_at(rest));
  rest.remove_prefix(whole.size());
  std::string_view fraction;
  bool point = false;
  if (rest.starts_with('.')) {
    point = true;
    rest.remove_prefix(1);
    fraction = rest.substr(0, digits_at(rest));
    rest.remove_prefix(fraction.size());
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  bool exponent = false;
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E')) {
    exponent = true;
    rest.remove_prefix(1);
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    if (digits_at(rest) == 0) return std::nullopt;
    rest.remove_prefix(digits_at(rest));
  }
  if (!rest.empty()) return std::nullopt;
  if (whole.size() > 1 && whole.front() == '0') return TextClass::kZeros;
  if (point || exponent) return keeps_digits(text, significant(whole, fraction)) ? TextClass::kReal : TextClass::kLong;
  if (whole.size() <= 15) return TextClass::kInteger;
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() ? TextClass::kLongInteger : TextClass::kLong;
}

// Takes `width_min` to `width_max` digits from the front.
std::optional<int> take_number(std::string_view& text, std::size_t width_min, std::size_t width_max) {
  const std::size_t width = std::min(digits_at(text), width_max);
  if (width < width_min) return std::nullopt;
  int value = 0;
  std::from_chars(text.data(), text.data() + width, value);
  text.remove_prefix(width);
  return value;
}

bool take(std::string_view& text, std::string_view one_of) {
  if (text.empty() || one_of.find(text.front()) == one_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

bool is_date(int year, int month, int day) {
  constexpr std::array<int, 13> kDays = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[static_cast<std::size_t>(month)] + (month == 2 && leap ? 1 : 0);
}

// "12:30", "12:30:00", "12:30:00.123456"
bool take_clock(std::string_view& text, bool seconds_needed) {
  const auto hour = take_number(text, 2, 2);
  if (!hour || *hour > 23 || !take(text, ":")) return false;
  const auto minute = take_number(text, 2, 2);
  if (!minute || *minute > 59) return false;
  if (!take(text, ":")) return !seconds_needed;
  const auto second = take_number(text, 2, 2);
  if (!second || *second > 59) return false;
  if (!take(text, ".")) return true;
  const std::size_t places = digits_at(text);
  text.remove_prefix(places);
  return places >= 1 && places <= 6;
}

// "Z", "+02", "-0530", "+05:30"
bool is_offset(std::string_view text) {
  if (text == "Z") return true;
  if (!take(text, "+-")) return false;
  const auto hours = take_number(text, 2, 2);
  if (!hours || *hours > 15) return false;
  if (text.empty()) return true;
  take(text, ":");
  const auto minutes = take_number(text, 2, 2);
  return minutes && *minutes <= 59 && text.empty();
}

TextClass after_iso_date(std::string_view rest) {
  if (rest.empty()) return TextClass::kDate;
  if (!take(rest, "T ") || !take_clock(rest, false)) return TextClass::kOther;
  if (rest.empty()) return TextClass::kTimestamp;
  return is_offset(rest) ? TextClass::kInstant : TextClass::kOther;
}

TextClass date_class(std::string_view text) {
  std::string_view rest = text;
  if (take_clock(rest, true)) return rest.empty() ? TextClass::kTime : TextClass::kOther;
  rest = text;
  const std::size_t width = digits_at(rest);
  if (width == 4) {
    const int year = *take_number(rest, 4, 4);
    const bool iso = rest.starts_with('-');
    if (!take(rest, "-/.")) return TextClass::kOther;
    const auto month = take_number(rest, iso ? 2 : 1, 2);
    if (!month || !take(rest, iso ? "-" : "/.")) return TextClass::kOther;
    const auto day = take_number(rest, iso ? 2 : 1, 2);
    if (!day || !is_date(year, *month, *day)) return TextClass::kOther;
    if (iso) return after_iso_date(rest);
    return rest.empty() ? TextClass::kYearFirst : TextClass::kOther;
  }
  if (width < 1 || width > 2) return TextClass::kOther;
  const int first = *take_number(rest, 1, 2);
  if (!take(rest, "-/.")) return TextClass::kOther;
  const auto second = take_number(rest, 1, 2);
  if (!second || !take(rest, "-/.")) return TextClass::kOther;
  const auto year = take_number(rest, 4, 4);
  if (!year || !rest.empty()) return TextClass::kOther;
  const bool day_first = is_date(*year, *second, first);
  const bool month_first = is_date(*year, first, *second);
  if (day_first && month_first) return TextClass::kEitherFirst;
  if (day_first) return TextClass::kDayFirst;
  return month_first ? TextClass::kMonthFirst : TextClass::kOther;
}

}  // namespace

TextClass classify(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty()) return TextClass::kOther;
  const char first = text.front();
  if (first == '+') {
    const bool number =
        text.size() > 1 && is_digit(text[1]) && text.substr(1).find_first_not_of("0123456789 ()./-eE") == text.npos;
    return number ? TextClass::kPlus : TextClass::kOther;
  }
  if (is_digit(first) || first == '-' || first == '.') {
    if (const auto number = number_class(text)) return *number;
    return is_digit(first) ? date_class(text) : TextClass::kOther;
  }
  return same_name(text, "true") || same_name(text, "false") ? TextClass::kTruth : TextClass::kOther;
}

}  // namespace candor::engine::duckdb
