// A statement on its way through the facade: what the ledger and the telemetry will say of it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/render_json.h"
#include "candor/documents.h"
#include "candor/service.h"

namespace candor {

inline double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

inline std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Array of {name,type,id}.
[[nodiscard]] std::string columns_json(const std::vector<Column>& columns);

struct Service::Execution {
  ledger::QueryRecord query;
  std::string evidence = "[";  // rows as JSON, as they were shown
  bool evidence_full = false;
  bool cell_cut = false;
  std::uint64_t row_chars = 0;  // of all rows that were shown, as JSON
  StatementEnd end;
  std::map<std::string, std::string> versions;  // what the statement reads: states of the sources by name
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::size_t statement_count = 1;    // of the call that it belongs to
  std::optional<Diagnostic> failure;  // with all its others
  std::vector<std::string> repairs;   // kinds of spellings that were read as the dialect's own

  // Began with what its call does now.
  void begin(const Prepared& prepared);

  void fail(const Diagnostic& why) {
    query.error_code = why.code;
    failure = why;
  }

  void describe(const engine::Header& header);

  void succeed(bool has_result);

  // Rows of the result that were not shown, where their number is known.
  [[nodiscard]] std::uint64_t omitted() const {
    const std::uint64_t total = end.surface.universe_total.value_or(end.row_count);
    return end.surface.output_truncated && total > end.row_count ? total - end.row_count : 0;
  }

  void keep(const RowBatch& batch, std::size_t columns);
  // The same of rows that were shaped; with --count-only their number as the only column.
  void keep_shaped(const ShapedRows& shaped);
};

}  // namespace candor
