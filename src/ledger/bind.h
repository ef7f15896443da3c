// Parameters of the ledger's statements. Private to this folder.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "sqlite/prepared.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

using sqlite::bind_all;
using sqlite::clamp;

// A failure of SQLite's, made to stand alone.
inline Diagnostic ledger_failure(Diagnostic failure) {
  failure.message = "the ledger: " + failure.message;
  return failure;
}

// A statement that is run once.
template <typename... Arguments>
[[nodiscard]] Result<sqlite::Statement> prepare(sqlite::Database& database, std::string_view sql,
                                                const Arguments&... arguments) {
  Result<sqlite::Statement> statement = database.prepare(sql);
  if (!statement.ok()) return ledger_failure(std::move(statement).error());
  Status bound = bind_all(*statement, arguments...);
  if (!bound.ok()) return ledger_failure(std::move(bound).error());
  return statement;
}

// A row, or that there is no further one.
[[nodiscard]] inline Result<bool> step(sqlite::Statement& statement) {
  Result<bool> row = statement.step();
  if (!row.ok()) return ledger_failure(std::move(row).error());
  return row;
}

// A statement that gives no rows.
template <typename... Arguments>
[[nodiscard]] Status execute(sqlite::Database& database, std::string_view sql, const Arguments&... arguments) {
  CANDOR_ASSIGN(sqlite::Statement statement, prepare(database, sql, arguments...));
  CANDOR_TRY(step(statement));
  return Ok{};
}

}  // namespace candor::ledger
