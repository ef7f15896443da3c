// Parameters of the ledger's statements. Private to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

inline std::int64_t clamp(std::uint64_t value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(kMax)));
}

inline Status bind_one(sqlite::Statement& to, int index, std::string_view value) { return to.bind_text(index, value); }
inline Status bind_one(sqlite::Statement& to, int index, std::int64_t value) { return to.bind_integer(index, value); }
inline Status bind_one(sqlite::Statement& to, int index, std::uint64_t value) {
  return to.bind_integer(index, clamp(value));
}
inline Status bind_one(sqlite::Statement& to, int index, bool value) { return to.bind_integer(index, value ? 1 : 0); }
inline Status bind_one(sqlite::Statement& to, int index, double value) { return to.bind_real(index, value); }

// The arguments as the parameters ?1, ?2, … of the statement.
template <typename... Arguments>
[[nodiscard]] Status bind_all(sqlite::Statement& to, const Arguments&... arguments) {
  int index = 0;
  Status bound = Ok{};
  ((void)(bound.ok() && (bound = bind_one(to, ++index, arguments), true)), ...);
  return bound;
}

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
