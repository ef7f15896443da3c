// Counting what changed.
#include "engine/duckdb/affected.h"

#include <algorithm>

namespace candor::engine::duckdb {
namespace {

bool updates_from(const std::vector<Token>& tokens) {
  const auto update = std::find_if(tokens.begin(), tokens.end(),
                                   [](const Token& token) { return token.depth == 0 && is_word(token, "update"); });
  return std::any_of(update, tokens.end(),
                     [](const Token& token) { return token.depth == 0 && is_word(token, "from"); });
}

}  // namespace

bool type_fits(StatementKind kind, int type) {
  switch (kind) {
    case StatementKind::kSelect:
    case StatementKind::kDescribe:
      return type == DUCKDB_STATEMENT_TYPE_SELECT;
    case StatementKind::kExplain:
      return type == DUCKDB_STATEMENT_TYPE_EXPLAIN;
    case StatementKind::kInsert:
      return type == DUCKDB_STATEMENT_TYPE_INSERT;
    case StatementKind::kUpdate:
      return type == DUCKDB_STATEMENT_TYPE_UPDATE;
    case StatementKind::kDelete:
      return type == DUCKDB_STATEMENT_TYPE_DELETE;
    case StatementKind::kCreate:
      return type == DUCKDB_STATEMENT_TYPE_CREATE || type == DUCKDB_STATEMENT_TYPE_CREATE_FUNC;
    case StatementKind::kDrop:
      return type == DUCKDB_STATEMENT_TYPE_DROP;
  }
  return false;
}

// INSERT, UPDATE and DELETE say how many; CREATE TABLE AS gives the number as a row.
std::optional<std::uint64_t> affected_rows(StatementKind kind, const std::vector<Token>& tokens, QueryResult& result) {
  if (kind == StatementKind::kDrop) return std::nullopt;
  if (kind == StatementKind::kUpdate && updates_from(tokens)) return std::nullopt;
  if (duckdb_result_return_type(*result.get()) == DUCKDB_RESULT_TYPE_QUERY_RESULT) {
    return duckdb_row_count(result.get());  // RETURNING gives a row for each
  }
  if (kind != StatementKind::kCreate) return duckdb_rows_changed(result.get());
  const Chunk chunk(duckdb_fetch_chunk(*result.get()));
  if (!chunk || duckdb_data_chunk_get_size(chunk.get()) != 1) return std::nullopt;
  if (duckdb_column_type(result.get(), 0) != DUCKDB_TYPE_BIGINT) return std::nullopt;
  const auto* counts = static_cast<std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 0)));
  return static_cast<std::uint64_t>(counts[0]);
}

}  // namespace candor::engine::duckdb
