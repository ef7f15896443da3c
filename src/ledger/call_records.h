// Writing the records of calls.h. Private to this folder; to be called in a transaction.
#pragma once

#include "ledger/connection.h"
#include "ledger/ledger.h"

namespace candor::ledger {

// What `record.part` and `record.commit` say; nothing where they are null. Sets the call's id where it has none: the
// caller takes it back when the transaction fails.
[[nodiscard]] Status record_call(Connection& connection, const Telemetry& record, std::int64_t at_ms);

}  // namespace candor::ledger
