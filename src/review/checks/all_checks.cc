// The registry of checks: one line each, in the order of receipts.
#include <array>

#include "review/checks/check.h"

namespace candor::review {

extern const Check kJoinCoverage;
extern const Check kValueNotShown;

std::span<const Check* const> all_checks() {
  static constexpr std::array<const Check*, 2> kChecks = {
      &kJoinCoverage,
      &kValueNotShown,
  };
  return kChecks;
}

}  // namespace candor::review
