// One column, or one part of a nested column, of DuckDB's vectors made into cells. Internal to values.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "engine/duckdb/value_scalars.h"

namespace candor::engine::duckdb::internal {

// Made once a type, bound once a vector, asked once a cell.
class ColumnEncoder {
 public:
  ColumnEncoder() = default;
  ColumnEncoder(const ColumnEncoder&) = delete;
  ColumnEncoder& operator=(const ColumnEncoder&) = delete;
  virtual ~ColumnEncoder() = default;

  // The vector must outlive the writes that follow.
  virtual void bind(duckdb_vector vector) {
    data_ = duckdb_vector_get_data(vector);
    validity_ = duckdb_vector_get_validity(vector);
  }

  // Appends the cell of that row; the characters of its JSON.
  std::uint64_t write(Sink& sink, std::uint64_t row) {
    if (validity_ != nullptr && (validity_[row / 64] >> (row % 64) & 1U) == 0) return put_null(sink);
    return write_valid(sink, row);
  }

 protected:
  virtual std::uint64_t write_valid(Sink& sink, std::uint64_t row) = 0;

  template <typename T>
  [[nodiscard]] const T& at(std::uint64_t row) const {
    return static_cast<const T*>(data_)[row];
  }

 private:
  const void* data_ = nullptr;
  const std::uint64_t* validity_ = nullptr;
};

// `depth` is how many containers are around it. Fails with `invalid-value` for a type that is not known.
[[nodiscard]] Result<std::unique_ptr<ColumnEncoder>> make_encoder(duckdb_logical_type type, int depth);

[[nodiscard]] std::unique_ptr<ColumnEncoder> make_variant_encoder(int depth);

// What base/render_json.h renders; deeper values would be lost there.
inline constexpr int kNestingMax = 200;

[[nodiscard]] std::string_view string_at(const duckdb_string_t& text);

// The characters of a key of an object, when the cell that starts at `cell_start` is that key and has `cell_chars`:
// anything but a text is made a string of its JSON.
[[nodiscard]] std::uint64_t key_chars(const Sink& sink, std::size_t cell_start, std::uint64_t cell_chars);

}  // namespace candor::engine::duckdb::internal
