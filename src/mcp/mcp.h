// The MCP surface: start here. protocol/ turns a message into its answer, stdio/ carries messages, tools/ call the facade.
#pragma once

#include <string>

#include "config/config.h"

namespace candor::mcp {

struct Options {
  std::string session;  // empty: one of its own, whose scratch database is removed at the end
  std::string version;  // of Candor
  std::string worker;   // path of candor-worker
};

// Serves on standard input and output until the input ends. The exit code. Nothing but the protocol is written to
// standard output, whatever else the process prints.
[[nodiscard]] int serve_stdio(const config::Configuration& configuration, const Options& options);

}  // namespace candor::mcp
