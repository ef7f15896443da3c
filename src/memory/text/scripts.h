// What kind of text a code point belongs to, and what a word looks like once folded. Ranges are of Unicode 15.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace candor::memory {

enum class CharClass : std::uint8_t {
  kBreak,   // blanks, punctuation, controls, bytes that are not UTF-8
  kWord,    // letters, marks and digits of scripts that part words by blanks
  kGram,    // Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese: no blanks between words, or endings grown onto them
  kSymbol,  // emoji and other pictures: a term each
  kJoin,    // belongs to whatever stands before it: marks, soft hyphens, joiners
};

struct CodePoint {
  std::int32_t value = -1;  // -1: a byte that is not UTF-8
  std::uint32_t bytes = 1;
};

// Requires offset < text.size().
[[nodiscard]] CodePoint code_point_at(std::string_view text, std::size_t offset);

[[nodiscard]] CharClass class_of(std::int32_t code_point);

enum class Script : std::uint8_t { kLatin, kCyrillic, kGreek, kArabic, kArmenian, kDevanagari, kTamil, kOther };
[[nodiscard]] Script script_of(std::int32_t code_point);

// A word in two forms. `folded` is NFKC with case folded, for stemmers; `plain` has no accents either, and is what is kept.
struct Folded {
  std::string folded, plain;
};
[[nodiscard]] Folded fold(std::string_view text);

}  // namespace candor::memory
