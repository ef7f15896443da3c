// Soft silence: small questions of their own to the source, asked where a result may not mean what it seems to.
#pragma once

#include "base/cancel.h"
#include "exec/exec.h"

namespace candor::exec {

// Adds `value-not-found` (a filter names a value that no row has, while a near one does) and `division-by-zero`.
void add_warnings(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                  Outcome& outcome);

// The same for a write, before it begins: of its conditions and subqueries. What it computes for its rows tells by itself.
// `alone`: no statement of the batch stands before it, so that what is stored now is what it reads.
void warn_division(const bind::BoundWrite& plan, const Environment& environment, bool alone, const CancelToken& cancel,
                   Outcome& outcome);

}  // namespace candor::exec
