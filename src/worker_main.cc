// candor-worker: holds one session's engine, in a process that can be ended. Started by candor, never by hand; its
// requests come over file 3. See docs/decisions/0030-worker-process.md.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/syntax_parser.h"
#include "engine/postgres/postgres_engine.h"
#include "engine/sqlite/sqlite_engine.h"
#include "engine/worker/at_rest.h"
#include "engine/worker/serve.h"

namespace {

using candor::Result;
using candor::engine::Engine;
using candor::engine::Policy;

constexpr int kSocket = 3;

// What a process maps beyond what its engine counts as memory: the program, stacks, and room that allocators keep.
constexpr std::uint64_t kHeadroomBytes = std::uint64_t{3} << 30U;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // they map terabytes
#else
constexpr bool kSanitized = false;
#endif

void set_limit(__rlimit_resource_t which, std::uint64_t value) {
  const rlimit limit{value, value};
  (void)::setrlimit(which, &limit);
}

// An engine's own limit of memory is not hard; this one is.
void limit_memory(const Policy& policy) {
  if (kSanitized) return;
  set_limit(RLIMIT_AS, policy.memory_bytes + policy.memory_bytes / 2 + kHeadroomBytes);
}

Result<std::unique_ptr<Engine>> open_engine(const Policy& policy) {
  limit_memory(policy);
  if (candor::engine::sqlite::is_sqlite(policy)) {
    if (!policy.temp_directory.empty()) ::setenv("SQLITE_TMPDIR", policy.temp_directory.c_str(), 1);
    const auto parser = std::make_shared<candor::engine::duckdb::SyntaxParser>();
    return candor::engine::sqlite::open(policy, {[parser](std::string_view sql) { return parser->syntax_tree(sql); },
                                                 [parser](std::string_view tree) { return parser->print_tree(tree); }});
  }
  if (candor::engine::postgres::is_postgres(policy)) {
    const auto parser = std::make_shared<candor::engine::duckdb::SyntaxParser>();
    return candor::engine::postgres::open(policy,
                                          {[parser](std::string_view sql) { return parser->syntax_tree(sql); }});
  }
  return candor::engine::duckdb::DuckdbEngine::open(policy);
}

bool is_socket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

int main() {
  if (!is_socket(kSocket)) {
    std::fputs("candor-worker is started by candor and does nothing on its own\n", stderr);
    return 2;
  }
  // Should the parent die, file 3 says so; this is for a process that can't read it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::umask(077);
  // A write beyond a limit of file size is an error like a full disk, and no reason to die in the middle of it.
  std::signal(SIGXFSZ, SIG_IGN);
  set_limit(RLIMIT_CORE, 0);
  // Few arenas: a worker runs a few statements at once, and memory kept by idle ones is memory lost.
  ::mallopt(M_ARENA_MAX, 2);
  std::optional<candor::engine::worker::AtRest> at_rest;
  if (!kSanitized) at_rest.emplace();
  return candor::engine::worker::serve(kSocket, open_engine, candor::engine::worker::AtHangUp::kExitProcess);
}
