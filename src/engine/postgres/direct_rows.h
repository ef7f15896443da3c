// The rows of one statement that is sent as it is, without a cursor: the server plans it for all of its rows, with parallel
// workers where that is quicker. What the reads of a contract and the statements of its transactions have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/postgres/pool.h"
#include "engine/postgres/rows.h"
#include "engine/postgres/watch.h"

namespace candor::engine::postgres {

class DirectRows {
 public:
  // All of them outlive it. The connection is inside of a transaction.
  DirectRows(Connection& connection, Pool& pool, const Watch& watch, const RunRequest& request)
      : connection_(connection), pool_(pool), watch_(watch), request_(request) {}

  // Sends `sql`, which begins at `sql_at` of the request's text, and learns its columns. Fails as statement_error says.
  [[nodiscard]] Status start(const std::string& sql, std::size_t sql_at, bool changes_rows);

  // The next batch; an empty one: there are no further rows to hand over. `to_the_end`: what is beyond the caps is taken
  // from the server too.
  [[nodiscard]] Result<RowBatch> fill(bool to_the_end);
  // Of rows that were all handed over, or cut: whether they are all that there are. Takes one more at most.
  [[nodiscard]] Result<bool> at_end();

  // What fill has found so far.
  [[nodiscard]] End end() const;
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  // The server is not done with the statement.
  [[nodiscard]] bool open() const { return open_; }
  // Rows that a statement without a result changed, as the server says it.
  [[nodiscard]] const std::string& tag() const { return tag_; }

 private:
  [[nodiscard]] Diagnostic failed(const Fault& fault) const;
  [[nodiscard]] Diagnostic settled(const Fault& fault);
  [[nodiscard]] Status describe();
  [[nodiscard]] Status hold_all();
  [[nodiscard]] Status take(RowBatch& batch);

  Connection& connection_;
  Pool& pool_;
  const Watch& watch_;
  const RunRequest& request_;
  std::size_t sql_at_ = 0;
  bool changes_rows_ = false;
  std::vector<Column> columns_;
  std::optional<RowWriter> writer_;
  PgResult first_;
  std::vector<PgResult> held_;
  std::size_t next_held_ = 0;
  bool all_held_ = false;
  std::string tag_;
  std::uint64_t seen_ = 0;
  bool open_ = false;
  bool done_ = false;  // there are no further rows
};

}  // namespace candor::engine::postgres
