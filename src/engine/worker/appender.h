// The client's side of an append: rows pushed to the worker under its credits.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/engine.h"
#include "engine/worker/connection.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"

namespace candor::engine::worker {

// One object a call.
class Appender {
 public:
  Appender(Connection& connection, Call& call, const Timing& timing)
      : connection_(connection), call_(call), timing_(timing) {}

  // Pulls `rows` to their end. The number of rows that the worker's engine has appended.
  [[nodiscard]] Result<std::uint64_t> push(RowStream& rows);

 private:
  using Ended = std::optional<Result<std::uint64_t>>;

  Ended send(const RowBatch& batch, std::size_t columns);
  Ended wait_for_credit();
  Result<std::uint64_t> last();
  Result<std::uint64_t> result(const Frame& frame);

  Connection& connection_;
  Call& call_;
  const Timing& timing_;
  Window window_;
};

}  // namespace candor::engine::worker
