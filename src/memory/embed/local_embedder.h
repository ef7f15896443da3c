// A local model: a vector a token, averaged. Its files are looked into where they lie; the network is never asked.
#pragma once

#include <memory>
#include <string>

#include "memory/embed/embedder.h"

namespace candor::memory {

// Fails with `usage` for a model that this version does not know, with `not-found` where `embed setup` did not install it,
// with `embedding-failed` for a damaged one.
[[nodiscard]] Result<std::unique_ptr<Embedder>> make_local_embedder(const std::string& name,
                                                                    const EmbedSettings& settings);

}  // namespace candor::memory
