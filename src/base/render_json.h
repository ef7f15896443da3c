// Exact JSON of cells and texts, by appending: INTERFACES in docs/results.md gives the table of types.
#pragma once

#include <string>
#include <string_view>

#include "base/value.h"

namespace candor {

// Appends one cell, parts included. Integers with |x| < 2^53 are numbers, larger ones strings; decimals, temporal and
// other texts are strings; NaN and the infinities are the strings "NaN", "Infinity", "-Infinity"; a blob is
// {"base64":…,"bytes":n}; a cut cell is {"cut":true,"chars":n,"text":…}; kJson is appended as it is when it is valid.
void append_json(std::string& out, CellReader& reader);

// Appends a JSON string with its quotes. `text` must be valid UTF-8 (invalid bytes would make invalid JSON: callers
// that hold foreign bytes check with is_utf8 first). Control characters are escaped; nothing else is.
void append_json_string(std::string& out, std::string_view text);

// Appends the shortest digits that read back the same, always recognisable as a number ("1e+20", "0.1", "12").
void append_json_real(std::string& out, double value);

// True when an integer must be written as a string, |x| >= 2^53.
[[nodiscard]] bool integer_needs_string(std::int64_t value);

// Whether the bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms, up to U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view bytes);

// Number of code points of valid UTF-8.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// The longest prefix of at most `characters` code points.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t characters);
// The same with an ellipsis where something was left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters);
// The text with each run of white space as one blank, and none at its beginning.
[[nodiscard]] std::string single_line(std::string_view text);

// The plain text of one cell for people (tables, CSV): NULL is the empty string, containers are JSON.
[[nodiscard]] std::string plain_text(CellReader& reader);

}  // namespace candor
