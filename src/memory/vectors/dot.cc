// -ffp-contract is off in this build, so no compiler joins a product and a sum into one rounding.
#include "memory/vectors/dot.h"

#include <array>
#include <cmath>

namespace candor::memory {
namespace {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define CANDOR_CLONES __attribute__((target_clones("avx2", "default"), optimize("O3", "fp-contract=off")))
#else
#define CANDOR_CLONES
#endif

constexpr std::size_t kLanes = 8;

CANDOR_CLONES double float_dot(const float* a, const float* b, std::size_t size) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    }
  }
  for (std::size_t lane = 0; i + lane < size; ++lane) {
    lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  }
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

CANDOR_CLONES std::int32_t integer_dot(const std::int8_t* a, const std::int16_t* b, std::size_t size) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
  return sum;
}

}  // namespace

double dot(std::span<const float> a, std::span<const float> b) { return float_dot(a.data(), b.data(), a.size()); }

std::int32_t dot(std::span<const std::int8_t> a, std::span<const std::int16_t> b) {
  return integer_dot(a.data(), b.data(), a.size());
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const double lengths = std::sqrt(dot(a, a)) * std::sqrt(dot(b, b));
  const double product = dot(a, b) / lengths;
  return std::isfinite(product) ? product : 0;
}

}  // namespace candor::memory
