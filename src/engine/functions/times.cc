// Reading and writing times, and reckoning with them.
#include "engine/functions/times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "engine/functions/errors.h"

namespace candor::engine::functions {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::month;
using std::chrono::sys_days;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr std::int64_t kOneSecond = 1'000'000;
constexpr std::int64_t kOneMinute = 60 * kOneSecond;
constexpr std::int64_t kOneHour = 60 * kOneMinute;
constexpr std::int64_t kOneDay = 24 * kOneHour;

constexpr Instant instant_of(sys_days date) { return std::int64_t{date.time_since_epoch().count()} * kOneDay; }
constexpr Instant kFirst = instant_of(sys_days(year(1) / 1 / 1));
constexpr Instant kLast = instant_of(sys_days(year(9999) / 12 / 31)) + kOneDay - 1;

// An instant taken apart.
struct Civil {
  sys_days date;
  year_month_day ymd;
  std::int64_t hour = 0, minute = 0, second = 0, micro = 0;

  explicit Civil(Instant instant) {
    const std::int64_t day_number = instant >= 0 ? instant / kOneDay : (instant - kOneDay + 1) / kOneDay;
    const std::int64_t clock = instant - day_number * kOneDay;
    date = sys_days(days(day_number));
    ymd = year_month_day(date);
    hour = clock / kOneHour;
    minute = clock / kOneMinute % 60;
    second = clock / kOneSecond % 60;
    micro = clock % kOneSecond;
  }
  [[nodiscard]] std::int64_t year_number() const { return static_cast<int>(ymd.year()); }
  [[nodiscard]] std::int64_t month_number() const { return static_cast<unsigned>(ymd.month()); }
  [[nodiscard]] std::int64_t day_number() const { return static_cast<unsigned>(ymd.day()); }
  [[nodiscard]] std::int64_t iso_weekday() const { return weekday(date).iso_encoding(); }
  [[nodiscard]] std::int64_t day_of_year() const { return (date - sys_days(ymd.year() / 1 / 1)).count() + 1; }

  struct Week {
    std::int64_t year = 0, week = 0;
  };
  // A week belongs to the year of its Thursday.
  [[nodiscard]] Week iso_week() const {
    const sys_days thursday = date + days(4 - iso_weekday());
    const year in = year_month_day(thursday).year();
    return {static_cast<int>(in), (thursday - sys_days(in / 1 / 1)).count() / 7 + 1};
  }
};

void append_digits(std::string& out, std::int64_t value, int width) {
  std::array<char, 20> text{};
  for (int at = width - 1; at >= 0; --at, value /= 10) {
    text[static_cast<std::size_t>(at)] = static_cast<char>('0' + value % 10);
  }
  out.append(text.data(), static_cast<std::size_t>(width));
}

// ---- reading ----

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Instant> read() {
    const auto years = number(4);
    const auto months = after('-', 2);
    const auto day_number = after('-', 2);
    if (!years || !months || !day_number) return std::nullopt;
    const year_month_day date(year(static_cast<int>(*years)), month(static_cast<unsigned>(*months)),
                              day(static_cast<unsigned>(*day_number)));
    if (*years < 1 || !date.ok()) return std::nullopt;
    const Instant midnight = instant_of(sys_days(date));
    if (rest_.empty()) return midnight;
    if (!take('T') && !take(' ') && !take('t')) return std::nullopt;
    const auto clock = read_clock();
    const auto offset = clock ? read_offset() : std::nullopt;
    if (!offset || !rest_.empty()) return std::nullopt;
    const Instant instant = midnight + *clock - *offset;
    if (instant < kFirst || instant > kLast) return std::nullopt;
    return instant;
  }

