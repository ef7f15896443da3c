// Which statements an agent may run, told from their text before the engine prepares anything: preparing read_csv opens
// the file, and the parser itself lists folders for some statements. What is not known is refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/duckdb/tokens.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

// What the text of one statement says about it.
struct StatementPlan {
  StatementKind kind = StatementKind::kSelect;
  std::vector<Token> tokens;        // views into the text that was examined
  std::vector<std::string> target;  // of a write: the parts of the name, unquoted, as written
  bool temporary = false;           // creates or names an object of the connection's temporary catalog
  bool macro = false;               // creates or drops a macro
  bool pivots = false;              // the engine may make several statements of it
  std::optional<Span> explained;    // of EXPLAIN: the statement inside
};

class StatementPolicy {
 public:
  struct Rules {
    std::set<std::string> refused_functions;  // lower case; called by name anywhere in a statement
    std::set<std::string> sources;            // lower case names of what is published
    std::set<std::string> published_paths;    // real paths that the engine itself must read
  };
  StatementPolicy() = default;
  explicit StatementPolicy(Rules rules);

  // Fails with `syntax` (empty), `several-statements`, `statement-not-allowed`, `read-only` or `not-published`, each
  // with a span. `plan.tokens` point into `sql`.
  [[nodiscard]] Result<StatementPlan> examine(std::string_view sql, bool allow_writes) const;

 private:
  [[nodiscard]] Status check_functions(const std::vector<Token>& tokens) const;
  [[nodiscard]] Status check_paths(const std::vector<Token>& tokens) const;
  [[nodiscard]] Status check_target(const StatementPlan& plan, Span span) const;

  Rules rules_;
  std::set<std::string> file_names_;  // the last parts of published_paths
};

// Built-in table functions that an agent may call; every other one of the engine's is refused by name, so that one which
// a later version adds is refused too.
[[nodiscard]] bool table_function_allowed(std::string_view name);

// Functions that are refused though they are no table functions.
[[nodiscard]] const std::vector<std::string_view>& refused_scalar_functions();

}  // namespace candor::engine::duckdb
