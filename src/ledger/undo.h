// The records of batches that can be undone, in the ledger's tables undo_batches and undo_rows: private to this folder. The
// caller holds the connection's mutex, and its transaction where one is needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/connection.h"
#include "ledger/ledger.h"

namespace candor::ledger::undo {

[[nodiscard]] Status forget(Connection& connection, std::int64_t before_ms);
[[nodiscard]] Result<std::string> keep(Connection& connection, const UndoBatch& batch, const std::vector<UndoRow>& rows,
                                       const std::string& owner);
[[nodiscard]] Result<UndoBatch> take(Connection& connection, const std::string& id, const std::string& owner);
[[nodiscard]] Result<std::vector<UndoRow>> rows(Connection& connection, const std::string& id);
[[nodiscard]] Status settle(Connection& connection, const std::string& id, UndoState state, const std::string& owner);
[[nodiscard]] Status leave(Connection& connection, const std::string& id, const std::string& owner);
[[nodiscard]] Status leave_all(Connection& connection, const std::string& owner);
[[nodiscard]] Result<std::vector<UndoBatch>> batches(Connection& connection, const std::string& session,
                                                     const Page& page, std::uint64_t& total);

}  // namespace candor::ledger::undo
