// What a refusal over a ceiling says.
#include "scope/refusal.h"

#include <algorithm>
#include <string>

#include "scope/document.h"

namespace candor::scope {
namespace {

std::uint64_t observed(const Ceiling& ceiling, const Universe& universe) {
  if (!universe.total) return ceiling.limit;
  return std::min(ceiling.limit, *universe.total - std::min(ceiling.offset, *universe.total));
}

std::string ceiling_text(const Ceiling& ceiling) {
  std::string text = ceiling.source == LimitSource::kStatement ? "the LIMIT of the statement"
                     : ceiling.source == LimitSource::kFlag    ? "a limit given by flag"
                                                               : "the default limit";
  text += ", " + std::to_string(ceiling.limit);
  if (ceiling.offset > 0) text += " from row " + std::to_string(ceiling.offset) + " on";
  return text;
}

std::string ways_out(const Declaration& declaration, const Universe& universe, std::uint64_t seen) {
  const std::string all = universe.total ? "all " + std::to_string(*universe.total) : "all";
  std::string hint = "--filter-scope universe looks at " + all + " rows; --filter-scope page looks at these " +
                     std::to_string(seen) + " alone and says so";
  if (!declaration.raise_with.empty() && universe.total) {
    hint += "; " + declaration.raise_with + std::to_string(*universe.total);
    if (declaration.ceiling.offset > 0) hint += declaration.raise_with.starts_with("--") ? " --offset 0" : " OFFSET 0";
    hint += " leaves nothing out";
  }
  return hint;
}

}  // namespace

Diagnostic over_ceiling(const Declaration& declaration, const Universe& universe, bool of_filter) {
  const Ceiling& ceiling = declaration.ceiling;
  const std::uint64_t seen = observed(ceiling, universe);
  const std::string total = universe.total ? std::to_string(*universe.total) : "unknown (" + universe.reason + ")";
  const std::string of = universe.total ? " of " + total + " rows" : " rows of a universe that was not counted";
  const std::string detail = "observed " + std::to_string(seen) + ", total " + total + ", limit " +
                             std::to_string(ceiling.limit) + ", offset " + std::to_string(ceiling.offset) +
                             ", source " + std::string(name_of(ceiling.source));
  const std::string message = (of_filter ? "the filter would judge " : "the count would be of ") +
                              std::to_string(seen) + of + " alone: " + ceiling_text(ceiling) + ", cut the rest off";
  return make_error(of_filter ? "filter-over-ceiling" : "count-over-ceiling", message,
                    ways_out(declaration, universe, seen), detail);
}

}  // namespace candor::scope
