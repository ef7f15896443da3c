// Messages quote statements, and a statement can be a megabyte long.
#pragma once

#include <cstddef>
#include <string>

#include "base/diagnostic.h"

namespace candor {

// The text where it has at most `bytes_max` bytes, else its beginning and its end with "…" between them.
[[nodiscard]] std::string both_ends(std::string text, std::size_t bytes_max);

// Of one line of a message or hint.
[[nodiscard]] std::string short_line(std::string text);

// Brings message, hint and detail to a length that can be read.
void shorten(Diagnostic& diagnostic);

}  // namespace candor
