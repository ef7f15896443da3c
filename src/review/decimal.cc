// Digit-string arithmetic for locate.cc; see decimal.h.
#include "review/decimal.h"

#include <algorithm>
#include <array>
#include <vector>

namespace candor::review {
namespace {

constexpr int kExponentMax = 400;  // doubles end at 1e308

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void strip(Decimal& number) {
  number.whole.erase(0, std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  number.fraction.erase(number.fraction.find_last_not_of('0') + 1);
  if (number.whole.empty() && number.fraction.empty()) number.negative = false;
}

// Moves the point by `exponent` places to the right.
void shift(Decimal& number, int exponent) {
  for (; exponent > 0; --exponent) {
    number.whole.push_back(number.fraction.empty() ? '0' : number.fraction.front());
    if (!number.fraction.empty()) number.fraction.erase(0, 1);
  }
  for (; exponent < 0; ++exponent) {
    number.fraction.insert(number.fraction.begin(), number.whole.empty() ? '0' : number.whole.back());
    if (!number.whole.empty()) number.whole.pop_back();
  }
  number.places = number.fraction.size();
}

std::string take_digits(std::string_view text, std::size_t& at) {
  const std::size_t start = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  return std::string(text.substr(start, at - start));
}

// The length of the separator of thousands at `at`, 0 when there is none.
std::size_t separator_at(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 9> kSeparators = {",",      ".",      "'",      " ",     "_",
                                                                  "\u00a0", "\u202f", "\u2009", "\u2019"};
  const std::string_view rest = text.substr(at);
  for (const std::string_view separator : kSeparators) {
    if (rest.substr(0, separator.size()) == separator) return separator.size();
  }
  return 0;
}

// Runs of digits and what stands between them; absent when anything else is met.
struct Groups {
  std::vector<std::string> runs;
  std::vector<std::string_view> between;
};

std::optional<Groups> split_groups(std::string_view text) {
  Groups groups;
  std::size_t at = 0;
  while (true) {
    groups.runs.push_back(take_digits(text, at));
    if (at == text.size()) return groups;
    const std::size_t length = separator_at(text, at);
    if (length == 0) return std::nullopt;
    groups.between.push_back(text.substr(at, length));
    at += length;
  }
}

std::string_view trim_blanks(std::string_view text) {
  const auto blank_length = [](std::string_view s) -> std::size_t {
    for (const std::string_view b : {" ", "\t", "\n", "\r", "\u00a0", "\u202f", "\u2009"}) {
      if (s.starts_with(b)) return b.size();
    }
    return 0;
  };
  while (const std::size_t n = blank_length(text)) text.remove_prefix(n);
  const auto tail_length = [](std::string_view s) -> std::size_t {
    for (const std::string_view b : {" ", "\t", "\n", "\r", "\u00a0", "\u202f", "\u2009"}) {
      if (s.ends_with(b)) return b.size();
    }
    return 0;
  };
  while (const std::size_t n = tail_length(text)) text.remove_suffix(n);
  return text;
}

// Which separator is the decimal mark: the last one, when it differs from those before it and could be one, or when a
// lone one can't stand before thousands.
bool last_is_decimal_mark(const Groups& groups) {
  if (groups.between.empty()) return false;
  const std::string_view last = groups.between.back();
  if (last != "." && last != ",") return false;
  if (groups.between.size() > 1) return last != groups.between.front();
  return last == "." || groups.runs.back().size() != 3 || groups.runs.front() == "0";
}

std::optional<Decimal> from_groups(Groups groups) {
  Decimal number;
  if (last_is_decimal_mark(groups)) {
    number.fraction = groups.runs.back();
    if (number.fraction.empty()) return std::nullopt;
    groups.runs.pop_back();
    groups.between.pop_back();
  }
  for (std::size_t i = 0; i < groups.runs.size(); ++i) {
    const std::string& run = groups.runs[i];
    const bool grouped = groups.runs.size() > 1;
    if (i > 0 && (run.size() != 3 || groups.between[i - 1] != groups.between[0])) return std::nullopt;
    if (i == 0 && grouped && (run.empty() || run.size() > 3)) return std::nullopt;
    number.whole += run;
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  if (number.whole.size() > 1 && number.whole.front() == '0') return std::nullopt;
  number.places = number.fraction.size();
  strip(number);
  return number;
}

// |c| as digits with `places` after the point, without the point.
std::string scaled(const Decimal& number, std::size_t places) {
  std::string digits = number.whole + number.fraction;
  digits.append(places - number.fraction.size(), '0');
  return digits;
}

Decimal unscaled(std::string digits, std::size_t places) {
  if (digits.size() < places) digits.insert(0, places - digits.size(), '0');
  Decimal number;
  number.whole = digits.substr(0, digits.size() - places);
  number.fraction = digits.substr(digits.size() - places);
  number.places = places;
  strip(number);
  return number;
}

// Adds `amount` (−5 or 10) to a string of digits; requires that the result is not negative.
std::string add_small(std::string digits, int amount) {
  digits.insert(0, "0");
  int carry = amount;
  for (std::size_t i = digits.size(); i-- > 0 && carry != 0;) {
    const int sum = digits[i] - '0' + carry;
    const int digit = ((sum % 10) + 10) % 10;
    digits[i] = static_cast<char>('0' + digit);
    carry = (sum - digit) / 10;
  }
  return digits;
}

}  // namespace

std::optional<Decimal> parse_number(std::string_view digits) {
  Decimal number;
  std::size_t at = 0;
  if (at < digits.size() && (digits[at] == '-' || digits[at] == '+')) number.negative = digits[at++] == '-';
  number.whole = take_digits(digits, at);
  if (at < digits.size() && digits[at] == '.') {
    ++at;
    number.fraction = take_digits(digits, at);
    if (number.fraction.empty()) return std::nullopt;
  }
  if (number.whole.empty() && number.fraction.empty()) return std::nullopt;
  number.places = number.fraction.size();
  if (at < digits.size() && (digits[at] == 'e' || digits[at] == 'E')) {
    ++at;
    const bool minus = at < digits.size() && digits[at] == '-';
    if (at < digits.size() && (digits[at] == '-' || digits[at] == '+')) ++at;
    const std::string exponent = take_digits(digits, at);
    if (exponent.empty() || exponent.size() > 3) return std::nullopt;
    int size = 0;
    for (const char digit : exponent) size = size * 10 + (digit - '0');
    if (size > kExponentMax) return std::nullopt;
    shift(number, minus ? -size : size);
  }
  if (at != digits.size()) return std::nullopt;
  strip(number);
  return number;
}

std::optional<Decimal> parse_written_number(std::string_view text) {
  text = trim_blanks(text);
  if (text.ends_with('%')) text = trim_blanks(text.substr(0, text.size() - 1));
  bool negative = false;
  constexpr std::string_view kMinus = "\u2212";
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  } else if (text.starts_with(kMinus)) {
    negative = true;
    text.remove_prefix(kMinus.size());
  }
  if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return std::nullopt;
  std::optional<Decimal> number;
  if (const auto groups = split_groups(text)) {
    number = from_groups(*groups);
  } else if (text.find_first_of("eE") != std::string_view::npos && text.find_first_of("eE") > 0 &&
             !(text.size() > 1 && text[0] == '0' && text[1] != '.')) {
    number = parse_number(text);
  }
  if (number) number->negative = negative && !is_zero(*number);
  return number;
}

bool is_zero(const Decimal& number) { return number.whole.empty() && number.fraction.empty(); }

int compare_magnitude(const Decimal& a, const Decimal& b) {
  if (a.whole.size() != b.whole.size()) return a.whole.size() < b.whole.size() ? -1 : 1;
  if (const int whole = a.whole.compare(b.whole); whole != 0) return whole;
  return a.fraction.compare(b.fraction);
}

Interval rounding_interval(const Decimal& committed) {
  const std::size_t places = std::max(committed.places, committed.fraction.size()) + 1;
  const std::string digits = scaled(committed, places);
  Interval interval;
  // Under half a unit there is nothing to take away from: everything down to zero rounds or truncates to zero.
  interval.from = is_zero(committed) ? Decimal{} : unscaled(add_small(digits, -5), places);
  interval.below = unscaled(add_small(digits, 10), places);
  return interval;
}

bool is_telling(const Decimal& number) {
  if (!number.fraction.empty() || number.whole.size() > 2) return true;
  return number.whole.size() == 2 && number.whole != "10";
}

}  // namespace candor::review
