// Texts read as values of another type, the whole text but for blanks around it. All fail with `type-mismatch` for what is
// none, and with `integer-overflow` or `number-overflow` for what is too large.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/functions/times.h"

namespace candor::engine::functions {

[[nodiscard]] Result<std::int64_t> text_to_integer(std::string_view text);
// A finite one.
[[nodiscard]] Result<double> text_to_number(std::string_view text);
[[nodiscard]] Result<bool> text_to_boolean(std::string_view text);
[[nodiscard]] Result<std::string> text_to_uuid(std::string_view text);
// What read_datetime takes.
[[nodiscard]] Result<Instant> text_to_datetime(std::string_view text);

}  // namespace candor::engine::functions
