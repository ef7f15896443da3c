// The program `candor`: where it lies, where its worker is, and the surfaces that it serves.
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/cli.h"
#include "mcp/mcp.h"

namespace {

namespace fs = std::filesystem;

fs::path own_path(const char* called) {
  std::error_code failure;
  fs::path path = fs::read_symlink("/proc/self/exe", failure);
  return failure ? fs::path(called) : path;
}

// Beside the program in a build tree, in libexec/ of an installed prefix.
fs::path worker_of(const fs::path& program) {
  const fs::path folder = program.parent_path();
  std::error_code failure;
  for (const fs::path& candidate :
       {folder / "candor-worker", folder.parent_path() / "libexec" / "candor" / "candor-worker"}) {
    if (fs::exists(candidate, failure)) return candidate;
  }
  return folder / "candor-worker";
}

}  // namespace

int main(int argc, char** argv) {
  // A write beyond a limit of file size is an error like a full disk, and no reason to die in the middle of it.
  std::signal(SIGXFSZ, SIG_IGN);
  const fs::path path = own_path(argv[0]);
  candor::cli::Program program;
  program.version = CANDOR_VERSION;
  program.path = path.string();
  program.worker = worker_of(path).string();
  program.serve_mcp = [&](const candor::config::Configuration& configuration, const std::string& session) {
    return candor::mcp::serve_stdio(configuration, {session, program.version, program.worker});
  };
  return candor::cli::run(argc, argv, program);
}
