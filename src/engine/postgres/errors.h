// What the server says by SQLSTATE, in Candor's codes: what is missing, what was refused, where in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "engine/engine.h"
#include "engine/postgres/connection.h"

namespace candor::engine::postgres {

// The text that a fault speaks of.
struct Sent {
  std::string_view sql;            // as the caller has it
  std::size_t body_at = 0;         // where the part that was sent begins in it
  std::size_t prefix = 0;          // characters that were sent before that part
  bool changes_rows = false;       // INSERT, UPDATE, DELETE or MERGE stands in it
  std::vector<std::string> known;  // names of functions that exist
  bool contract = false;           // it was printed from a plan (contract_error)
};

[[nodiscard]] Diagnostic statement_error(const Fault& fault, const SourceSpec& source, const Sent& sent);

// Of a statement of a contract's, which did not time out and whose connection lives.
[[nodiscard]] Diagnostic contract_error(const Fault& fault);

// Class 23. The details of the server would show values of rows that the caller may not see.
[[nodiscard]] Diagnostic constraint_error(const Fault& fault);
// A number out of range: whether of an integer, its message tells by the names of types, which are not translated.
[[nodiscard]] Diagnostic range_error(const Fault& fault, std::string integer_hint);

// Of a statement of Candor's own: no spans.
[[nodiscard]] Diagnostic own_error(const Fault& fault, const SourceSpec& source);

[[nodiscard]] Diagnostic stopped_error(Stop stop);

}  // namespace candor::engine::postgres
