// A write as others do it inside of their own transaction.
#pragma once

#include "base/result.h"
#include "json/json.h"
#include "memory/memory.h"
#include "memory/store/store.h"

namespace candor::memory {

// Stores one memory; the document of `remember`. Requires a transaction.
[[nodiscard]] Result<json::Node> remember_in(Store& store, const Remember& input);
// Takes a memory out of everything; the document of `forget`. Requires a transaction.
[[nodiscard]] Result<json::Node> forget_in(Store& store, const Which& which);
// Asks the embedder for the vectors of what will be stored; call it before the transaction.
[[nodiscard]] Status add_vectors(Store& store, Remember& input);

}  // namespace candor::memory
