// The check `value-not-shown`: the answer names its query, and that query's output does not show a committed value.
#include <string>

#include "review/checks/check.h"

namespace candor::review {

extern const Check kValueNotShown;

namespace {

constexpr std::size_t kListedMax = 10;  // values in the message

std::string listed(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kListedMax; ++i) text += (i > 0 ? ", " : "") + values[i];
  if (values.size() > kListedMax) text += " and " + std::to_string(values.size() - kListedMax) + " more";
  return text;
}

CheckResult judge(const Located& located) {
  CheckResult result;
  result.check = kValueNotShown.name;
  if (located.query == nullptr) {
    result.reason = located.reason;
    result.message = "no query was found that the values could be compared with";
  } else if (!located.not_shown.empty()) {
    result.verdict = Verdict::kFinding;
    const bool one = located.not_shown.size() == 1;
    result.message = "the output of " + located.query->id + " does not show " + listed(located.not_shown) +
                     ". Commit " + (one ? "the value as it is shown" : "the values as they are shown") +
                     ", exact, rounded or truncated, or name the query that shows " + (one ? "it" : "them") + "; if " +
                     (one ? "it was" : "they were") +
                     " computed outside of the query, say in `basis` how, and commit again unchanged.";
  } else if (!located.reason.empty()) {
    result.reason = located.reason;
    result.message = "a committed value is not in the part of the output that was shown";
  } else {
    result.verdict = Verdict::kClean;
    result.message = std::string("every committed value ") + (located.named ? "" : "that tells queries apart ") +
                     "stands in the output of " + located.query->id;
  }
  return result;
}

}  // namespace

const Check kValueNotShown = {
    "value-not-shown",
    "a committed value is not in the output of the query that the answer names",
    "An answer may name the query that it comes from by query_id. Then every committed value is looked for in that "
    "query's output, small numbers and short texts too: a number exact, rounded or truncated at its committed places, "
    "a text in its own case. A value that is not there was computed elsewhere, or mistyped. Where the output was cut, "
    "the value may stand in the missing part, and the verdict is undetermined.",
    nullptr,
    judge,
};

}  // namespace candor::review
