// A check: one rule of the review, in one file of this folder, registered in all_checks.cc. Its golden test lies beside it.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "review/review.h"

namespace candor::review {

// What was measured of a query's joins, once, for all checks.
struct JoinEvidence {
  bool joined = false;                // the query joins tables at all
  std::optional<Diagnostic> stopped;  // why nothing was measured: a reason of codes.h and words
  std::vector<Pair> pairs;
};

struct Check {
  std::string_view name;         // for the defect: "join-coverage"
  std::string_view summary;      // one line
  std::string_view explanation;  // what it looks for, behind which gates, and what it says
  // One of the two: a check looks at a query's joins, or at where the committed values were found.
  CheckResult (*judge_joins)(const JoinEvidence& evidence, const Context& context) = nullptr;
  CheckResult (*judge_location)(const Located& located) = nullptr;
};

// In the order of receipts.
[[nodiscard]] std::span<const Check* const> all_checks();

}  // namespace candor::review
