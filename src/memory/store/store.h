// The memory's file: opening it, one transaction a write, the counter that orders all writes. What stands in the tables is
// written by the other files of this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "memory/input.h"
#include "sqlite/prepared.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

class SearchCache;

class Store {
 public:
  // Fails with `integrity` (damaged, of something else, of a newer version: the file stays as it is), `storage`,
  // `disk-full` or `busy`.
  [[nodiscard]] static Result<std::unique_ptr<Store>> open(const std::string& home, Access access);

  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  [[nodiscard]] sqlite::Database& database() { return database_; }
  [[nodiscard]] sqlite::Prepared& sql() { return statements_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool exists() const { return exists_; }  // false: nothing was ever stored

  // Runs `work`, which gives a Status or a Result, in one transaction that holds the write lock from its beginning.
  template <typename Work>
  [[nodiscard]] auto transaction(const Work& work) -> decltype(work()) {
    CANDOR_TRY(begin());
    auto done = work();
    CANDOR_TRY(end(done.ok()));
    return done;
  }
  // The same inside of a transaction: only what `work` wrote is taken back where it fails.
  template <typename Work>
  [[nodiscard]] auto part(const Work& work) -> decltype(work()) {
    CANDOR_TRY(statements_.execute("SAVEPOINT part"));
    auto done = work();
    if (!done.ok() && database_.in_transaction()) CANDOR_TRY(statements_.execute("ROLLBACK TO part"));
    if (database_.in_transaction()) CANDOR_TRY(statements_.execute("RELEASE part"));
    return done;
  }

  // Of a store that was opened for reading: a new snapshot, after end_reading. Fails where the file is of another version
  // now.
  [[nodiscard]] Status begin_reading();
  // Lets go of the snapshot. False: something still reads it, and the store can't be used again.
  [[nodiscard]] bool end_reading();
  // What searches may keep while the store stays open; at first nothing.
  void keep_for_searches(std::size_t bytes);
  [[nodiscard]] SearchCache& search_cache() { return *search_cache_; }

  [[nodiscard]] Status begin();
  [[nodiscard]] Status end(bool keep);

  // The next number of the counter. Requires a transaction of writing.
  [[nodiscard]] Result<std::int64_t> next_rev();

  [[nodiscard]] std::int64_t now() const { return clock_(); }  // seconds since 1970
  void set_clock(std::function<std::int64_t()> clock) { clock_ = std::move(clock); }

  // A failure of the file's, made to stand alone.
  [[nodiscard]] Diagnostic named(Diagnostic failure) const;

 private:
  Store(sqlite::Database database, std::string path, bool exists, bool writes);

  sqlite::Database database_;
  sqlite::Prepared statements_;  // after database_: ends first
  std::string path_;
  bool exists_;
  bool writes_;
  std::function<std::int64_t()> clock_;
  std::unique_ptr<SearchCache> search_cache_;
};

}  // namespace candor::memory
