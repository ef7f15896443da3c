// The server's side of the border: answers the requests of one WorkerEngine over a socket.
#pragma once

#include <functional>
#include <memory>

#include "engine/engine.h"

namespace candor::engine::worker {

// Builds the engine from the policy that the client sends first.
using Opener = std::function<Result<std::unique_ptr<Engine>>(const Policy& policy)>;

enum class AtHangUp {
  kReturn,       // cancel what runs, wait for it, return
  kExitProcess,  // the parent is gone: end at once, whatever runs
};

// Serves until the client closes the connection or hangs up; takes over `fd`. Returns the process's exit status.
[[nodiscard]] int serve(int fd, const Opener& opener, AtHangUp at_hang_up);

}  // namespace candor::engine::worker
