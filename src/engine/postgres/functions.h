// Which functions a statement may call, by what the server's catalog says of every function of that name.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/postgres/connection.h"
#include "engine/postgres/statement.h"

namespace candor::engine::postgres {

// Refuses with `statement-not-allowed` what the catalog calls volatile (it may write, change settings, read files or run
// other SQL) unless it is known to do no harm, what is written in a language that reaches out of the server, and what
// runs a text of its own. All functions are looked at that a name can mean. Blanks source prefixes that no schema has.
// Requires a transaction.
struct Checked {
  std::vector<std::string> known;  // names of functions that exist
  std::string state;               // of the database, see Header.state: which transactions the snapshot sees
};
[[nodiscard]] Result<Checked> check_called(Statement& statement, Connection& connection, const SourceSpec& source,
                                           const Watch& watch);

[[nodiscard]] Result<std::vector<FunctionFacts>> read_function_facts(const std::vector<std::string>& names,
                                                                     Connection& connection, const SourceSpec& source,
                                                                     const Watch& watch);

}  // namespace candor::engine::postgres
