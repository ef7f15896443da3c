// The DuckDB instance that imports files: opened for one import, with limits, closed at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/duckdb/file_source.h"
#include "engine/duckdb/handles.h"

namespace candor::engine::duckdb {

class ImportSession {
 public:
  // An instance in memory, with `database_path` attached as "cache" and used by default.
  [[nodiscard]] static Result<ImportSession> open(const std::string& database_path, const std::string& temp_directory,
                                                  const ImportLimits& limits, CancelToken cancel);

  // Runs one statement to its end. Fails with the engine's message as `file-error`, with `cancelled`, or `disk-full`.
  [[nodiscard]] Status run(const std::string& sql);
  // The same; every cell cast to text, NULL as empty.
  [[nodiscard]] Result<std::vector<std::vector<std::string>>> rows(const std::string& sql);
  // Gives the chunks of a result one after the other without holding it.
  [[nodiscard]] Status scan(const std::string& sql, const std::function<void(duckdb_data_chunk)>& use);
  // Of a statement with one cell that is a count.
  [[nodiscard]] Result<std::uint64_t> count(const std::string& sql);

  // Writes all of "cache" to its file and lets go of it.
  [[nodiscard]] Status finish();

 private:
  ImportSession() = default;
  Result<QueryResult> execute(const std::string& sql);
  Diagnostic failure(const std::string& message);

  Database database_;
  Connection connection_;
  CancelToken cancel_;
};

}  // namespace candor::engine::duckdb
