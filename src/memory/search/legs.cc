// Running both legs over the same eligible memories.
#include "memory/search/legs.h"

#include <algorithm>

#include "memory/search/rows.h"
#include "memory/search/search_cache.h"

namespace candor::memory {
namespace {

bool is_computed(const scope::Filter& filter, const std::vector<std::string>& computed) {
  return std::ranges::find(computed, filter.key) != computed.end();
}

// The filters that a stored row answers.
scope::Predicate stored_part(const scope::Predicate& below, const std::vector<std::string>& computed) {
  std::vector<scope::Filter> stored;
  for (const auto& filter : below.filters()) {
    if (!is_computed(filter, computed)) stored.push_back(filter);
  }
  return scope::Predicate(std::move(stored));
}

// Without words the nearest are the ranking: a fusion would make all that point away equal.
std::vector<Fused> by_cosine(const std::vector<Scored>& nearest) {
  std::vector<Fused> ranked;
  for (const Scored& hit : nearest) {
    Fused fused;
    fused.id = hit.id;
    fused.score = fused.normalized = hit.score;
    fused.vector_rank = ranked.size() + 1;
    fused.cosine = hit.score;
    ranked.push_back(fused);
  }
  return ranked;
}

}  // namespace

Result<Searcher> Searcher::make(Store& store, SearchQuery query) {
  CANDOR_ASSIGN(auto eligible, store.search_cache().eligible(store.database(), query.scope));
  return Searcher(store, std::move(query), std::move(eligible));
}

// `among`: only these can matter, so the others need not be read.
Result<Eligible> Searcher::narrowed(const scope::Predicate& below, const std::vector<Scored>* among) {
  Eligible kept;
  const auto judge = [&](std::int64_t id) -> Status {
    CANDOR_ASSIGN(const json::Node row, stored_row(*store_, id));
    if (below.matches(row)) kept.add(id, eligible_->rev(id));
    return Ok{};
  };
  if (among != nullptr) {
    for (const auto& hit : *among) CANDOR_TRY(judge(hit.id));
    return kept;
  }
  for (std::size_t id = 0; id < eligible_->ids_end(); ++id) {
    if (eligible_->has(static_cast<std::int64_t>(id))) CANDOR_TRY(judge(static_cast<std::int64_t>(id)));
  }
  return kept;
}

Result<std::vector<Fused>> Searcher::with_vectors(const TextAnswer& text, const Eligible& eligible,
                                                  std::optional<std::size_t> first,
                                                  std::optional<std::int64_t>& with_vector) {
  const QueryVector& vector = *query_.vector;
  CANDOR_ASSIGN(const auto kept, store_->search_cache().vectors(store_->database(), vector.embedder));
  CANDOR_ASSIGN(Cosines cosines,
                Cosines::bound(store_->database(), vector.embedder, vector.values, eligible, kept.get()));
  with_vector = static_cast<std::int64_t>(cosines.rows().size());
  if (!query_.with_text) {
    CANDOR_ASSIGN(const auto nearest, cosines.nearest(first.value_or(cosines.rows().size())));
    return by_cosine(nearest);
  }
  FusionOptions options = query_.fusion;
  options.full_bm25 = text.full_score;
  const bool by_ranks = options.method == Fusion::kRrf;
  if (first && !by_ranks) return fuse_best(text.hits, cosines, eligible, options, *first, kVectorDepth);
  const bool shallow = first && *first <= kVectorDepth;
  CANDOR_ASSIGN(const auto nearest, cosines.nearest(shallow ? kVectorDepth : cosines.rows().size()));
  return fuse(text.hits, nearest, true, eligible, options);
}

Result<Legs> Searcher::search(const scope::Predicate* below, const std::vector<std::string>& computed,
                              std::optional<std::size_t> first) {
  Legs legs;
  TextAnswer text;
  if (query_.with_text) {
    CANDOR_ASSIGN(text, search_text(store_->database(), query_.text, *eligible_));
  } else {
    CANDOR_ASSIGN(text.query, read_query(store_->database(), query_.text));
  }
  legs.words = std::move(text.query);
  const bool wordless = legs.words.only_common;
  const bool vectors_asked = query_.vector.has_value() && !wordless;
  const scope::Predicate stored = below == nullptr ? scope::Predicate() : stored_part(*below, computed);
  Eligible some;
  const Eligible* eligible = eligible_.get();
  if (!stored.empty()) {
    CANDOR_ASSIGN(some, narrowed(stored, vectors_asked ? nullptr : &text.hits));
    std::erase_if(text.hits, [&](const Scored& hit) { return !some.has(hit.id); });
    eligible = &some;
  }
  if (vectors_asked) {
    CANDOR_ASSIGN(legs.ranked, with_vectors(text, *eligible, first, legs.with_vector));
  } else {
    legs.ranked = fuse(text.hits, {}, false, *eligible, query_.fusion);
  }
  return legs;
}

}  // namespace candor::memory
