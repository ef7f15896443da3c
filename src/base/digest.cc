// SHA-256 by libmd, the only file that sees its header.
#include "base/digest.h"

#include <array>
#include <cstdint>
#include <sha2.h>

namespace candor {

std::string sha256_hex(std::string_view bytes) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digits.data());
  return digits.data();
}

}  // namespace candor
