// A writing transaction of a contract.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "engine/postgres/pool.h"

namespace candor::engine::postgres {

// Requires a policy with a contract. Waits up to `wait_ms` for each lock of another writer.
[[nodiscard]] Result<std::unique_ptr<Transaction>> begin_transaction(std::shared_ptr<Pool> pool, std::int64_t wait_ms,
                                                                     const CancelToken& cancel);

}  // namespace candor::engine::postgres
