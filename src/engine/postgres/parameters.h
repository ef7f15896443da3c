// Values as the texts that PostgreSQL reads for bound parameters.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "engine/postgres/connection.h"

namespace candor::engine::postgres {

// Lists become array literals, blobs hexadecimal. The statement says the types: `$1::text[]`. Fails with `invalid-text` for
// a NUL inside of a text, which PostgreSQL can't hold, and for text that is not UTF-8; with `bad-request` for structs and
// maps.
[[nodiscard]] Result<Parameters> parameters_of(const std::vector<Value>& values);

// {"a","b"}: an array of these texts.
[[nodiscard]] std::string array_literal(const std::vector<std::string>& texts);

}  // namespace candor::engine::postgres
