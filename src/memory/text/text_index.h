// Reading an FTS5 table's index term by term, without its query language. Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

struct Posting {
  std::int64_t row = 0;
  std::uint32_t count = 0;  // how often the row holds the term
};

class TextIndex {
 public:
  // `table` as its maker wrote it: it becomes part of statements. Makes two temporary tables on the connection.
  [[nodiscard]] static Result<TextIndex> open(sqlite::Database& database, const std::string& table);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] double mean_length() const;  // terms a row

  [[nodiscard]] Result<std::int64_t> documents_with(const std::string& term);
  // By row, rising.
  [[nodiscard]] Result<std::vector<Posting>> postings(const std::string& term);
  // lengths[i] becomes the number of terms of rows[i]; rows must rise.
  [[nodiscard]] Result<std::vector<std::uint32_t>> lengths(const std::vector<std::int64_t>& rows);

 private:
  explicit TextIndex(sqlite::Database& database) : database_(&database) {}
  Status read_averages(const std::string& table);

  sqlite::Database* database_;
  std::string table_;
  sqlite::Statement documents_, instances_, length_;
  std::int64_t rows_ = 0, terms_ = 0;
};

}  // namespace candor::memory
