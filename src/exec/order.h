// Whether an ORDER BY decides which rows a page shows: private to this folder.
#pragma once

#include <cstdint>
#include <optional>

#include "base/cancel.h"
#include "exec/exec.h"
#include "lower/lower.h"

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

// How a page of the plan is read: one row more than it shows tells whether there are more. Where rows may tie, the values of
// ORDER BY come with it, and the row before its first one.
[[nodiscard]] lower::Lowering::SelectOptions options_of(const bind::BoundSelect& plan, const Page& page);

// Rows outside of a page that equal its first or its last one under the ORDER BY.
struct Ties {
  std::uint64_t before = 0, behind = 0;
};

// By the place that the database gives each row; nothing where it does not say so in time.
[[nodiscard]] std::optional<Ties> count_places(const bind::BoundSelect& plan, const Page& page,
                                               const Environment& environment, const CancelToken& cancel);

// Sets `order` of the outcome's surface. Of a page that begins or ends inside of the rows it is `total` where the ORDER BY
// holds a key or no row outside of the page equals its first or last one; else `partial` with the number of such rows and the
// warning `ties-at-border`. Where the database did not count in time (no `ties`), it is unknown with a reason.
void describe_order(const bind::BoundSelect& plan, const std::optional<Ties>& ties, Outcome& outcome);

}  // namespace candor::exec
