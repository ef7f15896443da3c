// The statement that counts a pair of tables without joining them. Columns of its one row: left_rows, left_matched,
// right_rows, right_matched, and on demand left_matched_unfiltered, right_matched_unfiltered.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "review/syntax/join_extraction.h"

namespace candor::review {

// One side of the pair, as it is counted.
struct CountedSide {
  const syntax::TablePlan* plan = nullptr;
  const engine::TableFacts* facts = nullptr;
  const std::vector<json::Node>* keys = nullptr;
  std::uint64_t one_in = 1;  // rows for one that is looked at
};

struct CountingRequest {
  CountedSide left, right;
  bool unfiltered = false;  // count also the matches in the other side without its own filter
};

// DuckDB: the agent's own expressions are put as whole nodes into a statement, printed by the engine, parsed again and
// compared. Fails with `not-measured` when they are not the same, and with `engine-fault`.
[[nodiscard]] Result<std::string> duckdb_counting_sql(const CountingRequest& request, engine::Engine& engine);

// SQLite and PostgreSQL: printed here, for a subset. Fail with `unsupported-syntax`.
[[nodiscard]] Result<std::string> sqlite_counting_sql(const CountingRequest& request);
[[nodiscard]] Result<std::string> postgres_counting_sql(const CountingRequest& request);

}  // namespace candor::review
