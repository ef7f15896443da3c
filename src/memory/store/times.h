// Seconds since 1970 as text and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace candor::memory {

// "2026-11-01T09:30:00Z"
[[nodiscard]] std::string iso_time(std::int64_t seconds);

// Seconds, or a time of RFC 3339 (fractions of a second are dropped). Fails with `usage`.
[[nodiscard]] Result<std::int64_t> parse_time(std::string_view text);

}  // namespace candor::memory
