// Wording of the scope.
#include "cli/scope_line.h"

#include "cli/text_layout.h"

namespace candor::cli {
namespace {

std::string rows(std::uint64_t number) { return counted(number, "row", "rows"); }

// "12 of 1,892 rows", "rows 6 to 15 of 1,892".
std::string part(const scope::AgentSurface& surface, std::uint64_t shown) {
  const std::uint64_t offset = surface.ceiling.offset;
  if (!surface.universe_total) {
    std::string text = rows(shown);
    if (offset > 0) text += " after the first " + grouped(offset);
    return text + " of an unknown total (" + surface.universe_reason + ")";
  }
  const std::uint64_t total = *surface.universe_total;
  if (offset > 0 && shown > 0) {
    return "rows " + grouped(offset + 1) + " to " + grouped(offset + shown) + " of " + grouped(total);
  }
  if (shown == total) return rows(shown);
  return grouped(shown) + " of " + rows(total);
}

// What kept the others back, where something did.
std::string reason(const scope::AgentSurface& surface) {
  const std::string& by = surface.output_truncated_by;
  if (by == "result_chars") return "; the limit result_chars cut the rest: select fewer or shorter columns";
  if (by == "rows_per_result") return "; the limit rows_per_result cut the rest: limits in candor.yaml raise it";
  if (by == "flag") return "; --max-rows cut the rest";
  return {};
}

std::string undefined_choice(std::uint64_t shown) {
  return shown == 1 ? "which one is not defined" : "which " + grouped(shown) + " is not defined";
}

// What the order says of the rows that were chosen.
std::string choice(const scope::AgentSurface& surface, std::uint64_t shown) {
  if (surface.ceiling.source != scope::LimitSource::kStatement || shown == 0) return {};
  if (surface.ceiling.kind != scope::LimitKind::kTopK) {
    return "; LIMIT in the statement, no ORDER BY: " + undefined_choice(shown);
  }
  switch (surface.order) {
    case scope::Order::kTotal:
      return "; the first by ORDER BY";
    case scope::Order::kPartial: {
      const std::uint64_t ties = surface.ties_at_border.value_or(0);
      if (surface.ceiling.offset > 0 && ties > 0) {
        return "; by ORDER BY, but " + counted(ties, "row outside ties", "rows outside tie") +
               " with those at its ends: which of them is shown is not defined";
      }
      const std::string more = ties > 0 ? counted(ties, "more row ties", "more rows tie") : "more rows tie";
      return "; the first by ORDER BY, but " + more + " with the last: which of them is shown is not defined";
    }
    default:
      return "; the first by ORDER BY, ties at the border are not known" +
             (surface.order_reason.empty() ? "" : " (" + surface.order_reason + ")");
  }
}

}  // namespace

std::string scope_line(const scope::AgentSurface& surface, std::uint64_t shown, std::optional<std::uint64_t> scanned) {
  std::string line = part(surface, shown);
  if (shown == 0 && scanned) line += ", " + rows(*scanned) + " scanned";
  if (!surface.truncates() && !surface.output_truncated) return line;
  return line + reason(surface) + choice(surface, shown);
}

std::string filter_words(const scope::AgentSurface& surface) {
  switch (surface.filter_scope) {
    case scope::FilterScope::kPage:
      return "; of the page alone";
    case scope::FilterScope::kTopK:
      return "; of the first " + grouped(surface.ceiling.limit) + " alone";
    case scope::FilterScope::kUniverse:
      return {};
  }
  return {};
}

std::string list_line(const scope::AgentSurface& surface, const char* one, const char* many) {
  const std::uint64_t shown = surface.output_count;
  if (surface.universe_total == shown) return counted(shown, one, many);
  std::string line = surface.universe_total ? grouped(shown) + " of " + counted(*surface.universe_total, one, many)
                                            : counted(shown, one, many) + " of an unknown number";
  const scope::ShapingRecord& shaping = surface.shaping;
  if (!shaping.filters.empty()) {
    const bool all_shown = shaping.matched_count == shown;
    return line + (all_shown || !shaping.matched_count ? "" : "; " + grouped(*shaping.matched_count) + " match") +
           filter_words(surface);
  }
  const std::uint64_t next = surface.ceiling.offset + surface.input_count;
  if (surface.count_scope == scope::CountScope::kPage && shown > 0 && next < surface.universe_total.value_or(0))
    line += "; --offset " + std::to_string(next) + " shows the next";
  return line;
}

}  // namespace candor::cli
