// A write as others do it inside of their own transaction.
#pragma once

#include <optional>

#include "base/result.h"
#include "json/json.h"
#include "memory/embed/model_store.h"
#include "memory/memory.h"
#include "memory/store/store.h"

namespace candor::memory {

// Stores one memory; the document of `remember`. Requires a transaction.
[[nodiscard]] Result<json::Node> remember_in(Store& store, const Remember& input);
// Takes a memory out of everything; the document of `forget`. Requires a transaction.
[[nodiscard]] Result<json::Node> forget_in(Store& store, const Which& which);
// The text that a write will store and that wants a vector; none where the write will fail, or brings its own.
[[nodiscard]] Result<std::optional<MemoryText>> text_to_embed(Store& store, const Remember& input);
// Asks the embedder for the vectors of what will be stored; call it before the transaction.
[[nodiscard]] Status add_vectors(Store& store, Remember& input);

// A vector is made before the transaction, of what is stored then. Where another process changed that meanwhile, and the
// caller did not say what it expects, all of it is done again.
template <typename Input, typename Work>
[[nodiscard]] Result<json::Node> write_with_vectors(const Input& given, const Work& work) {
  constexpr int kTries = 5;
  for (int attempt = 1;; ++attempt) {
    Input input = given;
    Result<json::Node> done = work(input);
    const bool again =
        !done.ok() && done.error().code == "lost-race" && !given.expected.rev && !given.expected.updated_at;
    if (!again || attempt == kTries) return done;
  }
}

}  // namespace candor::memory
