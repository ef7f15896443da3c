// One search: its text leg, its vector leg, and what they make together.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "memory/search/eligible.h"
#include "memory/search/fusion.h"
#include "memory/store/store.h"
#include "memory/text/text_search.h"
#include "memory/vectors/cosines.h"
#include "scope/filter.h"

namespace candor::memory {

// How far the vector leg tells ranks, and fuses by them, where nobody asks for more: as many rows as k may be, whatever k
// is, so that k = 5 begins like k = 10.
inline constexpr std::size_t kVectorDepth = 4'096;
inline constexpr std::int64_t kTopMax = 4'096;

struct QueryVector {
  std::int64_t embedder = 0;
  std::vector<float> values;
};

struct SearchQuery {
  std::string text;
  Scope scope;
  FusionOptions fusion;
  std::optional<QueryVector> vector;
  bool with_text = true;
};

struct Legs {
  TextQuery words;
  std::vector<Fused> ranked;
  std::optional<std::int64_t> with_vector;  // of the memories that were searched; where vectors were
};

class Searcher {
 public:
  [[nodiscard]] static Result<Searcher> make(Store& store, SearchQuery query);

  // The ranking among the eligible memories that `below` lets pass, as far as it speaks of stored keys; those of `computed`
  // are for the caller to judge. At least its first `first`; all of it without.
  [[nodiscard]] Result<Legs> search(const scope::Predicate* below, const std::vector<std::string>& computed,
                                    std::optional<std::size_t> first);

  [[nodiscard]] const Eligible& eligible() const { return *eligible_; }
  [[nodiscard]] std::shared_ptr<const Eligible> shared_eligible() const { return eligible_; }
  [[nodiscard]] const SearchQuery& query() const { return query_; }
  [[nodiscard]] Store& store() { return *store_; }

 private:
  Searcher(Store& store, SearchQuery query, std::shared_ptr<const Eligible> eligible)
      : store_(&store), query_(std::move(query)), eligible_(std::move(eligible)) {}
  Result<std::vector<Fused>> with_vectors(const TextAnswer& text, const Eligible& eligible,
                                          std::optional<std::size_t> first, std::optional<std::int64_t>& with_vector);
  Result<Eligible> narrowed(const scope::Predicate& below, const std::vector<Scored>* among);

  Store* store_;
  SearchQuery query_;
  std::shared_ptr<const Eligible> eligible_;
};

}  // namespace candor::memory
