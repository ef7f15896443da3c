// Any address that speaks like OpenAI's /v1/embeddings.
#pragma once

#include <memory>
#include <string>

#include "memory/embed/embedder.h"

namespace candor::memory {

// Posts {"model": …, "input": […]} to URL/embeddings. The key of $CANDOR_EMBED_KEY, if any, goes along as a bearer token and
// nowhere else. 429, 5xx and lost connections are tried three times, later each time; redirects are not followed.
[[nodiscard]] Result<std::unique_ptr<Embedder>> make_address_embedder(std::string url, std::string model,
                                                                      const EmbedSettings& settings);

}  // namespace candor::memory
