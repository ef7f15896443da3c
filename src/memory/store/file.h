// What concerns the file as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "memory/store/store.h"

namespace candor::memory {

// How much a namespace holds, or all of them.
struct Counts {
  std::int64_t live = 0, total = 0, entities = 0, relationships = 0;
  std::int64_t vectors = 0;  // live memories that have one, of whatever model
};
[[nodiscard]] Result<Counts> counts_of(Store& store, const std::optional<std::string>& space);

// Bytes of the file and of its log; 0 where there is none.
[[nodiscard]] std::int64_t file_bytes(const std::string& path);

// That bytes of deleted texts may lie in the file until it is written anew; stands in the file, so that a kill does not lose
// it. Requires a transaction.
[[nodiscard]] Status mark_for_rewrite(Store& store);
[[nodiscard]] Result<bool> marked_for_rewrite(Store& store);

// Writes the file anew without what was deleted from it, packed vectors included, and empties the log. Requires that no transaction is open. Fails
// with `busy` where another process reads what the log still has.
[[nodiscard]] Status rewrite_file(Store& store);

}  // namespace candor::memory
