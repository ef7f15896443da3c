// What every list can do by looking at its rows, and a list as its document shows it.
#include "scope/list.h"

#include <algorithm>
#include <set>
#include <utility>

#include "scope/document.h"
#include "scope/shaper.h"

namespace candor::scope {
namespace {

// Keys of a row, inner ones with the outer before them.
void gather_keys(const json::Node& row, const std::string& before, std::set<std::string>& keys) {
  constexpr std::size_t kKeysMax = 2'000;
  for (const auto& [name, value] : row.members()) {
    if (keys.size() >= kKeysMax) return;
    keys.insert(before + name);
    gather_keys(value, before + name + ".", keys);
  }
}

// The bytes of a document, as if each member that ends in _ms had the most digits.
std::size_t bytes_of(const json::Node& document) {
  constexpr std::size_t kMsDigits = 20;
  std::size_t bytes = json::dump(document).size();
  for (const auto& [name, value] : document.members()) {
    if (!name.ends_with("_ms") || !value.is_number()) continue;
    bytes += kMsDigits - std::min(kMsDigits, value.text().size());
  }
  return bytes;
}

}  // namespace

Result<std::uint64_t> List::count(const Predicate& below) {
  std::uint64_t counted = 0;
  Slice slice;
  slice.below = &below;
  CANDOR_TRY(visit(slice, [&](const json::Node& /*row*/) {
    ++counted;
    return true;
  }));
  return counted;
}

Result<List::KeySearch> List::look_for(const std::string& key) {
  KeySearch search;
  std::set<std::string> keys;
  CANDOR_TRY(visit({}, [&](const json::Node& row) {
    search.found = value_at(row, key) != nullptr;
    if (!search.found) gather_keys(row, "", keys);
    return !search.found;
  }));
  search.keys.assign(keys.begin(), keys.end());
  return search;
}

Result<ShapedList> ShapedList::make(List& list, const Shaping& shaping) { return Shaper(list, shaping).run(); }

void ShapedList::add_secondary(std::string name, std::vector<json::Node> items, bool cut) {
  if (shaping_.max_items && items.size() > *shaping_.max_items) {
    items.resize(*shaping_.max_items);
    cut = true;
  }
  if (cut) surface_.shaping.secondary_capped.push_back(name);
  secondary_.emplace_back(std::move(name), std::move(items));
}

void ShapedList::add_note(std::string name, json::Node value) {
  notes_.emplace_back(std::move(name), std::move(value));
}

Status ShapedList::check() const {
  if (notes_.empty() || !shaping_.fail_on_degraded) return Ok{};
  const auto& [name, value] = notes_.front();
  return make_error("degraded", "the answer is worse than was asked for: " + name + " is " + json::dump(value),
                    "leave --fail-on-degraded out to take it as it is");
}

AgentSurface ShapedList::surface_with(std::size_t rows, bool with_secondary) const {
  AgentSurface surface = surface_;
  if (rows == rows_.size() && with_secondary) return surface;
  surface.output_truncated = true;
  surface.output_truncated_by = "max_output_bytes";
  surface.output_count = rows;
  surface.shaping.dropped = rows_.size() - rows;
  if (surface.count_scope == CountScope::kMatched) surface.count_scope = CountScope::kEmitted;
  if (with_secondary) return surface;
  surface.shaping.secondary_capped.clear();
  for (const auto& [name, items] : secondary_) surface.shaping.secondary_capped.push_back(name);
  return surface;
}

void ShapedList::set_arrays(json::Node& document, std::size_t rows, bool with_secondary, const Render& render) const {
  if (count_) {
    document.set("count", json::Node::number(static_cast<std::int64_t>(*count_)));
  } else {
    json::Node list = json::Node::array();
    list.items().reserve(rows);
    for (std::size_t i = 0; i < rows; ++i) list.push(render ? render(rows_[i]) : rows_[i]);
    document.set(declaration_.array, std::move(list));
    for (const auto& [name, items] : secondary_) {
      json::Node other = json::Node::array();
      if (with_secondary) other.items() = items;
      document.set(name, std::move(other));
    }
  }
  for (const auto& [name, value] : notes_) document.set(name, value);
  document.set("agent_surface", surface_document(surface_with(rows, with_secondary)));
}

// Of the document with an empty list and the record for so many rows.
std::size_t ShapedList::bytes_without_rows(const json::Node& document, std::size_t rows, bool with_secondary) const {
  json::Node bare = document;
  set_arrays(bare, 0, with_secondary, {});
  bare.set("agent_surface", surface_document(surface_with(rows, with_secondary)));
  return bytes_of(bare);
}

void ShapedList::put_into(json::Node& document, const Render& render) const {
  if (!shaping_.max_output_bytes) return set_arrays(document, rows_.size(), true, render);
  constexpr std::size_t kLineBreak = 1;
  const std::size_t budget = *shaping_.max_output_bytes;
  for (const bool with_secondary : {true, false}) {
    if (!with_secondary && (secondary_.empty() || count_)) break;
    // How far rows get, each with its comma; then the record's own digits decide.
    std::size_t bytes = kLineBreak + bytes_without_rows(document, 0, with_secondary);
    std::vector<std::size_t> ends = {0};
    for (std::size_t i = 0; !count_ && i < rows_.size() && bytes + ends.back() <= budget; ++i)
      ends.push_back(ends.back() + json::dump(render ? render(rows_[i]) : rows_[i]).size() + (i > 0 ? 1 : 0));
    for (std::size_t rows = ends.size(); rows-- > 0;) {
      bytes = kLineBreak + bytes_without_rows(document, rows, with_secondary);
      if (bytes + ends[rows] <= budget) return set_arrays(document, rows, with_secondary, render);
      // The record differs by few bytes: what is beyond it by more can be passed over.
      while (rows > 0 && bytes + ends[rows - 1] > budget + 64) --rows;
    }
  }
  json::Node whole = json::Node::object();
  whole.set("truncated", json::Node::boolean(true));
  json::Node bare = whole;
  if (!count_) whole.set("dropped", json::Node::number(static_cast<std::int64_t>(rows_.size())));
  document = json::dump(whole).size() + kLineBreak <= budget ? std::move(whole) : std::move(bare);
}

}  // namespace candor::scope
