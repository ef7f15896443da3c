// The command line: start here. arguments.cc says which commands there are, commands.h what each does.
#pragma once

#include <functional>
#include <string>

#include "config/config.h"

namespace candor::cli {

// What the program brings along that is not the command line's own.
struct Program {
  std::string version;
  std::string path;    // of this program
  std::string worker;  // of candor-worker
  // Serves MCP on standard input and output. The session is empty unless it was named.
  std::function<int(const config::Configuration& configuration, const std::string& session)> serve_mcp;
};

// Runs one command line. The exit code.
[[nodiscard]] int run(int argc, const char* const* argv, const Program& program);

}  // namespace candor::cli
