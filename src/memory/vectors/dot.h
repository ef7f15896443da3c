// Products of vectors that give the same bits on every machine: the order of summation is written down, and the code for
// newer processors only does several of the same steps at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace candor::memory {

// Sums of products in double: element i goes to lane i % 8, lanes are added pairwise at the end. Requires equal sizes.
[[nodiscard]] double dot(std::span<const float> a, std::span<const float> b);

// Exact. Requires equal sizes of at most 4096, |a| <= 127 and |b| <= 2047.
[[nodiscard]] std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int16_t> b);

// a·b / (|a| |b|); 0 where one has no length or is not finite.
[[nodiscard]] double cosine(std::span<const float> a, std::span<const float> b);

}  // namespace candor::memory