 private:
  bool take(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::int64_t> number(std::size_t width) {
    if (rest_.size() < width) return std::nullopt;
    std::int64_t value = 0;
    for (const char digit : rest_.substr(0, width)) {
      if (digit < '0' || digit > '9') return std::nullopt;
      value = value * 10 + (digit - '0');
    }
    rest_.remove_prefix(width);
    return value;
  }

  std::optional<std::int64_t> after(char mark, std::size_t width) { return take(mark) ? number(width) : std::nullopt; }

  // HH:MM[:SS[.fraction]]
  std::optional<std::int64_t> read_clock() {
    const auto hours = number(2);
    const auto minutes = after(':', 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
    std::int64_t clock = *hours * kOneHour + *minutes * kOneMinute;
    if (!take(':')) return clock;
    const auto seconds = number(2);
    if (!seconds || *seconds > 59) return std::nullopt;
    clock += *seconds * kOneSecond;
    if (!take('.')) return clock;
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) return std::nullopt;
    std::int64_t unit = kOneSecond / 10;
    for (const char digit : rest_.substr(0, digits)) {
      clock += (digit - '0') * unit;
      unit /= 10;
    }
    rest_.remove_prefix(digits);
    return clock;
  }

  // Nothing, Z, UTC, +HH, +HHMM or +HH:MM.
  std::optional<std::int64_t> read_offset() {
    if (rest_.empty() || take('Z') || take('z')) return 0;
    if (rest_ == " UTC" || rest_ == "UTC") {
      rest_ = {};
      return 0;
    }
    const bool west = rest_.starts_with('-');
    if (!take('+') && !take('-')) return std::nullopt;
    const auto hours = number(2);
    std::int64_t minutes = 0;
    if (!rest_.empty()) {
      take(':');
      const auto read = number(2);
      if (!read) return std::nullopt;
      minutes = *read;
    }
    if (!hours || *hours > 15 || minutes > 59) return std::nullopt;
    const std::int64_t offset = *hours * kOneHour + minutes * kOneMinute;
    return west ? -offset : offset;
  }

  std::string_view rest_;
};

bool fits(std::string_view text, std::string_view form) {
  if (text.size() != form.size()) return false;
  for (std::size_t at = 0; at < form.size(); ++at) {
    const bool digit = text[at] >= '0' && text[at] <= '9';
    if (form[at] == '0' ? !digit : text[at] != form[at]) return false;
  }
  return true;
}

bool valid_date(std::string_view text) {
  const auto two = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const int years = two(0) * 100 + two(2);
  return years > 0 &&
         year_month_day(year(years), month(static_cast<unsigned>(two(5))), day(static_cast<unsigned>(two(8)))).ok();
}

// ---- units ----

enum class Unit { kSecond, kMinute, kHour, kDay, kWeek, kMonth, kQuarter, kYear, kDow, kIsodow, kDoy, kEpoch };

constexpr auto kUnits = std::to_array<std::pair<std::string_view, Unit>>({{"second", Unit::kSecond},
                                                                          {"minute", Unit::kMinute},
                                                                          {"hour", Unit::kHour},
                                                                          {"day", Unit::kDay},
                                                                          {"week", Unit::kWeek},
                                                                          {"month", Unit::kMonth},
                                                                          {"quarter", Unit::kQuarter},
                                                                          {"year", Unit::kYear},
                                                                          {"dow", Unit::kDow},
                                                                          {"isodow", Unit::kIsodow},
                                                                          {"doy", Unit::kDoy},
                                                                          {"epoch", Unit::kEpoch}});

std::optional<Unit> unit_of(std::string_view name) {
  const auto* found = std::ranges::find_if(kUnits, [&](const auto& unit) { return same_name(unit.first, name); });
  return found == kUnits.end() ? std::nullopt : std::optional(found->second);
}

Diagnostic no_unit(std::string_view name) { return make_error("bad-argument", shown(name) + " is no unit of time"); }

// ---- formats ----

constexpr std::array<std::string_view, 7> kWeekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                       "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};

class Formatter {
 public:
  Formatter(Instant instant, std::string& out) : instant_(instant), civil_(instant), out_(out) {}

  // False: there is no such specifier.
  bool append(char specifier) { return append_date(specifier) || append_clock(specifier) || append_week(specifier); }

