// The rows of one statement, cut and counted as the request says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/sqlite/sandbox.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

class SqliteStream final : public RowStream {
 public:
  // Takes what is to be run again.
  using Keep = std::function<void(candor::sqlite::Statement)>;
  // Takes over a prepared statement of the leased connection, with its parameters bound. With `keep` the statement is handed
  // on when it was run to its end, and End does not say what it scanned: SQLite counts over all its runs.
  SqliteStream(Pool::Lease lease, candor::sqlite::Statement statement, const RunRequest& request, StatementKind kind,
               SourceSpec source, Clock::time_point deadline, Keep keep = {});
  ~SqliteStream() override;
  SqliteStream(const SqliteStream&) = delete;
  SqliteStream& operator=(const SqliteStream&) = delete;

  // Reads the first rows, by which columns without a declared type get one; with exact types looks at all rows first.
  Status start();

  [[nodiscard]] const Header& header() const override { return header_; }
  [[nodiscard]] Item next() override;

 private:
  // What a column's values were so far.
  struct Seen {
    bool integer = false, real = false, text = false, blob = false;
    bool wide_integer = false;  // one that a double does not hold exactly
  };
  enum class Copy : std::uint8_t { kAsIs, kReal };

  Result<bool> step();
  Diagnostic failed(Diagnostic failure);
  Status look_at_all();
  Result<std::string> exact_type(int column, const Seen& seen) const;
  void see(std::vector<Seen>& seen) const;
  Status append_row(RowBatch& batch);
  Status append_cell(int column, CellWriter& writer);
  void append_cut(CellWriter& writer, std::string_view text) const;
  [[nodiscard]] bool full() const;
  Result<RowBatch> fill(std::size_t rows_max, Clock::time_point until);
  Item finish(Item last);
  Item count_rest();
  Status unchanged() const;
  std::optional<std::uint64_t> scanned();

  const RunRequest request_;
  const SourceSpec source_;
  const Clock::time_point deadline_;
  Pool::Lease lease_;
  const Keep keep_;
  candor::sqlite::Statement statement_;  // ends before the lease
  Header header_;
  std::vector<Seen> seen_;
  std::vector<Copy> copies_;
  std::optional<RowBatch> first_;
  std::uint64_t rows_ = 0;  // handed over
  std::uint64_t chars_ = 0;
  std::int64_t changes_before_ = 0;
  bool done_ = false;  // the statement gave its last row
  bool transaction_ = false;
  std::optional<Item> last_;
};

}  // namespace candor::engine::sqlite
