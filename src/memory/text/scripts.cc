// Classes of code points over utf8proc, and folding.
#include "memory/text/scripts.h"

#include <algorithm>
#include <array>
#include <utf8proc.h>
#include <vector>

#include "base/ascii.h"

namespace candor::memory {
namespace {

struct Range {
  std::int32_t first, last;
};

bool within(const auto& ranges, std::int32_t code_point) {
  const auto after = std::ranges::upper_bound(ranges, code_point, {}, &Range::first);
  return after != ranges.begin() && code_point <= std::prev(after)->last;
}

// Scripts whose words are looked for by grams.
constexpr std::array kGramRanges = {
    Range{0x0E00, 0x0EFF},    // Thai, Lao
    Range{0x1000, 0x109F},    // Burmese
    Range{0x1100, 0x11FF},    // Hangul jamo
    Range{0x1780, 0x17FF},    // Khmer
    Range{0x19E0, 0x19FF},    // Khmer symbols
    Range{0x2E80, 0x2FDF},    // radicals
    Range{0x3005, 0x3007},    // 々 〆 〇
    Range{0x3031, 0x3035},    // kana repeat marks
    Range{0x303B, 0x303C},    //
    Range{0x3041, 0x30FF},    // kana
    Range{0x3105, 0x318F},    // bopomofo, Hangul compatibility jamo
    Range{0x31A0, 0x31BF},    //
    Range{0x31F0, 0x31FF},    // small kana
    Range{0x3400, 0x4DBF},    // Han
    Range{0x4E00, 0x9FFF},    //
    Range{0xA960, 0xA97F},    // Hangul jamo
    Range{0xA9E0, 0xA9FF},    // Burmese
    Range{0xAA60, 0xAA7F},    //
    Range{0xAC00, 0xD7FF},    // Hangul
    Range{0xF900, 0xFAFF},    // Han
    Range{0xFF66, 0xFF9F},    // kana of half width
    Range{0xFFA0, 0xFFDC},    // Hangul of half width
    Range{0x1AFF0, 0x1B16F},  // kana
    Range{0x20000, 0x3FFFF},  // Han
};

// Accents and points that people leave out when they search. Vowel signs of Indian and South-East Asian scripts are no such
// marks, nor are the voicing marks of kana: without them it is another word.
constexpr std::array kStripped = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x05BF, 0x05BF}, Range{0x05C1, 0x05C2},
    Range{0x05C4, 0x05C5}, Range{0x05C7, 0x05C7}, Range{0x0610, 0x061A}, Range{0x0640, 0x0640}, Range{0x064B, 0x065F},
    Range{0x0670, 0x0670}, Range{0x06D6, 0x06DC}, Range{0x06DF, 0x06E4}, Range{0x06E7, 0x06E8}, Range{0x06EA, 0x06ED},
    Range{0x093C, 0x093C}, Range{0x09BC, 0x09BC}, Range{0x0A3C, 0x0A3C}, Range{0x0ABC, 0x0ABC}, Range{0x0B3C, 0x0B3C},
    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x20D0, 0x20FF}, Range{0xFE20, 0xFE2F},
};

CharClass class_of_ascii(std::int32_t c) {
  const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return word ? CharClass::kWord : CharClass::kBreak;
}

bool pictorial(std::int32_t c) { return c >= 0x2190 && c != 0xFFFC && c != 0xFFFD; }

void append_utf8(std::string& out, std::int32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(code_point, bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

std::string composed(std::vector<utf8proc_int32_t> points) {
  std::string out;
  const auto count = utf8proc_normalize_utf32(points.data(), static_cast<utf8proc_ssize_t>(points.size()),
                                              static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  for (utf8proc_ssize_t i = 0; i < count; ++i) append_utf8(out, points[static_cast<std::size_t>(i)]);
  return out;
}

// Letters that have no decomposition and are written plainly by those who lack the key.
std::string_view plain_letters(std::int32_t code_point) {
  switch (code_point) {
    case 0x0131:  // dotless i
      return "i";
    case 0x0142:
      return "l";
    case 0x00F8:
      return "o";
    case 0x0111:
      return "d";
    case 0x00E6:
      return "ae";
    case 0x0153:
      return "oe";
    case 0x2019:
      return "'";
    default:
      return {};
  }
}

}  // namespace

CodePoint code_point_at(std::string_view text, std::size_t offset) {
  const auto first = static_cast<unsigned char>(text[offset]);
  if (first < 0x80) return {first, 1};
  utf8proc_int32_t value = -1;
  const auto left = std::min<std::size_t>(text.size() - offset, 4);
  const auto read = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + offset,
                                     static_cast<utf8proc_ssize_t>(left), &value);
  if (read <= 0) return {};
  return {value, static_cast<std::uint32_t>(read)};
}

CharClass class_of(std::int32_t code_point) {
  if (code_point < 0) return CharClass::kBreak;
  if (code_point < 0x80) return class_of_ascii(code_point);
  if (code_point == 0x200B) return CharClass::kBreak;  // what parts words where no blank does
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
      return CharClass::kJoin;
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return within(kGramRanges, code_point) ? CharClass::kGram : CharClass::kWord;
    case UTF8PROC_CATEGORY_SO:
      return pictorial(code_point) ? CharClass::kSymbol : CharClass::kBreak;
    default:
      return CharClass::kBreak;
  }
}

Script script_of(std::int32_t c) {
  if (c < 0x0370 || (c >= 0x1E00 && c <= 0x1EFF) || (c >= 0xFF21 && c <= 0xFF5A)) return Script::kLatin;
  if (c <= 0x03FF || (c >= 0x1F00 && c <= 0x1FFF)) return Script::kGreek;
  if (c <= 0x052F) return Script::kCyrillic;
  if (c <= 0x058F) return Script::kArmenian;
  if (c >= 0x0600 && c <= 0x06FF) return Script::kArabic;
  if (c >= 0x0900 && c <= 0x097F) return Script::kDevanagari;
  if (c >= 0x0B80 && c <= 0x0BFF) return Script::kTamil;
  return Script::kOther;
}

Folded fold(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    const std::string lowered = lower_ascii(text);
    return {lowered, lowered};
  }
  constexpr auto kOptions = static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD |
                                                           UTF8PROC_IGNORE | UTF8PROC_STABLE);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  std::vector<utf8proc_int32_t> points(text.size() + 8);
  auto count = utf8proc_decompose(bytes, size, points.data(), static_cast<utf8proc_ssize_t>(points.size()), kOptions);
  if (count > static_cast<utf8proc_ssize_t>(points.size())) {
    points.resize(static_cast<std::size_t>(count));
    count = utf8proc_decompose(bytes, size, points.data(), count, kOptions);
  }
  if (count < 0) return {};
  points.resize(static_cast<std::size_t>(count));
  std::vector<utf8proc_int32_t> plain;
  plain.reserve(points.size());
  for (const auto point : points) {
    if (within(kStripped, point)) continue;
    const auto letters = plain_letters(point);
    if (letters.empty()) plain.push_back(point);
    for (const char letter : letters) plain.push_back(letter);
  }
  return {composed(std::move(points)), composed(std::move(plain))};
}

}  // namespace candor::memory
