// Statements that try to reach outside of what is published, to change how the engine works, or to write where only
// reading is allowed. The tests run every one of them, and so does `candor doctor --attack`, on the live configuration.
#pragma once

#include <span>
#include <string_view>

namespace candor::engine {

struct Attack {
  std::string_view name;              // unique, kebab-case
  std::string_view sql;               // one statement for the agent's lane
  std::string_view what_it_would_do;  // "read a file of the system": for people
};

// None of them needs a source. An engine holds when it refuses each with a Diagnostic, whether or not writes to the
// scratch database are allowed.
[[nodiscard]] std::span<const Attack> attacks();
// Besides them, for PostgreSQL sources.
[[nodiscard]] std::span<const Attack> postgres_attacks();

}  // namespace candor::engine
