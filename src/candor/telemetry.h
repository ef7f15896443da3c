// One record an executed statement or commit: kept in the ledger and, with `log_json`, written to standard error as one
// line of JSON. Never the text of a statement, and never a value.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "ledger/ledger.h"

namespace candor {

[[nodiscard]] std::string log_line(const ledger::Telemetry& record);

// By what statements of calls are compared, however they are laid out: with a repair that was offered, for one.
[[nodiscard]] std::string fingerprint_of(std::string_view statement);

// Adds the errors of a failure, and the repairs that it offers.
void add_failure(ledger::CallPart& part, const Diagnostic& failure);

// The codes of a failure after its first, each once: "not-filterable,unknown-column".
[[nodiscard]] std::string further_codes(const Diagnostic& failure);

}  // namespace candor
