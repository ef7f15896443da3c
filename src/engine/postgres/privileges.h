// What the role of a connection may do, judged before any statement of an agent's is seen.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/postgres/connection.h"

namespace candor::engine::postgres {

// Fails with `unsafe-role` where the role, or one that it is a member of, is a superuser, passes over row security, makes
// roles, replicates, or reads and writes files or runs programs of the server's; unless `unsafe_role` takes that on.
[[nodiscard]] Status check_role(Connection& connection, const SourceSpec& source, const Watch& watch);

// A sentence when the role has powers that are not needed: of a reader that it may write, or is one that `unsafe_role` let
// in; for a contract, whose statements are Candor's own, that check_role would have refused it. Requires a transaction.
[[nodiscard]] Result<std::string> role_warning(Connection& connection, const SourceSpec& source, bool contract,
                                               const Watch& watch);

}  // namespace candor::engine::postgres
