// Running the statements of a contract, which Candor lowered: no policy of texts stands before them, but what the engine
// takes them for must be reading, inserting, updating or deleting.
#pragma once

#include <memory>

#include "base/cancel.h"
#include "engine/duckdb/core.h"
#include "engine/duckdb/handles.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

// One reading statement with the source attached for it. The lane must be the contract's or the review's.
[[nodiscard]] Result<std::unique_ptr<RowStream>> run_contract_read(Core& core, const RunRequest& request,
                                                                   CancelToken cancel);

// A transaction with the source attached for writing as long as it lasts.
[[nodiscard]] Result<std::unique_ptr<Transaction>> begin_contract(std::shared_ptr<Core> core, std::int64_t wait_ms,
                                                                  const CancelToken& cancel);

}  // namespace candor::engine::duckdb
