// Cutting a text into a model's tokens by byte pair encoding.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "memory/embed/token_table.h"

namespace candor::memory {

// The tokens of a text: U+2581 goes before it and stands for each blank; characters that the vocabulary lacks, and bytes that
// are no UTF-8, are cut into bytes; then the two neighbours whose merge has the lowest rank become one, the leftmost first,
// until none can. The same as the library `tokenizers` gives, but for `<s>`, `</s>` and `<unk>` in the text, which are letters
// here: a text has no say in how it is read.
[[nodiscard]] std::vector<std::uint32_t> tokens_of(const TokenTable& table, std::string_view text);

}  // namespace candor::memory
