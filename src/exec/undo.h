// Taking back what a batch of writes did, in a transaction that the caller commits: everything, or nothing when a row is no
// longer as the batch left it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "exec/changes.h"
#include "exec/exchange.h"

namespace candor::exec {

// How the source's rows stand to those of a batch. A row is never both: a batch keeps none that it left as they were.
struct Standing {
  std::vector<std::size_t> as_after;   // places in the batch's rows: as the batch left them
  std::vector<std::size_t> as_before;  // as they were before it
  std::vector<std::size_t> changed;    // neither
};

class Undoing {
 public:
  Undoing(const Environment& environment, engine::Transaction& transaction, const std::vector<Change>& rows,
          const CancelToken& cancel)
      : environment_(environment), exchange_(environment, transaction, cancel), rows_(rows) {}

  [[nodiscard]] Result<Standing> look();
  // Requires that each row is as the batch left it. Fails with `undo-refused` when the source does not take a row back as it
  // was; then only rolling back is left.
  [[nodiscard]] Status restore();

 private:
  [[nodiscard]] Status restore_one(const Change& change);
  [[nodiscard]] Result<std::vector<lower::Lowering::KeptValue>> differing(const Change& change) const;

  const Environment& environment_;
  Exchange exchange_;
  const std::vector<Change>& rows_;
};

}  // namespace candor::exec
