// Joining two rankings and scoring them together.
#include "memory/search/fusion.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

namespace candor::memory {
namespace {

std::vector<Fused> joined(const std::vector<Scored>& text, const std::vector<Scored>& vectors) {
  std::vector<Fused> all;
  all.reserve(text.size() + vectors.size());
  std::unordered_map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < text.size(); ++i) {
    places.emplace(text[i].id, all.size());
    Fused fused;
    fused.id = text[i].id;
    fused.text_rank = i + 1;
    fused.bm25 = text[i].score;
    all.push_back(fused);
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const auto [place, fresh] = places.emplace(vectors[i].id, all.size());
    if (fresh) {
      all.emplace_back();
      all.back().id = vectors[i].id;
    }
    all[place->second].vector_rank = i + 1;
    all[place->second].cosine = vectors[i].score;
  }
  return all;
}

// Weights of 1 and 1 give .6 to text and .4 to vectors: with a weak encoder vectors must not outweigh words. Not tuned on any set.
constexpr double kTextShare = 0.6;

void score_rrf(std::vector<Fused>& all, bool has_vectors, const FusionOptions& options) {
  const double best = (options.weight_text + (has_vectors ? options.weight_vectors : 0)) / (options.rrf_k + 1);
  for (auto& fused : all) {
    double score = 0;
    if (fused.text_rank) score += options.weight_text / (options.rrf_k + static_cast<double>(*fused.text_rank));
    if (fused.vector_rank) score += options.weight_vectors / (options.rrf_k + static_cast<double>(*fused.vector_rank));
    fused.score = score;
    fused.rrf = score;
    fused.normalized = best > 0 ? score / best : 0;
  }
}

// Each step rises with its operands, roundings included, so a bound of a cosine gives a bound of the score.
class Convex {
 public:
  Convex(const FusionOptions& options, bool has_vectors, double highest_bm25)
      : text_(kTextShare * options.weight_text),
        vectors_(has_vectors ? (1 - kTextShare) * options.weight_vectors : 0),
        highest_(std::max(highest_bm25, options.full_bm25)) {}
  // A memory without a word of the query has a BM25 of 0, which is the minimum.
  [[nodiscard]] double score(double bm25, double cosine) const {
    const double sum = text_ + vectors_;
    const double share = highest_ > 0 ? bm25 / highest_ : 0;
    return sum > 0 ? (text_ * share + vectors_ * std::max(0.0, cosine)) / sum : 0;
  }

 private:
  double text_, vectors_, highest_;
};

void score_convex(std::vector<Fused>& all, bool has_vectors, const FusionOptions& options) {
  double highest = 0;
  for (const auto& fused : all) highest = std::max(highest, fused.bm25.value_or(0));
  const Convex convex(options, has_vectors, highest);
  for (auto& fused : all) {
    fused.score = fused.normalized = convex.score(fused.bm25.value_or(0), fused.cosine.value_or(0));
  }
}

void order(std::vector<Fused>& all, const Eligible& eligible) {
  std::ranges::sort(all, [&](const Fused& a, const Fused& b) {
    return a.score != b.score ? a.score > b.score : eligible.before(a.id, b.id);
  });
}

// A memory of either list, on the way to its score.
struct Bounded {
  std::int64_t id = 0;
  std::size_t text = kNone, row = kNone;  // its places in the two
  double lower = 0, upper = 0;            // of its score
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

// Finds the best of two lists of which one is only bounded.
class BestFusion {
 public:
  BestFusion(const std::vector<Scored>& text, Cosines& cosines, const FusionOptions& options, std::size_t count)
      : text_(&text),
        cosines_(&cosines),
        convex_(options, true, text.empty() ? 0 : text.front().score),
        count_(count),
        floor_(count) {}

  Result<std::vector<Fused>> find() {
    for_each([this](const Bounded& one) { floor_.offer(one.lower); });
    std::vector<Bounded> candidates;
    for_each([&](const Bounded& one) {
      if (floor_.reached_by(one.upper)) candidates.push_back(one);
    });
    // Highest first, so that the exact scores soon leave the rest behind.
    std::ranges::sort(candidates, [](const Bounded& a, const Bounded& b) {
      return a.upper != b.upper ? a.upper > b.upper : a.id < b.id;
    });
    std::vector<Fused> found;
    Floor exact(count_);
    for (const Bounded& candidate : candidates) {
      if (!exact.reached_by(candidate.upper)) break;
      CANDOR_ASSIGN(const std::optional<Fused> fused, scored(candidate));
      if (!fused) continue;
      exact.offer(fused->score);
      found.push_back(*fused);
    }
    return found;
  }

