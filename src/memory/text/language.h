// Which language's endings are taken off a word. The script decides; among the languages of the Latin script the function
// words of the text do, and English where they say nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace candor::memory {

enum class Language : std::uint8_t {
  kEnglish,
  kGerman,
  kFrench,
  kSpanish,
  kPortuguese,
  kItalian,
  kDutch,
  kTurkish,
  kRussian,
  kGreek,
  kArabic,
  kArmenian,
  kHindi,
  kTamil,
  kNone,
};
inline constexpr std::size_t kLatinLanguages = 8;  // the first ones

// Looks at the first few hundred words. A function of the text alone: what is taken out of an index was put in like it.
[[nodiscard]] Language latin_language_of(std::string_view text);

// Words that carry grammar and no subject: "the", "und". `plain` as of fold().
[[nodiscard]] bool function_word(std::string_view plain, Language language);

// The language whose stemmer a word takes, where `latin` is that of its text.
[[nodiscard]] Language language_of(std::string_view folded, Language latin);

// The stem in its plain form; empty: the language has no stemmer, or the word is too short or holds a digit.
[[nodiscard]] std::string stem(std::string_view folded, Language language);

}  // namespace candor::memory
