// Splitting and checking batches of rows.
#include "engine/worker/rows.h"

#include <cstring>
#include <utility>

namespace candor::engine::worker {

std::string rows_tail(std::uint32_t rows) {
  std::string tail(sizeof rows, '\0');
  std::memcpy(tail.data(), &rows, sizeof rows);
  return tail;
}

std::optional<RowBatch> take_rows(std::string payload, std::size_t columns) {
  RowBatch batch;
  if (payload.size() < sizeof batch.rows) return std::nullopt;
  const std::size_t cells_bytes = payload.size() - sizeof batch.rows;
  std::memcpy(&batch.rows, payload.data() + cells_bytes, sizeof batch.rows);
  payload.resize(cells_bytes);
  batch.cells = std::move(payload);
  CellReader reader(batch.cells);
  const std::uint64_t cells = std::uint64_t{batch.rows} * columns;
  // A cell takes at least a byte: a false count can't make this loop long.
  if (cells > batch.cells.size()) return std::nullopt;
  for (std::uint64_t i = 0; i < cells && reader.ok(); ++i) reader.skip();
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return batch;
}

std::optional<Pieces::Piece> Pieces::next() {
  if (rows_ == 0) return std::nullopt;
  Piece piece;
  if (rest_.size() <= kBatchBytes) {
    piece = {std::exchange(rows_, 0), rest_};
    return piece;
  }
  CellReader reader(rest_);
  std::size_t bytes = 0;
  while (rows_ > 0 && bytes < kBatchBytes && reader.ok()) {
    for (std::size_t i = 0; i < columns_; ++i) bytes += reader.skip().size();
    --rows_;
    ++piece.rows;
  }
  piece.cells = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return piece;
}

}  // namespace candor::engine::worker
