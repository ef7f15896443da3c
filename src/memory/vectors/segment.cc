// Bytes of segments and vectors.
#include "memory/vectors/segment.h"

#include <bit>
#include <cstring>

namespace candor::memory {

static_assert(std::endian::native == std::endian::little, "stored vectors are little endian");

Segment Segment::read(std::string_view ids, std::string_view scales, std::string_view codes, std::size_t dim) {
  Segment segment;
  const auto rows = ids.size() / sizeof(std::int64_t);
  if (ids.size() % sizeof(std::int64_t) != 0 || scales.size() != rows * sizeof(QuantisedRow) ||
      codes.size() != rows * dim) {
    return segment;
  }
  segment.dim_ = dim;
  segment.ids_.resize(rows);
  segment.rows_.resize(rows);
  if (rows == 0) return segment;
  std::memcpy(segment.ids_.data(), ids.data(), ids.size());
  std::memcpy(segment.rows_.data(), scales.data(), scales.size());
  segment.codes_ = codes;
  return segment;
}

void SegmentWriter::add(std::int64_t id, std::span<const float> vector) {
  ids_.push_back(id);
  codes_.resize(codes_.size() + dim_);
  auto* last = reinterpret_cast<std::int8_t*>(codes_.data() + codes_.size() - dim_);
  rows_.push_back(quantise(vector, {last, dim_}));
}

std::string SegmentWriter::ids() const {
  return {reinterpret_cast<const char*>(ids_.data()), ids_.size() * sizeof(std::int64_t)};
}

std::string SegmentWriter::scales() const {
  static_assert(sizeof(QuantisedRow) == 2 * sizeof(float));
  return {reinterpret_cast<const char*>(rows_.data()), rows_.size() * sizeof(QuantisedRow)};
}

std::vector<float> read_vector(std::string_view blob, std::size_t dim) {
  if (blob.size() != dim * sizeof(float)) return {};
  std::vector<float> vector(dim);
  if (dim > 0) std::memcpy(vector.data(), blob.data(), blob.size());
  return vector;
}

std::string write_vector(std::span<const float> vector) {
  return {reinterpret_cast<const char*>(vector.data()), vector.size() * sizeof(float)};
}

}  // namespace candor::memory
