// A transaction that writes to the SQLite file of a contract.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"

namespace candor::engine::sqlite {

// On a connection of its own, from BEGIN IMMEDIATE to COMMIT or ROLLBACK: SQLite lets one writer in at a time, and others
// wait here. Foreign keys are enforced, and the application's triggers run. Fails with `busy` after `wait_ms`, and when
// the file can't be written to, with `file-error`.
[[nodiscard]] Result<std::unique_ptr<Transaction>> begin_transaction(const SourceSpec& source, std::int64_t wait_ms,
                                                                     const CancelToken& cancel);

}  // namespace candor::engine::sqlite
