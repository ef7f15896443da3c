// A connection to the ledger's file with the statements that it prepared: private to this folder.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "ledger/bind.h"
#include "ledger/file_place.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

inline std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// One run of a prepared statement; it is reset at the end, which also ends its read of the file.
class Run {
 public:
  explicit Run(sqlite::Statement& statement) : statement_(&statement) {}
  Run(Run&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Run& operator=(Run&&) = delete;
  ~Run() {
    if (statement_ != nullptr) statement_->reset();
  }
  [[nodiscard]] Result<bool> step() {
    Result<bool> row = statement_->step();
    if (!row.ok()) return ledger_failure(std::move(row).error());
    return row;
  }
  [[nodiscard]] std::string text(int column) const { return std::string(statement_->text(column)); }
  [[nodiscard]] std::int64_t integer(int column) const { return statement_->integer(column); }

 private:
  sqlite::Statement* statement_;
};

// A connection with the statements that it prepared. The caller holds `mutex`.
class Connection {
 public:
  Connection(sqlite::Database database, FilePlace& place) : database_(std::move(database)), place_(place) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::mutex mutex;

  [[nodiscard]] sqlite::Database& database() { return database_; }

  // `sql` must be a literal: it is the key under which the prepared statement is kept.
  template <typename... Arguments>
  [[nodiscard]] Result<Run> start(std::string_view sql, const Arguments&... arguments) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
      Result<sqlite::Statement> statement = database_.prepare(sql, nullptr, true);
      if (!statement.ok()) return ledger_failure(std::move(statement).error());
      found = statements_.emplace(sql, std::move(*statement)).first;
    }
    Run run(found->second);
    Status bound = bind_all(found->second, arguments...);
    if (!bound.ok()) return ledger_failure(std::move(bound).error());
    return run;
  }

  // Runs a statement that gives no rows.
  template <typename... Arguments>
  [[nodiscard]] Status execute(std::string_view sql, const Arguments&... arguments) {
    CANDOR_ASSIGN(Run run, start(sql, arguments...));
    CANDOR_TRY(run.step());
    return Ok{};
  }

  // Runs `work`, which returns a Status or a Result, in one transaction that holds the write lock from its beginning.
  template <typename Work>
  [[nodiscard]] auto transaction(const Work& work) -> decltype(work()) {
    CANDOR_TRY(execute("BEGIN IMMEDIATE"));
    auto done = work();
    Status ended = done.ok() ? execute("COMMIT") : Status(Ok{});
    if (database_.in_transaction()) {
      const Status undone = execute("ROLLBACK");
      if (!undone.ok() && done.ok() && ended.ok()) return undone.error();
    }
    if (!ended.ok()) return std::move(ended).error();
    if (done.ok()) CANDOR_TRY(place_.check());
    return done;
  }

 private:
  sqlite::Database database_;
  FilePlace& place_;
  std::unordered_map<std::string_view, sqlite::Statement> statements_;  // after database_: ends first
};

// "q17" -> 17; 0 for anything else.
inline std::int64_t row_number(std::string_view id, char letter) {
  if (id.size() < 2 || id.front() != letter || id[1] < '1' || id[1] > '9') return 0;
  std::int64_t number = 0;
  const auto done = std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return done.ec == std::errc() && done.ptr == id.data() + id.size() ? number : 0;
}

// The row that a page which begins with this id begins with; of none the youngest.
inline std::int64_t first_row(std::string_view id, char letter) {
  return id.empty() ? std::numeric_limits<std::int64_t>::max() : row_number(id, letter);
}

}  // namespace candor::ledger
