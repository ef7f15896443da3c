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

// What does not fit says which type it was to be.
std::optional<Diagnostic> range_error(const EngineError& error) {
  const std::string text = lower_ascii(error.message);
  const auto make = [&](std::string_view code, std::string message) {
    return make_error(code, std::move(message), {}, first_line(error.message));
  };
  if (error.type == "Out of Range") {
    if (!has(text, "overflow")) return std::nullopt;
    return has(text, "decimal") ? make("number-overflow", "the result of the arithmetic has more digits than 38")
                                : make("integer-overflow", "the result of the arithmetic is no 64-bit integer");
  }
  if (error.type != "Conversion") return std::nullopt;
  if (has(text, "timestamp range") || has(text, "date out of range") || has(text, "timestamp out of range")) {
    return make("bad-argument", "the time is outside of the years 1 to 9999");
  }
  const bool range = has(text, "out of range") || has(text, "could not cast value");
  // A sum of integers is wider than 64 bits, and brought back to them.
  if ((has(error.message, "INT128") && has(error.message, "type INT64")) ||
      (range && has(error.message, "destination type INT") && !has(error.message, "DECIMAL"))) {
    return make("integer-overflow", "the number does not fit into an integer");
  }
  if (has(error.message, "DECIMAL") && (range || has(text, "could not convert string"))) {
    return make("number-overflow", "the number has more digits than the decimal has room for");
  }
  // Hints of the engine's are of its own language.
  return make("type-mismatch", "a value can't be read as the type that it is cast to");
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
  if (auto range = range_error(error)) return range;
  if (has(error.message, "Like pattern must not end with escape character")) {
    return make_error("bad-argument", "the LIKE pattern ends with its escape character");
  }
  if (has(error.message, "More than one row returned by a subquery")) {
    return make_error("subquery-rows", "a scalar subquery gave more than one row");
  }
  return std::nullopt;
}

}  // namespace candor::engine::duckdb
