// Runs statements on one SQLite file: Candor's SQLite engine. For reading only, but for the transactions of a contract.
// What is allowed: sandbox.h. Statements name a table "main"."cards" or, by the source's name, "app"."cards".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace candor::engine::sqlite {

// DuckDB's parser, which every engine lends to the review. Unset: those calls fail with `engine-error`.
struct Parser {
  std::function<Result<std::string>(std::string_view sql)> syntax_tree;
  std::function<Result<std::string>(std::string_view tree)> print_tree;
};

// True when the policy is for this engine: one source, a SQLite file, and no scratch database.
[[nodiscard]] bool is_sqlite(const Policy& policy);

// Requires is_sqlite(policy). Opens the file once to see that it is a database: fails with `source-error`, `file-error`
// or `file-locked`.
[[nodiscard]] Result<std::unique_ptr<Engine>> open(const Policy& policy, Parser parser = {});

}  // namespace candor::engine::sqlite
