// The calendar by <chrono>, which knows no time zones here: all is UTC.
#include "memory/store/times.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <optional>

namespace candor::memory {
namespace {

// Exactly `digits` digits at `at`, which moves behind them.
std::optional<int> number(std::string_view text, std::size_t& at, std::size_t digits) {
  if (at + digits > text.size()) return std::nullopt;
  int value = 0;
  const char* const end = text.data() + at + digits;
  const auto done = std::from_chars(text.data() + at, end, value);
  if (done.ec != std::errc() || done.ptr != end || text[at] == '-') return std::nullopt;
  at += digits;
  return value;
}

bool take(std::string_view text, std::size_t& at, std::string_view any_of) {
  if (at >= text.size() || any_of.find(text[at]) == std::string_view::npos) return false;
  ++at;
  return true;
}

// "Z" or "+02:00" at the end of the text, in seconds.
std::optional<int> offset_of(std::string_view text, std::size_t at) {
  if (at + 1 == text.size() && (text[at] == 'Z' || text[at] == 'z')) return 0;
  if (at >= text.size() || (text[at] != '+' && text[at] != '-')) return std::nullopt;
  const int sign = text[at++] == '-' ? -1 : 1;
  const auto hours = number(text, at, 2);
  if (!hours || !take(text, at, ":")) return std::nullopt;
  const auto minutes = number(text, at, 2);
  if (!minutes || at != text.size() || *hours > 23 || *minutes > 59) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

std::optional<std::int64_t> rfc3339(std::string_view text) {
  std::size_t at = 0;
  const auto year = number(text, at, 4);
  const bool first = year && take(text, at, "-");
  const auto month = first ? number(text, at, 2) : std::nullopt;
  const bool second = month && take(text, at, "-");
  const auto day = second ? number(text, at, 2) : std::nullopt;
  if (!day || !take(text, at, "Tt ")) return std::nullopt;
  std::array<int, 3> clock{};
  for (std::size_t i = 0; i < clock.size(); ++i) {
    if (i > 0 && !take(text, at, ":")) return std::nullopt;
    const auto part = number(text, at, 2);
    if (!part) return std::nullopt;
    clock.at(i) = *part;
  }
  if (take(text, at, ".")) {
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    if (at == begin) return std::nullopt;
  }
  const auto offset = offset_of(text, at);
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!offset || !date.ok() || clock[0] > 23 || clock[1] > 59 || clock[2] > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return days * 86'400 + clock[0] * 3'600 + clock[1] * 60 + clock[2] - *offset;
}

}  // namespace

std::string iso_time(std::int64_t seconds) {
  // Beyond what a calendar of four digits can say, a number is clearer than a wrong date.
  if (seconds < -62'135'596'800 || seconds > 253'402'300'799) return std::to_string(seconds);
  const std::chrono::sys_seconds moment{std::chrono::seconds(seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(moment - day);
  std::array<char, 32> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

Result<std::int64_t> parse_time(std::string_view text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto done = std::from_chars(text.data(), end, seconds);
  if (!text.empty() && done.ec == std::errc() && done.ptr == end) return seconds;
  if (const auto moment = rfc3339(text)) return *moment;
  return make_error("usage", "no time: '" + std::string(text.substr(0, 80)) + "'",
                    "seconds since 1970, or as 2026-11-01T09:30:00Z");
}

}  // namespace candor::memory
