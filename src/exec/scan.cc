// SELECT without its ceiling: every row of what a page is a part of, one after the other.
#include <limits>
#include <utility>

#include "exec/rows.h"

namespace candor::exec {

Status scan(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
            const RowVisitor& visitor) {
  lower::Lowering::SelectOptions options;
  options.with_limit = false;
  const lower::Lowered lowered = lower::Lowering(environment.storage).select(plan, options);
  constexpr std::uint64_t kAll = std::numeric_limits<std::int64_t>::max();
  CANDOR_TRY(stream(lowered, environment, nullptr, environment.statement_ms, kAll, cancel, visitor));
  return Ok{};
}

}  // namespace candor::exec
