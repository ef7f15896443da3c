// Texts by code points: case, LIKE, substrings. No locale, no normalisation. Bytes that are not UTF-8 are passed through,
// each counted as a character of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::engine::functions {

// Unicode's simple mappings: one code point becomes one, whatever its neighbours.
[[nodiscard]] std::string fold(std::string_view text);  // CaseFolding.txt, status C and S: what compares equal
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string upper(std::string_view text);

// SQL's LIKE, case told apart: % is any text, _ one code point, and a character after `escape` stands for itself. Without
// an escape there is none. Fails with `bad-argument` for an escape that is no single character, and for a pattern that
// ends with it.
[[nodiscard]] Result<bool> like(std::string_view text, std::string_view pattern,
                                std::optional<std::string_view> escape);

[[nodiscard]] std::int64_t length(std::string_view text);

// The standard's SUBSTRING(text FROM from FOR count): positions count from 1, also to the left of the text, so that
// ('abc', -1, 3) is 'a'. Points into `text`. Fails with `bad-argument` for a negative count.
[[nodiscard]] Result<std::string_view> substring(std::string_view text, std::int64_t from,
                                                 std::optional<std::int64_t> count);

// The first and the last characters. Fail with `bad-argument` for a negative count.
[[nodiscard]] Result<std::string_view> left(std::string_view text, std::int64_t count);
[[nodiscard]] Result<std::string_view> right(std::string_view text, std::int64_t count);

}  // namespace candor::engine::functions
