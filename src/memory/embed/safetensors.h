// A matrix of half-precision numbers in a file of the safetensors format: eight bytes with the length of a JSON header, the
// header, the numbers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"

namespace candor::memory {

// Rows of float16, little endian, in bytes that somebody else keeps.
class HalfMatrix {
 public:
  // The tensor of that name. Fails with `embedding-failed` for bytes that are not what they say: nothing is read beyond them.
  [[nodiscard]] static Result<HalfMatrix> find(std::string_view bytes, std::string_view tensor);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  // Adds a row to `sum`. Requires row < rows() and sum.size() == columns().
  void add_row(std::size_t row, std::span<float> sum) const;

 private:
  HalfMatrix(std::string_view numbers, std::size_t rows, std::size_t columns)
      : numbers_(numbers), rows_(rows), columns_(columns) {}

  std::string_view numbers_;
  std::size_t rows_, columns_;
};

}  // namespace candor::memory
