// Scripts of the review's golden tests. Records are parted by empty lines; a line that begins with # is prose.
//
//   setting NAME VALUE          of review::Settings, for what follows
//   basis TEXT, note TEXT       what the answer says, for what follows; nothing after the word takes it back
//   temporary NAME …            temporary objects that the agent had
//   statement                   statements below it are run as the agent's
//   review                      the query below it is reviewed; expected: the verdict, the counts of each pair
//   shown ID [cut] [SQL]        an output of the turn: JSON rows on the line below
//   answer JSON [named ID]      locates the answer among what was shown; expected: the query or the reason, and the check
#pragma once

#include <string>

namespace candor::test {

// Runs the script in a fresh engine. The script with what was seen below each `----`; a fault stands below its record
// as a line `ERROR …`.
[[nodiscard]] std::string run_review_script(const std::string& script);

}  // namespace candor::test
