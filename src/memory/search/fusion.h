// Two rankings to one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "memory/vectors/cosines.h"

namespace candor::memory {

enum class Fusion : std::uint8_t {
  kRrf,  // sum of weight / (60 + rank): Cormack, Clarke and Büttcher 2009
  // share * BM25 + (1 - share) * cosine: Bruch, Gai and Ingber 2023. BM25 is divided by the highest that was found, or by
  // what a memory with every word of the query would have: where few words are found, the best of them is no full hit.
  kConvex,
};

// Fails with `usage`.
[[nodiscard]] Result<Fusion> parse_fusion(std::string_view text);
[[nodiscard]] std::string_view name_of(Fusion fusion);

struct FusionOptions {
  Fusion method = Fusion::kConvex;
  double rrf_k = 60, weight_text = 1, weight_vectors = 1;
  double full_bm25 = 0;  // what a memory with every word of the query would have
};

struct Fused {
  std::int64_t id = 0;
  double score = 0;       // the method's own
  double normalized = 0;  // of 1
  std::optional<double> rrf;
  std::optional<std::uint64_t> text_rank, vector_rank;  // from 1
  std::optional<double> bm25, cosine;
};

// Both lists are best first, and whole. The order is total: score, then the newer memory, then id.
[[nodiscard]] std::vector<Fused> fuse(const std::vector<Scored>& text, const std::vector<Scored>& vectors,
                                      bool has_vectors, const Eligible& eligible, const FusionOptions& options);

// The first `count` of what `fuse` by kConvex gives of the text's list and all cosines, to the bit; float32 vectors are read
// of those alone that can be among them. A rank among the vectors is told where it is at most `depth`.
[[nodiscard]] Result<std::vector<Fused>> fuse_best(const std::vector<Scored>& text, Cosines& cosines,
                                                   const Eligible& eligible, const FusionOptions& options,
                                                   std::size_t count, std::size_t depth);

}  // namespace candor::memory
