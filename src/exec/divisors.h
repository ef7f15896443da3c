// Divisions whose divisor may be zero, and what is said of them: private to this folder.
#pragma once

#include <vector>

#include "bind/bound.h"

namespace candor::exec {

using Divisors = std::vector<const bind::BoundExpr*>;

// Adds those of the expression itself; those of its subqueries are their own affair. Behind a CASE the author has thought of
// it.
void collect_divisors(const bind::BoundExpr& expr, Divisors& found);

// Every SELECT inside of the expression or plan, at any depth; the plan itself is one.
using Selects = std::vector<const bind::BoundSelect*>;
void collect_selects(const bind::BoundExpr& expr, Selects& found);
void collect_selects(const bind::BoundSelect& plan, Selects& found);

// What the divisors of one SELECT are zero in.
struct DivisorsOf {
  Divisors rows, groups, where;
  explicit DivisorsOf(const bind::BoundSelect& plan);
  [[nodiscard]] bool empty() const { return rows.empty() && groups.empty() && where.empty(); }
};

[[nodiscard]] bind::BoundWarning division_warning(bool known);

}  // namespace candor::exec
