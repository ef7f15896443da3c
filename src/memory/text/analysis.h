// Text to terms: the same for what is stored and for what is asked. The rules: docs/memory-search.md, "Words".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "memory/text/language.h"

namespace candor::memory {

inline constexpr std::size_t kTermBytesMax = 96;  // what is longer is cut, on both sides alike

// One word of a text, or a run of a script without blanks.
struct Word {
  std::size_t start = 0, end = 0;  // bytes of the text
  std::string whole;               // "genitgc" of gen-itgc, "10.42.7.19"; empty for grams
  std::string folded;              // of a word of one part, for the stemmer; else empty
  struct Part {
    std::string plain, folded;
  };
  std::vector<Part> parts;         // "gen", "itgc"; empty where the word has one part only
  std::vector<std::string> units;  // of a run of grams: one character with its marks each
  bool identifier = false;  // its parts are no words of a sentence: it has digits, dots, underscores, capitals within
};

// Calls for each word in the order of the text; false stops. Any bytes will do.
void for_each_word(std::string_view text, const std::function<bool(Word&)>& visit);

// A term of a stored text. Terms at the same position count as one for the text's length.
struct Term {
  std::string_view text;
  std::size_t start = 0, end = 0;
  bool same_position = false;
};

// The terms of a stored text, stems and grams included; false stops.
void for_each_term(std::string_view text, const std::function<bool(const Term&)>& visit);

}  // namespace candor::memory
