// Whole chunks: rows in order, cells that are too long cut, the length of their JSON counted on the way.
#include "engine/duckdb/values.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/render_json.h"
#include "engine/duckdb/handles.h"
#include "engine/duckdb/value_encoder.h"

namespace candor::engine::duckdb {
namespace {

using internal::Sink;

// The text that stands for a cell of that kind when it is too long: a text itself, or the JSON of anything with parts.
// Nothing for numbers, which are never cut.
std::optional<std::string> whole_text(std::string_view encoded) {
  CellReader reader(encoded);
  switch (CellReader(encoded).next().kind) {
    case CellKind::kText:
    case CellKind::kIntegerText:
    case CellKind::kDecimal:
    case CellKind::kTemporal:
    case CellKind::kOther:
      return std::string(reader.next().text);
    case CellKind::kJson:
    case CellKind::kBlob:
    case CellKind::kList:
    case CellKind::kStruct:
    case CellKind::kMap: {
      std::string json;
      append_json(json, reader);
      return json;
    }
    default:
      return std::nullopt;
  }
}

// Replaces the cell at `start` when its text has more than `chars_max` characters; the characters of the new JSON.
std::optional<std::uint64_t> cut_cell(Sink& sink, std::size_t start, std::uint64_t chars_max) {
  const std::optional<std::string> text = whole_text(std::string_view(*sink.out).substr(start));
  if (!text) return std::nullopt;
  const std::uint64_t chars = utf8_length(*text);
  if (chars <= chars_max) return std::nullopt;
  const std::string_view shown = utf8_prefix(*text, chars_max);
  sink.out->resize(start);
  sink.writer.cut(static_cast<std::int64_t>(chars), shown);
  constexpr std::uint64_t kFrame = std::string_view(R"({"cut":true,"chars":,"text":})").size();
  return kFrame + internal::decimal_digits(chars) + internal::json_string_chars(shown);
}

}  // namespace

ChunkEncoder::ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;
ChunkEncoder::~ChunkEncoder() = default;

Result<ChunkEncoder> ChunkEncoder::make(duckdb_result* result, std::uint64_t cell_chars_max) {
  ChunkEncoder made;
  made.cell_chars_max_ = cell_chars_max;
  const idx_t count = duckdb_column_count(result);
  for (idx_t i = 0; i < count; ++i) {
    const char* name = duckdb_column_name(result, i);
    const LogicalType type(duckdb_column_logical_type(result, i));
    made.columns_.push_back({.name = name == nullptr ? "" : name, .type = type_name(type.get())});
    auto encoder = internal::make_encoder(type.get(), 0);
    if (!encoder) {
      Diagnostic failure = std::move(encoder).error();
      failure.message = "column " + std::to_string(i + 1) + " (" + made.columns_.back().name + "): " + failure.message;
      return failure;
    }
    made.encoders_.push_back(std::move(encoder).value());
  }
  return made;
}

Result<ChunkEncoder::Encoded> ChunkEncoder::encode(duckdb_data_chunk chunk, std::uint64_t first_row, std::uint64_t rows,
                                                   std::uint64_t chars_max, RowBatch& out) {
  const std::size_t before = out.cells.size();
  for (std::size_t i = 0; i < encoders_.size(); ++i) encoders_[i]->bind(duckdb_data_chunk_get_vector(chunk, i));
  Sink sink(out.cells);
  Encoded done;
  while (done.rows < rows && done.chars <= chars_max) {
    std::uint64_t chars = 2 + (encoders_.empty() ? 0 : encoders_.size() - 1) + (done.rows > 0 ? 1 : 0);
    for (const auto& encoder : encoders_) {
      const std::size_t start = out.cells.size();
      std::uint64_t cell = encoder->write(sink, first_row + done.rows);
      if (sink.failure) {
        out.cells.resize(before);
        return std::move(*sink.failure);
      }
      if (cell > cell_chars_max_) [[unlikely]] {
        if (const auto shortened = cut_cell(sink, start, cell_chars_max_)) {
          cell = *shortened;
          any_cell_cut_ = true;
        }
      }
      chars += cell;
    }
    done.chars += chars;
    ++done.rows;
  }
  out.rows += static_cast<std::uint32_t>(done.rows);
  return done;
}

}  // namespace candor::engine::duckdb
