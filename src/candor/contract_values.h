// What a table's values say of its columns where their types don't: for `candor contract init`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "candor/contract_source.h"
#include "contract/initial.h"

namespace candor {

// SQLite's columns hold values of any type, and times, arrays and JSON are texts there. Sets `seen_as` of columns whose
// values, of the first 100,000 rows, are all of another type than the column's own word says.
[[nodiscard]] Status see_types(ContractSource& source, const engine::CatalogTable& table, contract::FoundTable& found);

// Sets `values` of text columns with 2 to 12 different short values over at least 20 rows, to all of them. Columns that
// name other rows are left alone.
[[nodiscard]] Status see_values(ContractSource& source, const engine::CatalogTable& table, contract::FoundTable& found);

}  // namespace candor
