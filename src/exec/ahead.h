// Which questions of a batch can be asked before any of it is written, because the statements ahead of them touch other rows.
// Judged from the text of the statements: private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "bind/binder.h"
#include "lower/lower.h"

namespace candor::exec {

// The keys that the rows of an INSERT give, as far as they are literals.
[[nodiscard]] std::vector<Value> literal_keys(const bind::BoundWrite& plan);

// By statement: whether what it asks before it writes reads no row that the statements ahead of it write. What triggers and
// foreign keys of the source do along with a write is not seen here: only where the engine tells that there was such a thing
// (End::changed_others), or has none, may this be built on.
[[nodiscard]] std::vector<bool> can_ask_ahead(const std::vector<bind::BoundStatement>& batch,
                                              const lower::Storage& storage);

}  // namespace candor::exec
