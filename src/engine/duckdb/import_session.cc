// Opening, limiting and asking the importing instance.
#include "engine/duckdb/import_session.h"

#include <charconv>
#include <memory>
#include <utility>

#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/errors.h"

namespace candor::engine::duckdb {
namespace {

// The engine's message without its drawing of the statement, which is Candor's and not the user's.
std::string first_lines(const std::string& message) {
  const std::size_t end = std::min(message.find("\n\nLINE "), message.find('\n'));
  return message.substr(0, end);
}

}  // namespace

Result<ImportSession> ImportSession::open(const std::string& database_path, const std::string& temp_directory,
                                          const ImportLimits& limits, CancelToken cancel) {
  ImportSession made;
  made.cancel_ = std::move(cancel);
  if (duckdb_open(nullptr, made.database_.out()) == DuckDBError ||
      duckdb_connect(made.database_.get(), made.connection_.out()) == DuckDBError) {
    return make_error("source-error", "the engine that imports files does not start");
  }
  for (const char* setting : {"autoinstall_known_extensions = false", "autoload_known_extensions = false",
                              "preserve_insertion_order = true"}) {
    CANDOR_TRY(made.run("SET " + std::string(setting)));
  }
  CANDOR_TRY(made.run("SET threads = " + std::to_string(limits.threads)));
  CANDOR_TRY(made.run("SET memory_limit = '" + std::to_string(limits.memory_bytes) + "B'"));
  CANDOR_TRY(made.run("SET temp_directory = " + in_quotes(temp_directory, '\'')));
  CANDOR_TRY(made.run("ATTACH " + in_quotes(database_path, '\'') + " AS cache (STORAGE_VERSION 'latest')"));
  CANDOR_TRY(made.run("USE cache"));
  return made;
}

Result<QueryResult> ImportSession::execute(const std::string& sql) {
  if (cancel_.cancelled()) return make_error("cancelled", "the import was cancelled");
  QueryResult result;
  const std::size_t id = cancel_.on_cancel([connection = connection_.get()] { duckdb_interrupt(connection); });
  const duckdb_state state = duckdb_query(connection_.get(), sql.c_str(), result.out());
  cancel_.forget(id);
  if (state == DuckDBSuccess) return result;
  return failure(result.error());
}

Diagnostic ImportSession::failure(const std::string& message) {
  const std::string shown = first_lines(message);
  if (cancel_.cancelled()) return make_error("cancelled", "the import was cancelled");
  if (tells_no_room(message)) return make_error("disk-full", "there is no room for the import", {}, shown);
  return make_error("file-error", shown);
}

Status ImportSession::scan(const std::string& sql, const std::function<void(duckdb_data_chunk)>& use) {
  Prepared prepared;
  Pending pending;
  QueryResult result;
  if (duckdb_prepare(connection_.get(), sql.c_str(), prepared.out()) == DuckDBError)
    return failure(duckdb_prepare_error(prepared.get()));
  if (duckdb_pending_prepared_streaming(prepared.get(), pending.out()) == DuckDBError)
    return failure(duckdb_pending_error(pending.get()));
  if (duckdb_execute_pending(pending.get(), result.out()) == DuckDBError) return failure(result.error());
  while (const Chunk chunk{duckdb_fetch_chunk(*result.get())}) {
    if (duckdb_data_chunk_get_size(chunk.get()) == 0) break;
    if (cancel_.cancelled()) return failure({});
    use(chunk.get());
  }
  // A missing chunk is the end or an error: only the error slot tells.
  if (const std::string error = result.error(); !error.empty()) return failure(error);
  return Ok{};
}

Status ImportSession::run(const std::string& sql) {
  auto result = execute(sql);
  if (!result) return std::move(result).error();
  return Ok{};
}

Result<std::vector<std::vector<std::string>>> ImportSession::rows(const std::string& sql) {
  CANDOR_ASSIGN(QueryResult result, execute(sql));
  std::vector<std::vector<std::string>> out;
  const idx_t columns = duckdb_column_count(result.get());
  while (const Chunk chunk{duckdb_fetch_chunk(*result.get())}) {
    const idx_t rows = duckdb_data_chunk_get_size(chunk.get());
    if (rows == 0) break;
    for (idx_t row = 0; row < rows; ++row) {
      std::vector<std::string>& cells = out.emplace_back();
      for (idx_t column = 0; column < columns; ++column) {
        const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), column);
        const std::uint64_t* validity = duckdb_vector_get_validity(vector);
        std::string& cell = cells.emplace_back();
        if (validity != nullptr && !duckdb_validity_row_is_valid(const_cast<std::uint64_t*>(validity), row)) continue;
        auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
        cell.assign(duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row]));
      }
    }
  }
  if (const std::string error = result.error(); !error.empty()) return make_error("file-error", first_lines(error));
  return out;
}

Result<std::uint64_t> ImportSession::count(const std::string& sql) {
  CANDOR_ASSIGN(auto found, rows("SELECT (" + sql + ")::VARCHAR"));
  std::uint64_t count = 0;
  if (found.size() == 1 && found[0].size() == 1) {
    const std::string& digits = found[0][0];
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (problem == std::errc{} && end == digits.data() + digits.size()) return count;
  }
  return make_error("internal", "a count of the import is not a number");
}

Status ImportSession::finish() {
  CANDOR_TRY(run("USE memory"));
  CANDOR_TRY(run("CHECKPOINT cache"));
  return run("DETACH cache");
}

}  // namespace candor::engine::duckdb
