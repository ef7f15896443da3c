// Expressions of the AST as text, for a subset whose meaning is the same in every dialect that is measured. DuckDB's own
// counting statements are printed by DuckDB; this prints what people read, and SQLite's counting statements.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"

namespace candor::review::syntax {

// "name", or name where it needs no quotes.
[[nodiscard]] std::string quoted_name(std::string_view name);
// Always with quotes.
[[nodiscard]] std::string always_quoted(std::string_view name);

// In SQLite's dialect, fully parenthesised; absent when a part is outside of the subset: columns, literals, comparisons,
// AND, OR, NOT, IN over a list, BETWEEN, LIKE, IS NULL, +, -, *, CAST to TEXT, INTEGER or REAL, COALESCE, and the
// functions that `is_sqlite_function` knows.
[[nodiscard]] std::optional<std::string> sqlite_expression(const json::Node& node);

// The same for PostgreSQL.
[[nodiscard]] std::optional<std::string> postgres_expression(const json::Node& node);

// Deterministic functions that mean the same however SQLite was built.
[[nodiscard]] bool is_sqlite_function(std::string_view lower_name);

// For people; what is outside of the subset shows as "…".
[[nodiscard]] std::string readable_expression(const json::Node& node);

}  // namespace candor::review::syntax
