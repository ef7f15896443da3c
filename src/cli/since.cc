// Reading durations, dates and times.
#include "cli/since.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>
#include <optional>
#include <string>

#include "cli/text_layout.h"

namespace candor::cli {
namespace {

constexpr std::int64_t kSecond = 1'000;

Diagnostic not_understood(std::string_view text) {
  return make_error("usage", "--since '" + visible(text) + "' is no period and no time",
                    "write 30m, 24h, 7d or 2w, a date such as 2026-11-01, or a time such as 2026-11-01T09:30:00Z");
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool digits = !text.empty() && text.front() >= '0' && text.front() <= '9';
  if (!digits || done.ec != std::errc() || done.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> unit_of(char letter) {
  constexpr std::int64_t kMinute = 60 * kSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  switch (letter) {
    case 's':
      return kSecond;
    case 'm':
      return kMinute;
    case 'h':
      return kHour;
    case 'd':
      return kDay;
    case 'w':
      return 7 * kDay;
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> duration(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const auto unit = unit_of(text.back());
  const auto number = whole_number(text.substr(0, text.size() - 1));
  if (!unit || !number || *number > std::numeric_limits<std::int64_t>::max() / *unit) return std::nullopt;
  return *number * *unit;
}

// Takes `digits` digits off the front.
std::optional<int> take(std::string_view& text, std::size_t digits, std::string_view before) {
  if (!text.starts_with(before) || text.size() < before.size() + digits) return std::nullopt;
  const auto number = whole_number(text.substr(before.size(), digits));
  if (!number) return std::nullopt;
  text.remove_prefix(before.size() + digits);
  return static_cast<int>(*number);
}

// "Z" or "+02:00" in seconds east of Greenwich; none where it is neither.
std::optional<int> zone(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool west = text.starts_with("-");
  if (!west && !text.starts_with("+")) return std::nullopt;
  const auto hours = take(text, 2, text.substr(0, 1));
  const auto minutes = text.empty() ? std::optional<int>(0) : take(text, 2, text.starts_with(":") ? ":" : "");
  if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  const int seconds = (*hours * 60 + *minutes) * 60;
  return west ? -seconds : seconds;
}

struct Moment {
  std::tm parts{};
  std::optional<int> zone;
};

std::optional<Moment> moment(std::string_view text) {
  Moment made;
  const auto year = take(text, 4, "");
  const auto month = take(text, 2, "-");
  const auto day = take(text, 2, "-");
  if (!year || !month || !day) return std::nullopt;
  made.parts.tm_year = *year - 1900;
  made.parts.tm_mon = *month - 1;
  made.parts.tm_mday = *day;
  if (text.empty()) return made;
  const auto hour = take(text, 2, text.starts_with("T") ? "T" : " ");
  const auto minute = take(text, 2, ":");
  if (!hour || !minute) return std::nullopt;
  made.parts.tm_hour = *hour;
  made.parts.tm_min = *minute;
  if (text.starts_with(":")) {
    const auto second = take(text, 2, ":");
    if (!second) return std::nullopt;
    made.parts.tm_sec = *second;
  }
  if (text.starts_with(".")) {  // parts of a second make no difference here
    const std::size_t end = text.find_first_not_of("0123456789", 1);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end);
  }
  if (text.empty()) return made;
  made.zone = zone(text);
  if (!made.zone) return std::nullopt;
  return made;
}

std::optional<std::int64_t> unix_seconds(const Moment& given) {
  std::tm parts = given.parts;
  parts.tm_isdst = -1;
  const std::time_t seconds = given.zone ? timegm(&parts) : std::mktime(&parts);
  // The 31st of April was made the 1st of May.
  const bool same = parts.tm_mon == given.parts.tm_mon && parts.tm_mday == given.parts.tm_mday &&
                    parts.tm_min == given.parts.tm_min && parts.tm_sec == given.parts.tm_sec &&
                    given.parts.tm_hour < 24;
  if (!same) return std::nullopt;
  return static_cast<std::int64_t>(seconds) - given.zone.value_or(0);
}

}  // namespace

Result<std::int64_t> parse_since(std::string_view text, std::int64_t now_ms) {
  if (const auto length = duration(text)) {
    return *length >= now_ms ? std::int64_t{1} : now_ms - *length;
  }
  const auto given = moment(text);
  const auto seconds = given ? unix_seconds(*given) : std::nullopt;
  if (!seconds) return not_understood(text);
  const std::int64_t since = *seconds * kSecond;
  if (since > now_ms) {
    return make_error("usage", "--since '" + visible(text) + "' lies in the future", "name a time that is past");
  }
  return std::max<std::int64_t>(since, 1);
}

}  // namespace candor::cli
