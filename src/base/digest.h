// SHA-256, by which equal commits and equal statements are told.
#pragma once

#include <string>
#include <string_view>

namespace candor {

// The SHA-256 of the bytes (FIPS 180-4) as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace candor
