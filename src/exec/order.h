// Whether an ORDER BY decides which rows a page shows: private to this folder.
#pragma once

#include <cstdint>

#include "base/cancel.h"
#include "exec/exec.h"

namespace candor::exec {

// The part of a plan's rows that was read.
struct Page {
  std::int64_t limit = 0;
  bool from_statement = false;  // else it is the contract's cap
  bool more = false;            // there are rows behind it
};

// Of a plan under the contract's cap; `more` is not known before it was read.
[[nodiscard]] Page page_of(const bind::BoundSelect& plan, const contract::Contract& contract);

// Whether rows may be equal under the plan's ORDER BY: it has one, and no key in it.
[[nodiscard]] bool may_tie(const bind::BoundSelect& plan);

// Sets `order` of the outcome's surface. Of a page that begins or ends inside of the rows it is `total` where the ORDER BY
// holds a key or no row outside of the page equals its first or last one; else `partial` with the number of such rows and the
// warning `ties-at-border`. Where the database did not count in time, it is unknown with a reason.
void describe_order(const bind::BoundSelect& plan, const Page& page, const Environment& environment,
                    const CancelToken& cancel, Outcome& outcome);

}  // namespace candor::exec
