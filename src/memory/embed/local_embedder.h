// A model file on this machine.
#pragma once

#include <memory>
#include <string>

#include "memory/embed/embedder.h"

namespace candor::memory {

// Fails with `not-found` where `embed setup` did not fetch it yet, with `embedding-failed` for a damaged one.
[[nodiscard]] Result<std::unique_ptr<Embedder>> make_local_embedder(const std::string& name,
                                                                    const EmbedSettings& settings);

}  // namespace candor::memory
