// The record of one result, from the ceiling it was made under and the rows that came.
#include "scope/scope.h"

#include <utility>

namespace candor::scope {
namespace {

FilterScope filter_scope_of(const AgentSurface& surface) {
  if (!surface.truncates()) return FilterScope::kUniverse;
  return surface.ceiling.kind == LimitKind::kTopK ? FilterScope::kTopK : FilterScope::kPage;
}

// The precedence: a cut page, else a top-k, else rows that were not handed over, else all that matched.
CountScope count_scope_of(const AgentSurface& surface) {
  const LimitKind kind = surface.ceiling.kind;
  if (kind == LimitKind::kTopK) return CountScope::kTopK;
  if (surface.truncates()) return CountScope::kPage;
  return surface.output_truncated ? CountScope::kEmitted : CountScope::kMatched;
}

std::string cut_by(LimitSource source) {
  switch (source) {
    case LimitSource::kFlag:
      return "flag";
    case LimitSource::kDefault:
      return "rows_per_result";
    case LimitSource::kStatement:
      return "statement";
    case LimitSource::kNone:
      return {};
  }
  return {};
}

}  // namespace

bool AgentSurface::truncates() const {
  if (ceiling.source == LimitSource::kNone) return false;
  return ceiling.offset > 0 || !universe_total || ceiling.limit < *universe_total;
}

AgentSurface describe(const Ceiling& ceiling, std::uint64_t rows_emitted, std::optional<std::uint64_t> universe_total,
                      std::string universe_reason) {
  AgentSurface surface;
  surface.ceiling = ceiling;
  surface.universe_total = universe_total;
  if (!universe_total) surface.universe_reason = universe_reason.empty() ? "not counted" : std::move(universe_reason);
  surface.input_count = surface.output_count = rows_emitted;
  // Without a total only the ceiling tells; with one, every row that did not come counts, whatever kept it back.
  surface.output_truncated = universe_total ? rows_emitted < *universe_total : surface.truncates();
  if (surface.output_truncated && surface.truncates()) surface.output_truncated_by = cut_by(ceiling.source);
  surface.filter_scope = filter_scope_of(surface);
  surface.count_scope = count_scope_of(surface);
  return surface;
}

}  // namespace candor::scope
