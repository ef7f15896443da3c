// With q = t d + e and x = s c + r, all of unit length: q·x = s t (c·d) + e·(s c) + q·r, so the error is at most
// |e| |s c| + |r|, and |s c| <= 1 + |r|.
#include "memory/vectors/quantise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "memory/vectors/dot.h"

namespace candor::memory {
namespace {

constexpr double kRowMax = 127, kQueryMax = 2047;
// Far above what rounding in double can do over 4096 elements, far below what ranks differ by.
constexpr double kSlack = 1e-9;

double length_of(std::span<const float> vector) { return std::sqrt(dot(vector, vector)); }

double largest(std::span<const float> vector) {
  double most = 0;
  for (const float x : vector) most = std::max(most, std::abs(static_cast<double>(x)));
  return most;
}

}  // namespace

QuantisedRow quantise(std::span<const float> vector, std::span<std::int8_t> codes) {
  std::ranges::fill(codes, std::int8_t{0});
  const double length = length_of(vector);
  if (!(length > 0) || !std::isfinite(length)) return {};
  const auto scale = static_cast<float>(largest(vector) / length / kRowMax);
  if (!(scale > 0)) return {};
  double lost = 0;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const double x = static_cast<double>(vector[i]) / length;
    const double code = std::clamp(std::nearbyint(x / static_cast<double>(scale)), -kRowMax, kRowMax);
    codes[i] = static_cast<std::int8_t>(code);
    const double rest = x - code * static_cast<double>(scale);
    lost += rest * rest;
  }
  const auto residual = std::nextafter(static_cast<float>(std::sqrt(lost)), std::numeric_limits<float>::infinity());
  return {.scale = scale, .residual = residual};
}

QuantisedQuery::QuantisedQuery(std::span<const float> query) : codes_(query.size(), 0) {
  const double length = length_of(query);
  if (!(length > 0) || !std::isfinite(length)) return;
  scale_ = largest(query) / length / kQueryMax;
  double lost = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double x = static_cast<double>(query[i]) / length;
    const double code = std::clamp(std::nearbyint(x / scale_), -kQueryMax, kQueryMax);
    codes_[i] = static_cast<std::int16_t>(code);
    const double rest = x - code * scale_;
    lost += rest * rest;
  }
  residual_ = std::sqrt(lost);
}

QuantisedQuery::Bounds QuantisedQuery::bounds(const QuantisedRow& row, std::span<const std::int8_t> codes) const {
  if (row.scale == 0 || scale_ == 0) return {};
  const double middle = static_cast<double>(row.scale) * scale_ * static_cast<double>(dot(codes, codes_));
  const auto residual = static_cast<double>(row.residual);
  const double error = residual_ * (1 + residual) + residual + kSlack;
  return {.lower = middle - error, .upper = middle + error};
}

}  // namespace candor::memory
