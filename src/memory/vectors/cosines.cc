// One pass over the packed codes, then float32 rows for what the bounds do not tell apart.
#include "memory/vectors/cosines.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include "memory/vectors/dot.h"
#include "memory/vectors/quantise.h"
#include "memory/vectors/segment.h"
#include "memory/vectors/vector_tables.h"

namespace candor::memory {
namespace {

constexpr double kGone = -std::numeric_limits<double>::infinity();

}  // namespace

void Floor::offer(double value) {
  if (best_.size() < count_) {
    best_.push_back(value);
    std::ranges::push_heap(best_, std::greater<>());
  } else if (count_ > 0 && value > best_.front()) {
    std::ranges::pop_heap(best_, std::greater<>());
    best_.back() = value;
    std::ranges::push_heap(best_, std::greater<>());
  }
}

Result<Cosines> Cosines::bound(sqlite::Database& database, std::int64_t embedder, std::span<const float> query,
                               const Eligible& eligible, const PackedVectors* kept) {
  Cosines cosines(embedder, query, eligible);
  cosines.rows_.reserve(eligible.size());
  const QuantisedQuery quantised(query);
  const auto add_unpacked = [&](std::int64_t id, std::string_view vector) { cosines.add_unpacked(id, vector); };
  const auto add_segment = [&](std::string_view ids, std::string_view scales, std::string_view codes) {
    cosines.add_segment(Segment::read(ids, scales, codes, query.size()), quantised);
  };
  if (kept != nullptr) {
    for (const auto& [id, vector] : kept->unpacked) add_unpacked(id, vector);
    for (const auto& part : kept->segments) add_segment(part.ids, part.scales, part.codes);
  } else {
    CANDOR_TRY(visit_vectors(database, embedder, add_unpacked, add_segment));
  }
  cosines.order_by_id();
  CANDOR_ASSIGN(cosines.read_, database.prepare("SELECT embedding FROM memory_embeddings WHERE memory_id = ?1 AND "
                                                "embedder = ?2"));
  return cosines;
}

// Unpacked ones came first, in order; memories are mostly packed in the order in which they came.
void Cosines::order_by_id() {
  const auto packed = std::ranges::is_sorted_until(rows_, {}, &Row::id);
  if (packed == rows_.end()) return;
  const std::ranges::subrange first(rows_.begin(), packed), second(packed, rows_.end());
  if (!std::ranges::is_sorted(second, {}, &Row::id)) {
    std::ranges::sort(rows_, {}, &Row::id);
    return;
  }
  std::vector<Row> merged;
  merged.reserve(rows_.size());
  std::ranges::merge(first, second, std::back_inserter(merged), {}, &Row::id, &Row::id);
  rows_ = std::move(merged);
}

// A vector that no segment holds as it is now.
void Cosines::add_unpacked(std::int64_t id, std::string_view vector) {
  stale_.push_back(id);
  if (!eligible_->has(id)) return;
  const auto values = read_vector(vector, query_.size());
  if (values.empty()) return;
  const double exact = cosine(query_, values);
  rows_.push_back({.id = id, .lower = exact, .upper = exact});
}

void Cosines::add_segment(const Segment& segment, const QuantisedQuery& query) {
  for (std::size_t i = 0; i < segment.rows(); ++i) {
    const auto id = segment.id(i);
    if (id == 0 || !eligible_->has(id) || std::ranges::binary_search(stale_, id)) continue;
    const auto bounds = query.bounds(segment.row(i), segment.codes(i));
    rows_.push_back({.id = id, .lower = bounds.lower, .upper = bounds.upper});
  }
}

std::optional<std::size_t> Cosines::find(std::int64_t id) const {
  const auto found = std::ranges::lower_bound(rows_, id, {}, &Row::id);
  if (found == rows_.end() || found->id != id) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.begin());
}

Result<bool> Cosines::make_exact(std::size_t row) {
  Row& at = rows_[row];
  if (at.exact()) return at.upper != kGone;
  read_.reset();
  CANDOR_TRY(read_.bind_integer(1, at.id));
  CANDOR_TRY(read_.bind_integer(2, embedder_));
  CANDOR_ASSIGN(const bool found, read_.step());
  const auto vector = found ? read_vector(read_.blob(0), query_.size()) : std::vector<float>();
  at.lower = at.upper = vector.empty() ? kGone : cosine(query_, vector);
  return !vector.empty();
}

Result<std::vector<Scored>> Cosines::nearest(std::size_t count) {
  Floor bounded(count);
  for (const Row& row : rows_) bounded.offer(row.lower);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (bounded.reached_by(rows_[i].upper)) candidates.push_back(i);
  }
  // Highest first, so that the exact values soon leave the rest behind.
  std::ranges::sort(candidates, [this](std::size_t a, std::size_t b) {
    return rows_[a].upper != rows_[b].upper ? rows_[a].upper > rows_[b].upper : a < b;
  });
  std::vector<Scored> hits;
  Floor exact(count);
  for (const std::size_t candidate : candidates) {
    if (!exact.reached_by(rows_[candidate].upper)) break;
    CANDOR_ASSIGN(const bool there, make_exact(candidate));
    if (!there) continue;
    hits.push_back({.id = rows_[candidate].id, .score = rows_[candidate].upper});
    exact.offer(hits.back().score);
  }
  keep_best(hits, *eligible_, count);
  return hits;
}

// The order of a scan's results.
bool Cosines::before(const Row& a, const Row& b) const {
  return a.upper != b.upper ? a.upper > b.upper : eligible_->before(a.id, b.id);
}

Result<std::vector<std::optional<std::uint64_t>>> Cosines::ranks(std::span<const std::int64_t> ids, std::size_t depth) {
  std::vector<std::optional<std::uint64_t>> ranks(ids.size());
  // What is below this has `depth` rows above it.
  Floor deepest(depth);
  for (const Row& row : rows_) deepest.offer(row.lower);
  std::vector<std::size_t> asked;  // rows, or the end
  double lowest = std::numeric_limits<double>::infinity();
  for (const auto id : ids) {
    const auto row = find(id);
    const bool ranked = row && rows_[*row].upper != kGone && deepest.reached_by(rows_[*row].upper);
    asked.push_back(ranked ? *row : rows_.size());
    if (ranked) lowest = std::min(lowest, rows_[*row].upper);
  }
  std::vector<std::size_t> high;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].upper >= lowest) high.push_back(i);
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (asked[i] == rows_.size()) continue;
    const Row own = rows_[asked[i]];
    std::uint64_t rank = 1;
    for (const std::size_t other : high) {
      if (other == asked[i]) continue;
      if (rows_[other].lower <= own.upper && rows_[other].upper >= own.upper) {
        CANDOR_ASSIGN(const bool there, make_exact(other));
        if (!there) continue;
      }
      rank += before(rows_[other], own) ? 1 : 0;
    }
    if (rank <= depth) ranks[i] = rank;
  }
  return ranks;
}

}  // namespace candor::memory
