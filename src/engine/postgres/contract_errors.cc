// Failures of statements that were printed from a plan: their text is not the agent's, so nothing points into it, and what
// the server would have written otherwise is no hint.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "engine/postgres/errors.h"

namespace candor::engine::postgres {
namespace {

constexpr std::string_view kAsPublished = "candor contract check holds the contract against its source";
constexpr std::string_view kLeaveOut = "leave such rows out with WHERE";

struct Meaning {
  std::string_view state, code, hint;
};
// By class where the last three are "***".
constexpr Meaning kMeanings[] = {
    {"22001", "bad-literal-type", "shorten the text"},
    {"22007", "type-mismatch", kLeaveOut},
    {"22008", "type-mismatch", kLeaveOut},
    {"22011", "bad-argument", "count the characters that are kept"},
    {"22012", "engine-error", "NULLIF(divisor, 0) gives NULL instead"},
    {"22021", "invalid-text", ""},
    {"22023", "bad-stored-value", kAsPublished},
    {"22025", "bad-argument", "double the escape character at the end of the pattern"},
    {"22P02", "type-mismatch", kLeaveOut},
    {"22P05", "invalid-text", ""},
    {"22***", "type-mismatch", kAsPublished},
    {"0A000", "type-mismatch", kAsPublished},
    {"25006", "read-only-resource", ""},
    {"40***", "concurrent-change", "read the rows again, and repeat the write if it still makes sense"},
    {"42601", "internal", ""},
    // What is there no more, or is of another type than when the contract was read.
    {"42501", "not-published", "the operator decides what the source's role may do"},
    {"42809", "read-only-resource", ""},
    {"428C9", "read-only-column", "leave the column out: the source fills it in"},
    {"42***", "source-changed", kAsPublished},
    {"3F***", "source-changed", kAsPublished},
    {"44***", "constraint-violation", "give values that the view's rule admits"},
    {"53100", "disk-full", ""},
    {"53300", "busy", "run the statement again when other connections have ended"},
    {"54***", "over-limit", "write a shorter or flatter statement"},
    {"55000", "read-only-resource", ""},
    {"55P03", "busy", "run the statement again when the other writer has ended"},
    {"P0***", "constraint-violation", "give values that the source's own rule admits"},
};

}  // namespace

Diagnostic contract_error(const Fault& fault) {
  if (fault.state.starts_with("23")) return constraint_error(fault);
  const bool no_integer = fault.state == "0A000" && fault.message.find("to bigint") != std::string::npos;
  if (fault.state == "22003" || no_integer) return range_error(fault, {});  // NaN and the infinities are no integers
  // The same state tells of a text that is no date, and of a reckoned time beyond the calendar.
  if (fault.state == "22008" && fault.message.find("field value") == std::string::npos) {
    return make_error("bad-argument", "the time is outside of the years 1 to 9999", {}, fault.message);
  }
  // A scalar subquery with several rows.
  if (fault.state == "21000") return make_error("subquery-rows", fault.message);
  const auto* found = std::ranges::find_if(kMeanings, [&](const Meaning& meaning) {
    return meaning.state == fault.state ||
           (meaning.state.ends_with("***") && fault.state.starts_with(meaning.state.substr(0, 2)));
  });
  if (found == std::end(kMeanings)) return make_error("engine-error", fault.message);
  return make_error(found->code, fault.message, std::string(found->hint));
}

}  // namespace candor::engine::postgres
