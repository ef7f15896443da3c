// Names of types: the contract's own, and what engines call theirs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"

namespace candor::contract {

// All types by name, in the order of the enumeration.
[[nodiscard]] const std::vector<std::string>& type_names();

// The type that a stored one is published as: "VARCHAR[]", "timestamp(3) without time zone", "TINYINT(1)". Of DuckDB,
// SQLite (whose declared types are any words) and PostgreSQL, without regard to case. Types that no type of a contract
// holds exactly, such as BLOB, INTERVAL, TIME, STRUCT, an unsized array of arrays, or text that compares by a rule of its
// own (citext), give nothing. Integers wider than 64 bits are decimals. An array that an engine stores as JSON or text is
// told by this: it gives kJson or kString for a column that the contract calls an array.
[[nodiscard]] std::optional<Type> type_of_stored(std::string_view type_text);

// The values of a type written as ENUM('a', 'b'), in their order; empty for any other type.
[[nodiscard]] std::vector<std::string> enum_values(std::string_view type_text);

}  // namespace candor::contract
