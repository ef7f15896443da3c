// Does a text say "23 of 513"? How people write two counts, with their thousands separators: states_m_of_n.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "review/review.h"

namespace candor::review {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) >= 0x80);
}

constexpr std::array<std::string_view, 9> kThousands = {",",      ".",      "'",      " ",     "_",
                                                        "\u00a0", "\u202f", "\u2009", "\u2019"};

std::size_t separator_at(std::string_view text, std::size_t at) {
  for (const std::string_view separator : kThousands) {
    if (text.substr(at).starts_with(separator)) return separator.size();
  }
  return 0;
}

// Does another part of a number stand before or after? "1,023" holds no 23.
bool starts_number(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  if (is_digit(before) || is_letter(before)) return false;
  return !(at > 1 && (before == ',' || before == '.' || before == '\'' || before == '/' || before == '-') &&
           is_digit(text[at - 2]));
}

// "100 million", "100 %" and "100k" are no hundred.
bool scales_number(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kScales = {"%",       "percent", "per cent", "thousand",
                                                              "million", "billion", "mio"};
  while (text.starts_with(' ')) text.remove_prefix(1);
  return std::any_of(kScales.begin(), kScales.end(), [&](std::string_view scale) {
    return text.size() >= scale.size() && same_name(text.substr(0, scale.size()), scale);
  });
}

bool ends_number(std::string_view text, std::size_t at) {
  if (at >= text.size()) return true;
  const bool letter = is_letter(text[at]) && static_cast<unsigned char>(text[at]) < 0x80;
  if (is_digit(text[at]) || letter || scales_number(text.substr(at))) return false;
  const std::size_t length = text[at] == '/' ? 1 : separator_at(text, at);
  if (length == 0 || at + length >= text.size() || !is_digit(text[at + length])) return true;
  if (text[at] != ' ') return false;
  // A blank parts thousands only before exactly three digits.
  std::size_t digits = 0;
  while (at + 1 + digits < text.size() && is_digit(text[at + 1 + digits])) ++digits;
  return digits != 3;
}

// Where the number ends that starts at `at`, when it is `number` with or without separators of thousands.
std::optional<std::size_t> match_number(std::string_view text, std::size_t at, const std::string& number) {
  for (std::size_t i = 0; i < number.size(); ++i) {
    const bool at_thousand = i > 0 && (number.size() - i) % 3 == 0;
    if (at_thousand && at < text.size() && !is_digit(text[at])) at += separator_at(text, at);
    if (at >= text.size() || text[at] != number[i]) return std::nullopt;
    ++at;
  }
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      ++at;
    } else if (text.substr(at).starts_with("\u00a0") || text.substr(at).starts_with("\u202f")) {
      at += text.substr(at).starts_with("\u00a0") ? 2 : 3;
    } else {
      break;
    }
  }
  return at;
}

std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (is_letter(text[end]) || text[end] == '-' || text[end] == '_')) ++end;
  return text.substr(at, end - at);
}

// "of", "out of", "/", with a noun before ("23 patients of") or a share in brackets ("23 (4 %) of"): where they end.
std::optional<std::size_t> match_of(std::string_view text, std::size_t at) {
  at = skip_blanks(text, at);
  if (at < text.size() && text[at] == '(') {
    const std::size_t close = text.find(')', at);
    if (close == std::string_view::npos || close - at > 12 ||
        text.substr(at, close - at).find('%') == std::string_view::npos) {
      return std::nullopt;
    }
    at = skip_blanks(text, close + 1);
  }
  if (at < text.size() && text[at] == '/') return skip_blanks(text, at + 1);
  std::string_view word = word_at(text, at);
  if (!word.empty() && !same_name(word, "of") && !same_name(word, "out")) {
    at = skip_blanks(text, at + word.size());
    word = word_at(text, at);
  }
  if (same_name(word, "out")) {
    at = skip_blanks(text, at + word.size());
    word = word_at(text, at);
  }
  if (!same_name(word, "of")) return std::nullopt;
  at = skip_blanks(text, at + word.size());
  static constexpr std::array<std::string_view, 8> kFillers = {"the", "all", "a", "total", "of", "our", "these", "its"};
  while (true) {
    word = word_at(text, at);
    const bool filler =
        std::any_of(kFillers.begin(), kFillers.end(), [&](std::string_view known) { return same_name(word, known); });
    if (!filler) return at;
    at = skip_blanks(text, at + word.size());
  }
}

}  // namespace

bool states_m_of_n(std::string_view text, std::uint64_t matched, std::uint64_t rows) {
  const std::string m = std::to_string(matched);
  const std::string n = std::to_string(rows);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != m[0] || !starts_number(text, at)) continue;
    const auto end = match_number(text, at, m);
    if (!end) continue;
    const auto next = match_of(text, *end);
    if (!next) continue;
    const auto last = match_number(text, *next, n);
    if (last && ends_number(text, *last)) return true;
  }
  return false;
}

}  // namespace candor::review
