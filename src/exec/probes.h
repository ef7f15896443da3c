// Soft silence: small questions of their own to the source, asked where a result may not mean what it seems to.
#pragma once

#include "base/cancel.h"
#include "exec/exec.h"

namespace candor::exec {

// Adds `value-not-found` (a filter names a value that no row has, while a near one does) and `division-by-zero`.
void add_warnings(const bind::BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                  Outcome& outcome);

}  // namespace candor::exec
