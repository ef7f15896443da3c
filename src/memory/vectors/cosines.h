// The cosines of a query with the eligible memories' vectors: bounds of all of them from the packed codes, and exact values
// of those that matter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "memory/search/search_cache.h"
#include "sqlite/sqlite.h"

namespace candor::memory {

class QuantisedQuery;
class Segment;

class Cosines {
 public:
  // The cosine lies within; it is known where the two are equal.
  struct Row {
    std::int64_t id = 0;
    double lower = 0, upper = 0;
    [[nodiscard]] bool exact() const { return lower == upper; }
  };

  // Of the vectors of this embedder; a vector of another length counts as none. Requires query.size() == the embedder's
  // dim. `eligible` must outlive it. `kept`: the packed vectors, where they need not be read.
  [[nodiscard]] static Result<Cosines> bound(sqlite::Database& database, std::int64_t embedder,
                                             std::span<const float> query, const Eligible& eligible,
                                             const PackedVectors* kept = nullptr);

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }  // by id, rising
  [[nodiscard]] std::optional<std::size_t> find(std::int64_t id) const;

  // Reads the float32 vector of a row that is only bounded. False: it is gone, and the row with it.
  [[nodiscard]] Result<bool> make_exact(std::size_t row);

  // The `count` highest, as a scan of every float32 row would find them, ties included.
  [[nodiscard]] Result<std::vector<Scored>> nearest(std::size_t count);

  // The place of each memory among all rows, from 1, where that is at most `depth`. Requires their rows to be exact.
  [[nodiscard]] Result<std::vector<std::optional<std::uint64_t>>> ranks(std::span<const std::int64_t> ids,
                                                                        std::size_t depth);

 private:
  Cosines(std::int64_t embedder, std::span<const float> query, const Eligible& eligible)
      : embedder_(embedder), query_(query.begin(), query.end()), eligible_(&eligible) {}
  void add_unpacked(std::int64_t id, std::string_view vector);
  void order_by_id();
  void add_segment(const Segment& segment, const QuantisedQuery& query);
  [[nodiscard]] bool before(const Row& a, const Row& b) const;

  std::int64_t embedder_;
  std::vector<float> query_;
  const Eligible* eligible_;
  std::vector<std::int64_t> stale_;  // memories of which no segment tells what is now, rising
  std::vector<Row> rows_;
  sqlite::Statement read_;
};

// The k-th highest of the numbers given so far.
class Floor {
 public:
  explicit Floor(std::size_t count) : count_(count) {}
  void offer(double value);
  // Whether something with this upper bound can be among the best. Equal ones count: ties are told apart later.
  [[nodiscard]] bool reached_by(double upper) const {
    return count_ > 0 && (best_.size() < count_ || upper >= best_.front());
  }

 private:
  std::size_t count_;
  std::vector<double> best_;  // a heap, the lowest in front
};

}  // namespace candor::memory
