// The revisions of the protocol that are spoken, and how a legacy client and Candor agree on one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace candor::mcp {

// In the order of time. Those before k2026 begin with `initialize`; since then each request stands alone.
enum class Revision : std::uint8_t { k2025March, k2025June, k2025November, k2026 };

[[nodiscard]] std::string_view to_string(Revision revision);
// None for a revision that is not spoken.
[[nodiscard]] std::optional<Revision> parse_revision(std::string_view name);

[[nodiscard]] inline bool is_modern(Revision revision) { return revision == Revision::k2026; }
// Whether a client of this revision knows `structuredContent` and `outputSchema`.
[[nodiscard]] inline bool has_structured_content(Revision revision) { return revision >= Revision::k2025June; }

// What `initialize` is answered with: the revision asked for where it is a legacy one that is spoken, else the newest of
// those.
[[nodiscard]] Revision negotiate(std::string_view requested);

}  // namespace candor::mcp
