// An int8 pass bounds every row's cosine; only rows whose upper bound reaches the k-th lower bound are read as float32.
#include "memory/vectors/vector_search.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

#include "memory/vectors/dot.h"
#include "memory/vectors/segment.h"

namespace candor::memory {
namespace {

// The k-th highest of the numbers given so far.
class Floor {
 public:
  explicit Floor(std::size_t count) : count_(count) {}
  void offer(double value) {
    if (count_ == 0) return;
    if (best_.size() < count_) {
      best_.push(value);
    } else if (value > best_.top()) {
      best_.pop();
      best_.push(value);
    }
  }
  // Whether something with this upper bound can be among the best. Equal counts: ties are told apart later.
  [[nodiscard]] bool reached_by(double upper) const { return best_.size() < count_ || upper >= best_.top(); }

 private:
  std::size_t count_;
  std::priority_queue<double, std::vector<double>, std::greater<>> best_;
};

struct Candidate {
  std::int64_t id;
  double upper;
};

class Search {
 public:
  Search(sqlite::Database& database, std::int64_t embedder, std::span<const float> query, const Eligible& eligible,
         std::size_t count)
      : database_(&database),
        embedder_(embedder),
        query_(query),
        quantised_(query),
        eligible_(&eligible),
        count_(count),
        floor_(count) {}

  Result<VectorAnswer> run() {
    CANDOR_TRY(read_unpacked());
    CANDOR_TRY(bound_segments());
    std::erase_if(candidates_, [&](const Candidate& candidate) { return !floor_.reached_by(candidate.upper); });
    // Highest first, so that the exact values soon leave the rest behind.
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.upper != b.upper ? a.upper > b.upper : a.id < b.id;
    });
    CANDOR_TRY(read_candidates());
    keep_best(answer_.hits, *eligible_, count_);
    return std::move(answer_);
  }

 private:
  void add_exact(std::int64_t id, std::span<const float> vector) {
    const double score = cosine(query_, vector);
    ++answer_.rows_exact;
    answer_.hits.push_back({.id = id, .score = score});
  }

  // Vectors that no segment holds as they are now.
  Status read_unpacked() {
    CANDOR_ASSIGN(
        sqlite::Statement rows,
        database_->prepare("SELECT u.memory_id, e.embedding FROM vector_unpacked u LEFT JOIN memory_embeddings e "
                           "ON e.memory_id = u.memory_id AND e.embedder = u.embedder WHERE u.embedder = ?1"));
    CANDOR_TRY(rows.bind_integer(1, embedder_));
    while (true) {
      CANDOR_ASSIGN(const bool row, rows.step());
      if (!row) return Ok{};
      const auto id = rows.integer(0);
      stale_.insert(id);
      if (rows.is_null(1) || !eligible_->has(id)) continue;
      const auto vector = read_vector(rows.blob(1), query_.size());
      if (vector.empty()) continue;
      add_exact(id, vector);
      floor_.offer(answer_.hits.back().score);
    }
  }

  Status bound_segments() {
    CANDOR_ASSIGN(sqlite::Statement segments,
                  database_->prepare("SELECT ids, scales, codes FROM vector_segments WHERE embedder = ?1 ORDER BY id"));
    CANDOR_TRY(segments.bind_integer(1, embedder_));
    while (true) {
      CANDOR_ASSIGN(const bool row, segments.step());
      if (!row) return Ok{};
      bound(Segment::read(segments.blob(0), segments.blob(1), segments.blob(2), query_.size()));
    }
  }

  void bound(const Segment& segment) {
    for (std::size_t i = 0; i < segment.rows(); ++i) {
      const auto id = segment.id(i);
      if (id == 0 || !eligible_->has(id) || (!stale_.empty() && stale_.contains(id))) continue;
      const auto bounds = quantised_.bounds(segment.row(i), segment.codes(i));
      ++answer_.rows_bounded;
      if (!floor_.reached_by(bounds.upper)) continue;
      floor_.offer(bounds.lower);
      candidates_.push_back({.id = id, .upper = bounds.upper});
    }
  }

  Status read_candidates() {
    Floor exact(count_);
    for (const auto& hit : answer_.hits) exact.offer(hit.score);
    CANDOR_ASSIGN(sqlite::Statement read,
                  database_->prepare("SELECT embedding FROM memory_embeddings WHERE memory_id = ?1 "
                                     "AND embedder = ?2"));
    for (const auto& candidate : candidates_) {
      if (!exact.reached_by(candidate.upper)) break;
      read.reset();
      CANDOR_TRY(read.bind_integer(1, candidate.id));
      CANDOR_TRY(read.bind_integer(2, embedder_));
      CANDOR_ASSIGN(const bool row, read.step());
      const auto vector = row ? read_vector(read.blob(0), query_.size()) : std::vector<float>();
      if (vector.empty()) continue;
      add_exact(candidate.id, vector);
      exact.offer(answer_.hits.back().score);
    }
    return Ok{};
  }

  sqlite::Database* database_;
  std::int64_t embedder_;
  std::span<const float> query_;
  QuantisedQuery quantised_;
  const Eligible* eligible_;
  std::size_t count_;
  Floor floor_;
  std::unordered_set<std::int64_t> stale_;
  std::vector<Candidate> candidates_;
  VectorAnswer answer_;
};

}  // namespace

Result<VectorAnswer> nearest(sqlite::Database& database, std::int64_t embedder, std::span<const float> query,
                             const Eligible& eligible, std::size_t count) {
  return Search(database, embedder, query, eligible, count).run();
}

Result<VectorCoverage> vector_coverage(sqlite::Database& database, std::int64_t embedder, const Eligible& eligible) {
  VectorCoverage coverage;
  coverage.memories = static_cast<std::int64_t>(eligible.size());
  CANDOR_ASSIGN(sqlite::Statement rows,
                database.prepare("SELECT memory_id, max(embedder = ?1) FROM memory_embeddings GROUP BY memory_id"));
  CANDOR_TRY(rows.bind_integer(1, embedder));
  while (true) {
    CANDOR_ASSIGN(const bool row, rows.step());
    if (!row) break;
    if (!eligible.has(rows.integer(0))) continue;
    ++(rows.integer(1) != 0 ? coverage.with_vector : coverage.of_other_models);
  }
  coverage.without = coverage.memories - coverage.with_vector - coverage.of_other_models;
  return coverage;
}

}  // namespace candor::memory
