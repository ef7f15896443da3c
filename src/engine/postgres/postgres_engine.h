// Runs statements on one PostgreSQL database, for reading only but for the transactions of a contract: Candor's PostgreSQL
// engine. What a statement may be is in statement.h, what it may call in functions.h, who may connect in privileges.h.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace candor::engine::postgres {

// True when the policy is for this engine: one source, a PostgreSQL database, and no scratch database.
[[nodiscard]] bool is_postgres(const Policy& policy);

// DuckDB's parser, which every engine lends to the review. Unset: nothing is read for it (`unsupported-syntax`).
struct Parser {
  std::function<Result<std::string>(std::string_view sql)> syntax_tree;
};

// Requires is_postgres(policy). Connects once to see that the server is there and that the role can do no harm: fails with
// `source-error` or `unsafe-role`.
[[nodiscard]] Result<std::unique_ptr<Engine>> open(const Policy& policy, Parser parser = {});

}  // namespace candor::engine::postgres
