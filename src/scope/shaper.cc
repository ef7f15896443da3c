// The rules of docs/scope.md, in the order in which they are applied.
#include "scope/shaper.h"

#include <algorithm>
#include <utility>

#include "scope/collector.h"
#include "scope/projection.h"
#include "scope/refusal.h"

namespace candor::scope {

bool Shaper::limits_matches() const { return below_ && truncates_ && !shaping_.count_only; }

Status Shaper::prepare() {
  declaration_ = list_.declare();
  CANDOR_ASSIGN(universe_, list_.universe());
  const Ceiling& ceiling = declaration_.ceiling;
  truncates_ =
      ceiling.kind != LimitKind::kNone && (ceiling.offset > 0 || !universe_.total || ceiling.limit < *universe_.total);
  uses_ = keys_of(shaping_, declaration_.catalogue);
  for (KeyUse& use : uses_) {
    if (use.state == KeyUse::State::kUnknown) find_near(use, declaration_.catalogue, {});
  }
  std::vector<Filter> filters = shaping_.predicate.filters();
  for (Filter& filter : filters) filter.key = canonical(declaration_.catalogue, filter.key);
  predicate_ = Predicate(std::move(filters));
  const bool whole = !shaping_.filter_scope && ceiling.kind != LimitKind::kTopK && !truncates_;
  below_ = shaping_.filter_scope == FilterScope::kUniverse || whole;
  return Ok{};
}

Status Shaper::refuse_over_ceiling() const {
  const bool asks = !predicate_.empty() || shaping_.count_only;
  const bool page = declaration_.ceiling.kind == LimitKind::kPagination && truncates_;
  if (!asks || !page || shaping_.filter_scope) return Ok{};
  return over_ceiling(declaration_, universe_, !predicate_.empty());
}

// Every row that passes is counted; none has to be made where the list knows their number.
Status Shaper::count_below() {
  if (predicate_.empty() && universe_.total) {
    matched_ = universe_.total;
  } else {
    CANDOR_ASSIGN(matched_, list_.count(predicate_));
  }
  kept_ = *matched_;
  return Ok{};
}

Status Shaper::visit_below() {
  Collector collector(
      {shaping_.sort ? std::optional(canonical(declaration_.catalogue, *shaping_.sort)) : std::nullopt,
       shaping_.dedupe_by ? std::optional(canonical(declaration_.catalogue, *shaping_.dedupe_by)) : std::nullopt,
       shaping_.max_items, shaping_.count_only, shaping_.falling});
  Slice slice;
  if (!predicate_.empty()) slice.below = &predicate_;
  if (limits_matches()) {
    slice.offset = declaration_.ceiling.offset;
    slice.limit = declaration_.ceiling.limit;
  }
  bool stopped = false;
  CANDOR_TRY(list_.visit(slice, [&](json::Node row) {
    ++visited_;
    note_keys(row);
    collector.add(std::move(row));
    stopped = collector.full();
    return !stopped;
  }));
  const bool saw_all = !stopped && slice.offset == 0 && (!slice.limit || visited_ < *slice.limit);
  if (saw_all) {
    matched_ = visited_;
  } else if (predicate_.empty()) {
    matched_ = universe_.total;
  } else {
    CANDOR_ASSIGN(matched_, list_.count(predicate_));
  }
  cut_ = limits_matches() &&
         (!matched_ || (stopped ? *slice.limit < *matched_ || slice.offset > 0 : visited_ < *matched_));
  kept_ = collector.count();
  show(collector.take());
  return Ok{};
}

Status Shaper::judge_page() {
  Collector collector(
      {shaping_.sort ? std::optional(canonical(declaration_.catalogue, *shaping_.sort)) : std::nullopt,
       shaping_.dedupe_by ? std::optional(canonical(declaration_.catalogue, *shaping_.dedupe_by)) : std::nullopt,
       shaping_.max_items, shaping_.count_only, shaping_.falling});
  const Ceiling& ceiling = declaration_.ceiling;
  Slice slice;
  slice.offset = ceiling.offset;
  if (ceiling.kind != LimitKind::kNone) slice.limit = ceiling.limit;
  std::uint64_t matched = 0;
  CANDOR_TRY(list_.visit(slice, [&](json::Node row) {
    ++visited_;
    note_keys(row);
    if (!predicate_.matches(row)) return true;
    ++matched;
    collector.add(std::move(row));
    return true;
  }));
  matched_ = matched;
  cut_ = truncates_ && (ceiling.kind == LimitKind::kPagination || visited_ == ceiling.limit || ceiling.offset > 0);
  kept_ = collector.count();
  show(collector.take());
  return Ok{};
}

void Shaper::note_keys(const json::Node& row) {
  for (KeyUse& use : uses_) {
    if (use.state == KeyUse::State::kOpen && value_at(row, use.key) != nullptr) use.state = KeyUse::State::kKnown;
  }
}

// Keys that the catalogue leaves open and no row had so far: is there any that has?
Status Shaper::check_open_keys() {
  for (KeyUse& use : uses_) {
    if (use.state != KeyUse::State::kOpen) continue;
    CANDOR_ASSIGN(const List::KeySearch search, list_.look_for(use.key));
    use.state = search.found ? KeyUse::State::kKnown : KeyUse::State::kUnknown;
    if (!search.found) find_near(use, declaration_.catalogue, search.keys);
  }
  return Ok{};
}

void Shaper::show(std::vector<json::Node> rows) {
  const Projection projection(shaping_, declaration_, list_.hidden());
  for (json::Node& row : rows) row = projection.of(std::move(row));
  made_.surface_.shaping.content_truncated = projection.texts_cut();
  made_.rows_ = std::move(rows);
}

FilterScope Shaper::filter_scope() const {
  if (shaping_.filter_scope == FilterScope::kUniverse) return FilterScope::kUniverse;
  if (shaping_.filter_scope == FilterScope::kPage) return truncates_ ? FilterScope::kPage : FilterScope::kUniverse;
  if (declaration_.ceiling.kind == LimitKind::kTopK) return FilterScope::kTopK;
  return truncates_ && universe_.total != 0U ? FilterScope::kPage : FilterScope::kUniverse;
}

// The precedence: a page that was cut, else a top-k, else what --max-items let through, else all that matched. A count below
// the ceiling is of all that matched, for it shows no rows that a ceiling could bound.
CountScope Shaper::count_scope() const {
  const LimitKind kind = declaration_.ceiling.kind;
  if (kind == LimitKind::kPagination && cut_ && universe_.total != 0U) return CountScope::kPage;
  if (kind == LimitKind::kTopK && !(below_ && shaping_.count_only)) return CountScope::kTopK;
  const bool capped = !shaping_.count_only && shaping_.max_items && *shaping_.max_items < kept_;
  return capped ? CountScope::kEmitted : CountScope::kMatched;
}

std::uint64_t Shaper::input_count() const {
  if (!below_) return visited_;
  if (predicate_.empty() && limits_matches()) return visited_;
  return universe_.total.value_or(matched_.value_or(visited_));
}

void Shaper::record_shaping() {
  ShapingRecord& record = made_.surface_.shaping;
  for (const Filter& filter : shaping_.predicate.filters()) record.filters.push_back(filter.text);
  if (!predicate_.empty()) record.matched_count = matched_;
  if (shaping_.sort) record.sort = (shaping_.falling ? "-" : "") + *shaping_.sort;
  record.dedupe_by = shaping_.dedupe_by;
  record.max_items = shaping_.max_items;
  record.truncate_content = shaping_.truncate_content;
  record.select = shaping_.select;
  record.result_array_source = "declared";
  for (const KeyUse& use : uses_) {
    const bool unknown = use.state == KeyUse::State::kUnknown;
    (unknown ? record.unresolved_keys : record.resolved_keys).push_back(use.written);
    if (unknown && !use.near.empty()) record.key_suggestions.emplace_back(use.written, use.near);
  }
}

void Shaper::record() {
  AgentSurface& surface = made_.surface_;
  surface.ceiling = declaration_.ceiling;
  surface.universe_total = universe_.total;
  const bool whole_seen = !universe_.total && declaration_.ceiling.kind == LimitKind::kNone && predicate_.empty();
  if (whole_seen) surface.universe_total = matched_;
  if (!surface.universe_total) surface.universe_reason = universe_.reason.empty() ? "not counted" : universe_.reason;
  surface.filter_scope = filter_scope();
  surface.filter_incomplete = !predicate_.empty() && surface.filter_scope == FilterScope::kPage;
  surface.count_scope = count_scope();
  surface.input_count = input_count();
  surface.output_count = shaping_.count_only ? kept_ : made_.rows_.size();
  surface.order = shaping_.sort ? Order::kTotal : declaration_.order;
  const bool kept_back = cut_ && !shaping_.count_only && universe_.total != 0U;
  if (kept_back && declaration_.ceiling.source != LimitSource::kStatement) {
    surface.output_truncated = true;
    surface.output_truncated_by = declaration_.ceiling.source == LimitSource::kFlag ? "flag" : declaration_.cut_by;
  }
  record_shaping();
  if (!shaping_.sort) list_.complete(surface);
}

Result<ShapedList> Shaper::run() {
  CANDOR_TRY(prepare());
  // Of nothing nothing can be asked wrongly.
  const bool empty = universe_.total == 0U;
  if (!empty && !shaping_.allow_unknown_keys) {
    if (auto unknown = unknown_keys(uses_)) return *std::move(unknown);
  }
  if (!empty) CANDOR_TRY(refuse_over_ceiling());
  if (below_ && shaping_.count_only && !shaping_.dedupe_by) {
    CANDOR_TRY(count_below());
  } else if (below_) {
    CANDOR_TRY(visit_below());
  } else {
    CANDOR_TRY(judge_page());
  }
  if (!empty) {
    CANDOR_TRY(check_open_keys());
    const bool any = visited_ > 0 || universe_.total;
    if (auto unknown = unknown_keys(uses_); unknown && any && !shaping_.allow_unknown_keys) return *std::move(unknown);
  }
  if (shaping_.count_only) made_.count_ = kept_;
  record();
  made_.declaration_ = std::move(declaration_);
  made_.shaping_ = shaping_;
  return std::move(made_);
}

}  // namespace candor::scope
