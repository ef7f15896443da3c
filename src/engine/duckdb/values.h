// DuckDB's result chunks made into cells (base/value.h), exactly and for every type of DuckDB 1.5.
// What can't be given exactly is a Diagnostic, never a NULL. No query is run here.
#pragma once

#include <cstdint>
#include <duckdb.h>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/value.h"

namespace candor::engine::duckdb {

// The name of a type as the engine itself writes it: "DECIMAL(10,2)", "STRUCT(a INTEGER, b VARCHAR[])",
// "ENUM('a', 'b')", "VARCHAR[3]", "JSON". Anonymous struct members have no name. Text is UTF-8.
[[nodiscard]] std::string type_name(duckdb_logical_type type);

namespace internal {
class ColumnEncoder;
}

// Encodes the chunks of one result. Made once a result: the types are looked at then, and not once a cell.
//
//   CANDOR_ASSIGN(ChunkEncoder encoder, ChunkEncoder::make(&result, request.cell_chars_max));
//   CANDOR_ASSIGN(ChunkEncoder::Encoded done, encoder.encode(chunk, 0, rows, chars_left, batch));
//   if (done.rows < rows) …   // chars_left was passed by the last row that was encoded
class ChunkEncoder {
 public:
  // Reads names and types from the result, not its rows. Fails with `invalid-value` for a type that is not known.
  // The encoder keeps nothing of `result`.
  [[nodiscard]] static Result<ChunkEncoder> make(duckdb_result* result, std::uint64_t cell_chars_max);
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;
  ~ChunkEncoder();

  // Ids are left to those who render: "c0", "c1", ….
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

  struct Encoded {
    std::uint64_t rows = 0;   // encoded; fewer than asked for when chars_max was passed
    std::uint64_t chars = 0;  // exact number of characters (code points) of their JSON: "[…]" each and a comma between
  };
  // Appends rows [first_row, first_row + rows) of a chunk of the result to `out`, and adds to out.rows. Stops after the
  // row by which the JSON of the rows of this call gets longer than `chars_max`. When it fails, with `invalid-value`,
  // `out` is as it was.
  [[nodiscard]] Result<Encoded> encode(duckdb_data_chunk chunk, std::uint64_t first_row, std::uint64_t rows,
                                       std::uint64_t chars_max, RowBatch& out);

  // Whether any cell encoded so far was longer than cell_chars_max, and so is kCut.
  [[nodiscard]] bool any_cell_cut() const { return any_cell_cut_; }

 private:
  ChunkEncoder();

  std::vector<Column> columns_;
  std::vector<std::unique_ptr<internal::ColumnEncoder>> encoders_;
  std::uint64_t cell_chars_max_ = 0;
  bool any_cell_cut_ = false;
};

}  // namespace candor::engine::duckdb
