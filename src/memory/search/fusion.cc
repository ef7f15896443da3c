// Joining two rankings and scoring them together.
#include "memory/search/fusion.h"

#include <algorithm>
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

// Weights of 1 and 1 are the shares that did best on public sets, .6 to text and .4 to vectors (docs/memory-search.md).
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

void score_convex(std::vector<Fused>& all, bool has_vectors, const FusionOptions& options) {
  double highest = 0;
  for (const auto& fused : all) highest = std::max(highest, fused.bm25.value_or(0));
  const double text = kTextShare * options.weight_text;
  const double vectors = has_vectors ? (1 - kTextShare) * options.weight_vectors : 0;
  const double sum = text + vectors;
  for (auto& fused : all) {
    // A memory without a word of the query has a BM25 of 0, which is the minimum.
    const double bm25 = highest > 0 ? fused.bm25.value_or(0) / highest : 0;
    fused.score = sum > 0 ? (text * bm25 + vectors * std::max(0.0, fused.cosine.value_or(0))) / sum : 0;
    fused.normalized = fused.score;
  }
}

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
  std::ranges::sort(all, [&](const Fused& a, const Fused& b) {
    if (a.score != b.score) return a.score > b.score;
    const auto newer_a = eligible.rev(a.id), newer_b = eligible.rev(b.id);
    return newer_a != newer_b ? newer_a > newer_b : a.id < b.id;
  });
  return all;
}

}  // namespace candor::memory
