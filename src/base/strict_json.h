// Whether a text is one strict JSON document, so that it may be appended to another one as it is.
#pragma once

#include <string_view>

namespace candor {

// RFC 8259: valid UTF-8, no lone surrogates, no member name twice in one object, at most 200 levels deep.
// No copy is made and nothing is kept.
[[nodiscard]] bool is_strict_json(std::string_view text);

}  // namespace candor
