// Scripts of the golden tests of `candor sql --explain`: the contract of tests/dialect, on no engine. Records are parted by
// empty lines; a line that begins with # is prose.
//
//   explain ENGINE              duckdb, sqlite or postgresql; the statements stand below it, their explanation below ----
#pragma once

#include <string>

namespace candor::test {

// The script with what was seen below each `----`; a fault stands below its record as a line `ERROR …`.
[[nodiscard]] std::string run_explain_script(const std::string& script);

}  // namespace candor::test
