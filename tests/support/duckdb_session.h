// A DuckDB instance for tests: runs SQL through the C API and gives back rows as the JSON that Candor would send.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "engine/duckdb/handles.h"

namespace candor::test {

struct EncodedRows {
  std::vector<Column> columns;
  std::vector<std::string> rows;     // each a JSON array
  std::uint64_t chars_counted = 0;   // what the encoder said
  std::uint64_t chars_rendered = 0;  // characters of `rows` joined by commas, chunk by chunk
  bool any_cell_cut = false;
  std::string error;  // of the engine, or code and message of a Diagnostic
};

class DuckdbSession {
 public:
  // In memory, or the database file of that path.
  explicit DuckdbSession(const std::string& path = {});
  // For side effects; the engine's error or nothing.
  std::string execute(const std::string& sql);
  // Streams the result and encodes each chunk.
  EncodedRows encode(const std::string& sql, std::uint64_t cell_chars_max = 8'000);
  // The only cell of the only row as JSON, or "ERROR …".
  std::string cell(const std::string& sql, std::uint64_t cell_chars_max = 8'000);

 private:
  engine::duckdb::Database database_;
  engine::duckdb::Connection connection_;
};

}  // namespace candor::test