 private:
  bool append_date(char specifier) {
    switch (specifier) {
      case 'Y':
        return digits(civil_.year_number(), 4);
      case 'y':
        return digits(civil_.year_number() % 100, 2);
      case 'm':
        return digits(civil_.month_number(), 2);
      case 'd':
        return digits(civil_.day_number(), 2);
      case 'j':
        return digits(civil_.day_of_year(), 3);
      case 'B':
        return text(month_name());
      case 'b':
        return text(month_name().substr(0, 3));
      default:
        return false;
    }
  }

  bool append_clock(char specifier) {
    switch (specifier) {
      case 'H':
        return digits(civil_.hour, 2);
      case 'I':
        return digits((civil_.hour + 11) % 12 + 1, 2);
      case 'p':
        return text(civil_.hour < 12 ? "AM" : "PM");
      case 'M':
        return digits(civil_.minute, 2);
      case 'S':
        return digits(civil_.second, 2);
      case 'f':
        return digits(civil_.micro, 6);
      case 's':
        return text(std::to_string((instant_ - civil_.micro) / kOneSecond));
      case '%':
        return text("%");
      default:
        return false;
    }
  }

  bool append_week(char specifier) {
    const std::int64_t iso = civil_.iso_weekday();
    switch (specifier) {
      case 'w':
        return digits(iso % 7, 1);
      case 'u':
        return digits(iso, 1);
      case 'A':
        return text(weekday_name());
      case 'a':
        return text(weekday_name().substr(0, 3));
      case 'W':  // from the year's first Monday
        return digits((civil_.day_of_year() + 7 - iso) / 7, 2);
      case 'U':  // from its first Sunday
        return digits((civil_.day_of_year() + 6 - iso % 7) / 7, 2);
      case 'V':
        return digits(civil_.iso_week().week, 2);
      case 'G':
        return digits(civil_.iso_week().year, 4);
      default:
        return false;
    }
  }

  [[nodiscard]] std::string_view month_name() const {
    return kMonths[static_cast<std::size_t>(civil_.month_number() - 1)];
  }
  [[nodiscard]] std::string_view weekday_name() const {
    return kWeekdays[static_cast<std::size_t>(civil_.iso_weekday() - 1)];
  }
  bool digits(std::int64_t value, int width) {
    append_digits(out_, value, width);
    return true;
  }
  bool text(std::string_view value) {
    out_ += value;
    return true;
  }

  const Instant instant_;
  const Civil civil_;
  std::string& out_;
};

}  // namespace

Result<Instant> read_datetime(std::string_view text) {
  if (const auto instant = Reader(text).read()) return *instant;
  return make_error("bad-stored-value", shown(text) + " is no date and time");
}

std::string write_date(Instant instant) {
  const Civil civil(instant);
  std::string out;
  append_digits(out, civil.year_number(), 4);
  out += '-';
  append_digits(out, civil.month_number(), 2);
  out += '-';
  append_digits(out, civil.day_number(), 2);
  return out;
}

std::string write_datetime(Instant instant) {
  const Civil civil(instant);
  std::string out = write_date(instant);
  out += 'T';
  append_digits(out, civil.hour, 2);
  out += ':';
  append_digits(out, civil.minute, 2);
  out += ':';
  append_digits(out, civil.second, 2);
  if (civil.micro == 0) return out;
  out += '.';
  append_digits(out, civil.micro, 6);
  out.erase(out.find_last_not_of('0') + 1);
  return out;
}

bool is_canonical_date(std::string_view text) { return fits(text, "0000-00-00") && valid_date(text); }

bool is_canonical_datetime(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000000";
  if (text.size() < 19 || text.size() > kForm.size() || !fits(text, kForm.substr(0, text.size()))) return false;
  if (text[11] > '2' || (text[11] == '2' && text[12] > '3') || text[14] > '5' || text[17] > '5') return false;
  return (text.size() == 19 || (text.size() > 20 && text.back() != '0')) && valid_date(text);
}

