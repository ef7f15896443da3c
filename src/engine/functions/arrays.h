// Arrays that SQLite keeps as JSON text: lists of texts and 64-bit integers. Elements are equal when they are of one kind
// and the same, texts by their bytes and integers by their value. A NULL among them counts for the length and for
// arrays_equal, and is nothing else that could be asked for or be missing. Everything else in an array is
// `bad-stored-value`, for a part that can't be read might be the one that was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace candor::engine::functions {

using ArrayElement = std::variant<std::monostate, std::int64_t, std::string_view>;  // the first stands for NULL

[[nodiscard]] Status check_array(std::string_view json);
[[nodiscard]] Result<std::int64_t> array_length(std::string_view json);
[[nodiscard]] Result<bool> array_has(std::string_view json, const ArrayElement& element);
// Share at least one element.
[[nodiscard]] Result<bool> arrays_overlap(std::string_view a, std::string_view b);
// Each element of `b` is one of `a`; how often does not matter.
[[nodiscard]] Result<bool> array_has_all(std::string_view a, std::string_view b);
// The same elements, each as often, in any order.
[[nodiscard]] Result<bool> arrays_equal(std::string_view a, std::string_view b);

}  // namespace candor::engine::functions
