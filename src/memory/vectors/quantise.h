// Vectors in one byte an element, with what that loses, so that a bound on the exact product can be told.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace candor::memory {

// x / |x| is close to scale * codes; `residual` is the length of the difference, rounded up.
struct QuantisedRow {
  float scale = 0, residual = 0;
};

// Writes codes.size() == vector.size() codes of -127 to 127. A vector without length, or one that is not finite, gets zeros
// and a residual of 0: its cosine is 0.
[[nodiscard]] QuantisedRow quantise(std::span<const float> vector, std::span<std::int8_t> codes);

// A query in two bytes an element, for bounds of its cosine with quantised rows.
class QuantisedQuery {
 public:
  explicit QuantisedQuery(std::span<const float> query);

  struct Bounds {
    double lower = 0, upper = 0;
  };
  // The exact cosine, as cosine() computes it, lies within.
  [[nodiscard]] Bounds bounds(const QuantisedRow& row, std::span<const std::int8_t> codes) const;

 private:
  std::vector<std::int16_t> codes_;
  double scale_ = 0, residual_ = 0;
};

}  // namespace candor::memory
