// Reading literals by hand: each form is short, and what is not exactly one of them is refused.
#include "bind/literals.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"

namespace candor::bind {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes digits from the front: at least `least`, at most `most` of them.
std::optional<int> take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  std::size_t count = 0;
  int value = 0;
  while (count < text.size() && count < most && is_digit(text[count])) value = value * 10 + (text[count++] - '0');
  if (count < least) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::chrono::year_month_day> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4, 4);
  if (!year || !take_char(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 1, 2);
  if (!month || !take_char(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 1, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year == 0) return std::nullopt;
  return date;
}

std::string date_text(std::chrono::year_month_day date) {
  std::array<char, 32> out{};
  (void)std::snprintf(out.data(), out.size(), "%04d-%02u-%02u", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return out.data();
}

struct TimeOfDay {
  int seconds = 0;
  std::string fraction;  // digits, without zeros at its end
};

std::optional<TimeOfDay> take_time(std::string_view& text) {
  const auto hour = take_digits(text, 1, 2);
  if (!hour || !take_char(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2, 2);
  if (!minute) return std::nullopt;
  TimeOfDay time;
  int second = 0;
  if (take_char(text, ':')) {
    const auto read = take_digits(text, 2, 2);
    if (!read) return std::nullopt;
    second = *read;
    if (take_char(text, '.')) {
      while (!text.empty() && is_digit(text.front())) {
        time.fraction += text.front();
        text.remove_prefix(1);
      }
      if (time.fraction.empty()) return std::nullopt;
      while (time.fraction.ends_with('0')) time.fraction.pop_back();
      if (time.fraction.size() > 6) return std::nullopt;
    }
  }
  if (*hour > 23 || *minute > 59 || second > 59) return std::nullopt;
  time.seconds = (*hour * 60 + *minute) * 60 + second;
  return time;
}

// Seconds to subtract; nothing for what is no offset.
std::optional<int> take_offset(std::string_view& text) {
  text = trimmed(text);
  if (text.empty()) return 0;
  if (text == "Z" || text == "z" || text == "UTC") {
    text = {};
    return 0;
  }
  const int sign = text.front() == '-' ? -1 : 1;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  const auto hours = take_digits(text, 2, 2);
  if (!hours) return std::nullopt;
  int minutes = 0;
  if (!text.empty()) {
    (void)take_char(text, ':');
    const auto read = take_digits(text, 2, 2);
    if (!read) return std::nullopt;
    minutes = *read;
  }
  if (*hours > 18 || minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + minutes) * 60;
}

}  // namespace

std::optional<std::string> canonical_uuid(std::string_view text) {
  text = trimmed(text);
  constexpr std::size_t kLength = 36;
  if (text.starts_with('{') && text.ends_with('}')) text = text.substr(1, text.size() - 2);
  std::string canonical = lower_ascii(text);
  if (canonical.size() == 32 && canonical.find('-') == std::string::npos) {
    for (const std::size_t place : {8U, 13U, 18U, 23U}) canonical.insert(place, 1, '-');
  }
  if (canonical.size() != kLength) return std::nullopt;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = canonical[i];
    if (dash ? c != '-' : !is_digit(c) && (c < 'a' || c > 'f')) return std::nullopt;
  }
  return canonical;
}

std::optional<std::string> canonical_date(std::string_view text) {
  text = trimmed(text);
  const auto date = take_date(text);
  if (!date || !text.empty()) return std::nullopt;
  return date_text(*date);
}

std::optional<std::string> canonical_datetime(std::string_view text) {
  text = trimmed(text);
  const auto date = take_date(text);
  if (!date) return std::nullopt;
  if (text.empty()) return date_text(*date) + "T00:00:00";
  if (!take_char(text, 'T') && !take_char(text, 't') && !take_char(text, ' ')) return std::nullopt;
  const auto time = take_time(text);
  if (!time) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  const auto moment = std::chrono::sys_days(*date) + std::chrono::seconds(time->seconds - *offset);
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day utc(day);
  if (static_cast<int>(utc.year()) < 1 || static_cast<int>(utc.year()) > 9999) return std::nullopt;
  const auto rest = static_cast<int>((moment - day).count());
  std::array<char, 32> out{};
  (void)std::snprintf(out.data(), out.size(), "T%02d:%02d:%02d", rest / 3600, rest / 60 % 60, rest % 60);
  return date_text(utc) + out.data() + (time->fraction.empty() ? "" : "." + time->fraction);
}

std::optional<Value> number_of(std::string_view text) {
  text = trimmed(text);
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  std::size_t digits = 0;
  bool point = false;
  bool exponent = false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_digit(c)) {
      ++digits;
    } else if (c == '.' && !point && !exponent) {
      point = true;
    } else if ((c == 'e' || c == 'E') && !exponent && digits > 0 && i + 1 < rest.size()) {
      exponent = true;
      if ((rest[i + 1] == '+' || rest[i + 1] == '-') && i + 2 < rest.size()) ++i;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || rest.front() == '.' || rest.back() == '.') return std::nullopt;
  const std::string plain(text.starts_with('+') ? text.substr(1) : text);
  Value value;
  if (!point && !exponent) {
    const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value.integer);
    if (read.ec == std::errc() && read.ptr == plain.data() + plain.size()) {
      value.kind = CellKind::kInteger;
      return value;
    }
    if (read.ec != std::errc::result_out_of_range) return std::nullopt;
    value.integer = 0;
  }
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), value.real);
  if (read.ec != std::errc()) return std::nullopt;
  value.kind = exponent ? CellKind::kReal64 : CellKind::kDecimal;
  if (!exponent) value.text = plain;
  return value;
}

