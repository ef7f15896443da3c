// Names of sources: what may be one, and which one a path gets.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace candor::config {

// Empty when the name is an identifier of letters, digits and _ (ASCII); else why not, as the rest of a sentence. It may
// still be a word of SQL.
inline constexpr std::size_t kIdentifierMax = 63;
[[nodiscard]] std::string identifier_fault(std::string_view name);

// An identifier made of a text's letters and digits, with room for a number behind it; `otherwise` where it has none.
[[nodiscard]] std::string identifier_from(std::string_view text, std::string_view otherwise);

// Empty when the name may stand for a source; else why not, as the rest of a sentence.
[[nodiscard]] std::string source_name_fault(std::string_view name);

// The name of a source given without one: after its file, folder or database, made an identifier that `taken` denies.
[[nodiscard]] std::string name_for(std::string_view spec, const std::function<bool(std::string_view)>& taken);

// Whether the specification is a URL such as postgresql://… and no path.
[[nodiscard]] bool is_url(std::string_view spec);
// Whether it is the URL of a PostgreSQL database.
[[nodiscard]] bool is_postgres_url(std::string_view spec);

// The specification as it may be shown to agents and in logs: a URL's user and password, and what stands behind its
// question mark, are left out.
[[nodiscard]] std::string shown_spec(std::string_view spec);

}  // namespace candor::config
