// Reading the records of calls.h. Private to this folder.
#pragma once

#include <functional>

#include "ledger/ledger.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

[[nodiscard]] Result<Statistics> read_statistics(sqlite::Database& database, const StatisticsFilter& filter);

[[nodiscard]] Status read_calls(sqlite::Database& database, const StatisticsFilter& filter,
                                const std::function<bool(const SentCall&)>& take);

}  // namespace candor::ledger
