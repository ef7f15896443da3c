// Function words, the guess at a language, and Snowball.
#include "memory/text/language.h"

#include <algorithm>
#include <array>
#include <libstemmer.h>
#include <memory>
#include <unordered_map>

#include "memory/text/function_words.inc"
#include "memory/text/scripts.h"

namespace candor::memory {
namespace {

constexpr std::size_t kWordsLookedAt = 300;
constexpr std::size_t kStemmedMin = 3, kStemmedMax = 64;

// A bit for each language that has the word.
const std::unordered_map<std::string_view, std::uint32_t>& function_words() {
  static const auto* const all = [] {
    auto* words = new std::unordered_map<std::string_view, std::uint32_t>;  // lives as long as the process
    for (std::size_t language = 0; language < kLatinLanguages; ++language) {
      const std::string_view list = kFunctionWords[language];
      for (std::size_t start = 0; start < list.size();) {
        const auto end = std::min(list.find(' ', start), list.size());
        (*words)[list.substr(start, end - start)] |= 1U << language;
        start = end + 1;
      }
    }
    return words;
  }();
  return *all;
}

std::uint32_t languages_with(std::string_view plain) {
  const auto found = function_words().find(plain);
  return found == function_words().end() ? 0 : found->second;
}

const char* algorithm(Language language) {
  constexpr std::array kNames = {"english", "german",  "french", "spanish", "portuguese", "italian", "dutch",
                                 "turkish", "russian", "greek",  "arabic",  "armenian",   "hindi",   "tamil"};
  return kNames[static_cast<std::size_t>(language)];
}

struct DeleteStemmer {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using Stemmer = std::unique_ptr<sb_stemmer, DeleteStemmer>;

// Stemmers keep a state, so each thread has its own.
sb_stemmer* stemmer_of(Language language) {
  thread_local std::array<Stemmer, static_cast<std::size_t>(Language::kNone)> stemmers;
  auto& stemmer = stemmers[static_cast<std::size_t>(language)];
  if (!stemmer) stemmer.reset(sb_stemmer_new(algorithm(language), "UTF_8"));
  return stemmer.get();
}

}  // namespace

Language latin_language_of(std::string_view text) {
  std::array<std::size_t, kLatinLanguages> seen{};
  std::size_t words = 0;
  for (std::size_t at = 0; at < text.size() && words < kWordsLookedAt;) {
    const auto start = at;
    while (at < text.size()) {
      const auto point = code_point_at(text, at);
      const auto kind = class_of(point.value);
      if (kind != CharClass::kWord && (kind != CharClass::kJoin || at == start)) break;
      at += point.bytes;
    }
    if (at == start) {
      at += code_point_at(text, at).bytes;
      continue;
    }
    ++words;
    if (at - start > 16) continue;
    const auto languages = languages_with(fold(text.substr(start, at - start)).plain);
    for (std::size_t i = 0; i < kLatinLanguages; ++i) seen[i] += (languages >> i) & 1U;
  }
  const auto most = std::ranges::max_element(seen);  // the first of equals: English before the others
  return static_cast<Language>(most - seen.begin());
}

bool function_word(std::string_view plain, Language language) {
  if (static_cast<std::size_t>(language) >= kLatinLanguages) return false;
  return ((languages_with(plain) >> static_cast<unsigned>(language)) & 1U) != 0;
}

Language language_of(std::string_view folded, Language latin) {
  if (folded.empty()) return Language::kNone;
  switch (script_of(code_point_at(folded, 0).value)) {
    case Script::kLatin:
      return latin;
    case Script::kCyrillic:
      return Language::kRussian;
    case Script::kGreek:
      return Language::kGreek;
    case Script::kArabic:
      return Language::kArabic;
    case Script::kArmenian:
      return Language::kArmenian;
    case Script::kDevanagari:
      return Language::kHindi;
    case Script::kTamil:
      return Language::kTamil;
    case Script::kOther:
      break;
  }
  return Language::kNone;
}

std::string stem(std::string_view folded, Language language) {
  if (language == Language::kNone || folded.size() < kStemmedMin || folded.size() > kStemmedMax) return {};
  if (std::ranges::any_of(folded, [](char c) { return c >= '0' && c <= '9'; })) return {};
  auto* stemmer = stemmer_of(language);
  if (stemmer == nullptr) return {};
  const auto* stemmed =
      sb_stemmer_stem(stemmer, reinterpret_cast<const sb_symbol*>(folded.data()), static_cast<int>(folded.size()));
  if (stemmed == nullptr) return {};
  return fold({reinterpret_cast<const char*>(stemmed), static_cast<std::size_t>(sb_stemmer_length(stemmer))}).plain;
}

}  // namespace candor::memory
