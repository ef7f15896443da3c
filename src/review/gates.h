// The gates before any data is read: answered from the catalog alone. Which there are and why: docs/review.md, "Gates".
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "review/review.h"
#include "review/syntax/join_extraction.h"
#include "review/syntax/select.h"

namespace candor::review {

// Facts of a table of the query, without widths. Fails with shadowed-table, not-base-table, probe-not-allowed,
// engine-fault.
[[nodiscard]] Result<engine::TableFacts> admitted_table(const syntax::TableRef& ref, const Context& context);

// Resolves a table as far as the engine knows it. `exists` is false when there is none.
[[nodiscard]] Result<engine::TableFacts> find_table(const syntax::TableRef& ref, engine::Engine& engine);

struct Gates {
  // Of each table, in the order of the plan: one row in this many is looked at; 1 is all.
  std::vector<std::uint64_t> one_in;
  [[nodiscard]] bool sample() const;  // some table is over the row gate
};

// Judges a plan. `facts` are those of admitted_table, in the order of the plan's tables; widths are asked for here.
// Fails with timeout-too-short, too-many-conjuncts, too-many-nodes, user-function, volatile-function, collation,
// pending-updates, key-width-unknown, key-too-wide, key-volume, over-row-gate, engine-fault.
[[nodiscard]] Result<Gates> check_gates(const syntax::JoinPlan& plan, const std::vector<engine::TableFacts>& facts,
                                        const Context& context);

}  // namespace candor::review