std::optional<std::vector<std::string>> braced_elements(std::string_view text) {
  text = trimmed(text);
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> elements;
  if (trimmed(text).empty()) return elements;
  for (;;) {
    std::string element;
    text = trimmed(text);
    if (take_char(text, '"')) {
      while (!text.empty() && text.front() != '"') {
        if (text.front() == '\\') text.remove_prefix(1);
        if (text.empty()) return std::nullopt;
        element += text.front();
        text.remove_prefix(1);
      }
      if (!take_char(text, '"')) return std::nullopt;
    } else {
      const std::size_t end = std::min(text.find(','), text.size());
      element = trimmed(text.substr(0, end));
      text.remove_prefix(end);
      if (element.empty() || same_name(element, "null") || element.find_first_of("{}\"\\") != std::string::npos)
        return std::nullopt;
    }
    elements.push_back(std::move(element));
    text = trimmed(text);
    if (text.empty()) return elements;
    if (!take_char(text, ',')) return std::nullopt;
  }
}

std::optional<bool> truth_of(std::string_view text) {
  for (const std::string_view word : {"true", "t", "yes", "y", "on", "1"}) {
    if (same_name(text, word)) return true;
  }
  for (const std::string_view word : {"false", "f", "no", "n", "off", "0"}) {
    if (same_name(text, word)) return false;
  }
  return std::nullopt;
}

std::string as_sql(const Value& value) {
  switch (value.kind) {
    case CellKind::kNull:
      return "NULL";
    case CellKind::kBoolean:
      return value.integer != 0 ? "TRUE" : "FALSE";
    case CellKind::kInteger:
      return std::to_string(value.integer);
    case CellKind::kReal64: {
      std::string text;
      append_json_real(text, value.real);
      return text;
    }
    case CellKind::kDecimal:
      return value.text;
    default:
      break;
  }
  std::string text = "'";
  for (const char c : value.text) text += c == '\'' ? std::string("''") : std::string(1, c);
  return text + "'";
}

std::string_view example_of(contract::Type type) {
  switch (type) {
    case contract::Type::kString:
      return "'text'";
    case contract::Type::kInteger:
      return "42";
    case contract::Type::kNumber:
      return "4.2";
    case contract::Type::kDecimal:
      return "12.50";
    case contract::Type::kBoolean:
      return "TRUE";
    case contract::Type::kDate:
      return "'2024-12-31'";
    case contract::Type::kDatetime:
      return "'2024-12-31T23:59:59'";
    case contract::Type::kUuid:
      return "'01234567-89ab-4cde-8f01-23456789abcd'";
    case contract::Type::kJson:
      return "'{\"a\": 1}'";
    case contract::Type::kStringArray:
      return "('a', 'b')";
    case contract::Type::kIntegerArray:
      return "(1, 2)";
  }
  return "";
}

}  // namespace candor::bind
