// Reading DuckDB's messages about rows that it does not take and values that do not fit.
#include "engine/duckdb/contract_errors.h"

#include <string>
#include <string_view>

#include "base/ascii.h"
#include "engine/functions/errors.h"

namespace candor::engine::duckdb {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string first_line(std::string_view message) { return std::string(message.substr(0, message.find('\n'))); }

// The columns in `Duplicate key "deck: 7, front: x" violates …`. A value may hold anything, so only the text before the
// first colon is sure; the other columns are told where no value hides them.
std::string key_columns(std::string_view message) {
  constexpr std::string_view kMark = "Duplicate key \"";
  const std::size_t mark = message.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view key = message.substr(mark + kMark.size());
  const std::size_t colon = key.find(": ");
  if (colon == std::string_view::npos || has(key, ", ")) return {};
  return std::string(key.substr(0, colon));
}

Diagnostic constraint_error(const std::string& message) {
  if (has(message, "violates primary key constraint") || has(message, "violates unique constraint") ||
      has(message, "PRIMARY KEY or UNIQUE constraint")) {
    const std::string columns = key_columns(message);
    return make_error("duplicate-key", "a row with this " + (columns.empty() ? "key" : columns) + " exists already", {},
                      columns);
  }
  constexpr std::string_view kNotNull = "NOT NULL constraint failed: ";
  if (const std::size_t mark = message.find(kNotNull); mark != std::string::npos) {
    const std::string name = first_line(message.substr(mark + kNotNull.size()));
    const std::string column = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    return make_error("null-not-allowed", column + " must have a value", {}, column);
  }
  return make_error("constraint-violation", "the source does not take the row: " + first_line(message));
}

bool overflows(const EngineError& error) {
  if (error.type == "Out of Range") return has(lower_ascii(error.message), "overflow");
  // A sum of integers is wider than 64 bits, and brought back to them.
  return error.type == "Conversion" && has(error.message, "INT128") && has(error.message, "type INT64");
}

}  // namespace

std::optional<Diagnostic> contract_error(const EngineError& error) {
  if (auto said = functions::read_error_text(error.message)) return said;
  if (error.type == "Constraint") return constraint_error(error.message);
  if (error.type == "TransactionContext") {
    // One writer at a time: only a change of the table itself, or another program, can come in between.
    if (has(lower_ascii(error.message), "conflict") || has(error.message, "Failed to commit: PRIMARY KEY")) {
      return make_error("concurrent-change", "another writer changed the rows meanwhile", "read the rows again", {});
    }
    return std::nullopt;
  }
  if (overflows(error)) {
    return make_error("integer-overflow", "the result of the arithmetic is no 64-bit integer", {},
                      first_line(error.message));
  }
  if (has(error.message, "More than one row returned by a subquery")) {
    return make_error("subquery-rows", "a scalar subquery gave more than one row");
  }
  return std::nullopt;
}

}  // namespace candor::engine::duckdb
