// Reading small results.
#include "engine/duckdb/rows.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "engine/duckdb/errors.h"

namespace candor::engine::duckdb {
namespace {

std::optional<std::string> read_cell(duckdb_vector vector, idx_t row) {
  std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity != nullptr && !duckdb_validity_row_is_valid(validity, row)) return std::nullopt;
  auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
  return std::string(duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row]));
}

Result<std::vector<TextRow>> read_all(QueryResult& result) {
  std::vector<TextRow> rows;
  const idx_t columns = duckdb_column_count(result.get());
  for (idx_t column = 0; column < columns; ++column) {
    if (duckdb_column_type(result.get(), column) != DUCKDB_TYPE_VARCHAR) {
      return make_error("internal", "a catalog query gave a column that is no text");
    }
  }
  while (true) {
    const Chunk chunk(duckdb_fetch_chunk(*result.get()));
    if (!chunk) break;
    const idx_t size = duckdb_data_chunk_get_size(chunk.get());
    for (idx_t row = 0; row < size; ++row) {
      TextRow& cells = rows.emplace_back();
      for (idx_t column = 0; column < columns; ++column) {
        cells.push_back(read_cell(duckdb_data_chunk_get_vector(chunk.get(), column), row));
      }
    }
  }
  if (const std::string error = result.error(); !error.empty()) return translate_error(error, {});
  return rows;
}

}  // namespace

Result<std::vector<TextRow>> query_text(duckdb_connection connection, const std::string& sql,
                                        const std::vector<std::string>& parameters) {
  Prepared prepared;
  if (duckdb_prepare(connection, sql.c_str(), prepared.out()) != DuckDBSuccess) {
    const char* error = duckdb_prepare_error(prepared.get());
    return translate_error(error == nullptr ? "" : error, {});
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    duckdb_bind_varchar_length(prepared.get(), i + 1, parameters[i].data(), parameters[i].size());
  }
  QueryResult result;
  if (duckdb_execute_prepared(prepared.get(), result.out()) != DuckDBSuccess)
    return translate_error(result.error(), {});
  return read_all(result);
}

Status execute(duckdb_connection connection, const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection, sql.c_str(), result.out()) != DuckDBSuccess) return translate_error(result.error(), {});
  return Ok{};
}

}  // namespace candor::engine::duckdb
