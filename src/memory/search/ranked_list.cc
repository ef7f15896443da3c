// Slices of a ranking, with filters below its limit.
#include "memory/search/ranked_list.h"

#include <algorithm>

#include "memory/search/rows.h"

namespace candor::memory {

Result<const Legs*> RankedList::first_look() {
  if (!looked_) {
    CANDOR_ASSIGN(looked_, searcher_.search(nullptr, plan_.computed, shown_at_most()));
  }
  return &*looked_;
}

Result<scope::Universe> RankedList::universe() { return scope::Universe{searcher_.eligible().size(), {}}; }

Status RankedList::visit(const scope::Slice& slice, const scope::Visitor& visitor) {
  std::optional<std::size_t> first;
  if (slice.limit) first = slice.offset + *slice.limit;
  const auto asks_computed = [&](const scope::Filter& filter) {
    return std::ranges::find(plan_.computed, filter.key) != plan_.computed.end();
  };
  const bool computed = slice.below != nullptr && std::ranges::any_of(slice.below->filters(), asks_computed);
  const Legs* legs = nullptr;
  std::optional<Legs> own;
  if (slice.below == nullptr && first && *first <= shown_at_most()) {
    CANDOR_ASSIGN(legs, first_look());
  } else {
    CANDOR_ASSIGN(own, searcher_.search(slice.below, plan_.computed, computed ? std::nullopt : first));
    legs = &*own;
  }
  shown_.clear();
  std::uint64_t passed = 0;
  for (const auto& fused : legs->ranked) {
    if (slice.limit && passed >= slice.offset + *slice.limit) break;
    if (plan_.keep && !plan_.keep(fused)) continue;
    CANDOR_ASSIGN(json::Node row, stored_row(searcher_.store(), fused.id));
    plan_.present(row, fused);
    if (slice.below != nullptr && !slice.below->matches(row)) continue;
    if (passed++ < slice.offset) continue;
    shown_.push_back(fused.id);
    if (!visitor(std::move(row))) return Ok{};
  }
  if (!plan_.append) return Ok{};
  CANDOR_ASSIGN(auto more, plan_.append(shown_));
  for (auto& row : more) {
    if (slice.below != nullptr && !slice.below->matches(row)) continue;
    if (!visitor(std::move(row))) break;
  }
  return Ok{};
}

}  // namespace candor::memory
