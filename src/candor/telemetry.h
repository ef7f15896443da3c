// One record an executed statement or commit: kept in the ledger and, with `log_json`, written to standard error as one
// line of JSON. Never the text of a statement, and never a value.
#pragma once

#include <string>

#include "ledger/ledger.h"

namespace candor {

[[nodiscard]] std::string log_line(const ledger::Telemetry& record);

}  // namespace candor
