// Making an explanation of a text.
#pragma once

#include <string_view>

#include "candor/explanation.h"
#include "contract/contract.h"
#include "lower/lower.h"

namespace candor {

// Of a text for a contract's source. Rows are not counted, so that messages lack the numbers that running it tells.
[[nodiscard]] Explanation explain(std::string_view sql, const contract::Contract& contract,
                                  const lower::Storage& storage);

}  // namespace candor
