// Where a PostgreSQL source is: its URL and the environment's settings as parameters of a connection, and the texts that
// no message may hold.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace candor::engine::postgres {

struct Target {
  std::vector<std::pair<std::string, std::string>> parameters;  // keyword and value of libpq
  std::vector<std::string> secrets;                             // passwords
  int connect_seconds = 10;
};

// The URL's parameters, the environment's (`SourceSpec::environment`) where the URL says nothing, and Candor's own. Fails
// with `source-error`, without repeating anything of a URL that can't be read: parts of a password may be anywhere in it.
[[nodiscard]] Result<Target> target_of(const SourceSpec& source);

// The text as one line, with "…" for each secret.
[[nodiscard]] std::string told_safely(std::string text, const std::vector<std::string>& secrets);

}  // namespace candor::engine::postgres