 private:
  // Each memory of either list once, by id.
  template <typename Visit>
  void for_each(const Visit& visit) {
    if (by_id_.size() != text_->size()) {
      for (std::size_t i = 0; i < text_->size(); ++i) by_id_.push_back(i);
      std::ranges::sort(by_id_, {}, [this](std::size_t at) { return (*text_)[at].id; });
    }
    std::size_t next = 0;
    const auto pass_text = [&](std::int64_t below) {
      for (; next < by_id_.size() && (*text_)[by_id_[next]].id < below; ++next) visit(of_text(by_id_[next]));
    };
    const auto& rows = cosines_->rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      pass_text(rows[i].id);
      Bounded one{.id = rows[i].id, .row = i};
      double bm25 = 0;
      if (next < by_id_.size() && (*text_)[by_id_[next]].id == one.id) {
        one.text = by_id_[next++];
        bm25 = (*text_)[one.text].score;
      }
      one.lower = convex_.score(bm25, rows[i].lower);
      one.upper = convex_.score(bm25, rows[i].upper);
      visit(one);
    }
    pass_text(std::numeric_limits<std::int64_t>::max());
  }

  [[nodiscard]] Bounded of_text(std::size_t place) const {
    const double score = convex_.score((*text_)[place].score, 0);
    return {.id = (*text_)[place].id, .text = place, .lower = score, .upper = score};
  }

  // Nothing: it was in the list of vectors alone, and is gone from there.
  Result<std::optional<Fused>> scored(const Bounded& one) {
    Fused fused;
    fused.id = one.id;
    if (one.row != Bounded::kNone) {
      CANDOR_ASSIGN(const bool there, cosines_->make_exact(one.row));
      if (there) fused.cosine = cosines_->rows()[one.row].upper;
    }
    if (one.text != Bounded::kNone) {
      fused.text_rank = one.text + 1;
      fused.bm25 = (*text_)[one.text].score;
    }
    if (!fused.cosine && !fused.text_rank) return std::optional<Fused>();
    fused.score = fused.normalized = convex_.score(fused.bm25.value_or(0), fused.cosine.value_or(0));
    return std::optional(fused);
  }

  const std::vector<Scored>* text_;
  Cosines* cosines_;
  Convex convex_;
  std::size_t count_;
  Floor floor_;
  std::vector<std::size_t> by_id_;  // places of the text's list
};

}  // namespace

Result<Fusion> parse_fusion(std::string_view text) {
  if (text == "rrf") return Fusion::kRrf;
  if (text == "convex") return Fusion::kConvex;
  return make_error("usage", "--fusion can't be '" + std::string(text) + "'", "--fusion convex, or --fusion rrf");
}

std::string_view name_of(Fusion fusion) { return fusion == Fusion::kRrf ? "rrf" : "convex"; }

std::vector<Fused> fuse(const std::vector<Scored>& text, const std::vector<Scored>& vectors, bool has_vectors,
                        const Eligible& eligible, const FusionOptions& options) {
  auto all = joined(text, vectors);
  if (options.method == Fusion::kRrf) {
    score_rrf(all, has_vectors, options);
  } else {
    score_convex(all, has_vectors, options);
  }
  order(all, eligible);
  return all;
}

Result<std::vector<Fused>> fuse_best(const std::vector<Scored>& text, Cosines& cosines, const Eligible& eligible,
                                     const FusionOptions& options, std::size_t count, std::size_t depth) {
  CANDOR_ASSIGN(std::vector<Fused> best, BestFusion(text, cosines, options, count).find());
  order(best, eligible);
  if (best.size() > count) best.resize(count);
  std::vector<std::int64_t> ids;
  for (const Fused& fused : best) ids.push_back(fused.id);
  CANDOR_ASSIGN(const auto ranks, cosines.ranks(ids, depth));
  for (std::size_t i = 0; i < best.size(); ++i) best[i].vector_rank = ranks[i];
  return best;
}

}  // namespace candor::memory
