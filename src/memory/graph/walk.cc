// The breadth-first walk.
#include "memory/graph/walk.h"

#include <algorithm>
#include <unordered_set>

namespace candor::memory {
namespace {

struct Edge {
  std::int64_t other = 0;
  std::string relation;
  double weight = 0;
  bool outbound = true;
};

class Walk {
 public:
  Walk(sqlite::Database& database, const WalkOptions& options) : database_(&database), options_(&options) {}

  Status prepare() {
    CANDOR_ASSIGN(out_, database_->prepare(statement("target_id", "source_id"), nullptr, true));
    CANDOR_ASSIGN(in_, database_->prepare(statement("source_id", "target_id"), nullptr, true));
    return Ok{};
  }

  Result<std::vector<Reached>> run(const std::vector<std::int64_t>& seeds) {
    if (options_->max_hops == 0) return std::move(reached_);
    for (const auto seed : seeds) seen_.insert(seed);
    std::unordered_set<std::int64_t> begun;
    for (const auto seed : seeds) {
      if (begun.insert(seed).second) CANDOR_TRY(expand(seed, 0, 0));
    }
    // What is reached stands in the order in which it was found, so the list is its own queue.
    for (std::size_t at = 0; at < reached_.size(); ++at) {
      if (reached_[at].hop >= options_->max_hops) break;
      CANDOR_TRY(expand(reached_[at].entity, reached_[at].hop, at));
    }
    return std::move(reached_);
  }

 private:
  [[nodiscard]] std::string statement(const std::string& other, const std::string& own) const {
    std::string sql =
        "SELECT " + other + ", relation, weight FROM relationships WHERE " + own + " = ?1 AND weight >= ?2";
    if (options_->name_space) sql += " AND namespace = ?3";
    if (options_->relation) sql += " AND relation = ?4";
    return sql;
  }

  Status read(sqlite::Statement& statement, std::int64_t entity, bool outbound) {
    statement.reset();
    CANDOR_TRY(statement.bind_integer(1, entity));
    CANDOR_TRY(statement.bind_real(2, options_->min_weight));
    if (options_->name_space) CANDOR_TRY(statement.bind_text(3, *options_->name_space));
    if (options_->relation) CANDOR_TRY(statement.bind_text(4, *options_->relation));
    while (true) {
      CANDOR_ASSIGN(const bool row, statement.step());
      if (!row) return Ok{};
      edges_.push_back({.other = statement.integer(0),
                        .relation = std::string(statement.text(1)),
                        .weight = statement.real(2),
                        .outbound = outbound});
    }
  }

  Status expand(std::int64_t entity, std::uint32_t hop, std::size_t parent) {
    edges_.clear();
    CANDOR_TRY(read(out_, entity, true));
    if (options_->both_directions) CANDOR_TRY(read(in_, entity, false));
    std::ranges::sort(edges_, [](const Edge& a, const Edge& b) {
      if (a.weight != b.weight) return a.weight > b.weight;
      if (a.other != b.other) return a.other < b.other;
      return a.relation != b.relation ? a.relation < b.relation : a.outbound && !b.outbound;
    });
    if (options_->neighbours_max && edges_.size() > *options_->neighbours_max) edges_.resize(*options_->neighbours_max);
    for (auto& edge : edges_) {
      if (!seen_.insert(edge.other).second) continue;
      reached_.push_back({.entity = edge.other,
                          .hop = hop + 1,
                          .from = entity,
                          .parent = parent,
                          .relation = std::move(edge.relation),
                          .weight = edge.weight,
                          .outbound = edge.outbound});
    }
    return Ok{};
  }

  sqlite::Database* database_;
  const WalkOptions* options_;
  sqlite::Statement out_, in_;
  std::vector<Edge> edges_;
  std::vector<Reached> reached_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

Result<std::vector<Reached>> walk(sqlite::Database& database, const std::vector<std::int64_t>& seeds,
                                  const WalkOptions& options) {
  Walk walk(database, options);
  CANDOR_TRY(walk.prepare());
  return walk.run(seeds);
}

void order_by_nearness(std::vector<Reached>& reached) {
  std::ranges::sort(reached, [](const Reached& a, const Reached& b) {
    if (a.hop != b.hop) return a.hop < b.hop;
    return a.weight != b.weight ? a.weight > b.weight : a.entity < b.entity;
  });
}

}  // namespace candor::memory
