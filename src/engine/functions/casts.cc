// Reading by hand: each form is short.
#include "engine/functions/casts.h"

#include <charconv>
#include <system_error>

#include "base/ascii.h"
#include "engine/functions/errors.h"
#include "engine/functions/numbers.h"

namespace candor::engine::functions {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\r\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Diagnostic no_value(std::string_view text, std::string_view what) {
  return make_error("type-mismatch", shown(text) + " can't be read as " + std::string(what),
                    "leave such rows out with WHERE");
}

// The digits without a plus before them; empty where something else stands there.
std::string_view digits_of(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return text.find_first_not_of("+-.eE0123456789") == std::string_view::npos ? text : std::string_view();
}

}  // namespace

Result<std::int64_t> text_to_integer(std::string_view text) {
  const std::string_view digits = digits_of(text);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument) {
    return no_value(text, "an integer");
  }
  if (read.ec != std::errc()) return make_error("integer-overflow", shown(text) + " is no 64-bit integer");
  return value;
}

Result<double> text_to_number(std::string_view text) {
  const std::string_view digits = digits_of(text);
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ptr != digits.data() + digits.size() || read.ec == std::errc::invalid_argument) {
    return no_value(text, "a number");
  }
  if (read.ec != std::errc()) return make_error("number-overflow", shown(text) + " is beyond the range of a number");
  return value;
}

Result<bool> text_to_boolean(std::string_view text) {
  const std::string word = lower_ascii(trimmed(text));
  for (const std::string_view yes : {"true", "t", "yes", "y", "on", "1"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"false", "f", "no", "n", "off", "0"}) {
    if (word == no) return false;
  }
  return no_value(text, "a boolean");
}

Result<std::string> text_to_uuid(std::string_view text) {
  std::string uuid = lower_ascii(trimmed(text));
  bool fine = uuid.size() == 36;
  for (std::size_t i = 0; fine && i < uuid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool digit = (uuid[i] >= '0' && uuid[i] <= '9') || (uuid[i] >= 'a' && uuid[i] <= 'f');
    fine = dash ? uuid[i] == '-' : digit;
  }
  if (!fine) return no_value(text, "a uuid");
  return uuid;
}

Result<Instant> text_to_datetime(std::string_view text) {
  Result<Instant> instant = read_datetime(text);
  if (!instant.ok()) return no_value(text, "a date and time");
  return instant;
}

}  // namespace candor::engine::functions
