// Texts as people read them: folded for case, cut between characters. The library that knows them stays in characters.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace candor::scope {

// Without the difference of upper and lower case, in every script (full case folding: "Straße" and "STRASSE" are one). Bytes
// that are no UTF-8 stay as they are, for they equal themselves alone.
[[nodiscard]] std::string case_folded(std::string_view text);

// The longest prefix of at most `characters` code points that takes no visible character apart. A single one that is longer
// is taken apart, for it would leave nothing.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t characters);

}  // namespace candor::scope
