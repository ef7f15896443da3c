// Names of the protocol's revisions.
#include "mcp/protocol/revision.h"

#include <array>
#include <utility>

namespace candor::mcp {
namespace {

constexpr std::array<std::pair<Revision, std::string_view>, 4> kRevisions = {{
    {Revision::k2025March, "2025-03-26"},
    {Revision::k2025June, "2025-06-18"},
    {Revision::k2025November, "2025-11-25"},
    {Revision::k2026, "2026-07-28"},
}};

}  // namespace

std::string_view to_string(Revision revision) { return kRevisions.at(static_cast<std::size_t>(revision)).second; }

std::optional<Revision> parse_revision(std::string_view name) {
  for (const auto& [revision, text] : kRevisions) {
    if (text == name) return revision;
  }
  return std::nullopt;
}

Revision negotiate(std::string_view requested) {
  const auto revision = parse_revision(requested);
  return revision && !is_modern(*revision) ? *revision : Revision::k2025November;
}

}  // namespace candor::mcp
