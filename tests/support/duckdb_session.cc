// The test's own way to DuckDB: prepare, execute as a stream, encode chunk by chunk.
#include "support/duckdb_session.h"

#include <limits>

#include "base/render_json.h"
#include "engine/duckdb/values.h"

namespace candor::test {
namespace {

using engine::duckdb::ChunkEncoder;

std::string row_json(CellReader& reader, std::size_t columns) {
  std::string json = "[";
  for (std::size_t i = 0; i < columns; ++i) {
    if (i > 0) json += ',';
    append_json(json, reader);
  }
  return json + ']';
}

void encode_all(duckdb_result& result, std::uint64_t cell_chars_max, EncodedRows& out) {
  auto encoder = ChunkEncoder::make(&result, cell_chars_max);
  if (!encoder) {
    out.error = encoder.error().code + ": " + encoder.error().message;
    return;
  }
  out.columns = encoder->columns();
  while (engine::duckdb::Chunk chunk{duckdb_fetch_chunk(result)}) {
    RowBatch batch;
    const idx_t rows = duckdb_data_chunk_get_size(chunk.get());
    if (rows == 0) break;
    auto done = encoder->encode(chunk.get(), 0, rows, std::numeric_limits<std::uint64_t>::max(), batch);
    if (!done) {
      out.error = done.error().code + ": " + done.error().message;
      return;
    }
    out.chars_counted += done->chars;
    out.chars_rendered += rows - 1;
    CellReader reader(batch.cells);
    for (idx_t i = 0; i < rows; ++i) {
      out.rows.push_back(row_json(reader, out.columns.size()));
      out.chars_rendered += utf8_length(out.rows.back());
    }
    if (!reader.ok() || !reader.at_end()) out.error = "the batch does not read back";
  }
  if (const char* error = duckdb_result_error(&result)) out.error = error;
  out.any_cell_cut = encoder->any_cell_cut();
}

}  // namespace

DuckdbSession::DuckdbSession(const std::string& path) {
  duckdb_open(path.empty() ? nullptr : path.c_str(), database_.out());
  duckdb_connect(database_.get(), connection_.out());
}

std::string DuckdbSession::execute(const std::string& sql) {
  duckdb_result result;
  std::string error;
  if (duckdb_query(connection_.get(), sql.c_str(), &result) == DuckDBError) error = duckdb_result_error(&result);
  duckdb_destroy_result(&result);
  return error;
}

EncodedRows DuckdbSession::encode(const std::string& sql, std::uint64_t cell_chars_max) {
  EncodedRows out;
  duckdb_prepared_statement statement = nullptr;
  duckdb_pending_result pending = nullptr;
  if (duckdb_prepare(connection_.get(), sql.c_str(), &statement) == DuckDBError) {
    out.error = duckdb_prepare_error(statement);
  } else if (duckdb_pending_prepared_streaming(statement, &pending) == DuckDBError) {
    out.error = duckdb_pending_error(pending);
  } else {
    duckdb_result result;
    if (duckdb_execute_pending(pending, &result) == DuckDBError) {
      out.error = duckdb_result_error(&result);
    } else {
      encode_all(result, cell_chars_max, out);
    }
    duckdb_destroy_result(&result);
  }
  duckdb_destroy_pending(&pending);
  duckdb_destroy_prepare(&statement);
  return out;
}

std::string DuckdbSession::cell(const std::string& sql, std::uint64_t cell_chars_max) {
  const EncodedRows encoded = encode(sql, cell_chars_max);
  if (!encoded.error.empty()) return "ERROR " + encoded.error;
  if (encoded.rows.size() != 1) return "ERROR " + std::to_string(encoded.rows.size()) + " rows";
  if (encoded.chars_counted != encoded.chars_rendered) {
    return "ERROR counted " + std::to_string(encoded.chars_counted) + " of " + std::to_string(encoded.chars_rendered);
  }
  return encoded.rows.front().substr(1, encoded.rows.front().size() - 2);
}

}  // namespace candor::test
