// The questions, each a plan of its own lowered like any other.
#include "exec/probes.h"

#include <algorithm>
#include <optional>

#include "exec/divisors.h"
#include "exec/near_values.h"
#include "exec/questions.h"

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundSelect;

// A result that says "nothing": no rows, or one row of counts of zero and NULLs.
bool says_nothing(const Outcome& outcome) {
  if (outcome.rows.empty()) return true;
  return outcome.rows.size() == 1 && std::ranges::all_of(outcome.rows.front(), [](const Value& value) {
           return value.is_null() || (value.kind == CellKind::kInteger && value.integer == 0);
         });
}

// Whether one of the SELECT's divisors is zero somewhere; nothing where that can't be told.
std::optional<bool> divides_by_zero(const BoundSelect& plan, const Questions& questions) {
  const DivisorsOf divisors(plan);
  if (divisors.empty()) return false;
  // Without the rows around it there is nothing to look at.
  if (plan.correlated) return std::nullopt;
  bool known = true;
  const auto zero = [&](const Divisors& some, bool groups, bool with_where) {
    if (some.empty()) return false;
    const auto rows = questions.ask(questions.lowering().zero_divisors(plan, some, groups, with_where));
    known = known && rows;
    return rows && !rows->empty();
  };
  const bool with_where = divisors.where.empty();
  if (zero(divisors.rows, false, with_where) || zero(divisors.groups, true, with_where) ||
      zero(divisors.where, false, false)) {
    return true;
  }
  return known ? std::optional(false) : std::nullopt;
}

void warn_division(const Selects& selects, const Questions& questions, Outcome& outcome) {
  bool known = true;
  for (const BoundSelect* one : selects) {
    const std::optional<bool> zero = divides_by_zero(*one, questions);
    known = known && zero;
    if (zero != true) continue;
    outcome.warnings.push_back(division_warning(true));
    return;
  }
  if (!known) outcome.warnings.push_back(division_warning(false));
}

}  // namespace

void add_warnings(const BoundSelect& plan, const Environment& environment, const CancelToken& cancel,
                  Outcome& outcome) {
  const Questions questions(environment, cancel);
  warn_near_values(plan, says_nothing(outcome), questions, outcome);
  Selects selects;
  collect_selects(plan, selects);
  warn_division(selects, questions, outcome);
}

void warn_division(const bind::BoundWrite& plan, const Environment& environment, bool alone, const CancelToken& cancel,
                   Outcome& outcome) {
  const Questions questions(environment, cancel);
  Selects selects;
  const auto look = [&](const bind::BoundPtr& one) {
    if (one != nullptr) collect_selects(*one, selects);
  };
  for (const auto& row : plan.rows) std::ranges::for_each(row, look);
  for (const bind::BoundAssignment& one : plan.set) look(one.value);
  for (const bind::BoundAssignment& one : plan.conflict_set) look(one.value);
  look(plan.where);
  look(plan.conflict_where);
  Divisors divisors;
  if (plan.where != nullptr) collect_divisors(*plan.where, divisors);
  bool known = alone || (selects.empty() && divisors.empty());
  if (plan.conflict_where != nullptr) {
    Divisors of_conflict;
    collect_divisors(*plan.conflict_where, of_conflict);
    known = known && of_conflict.empty();
  }
  if (alone && !divisors.empty()) {
    const auto rows = questions.ask(questions.lowering().zero_divisors(plan, divisors));
    if (rows && !rows->empty()) {
      outcome.warnings.push_back(division_warning(true));
      return;
    }
    known = known && rows;
  }
  const auto told = outcome.warnings.size();
  if (alone) warn_division(selects, questions, outcome);
  if (outcome.warnings.size() == told && !known) {
    const bool divides = !divisors.empty() ||
                         std::ranges::any_of(selects, [](const BoundSelect* one) { return !DivisorsOf(*one).empty(); });
    if (divides || alone) outcome.warnings.push_back(division_warning(false));
  }
}

}  // namespace candor::exec
