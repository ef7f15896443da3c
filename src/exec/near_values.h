// Filter values that no row has while a near one does: private to this folder.
#pragma once

#include "exec/questions.h"

namespace candor::exec {

// Adds `value-not-found` for each such value. All conditions are looked at when the result says nothing; else those alone
// whose silence rows would hide: lists, alternatives and negations. Only rows of the caller's scope are counted or told.
void warn_near_values(const bind::BoundSelect& plan, bool says_nothing, const Questions& questions, Outcome& outcome);

}  // namespace candor::exec
