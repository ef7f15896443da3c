// The beginning of a period: what stands behind --since.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace candor::cli {

// Unix time in milliseconds of "30m", "24h", "7d", "2w" before `now_ms`, of a date (its first moment here), or of an ISO 8601
// time, here where it names no zone. Fails with `usage` for anything else, and for what lies in the future.
[[nodiscard]] Result<std::int64_t> parse_since(std::string_view text, std::int64_t now_ms);

}  // namespace candor::cli
