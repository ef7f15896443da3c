// A bounded pass over rows: the first rows, or the best ones under a sort.
#include "scope/collector.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scope/filter.h"

namespace candor::scope {

SortKey SortKey::of(const json::Node* value) {
  SortKey key;
  if (value == nullptr || value->is_null() || value->is_array() || value->is_object()) return key;
  const std::string_view text = text_of(*value);
  key.order = Comparable::of(text);
  key.rank = key.order.kind() == Comparable::Kind::kNumber ? 0 : key.order.kind() == Comparable::Kind::kTime ? 1 : 2;
  if (key.rank == 2) key.text = std::string(text);
  return key;
}

int SortKey::compare(const SortKey& a, const SortKey& b) {
  if (a.rank != b.rank) return a.rank < b.rank ? -1 : 1;
  if (a.rank < 2) return Comparable::compare(a.order, b.order);
  return a.text.compare(b.text);
}

Collector::Collector(Rules rules) : rules_(std::move(rules)) {
  if (rules_.count_only) rules_.sort.reset();
}

bool Collector::before(const Entry& a, const Entry& b) const {
  const int order = SortKey::compare(a.key, b.key);
  if (order == 0) return a.index < b.index;
  // What has no value stays last.
  constexpr std::uint8_t kNothing = 3;
  const bool valued = a.key.rank != kNothing && b.key.rank != kNothing;
  return rules_.falling && valued ? order > 0 : order < 0;
}

bool Collector::is_first_of_its_key(const json::Node& row, Entry& entry) {
  const json::Node* value = value_at(row, *rules_.dedupe_by);
  if (value == nullptr) return true;
  const bool nested = value->is_array() || value->is_object();
  const auto [found, inserted] =
      places_.try_emplace(nested ? json::dump(*value) : std::string(text_of(*value)), entries_.size());
  if (inserted) return true;
  // Under a sort the first of a key may come last.
  if (rules_.sort && before(entry, entries_[found->second])) {
    entry.row = row;
    entries_[found->second] = std::move(entry);
  }
  return false;
}

void Collector::shrink() {
  const auto bound = static_cast<std::ptrdiff_t>(*rules_.max_items);
  std::nth_element(entries_.begin(), entries_.begin() + bound, entries_.end(),
                   [&](const Entry& a, const Entry& b) { return before(a, b); });
  entries_.erase(entries_.begin() + bound, entries_.end());
}

void Collector::add(json::Node row) {
  Entry entry;
  entry.index = index_++;
  if (rules_.sort) entry.key = SortKey::of(value_at(row, *rules_.sort));
  if (rules_.dedupe_by && !is_first_of_its_key(row, entry)) return;
  ++count_;
  if (rules_.count_only) return;
  const std::optional<std::uint64_t>& bound = rules_.max_items;
  if (!rules_.sort && bound && entries_.size() >= *bound) return;
  entry.row = std::move(row);
  entries_.push_back(std::move(entry));
  constexpr std::size_t kSlack = 1'000;
  if (rules_.sort && bound && !rules_.dedupe_by && entries_.size() > kSlack && entries_.size() / 2 > *bound) shrink();
}

bool Collector::full() const {
  return !rules_.count_only && !rules_.sort && rules_.max_items && count_ > *rules_.max_items;
}

std::vector<json::Node> Collector::take() {
  if (rules_.sort) std::ranges::sort(entries_, [&](const Entry& a, const Entry& b) { return before(a, b); });
  if (rules_.max_items && entries_.size() > *rules_.max_items)
    entries_.erase(std::next(entries_.begin(), static_cast<std::ptrdiff_t>(*rules_.max_items)), entries_.end());
  std::vector<json::Node> rows;
  rows.reserve(entries_.size());
  for (Entry& entry : entries_) rows.push_back(std::move(entry.row));
  entries_.clear();
  return rows;
}

}  // namespace candor::scope
