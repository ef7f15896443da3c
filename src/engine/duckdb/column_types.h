// The type of a column of texts, decided from all of its values and never at the cost of one: what a number or a date
// would lose or could mean in two ways stays text, with a note that says why.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/import_session.h"
#include "engine/duckdb/text_class.h"

namespace candor::engine::duckdb {

struct ColumnType {
  std::string type = "VARCHAR";
  std::string note;        // empty when there is nothing to say
  std::string expression;  // SQL that gives the typed value of the column of texts
};

// How many values are of which TextClass.
using ClassCounts = std::array<std::uint64_t, kTextClasses>;

// Decides from the classes of all values that are not NULL. `column` is a quoted identifier.
[[nodiscard]] ColumnType decide_type(const ClassCounts& counts, const std::string& column);

// Decides for each of the columns (quoted identifiers) of a table of texts.
[[nodiscard]] Result<std::vector<ColumnType>> decide_types(ImportSession& session, const std::string& table,
                                                           const std::vector<std::string>& columns);

}  // namespace candor::engine::duckdb