Result<Instant> add_interval(Instant instant, std::int64_t months, std::int64_t days_more, std::int64_t microseconds) {
  constexpr std::int64_t kMonthsMax = 12 * 20'000;
  constexpr std::int64_t kDaysMax = 366 * 20'000;
  const Diagnostic outside = make_error("bad-argument", "the time is outside of the years 1 to 9999");
  if (months < -kMonthsMax || months > kMonthsMax || days_more < -kDaysMax || days_more > kDaysMax) return outside;
  const Civil civil(instant);
  const std::int64_t clock = instant - instant_of(civil.date);
  year_month_day moved = civil.ymd + std::chrono::months(months);
  if (!moved.ok()) moved = moved.year() / moved.month() / std::chrono::last;
  std::int64_t sum = instant_of(sys_days(moved) + days(days_more)) + clock;
  if (__builtin_add_overflow(sum, microseconds, &sum) || sum < kFirst || sum > kLast) return outside;
  return sum;
}

Result<Instant> truncate(std::string_view unit, Instant instant) {
  const auto known = unit_of(unit);
  if (!known) return no_unit(unit);
  const Civil civil(instant);
  const auto month_of = [&](unsigned number) { return instant_of(sys_days(civil.ymd.year() / month(number) / 1)); };
  switch (*known) {
    case Unit::kSecond:
      return instant - civil.micro;
    case Unit::kMinute:
      return instant - civil.micro - civil.second * kOneSecond;
    case Unit::kHour:
      return instant_of(civil.date) + civil.hour * kOneHour;
    case Unit::kDay:
      return instant_of(civil.date);
    case Unit::kWeek:
      return std::max(instant_of(civil.date - days(civil.iso_weekday() - 1)), kFirst);
    case Unit::kMonth:
      return month_of(static_cast<unsigned>(civil.month_number()));
    case Unit::kQuarter:
      return month_of(static_cast<unsigned>((civil.month_number() - 1) / 3 * 3 + 1));
    case Unit::kYear:
      return month_of(1);
    default:
      return no_unit(unit);
  }
}

Result<std::variant<std::int64_t, double>> extract(std::string_view unit, Instant instant) {
  using Value = std::variant<std::int64_t, double>;
  const auto known = unit_of(unit);
  if (!known) return no_unit(unit);
  const Civil civil(instant);
  switch (*known) {
    case Unit::kSecond:
      return Value(static_cast<double>(civil.second * kOneSecond + civil.micro) / static_cast<double>(kOneSecond));
    case Unit::kMinute:
      return Value(civil.minute);
    case Unit::kHour:
      return Value(civil.hour);
    case Unit::kDay:
      return Value(civil.day_number());
    case Unit::kWeek:
      return Value(civil.iso_week().week);
    case Unit::kMonth:
      return Value(civil.month_number());
    case Unit::kQuarter:
      return Value((civil.month_number() - 1) / 3 + 1);
    case Unit::kYear:
      return Value(civil.year_number());
    case Unit::kDow:
      return Value(civil.iso_weekday() % 7);
    case Unit::kIsodow:
      return Value(civil.iso_weekday());
    case Unit::kDoy:
      return Value(civil.day_of_year());
    case Unit::kEpoch:
      return Value(static_cast<double>(instant) / static_cast<double>(kOneSecond));
  }
  return no_unit(unit);
}

Result<std::string> format_time(std::string_view format, Instant instant) {
  std::string out;
  Formatter formatter(instant, out);
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') {
      out += format[at];
      continue;
    }
    ++at;
    if (at < format.size() && formatter.append(format[at])) continue;
    return make_error("bad-argument", shown(format) + " holds a % that stands for nothing of a time");
  }
  return out;
}

double difference_seconds(Instant a, Instant b) { return static_cast<double>(a - b) / static_cast<double>(kOneSecond); }

}  // namespace candor::engine::functions
