// Rows on their way across the border: how a batch lies in a frame, how large batches are split, and how much may be
// under way before the taker has said that it took some (which keeps memory flat whoever is slow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/value.h"

namespace candor::engine::worker {

// A producer sends while both are undershot by what it sent and got no credit for.
constexpr std::uint32_t kWindowBatches = 64;
constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20U;
// Batches are split at about this size, so that the window holds a few.
constexpr std::size_t kBatchBytes = std::size_t{256} << 10U;

// Counts what is under way in one direction of one request.
class Window {
 public:
  [[nodiscard]] bool open() const { return batches_ < kWindowBatches && bytes_ < kWindowBytes; }
  void add(std::size_t bytes) {
    ++batches_;
    bytes_ += bytes;
  }
  // False: more than was added.
  [[nodiscard]] bool remove(std::uint32_t batches, std::uint64_t bytes) {
    if (batches > batches_ || bytes > bytes_) return false;
    batches_ -= batches;
    bytes_ -= bytes;
    return true;
  }

 private:
  std::uint32_t batches_ = 0;
  std::uint64_t bytes_ = 0;
};

// A kRows payload is the cells, then the number of rows: so a received payload becomes a batch without a copy.
[[nodiscard]] std::string rows_tail(std::uint32_t rows);
// Nothing when the payload does not hold exactly rows × columns whole cells.
[[nodiscard]] std::optional<RowBatch> take_rows(std::string payload, std::size_t columns);

// Walks over a batch in pieces of about kBatchBytes.
class Pieces {
 public:
  Pieces(const RowBatch& batch, std::size_t columns) : rest_(batch.cells), rows_(batch.rows), columns_(columns) {}
  struct Piece {
    std::uint32_t rows = 0;
    std::string_view cells;
  };
  [[nodiscard]] std::optional<Piece> next();

 private:
  std::string_view rest_;
  std::uint32_t rows_;
  std::size_t columns_;
};

}  // namespace candor::engine::worker
