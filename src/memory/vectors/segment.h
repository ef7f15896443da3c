// One packed segment as it is stored. Private to this folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/vectors/quantise.h"

namespace candor::memory {

// ids: int64, scales and residuals: float32, codes: dim bytes a row; little endian, one after the other.
class Segment {
 public:
  // Empty where the blobs do not fit each other.
  static Segment read(std::string_view ids, std::string_view scales, std::string_view codes, std::size_t dim);
  [[nodiscard]] std::size_t rows() const { return ids_.size(); }
  [[nodiscard]] std::int64_t id(std::size_t row) const { return ids_[row]; }  // 0: taken out
  [[nodiscard]] QuantisedRow row(std::size_t row) const { return rows_[row]; }
  [[nodiscard]] std::span<const std::int8_t> codes(std::size_t row) const {
    return {reinterpret_cast<const std::int8_t*>(codes_.data()) + row * dim_, dim_};
  }

 private:
  std::vector<std::int64_t> ids_;
  std::vector<QuantisedRow> rows_;
  std::string_view codes_;  // of the statement's row
  std::size_t dim_ = 0;
};

class SegmentWriter {
 public:
  explicit SegmentWriter(std::size_t dim) : dim_(dim) {}
  void add(std::int64_t id, std::span<const float> vector);
  [[nodiscard]] std::size_t rows() const { return ids_.size(); }
  [[nodiscard]] std::string ids() const;
  [[nodiscard]] std::string scales() const;
  [[nodiscard]] const std::string& codes() const { return codes_; }

 private:
  std::size_t dim_;
  std::vector<std::int64_t> ids_;
  std::vector<QuantisedRow> rows_;
  std::string codes_;
};

// A stored float32 vector; empty where the blob has another length than dim.
[[nodiscard]] std::vector<float> read_vector(std::string_view blob, std::size_t dim);
[[nodiscard]] std::string write_vector(std::span<const float> vector);

}  // namespace candor::memory
