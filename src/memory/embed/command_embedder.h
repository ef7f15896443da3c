// A local command that makes vectors.
#pragma once

#include <memory>
#include <string>

#include "memory/embed/embedder.h"

namespace candor::memory {

// `command` is run by /bin/sh, once for a batch. It reads one JSON object a line, {"text": …}, and writes one line for each,
// in their order: an array of numbers, or an object with it as "embedding". It must end with 0 after its input has ended.
// What it writes to standard error is shown only where it fails.
[[nodiscard]] std::unique_ptr<Embedder> make_command_embedder(std::string command, const EmbedSettings& settings);

}  // namespace candor::memory
