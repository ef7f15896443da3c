// Walking the engine parser's AST (the JSON of `json_serialize_sql`): which objects are expressions, what they read and
// call. Nothing here trusts the tree: a missing or odd member reads as null.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"

namespace candor::review::syntax {

// "COLUMN_REF", "FUNCTION", "COMPARISON" …; empty for what is no expression.
[[nodiscard]] std::string_view class_of(const json::Node& node);
// "COMPARE_EQUAL", "OPERATOR_COALESCE", "BASE_TABLE" …
[[nodiscard]] std::string_view type_of(const json::Node& node);
[[nodiscard]] bool is_column(const json::Node& node);

// Calls `visit` for each expression object at or below `node`, outermost first. Subqueries are entered too.
void for_each_expression(const json::Node& node, const std::function<void(const json::Node&)>& visit);
void for_each_expression(json::Node& node, const std::function<void(json::Node&)>& visit);

[[nodiscard]] std::size_t count_expressions(const json::Node& node);
[[nodiscard]] bool has_class(const json::Node& node, std::string_view expression_class);

// Parts of a column reference: {"p", "site"}. Empty for anything else.
[[nodiscard]] std::vector<std::string> column_names(const json::Node& node);
void set_column_names(json::Node& node, const std::vector<std::string>& names);

// Splits nested ANDs; a null node gives nothing.
void flatten_and(const json::Node& node, std::vector<const json::Node*>& conjuncts);

// The tree without what two texts of one meaning differ in: positions.
void strip_locations(json::Node& node);

}  // namespace candor::review::syntax
