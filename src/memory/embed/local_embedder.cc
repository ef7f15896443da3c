// Local models: none is known in this version.
#include "memory/embed/local_embedder.h"

namespace candor::memory {

Result<std::unique_ptr<Embedder>> make_local_embedder(const std::string& name, const EmbedSettings& /*settings*/) {
  return make_error("not-in-this-version", "no local model '" + name + "'", "--model none");
}

}  // namespace candor::memory
