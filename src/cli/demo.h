// `candor demo`: an agent's two questions, played through the facade on bundled data, and a check that Candor does on
// them what it promises.
#pragma once

#include <string>

#include "base/codes.h"

namespace candor::cli {

struct DemoOptions {
  std::string worker;   // path of candor-worker
  std::string program;  // path of this program, for the lines to paste; the data is looked for beside it
  bool colour = false;
};

// Prints the story to standard output, each step as an agent's call and Candor's reply. Works in a temporary home that it
// removes. kDone only when every step came out as told: the sparse join was held, the mended answer accepted with its
// counts; otherwise the step that did not stands on standard error.
[[nodiscard]] ExitCode run_demo(const DemoOptions& options);

}  // namespace candor::cli
