// Ranks names by kind of difference, then by distance.
#include "base/near_names.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>

namespace candor {
namespace {

using Letters = std::u32string;

// Names are short; what is longer is compared by its beginning, so that the work stays bounded.
constexpr std::size_t kLettersMax = 80;

// Lower case of the scripts in which identifiers are commonly written; any other letter is its own.
char32_t fold(char32_t letter) {
  const bool ascii = letter >= U'A' && letter <= U'Z';
  const bool latin = letter >= 0xC0 && letter <= 0xDE && letter != 0xD7;
  const bool greek = letter >= 0x391 && letter <= 0x3A9;
  const bool cyrillic = letter >= 0x410 && letter <= 0x42F;
  return ascii || latin || greek || cyrillic ? letter + 32 : letter;
}

// The code points, folded. Bytes that are not UTF-8 count as letters of their own.
Letters letters_of(std::string_view text) {
  Letters letters;
  for (std::size_t i = 0; i < text.size() && letters.size() < kLettersMax;) {
    const auto first = static_cast<std::uint8_t>(text[i++]);
    std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    char32_t letter = more == 0 ? first : first & (0x3FU >> more);
    for (; more > 0 && i < text.size() && (static_cast<std::uint8_t>(text[i]) & 0xC0U) == 0x80U; --more) {
      letter = (letter << 6U) | (static_cast<std::uint8_t>(text[i++]) & 0x3FU);
    }
    letters += fold(letter);
  }
  return letters;
}

bool separates(char32_t letter) { return letter == U'_' || letter == U'-' || letter == U' ' || letter == U'.'; }

Letters without_separators(Letters letters) {
  std::erase_if(letters, separates);
  return letters;
}

// customers, customer; boxes, box; cities, city: the same stem. No grammar, only what makes table names meet.
Letters stem(Letters letters) {
  const auto drop = [&](std::u32string_view ending, std::u32string_view instead) {
    if (letters.size() < ending.size() + 2 || !letters.ends_with(ending)) return false;
    letters.replace(letters.size() - ending.size(), ending.size(), instead);
    return true;
  };
  if (drop(U"ies", U"y") || drop(U"sses", U"ss") || drop(U"xes", U"x") || drop(U"ches", U"ch") ||
      drop(U"shes", U"sh")) {
    return letters;
  }
  if (!letters.ends_with(U"ss")) drop(U"s", U"");
  return letters;
}

// Insertions, deletions, replacements and exchanges of neighbours, each part edited once.
std::size_t distance(const Letters& a, const Letters& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// One is a word at the end, or the beginning, of the other.
bool shares_word(const Letters& a, const Letters& b) {
  const Letters& shorter = a.size() < b.size() ? a : b;
  const Letters& longer = a.size() < b.size() ? b : a;
  if (shorter.size() < 2 || shorter.size() == longer.size()) return false;
  return (longer.ends_with(shorter) && separates(longer[longer.size() - shorter.size() - 1])) ||
         (longer.starts_with(shorter) && separates(longer[shorter.size()]));
}

// How a name is near: the kind of difference, and how much of it. Nothing when it is not near.
std::optional<std::pair<int, std::size_t>> nearness(const Letters& wanted, const Letters& name) {
  if (wanted == name) return std::pair(0, std::size_t{0});
  const Letters a = without_separators(wanted);
  const Letters b = without_separators(name);
  if (a.empty() || b.empty()) return std::nullopt;
  if (a == b) return std::pair(1, std::size_t{0});
  if (stem(a) == stem(b)) return std::pair(2, std::size_t{0});
  const std::size_t apart = a.size() < b.size() ? b.size() - a.size() : a.size() - b.size();
  if (std::min(a.size(), b.size()) >= 3 && (a.starts_with(b) || b.starts_with(a))) return std::pair(3, apart);
  const std::size_t allowed = std::max<std::size_t>(a.size() / 3, a.size() >= 2 ? 1 : 0);
  if (apart <= allowed) {
    const std::size_t edits = distance(a, b);
    if (edits <= allowed && edits < std::max(a.size(), b.size())) return std::pair(4, edits);
  }
  if (shares_word(wanted, name)) return std::pair(5, apart);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> near_names(std::string_view wanted, const std::vector<std::string>& known, std::size_t most) {
  const Letters letters = letters_of(wanted);
  std::vector<std::tuple<int, std::size_t, std::string_view>> ranked;
  for (const std::string& name : known) {
    if (const auto near = nearness(letters, letters_of(name))) ranked.emplace_back(near->first, near->second, name);
  }
  std::ranges::sort(ranked);
  const auto repeated = std::ranges::unique(ranked);
  ranked.erase(repeated.begin(), repeated.end());
  std::vector<std::string> nearest;
  for (const auto& [kind, amount, name] : ranked) {
    if (nearest.size() == most) break;
    nearest.emplace_back(name);
  }
  return nearest;
}

}  // namespace candor
