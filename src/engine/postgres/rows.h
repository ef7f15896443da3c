// The rows of one query, fetched through a cursor a piece at a time, cut and counted as the request says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/postgres/errors.h"
#include "engine/postgres/functions.h"
#include "engine/postgres/pool.h"
#include "engine/postgres/statement.h"
#include "engine/postgres/types.h"
#include "engine/postgres/watch.h"

namespace candor::engine::postgres {

// Where rows come from and how they end; shared by reads and by the statements of a transaction.
class RowWriter {
 public:
  RowWriter(const RunRequest& request, std::vector<Column> columns, std::vector<TypePointer> types)
      : request_(request), columns_(std::move(columns)), types_(std::move(types)) {}

  // No further row is handed over: the caps are reached.
  [[nodiscard]] bool full() const { return rows_ >= request_.rows_max || chars_ > request_.chars_max; }
  // Appends the row of a result. Fails with `invalid-value`, naming the column.
  [[nodiscard]] Status append(const PGresult* result, int row, RowBatch& batch);
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] bool cut_by_chars() const { return chars_ > request_.chars_max && rows_ < request_.rows_max; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  [[nodiscard]] Status append_cell(const PGresult* result, int row, std::size_t column, std::string& cells);
  [[nodiscard]] Status fits(std::size_t column, std::string_view text) const;
  void cut(std::string& cells, std::size_t start) const;

  const RunRequest& request_;
  const std::vector<Column> columns_;
  const std::vector<TypePointer> types_;
  std::uint64_t rows_ = 0;
  std::uint64_t chars_ = 0;
};

// Names and types of a described result; with exact types those of DuckDB, as far as they are known without the values.
[[nodiscard]] Result<std::vector<Column>> columns_of(const PGresult* described, const std::vector<TypePointer>& types,
                                                     bool exact);

class CursorStream final : public RowStream {
 public:
  // Takes over a lease inside of a transaction, and the statement, whose calls were checked.
  CursorStream(Pool::Lease lease, std::shared_ptr<Pool> pool, std::unique_ptr<Watch> watch, const RunRequest& request,
               Statement statement, Checked calls);
  ~CursorStream() override;
  CursorStream(const CursorStream&) = delete;
  CursorStream& operator=(const CursorStream&) = delete;

  // Declares the cursor and learns its columns; an EXPLAIN is run after the cursor showed that it explains a query.
  [[nodiscard]] Status start();

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  [[nodiscard]] Status declare();
  [[nodiscard]] Status describe(const PGresult* described);
  [[nodiscard]] Status decide_types(std::vector<Column>& columns, const std::vector<TypePointer>& types,
                                    const Parameters& parameters);
  [[nodiscard]] Diagnostic failed(const Fault& fault, std::size_t prefix) const;
  [[nodiscard]] Result<bool> read(RowBatch& batch);
  [[nodiscard]] Status fetch();
  [[nodiscard]] Item count_rest();
  [[nodiscard]] Status count_in_server();
  Item finish(Item last);

  const RunRequest request_;
  const std::shared_ptr<Pool> pool_;
  const std::unique_ptr<Watch> watch_;
  const Statement statement_;
  const Checked calls_;
  std::optional<Pool::Lease> lease_;
  Header header_;
  std::optional<RowWriter> writer_;
  std::uint64_t seen_ = 0;        // rows, those that were not handed over too
  std::uint64_t piece_ = 0;       // rows that the running FETCH may give
  std::uint64_t piece_seen_ = 0;  // and gave
  bool fetching_ = false;
  bool done_ = false;  // there are no further rows
  std::optional<Item> last_;
};

}  // namespace candor::engine::postgres
