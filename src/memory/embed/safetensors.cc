// Reading the header, and numbers of sixteen bits.
#include "memory/embed/safetensors.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "json/json.h"

namespace candor::memory {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are read as they stand");

constexpr std::size_t kHeaderMax = std::size_t{1} << 20U, kSideMax = std::size_t{1} << 24U;

Diagnostic damaged(const char* what) {
  return make_error("embedding-failed", std::string("the model's file is damaged: ") + what,
                    "candor memory embed setup");
}

// Non-negative integers of an array of two; nothing for anything else.
bool two_of(const json::Node& node, std::size_t& first, std::size_t& second) {
  if (!node.is_array() || node.items().size() != 2) return false;
  const auto a = node.items()[0].integer(), b = node.items()[1].integer();
  if (!a || !b || *a < 0 || *b < 0) return false;
  first = static_cast<std::size_t>(*a);
  second = static_cast<std::size_t>(*b);
  return true;
}

// The exponent is moved by a multiplication, which also takes care of numbers below the smallest normal one. Infinities do
// not stand in a model's file.
float widened(std::uint16_t half) {
  const auto magnitude = std::bit_cast<float>(static_cast<std::uint32_t>(half & 0x7FFFU) << 13U) * 0x1p112F;
  return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

}  // namespace

Result<HalfMatrix> HalfMatrix::find(std::string_view bytes, std::string_view tensor) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof(length)) return damaged("it is too short");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  if (length > bytes.size() || length > kHeaderMax) return damaged("its header does not end");
  const auto header = json::parse(bytes.substr(0, length), {.depth_max = 8, .bytes_max = kHeaderMax});
  bytes.remove_prefix(length);
  if (!header.ok() || !header->is_object()) return damaged("its header is not JSON");
  const json::Node& about = (*header)[tensor];
  if (about.string_or("dtype", "") != "F16") return damaged("it has no such matrix of half-precision numbers");
  std::size_t rows = 0, columns = 0, begin = 0, end = 0;
  if (!two_of(about["shape"], rows, columns) || !two_of(about["data_offsets"], begin, end) || rows == 0 ||
      columns == 0 || rows > kSideMax || columns > kSideMax) {
    return damaged("its matrix has no size");
  }
  if (begin > end || end > bytes.size() || end - begin != rows * columns * sizeof(std::uint16_t)) {
    return damaged("its matrix has another size than it says");
  }
  return HalfMatrix(bytes.substr(begin, end - begin), rows, columns);
}

void HalfMatrix::add_row(std::size_t row, std::span<float> sum) const {
  const char* at = numbers_.data() + row * columns_ * sizeof(std::uint16_t);
  for (std::size_t i = 0; i < columns_; ++i, at += sizeof(std::uint16_t)) {
    std::uint16_t half = 0;
    std::memcpy(&half, at, sizeof(half));
    sum[i] += widened(half);
  }
}

}  // namespace candor::memory
