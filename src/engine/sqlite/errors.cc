// SQLite tells errors as English; the few that an agent can act on are recognised here.
#include "engine/sqlite/errors.h"

#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "engine/functions/errors.h"
#include "engine/sqlite/functions.h"
#include "engine/sqlite/sandbox.h"

namespace candor::engine::sqlite {
namespace {

using candor::sqlite::Fault;

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

bool in_word(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return std::isalnum(code) != 0 || byte == '_' || byte == '$' || code >= 0x80;
}

// Where the name stands in the text, when it stands there once as a word.
std::optional<Span> only_place(std::string_view sql, std::string_view name) {
  std::optional<Span> found;
  if (name.empty()) return found;
  for (std::size_t at = 0; at + name.size() <= sql.size(); ++at) {
    if (!same_name(sql.substr(at, name.size()), name)) continue;
    if (at > 0 && in_word(sql[at - 1])) continue;
    if (at + name.size() < sql.size() && in_word(sql[at + name.size()])) continue;
    if (found) return std::nullopt;
    found = Span{at, at + name.size()};
  }
  return found;
}

Diagnostic with(const Diagnostic& failure, std::string_view code, std::string message, std::string hint = {},
                std::string detail = {}) {
  Diagnostic made = make_error(code, std::move(message), std::move(hint), std::move(detail));
  made.span = failure.span;
  return made;
}

Diagnostic missing(const Diagnostic& failure, std::string_view code, std::string_view what, std::string_view name,
                   std::string_view sql) {
  const std::string alone = last_part(name);
  Diagnostic made = with(failure, code, "there is no " + std::string(what) + " " + alone, {}, alone);
  if (const auto place = only_place(sql, alone); place && !made.span) made.span = place;
  // SQLite elsewhere takes an unknown name in double quotes as a text; agents write texts like that.
  if (made.span && made.span->start < sql.size() && sql[made.span->start] == '"') {
    made.hint = "write a text in single quotes: " + candor::sqlite::quote_text(alone);
  }
  return made;
}

// A message of a statement that does not fit the schema or the language.
Diagnostic language_error(const Diagnostic& failure, std::string_view sql) {
  const std::string message = failure.message;
  const std::string_view text = message;
  constexpr std::string_view kTable = "no such table: ";
  constexpr std::string_view kColumn = "no such column: ";
  constexpr std::string_view kFunction = "no such function: ";
  if (starts_with(text, kTable)) return missing(failure, "unknown-table", "table", text.substr(kTable.size()), sql);
  if (starts_with(text, kColumn)) {
    return missing(failure, "unknown-column", "column", text.substr(kColumn.size()), sql);
  }
  if (starts_with(text, kFunction)) {
    return missing(failure, "unknown-function", "function", text.substr(kFunction.size()), sql);
  }
  if (contains(text, "syntax error") || starts_with(text, "incomplete input") ||
      starts_with(text, "unrecognized token")) {
    return with(failure, "syntax", message);
  }
  if (starts_with(text, "wrong number of arguments")) return with(failure, "type-mismatch", message);
  if (starts_with(text, "ambiguous column name")) {
    return with(failure, "engine-error", message, "write the table before the column: t.column");
  }
  if (starts_with(text, "too many") || contains(text, "too large") || contains(text, "stack overflow")) {
    return with(failure, "over-limit", message, "write a shorter or flatter statement");
  }
  return with(failure, "engine-error", message);
}

// The columns in SQLite's "UNIQUE constraint failed: cards.deck, cards.front", without their table.
std::string failed_columns(std::string_view message) {
  constexpr std::string_view kMark = "constraint failed: ";
  const std::size_t mark = message.find(kMark);
  if (mark == std::string_view::npos) return {};
  std::string columns;
  std::string_view rest = message.substr(mark + kMark.size());
  while (!rest.empty()) {
    const std::size_t comma = rest.find(", ");
    columns += (columns.empty() ? "" : ", ") + last_part(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
  }
  return columns;
}

// What only a statement or a commit that writes can meet.
std::optional<Diagnostic> write_error(const Diagnostic& failure, Fault fault, const SourceSpec& source) {
  const std::string columns = failed_columns(failure.message);
  switch (fault) {
    case Fault::kDuplicate:
      return make_error("duplicate-key", "a row with this " + (columns.empty() ? "key" : columns) + " exists already",
                        {}, columns);
    case Fault::kNotNull:
      return make_error("null-not-allowed", (columns.empty() ? "a column" : columns) + " must have a value", {},
                        columns);
    case Fault::kConstraint:
      return make_error("constraint-violation", "the source does not take the row: " + failure.message);
    case Fault::kDiskFull:
      return make_error("disk-full", "there is no space left to write to the database of source " + source.name, {},
                        failure.detail);
    case Fault::kBusy:
    case Fault::kLocked:
      return make_error("busy", "source " + source.name + ": another program holds the database",
                        "run the statement again", source.path);
    case Fault::kReadOnly:
    case Fault::kCannotOpen:
      return make_error("file-error", "source " + source.name + " can't be written to: " + failure.message,
                        "check that the file and its folder may be written to", source.path);
    default:
      return std::nullopt;
  }
}

// What Candor's functions say, and SQLite's own where the contract has a code for it.
std::optional<Diagnostic> function_error(const Diagnostic& failure) {
  if (auto said = functions::read_error_text(failure.message)) return said;
  if (failure.message == "integer overflow") {
    return make_error("integer-overflow", "the result of the arithmetic is no 64-bit integer");
  }
  if (failure.message == "malformed JSON") {
    return make_error("bad-stored-value", "a value of the source is not the JSON that its contract names");
  }
  return std::nullopt;
}

}  // namespace

Diagnostic opening_error(const Diagnostic& failure, Fault fault, const SourceSpec& source) {
  const std::string name = "source " + source.name;
  switch (fault) {
    case Fault::kBusy:
    case Fault::kLocked:
      return make_error("file-locked", name + ": another process is writing to the database",
                        "run the statement again when the other process has ended", source.path);
    case Fault::kNotADatabase:
      return make_error("file-error", name + ": the file is no SQLite database", "check the path in the configuration",
                        source.path);
    case Fault::kReadOnly:
      return make_error("file-error",
                        name + ": a change was left half-way, and only a program that may write can undo it",
                        "open the database once with the program that writes to it", source.path);
    case Fault::kCorrupt:
      return make_error("file-error", name + ": the database is damaged: " + failure.message,
                        "run PRAGMA integrity_check with a program of your own", source.path);
    default:
      return make_error("file-error", name + " can't be read: " + failure.message, "check that the file can be read",
                        source.path);
  }
}

Diagnostic statement_error(Diagnostic failure, const Connection& connection, Fault fault, const SourceSpec& source,
                           std::string_view sql) {
  if (failure.code == "invalid-text" || failure.code == "over-limit") return failure;
  if (const auto& function = connection.refused_function()) {
    return with(failure, "statement-not-allowed", "the function " + *function + " is not allowed here",
                "use || and round to put texts together", *function);
  }
  if (connection.refused()) {
    return with(failure, "read-only", "source " + source.name + " is published for reading",
                "copy the rows with materialize and change them in the scratch database");
  }
  if (connection.use() != Use::kAgent && fault == Fault::kError) {
    if (auto said = function_error(failure)) return std::move(*said);
  }
  if (connection.use() == Use::kContractWrite) {
    if (auto made = write_error(failure, fault, source)) return std::move(*made);
  }
  switch (fault) {
    case Fault::kInterrupted:
      if (connection.stopped() == Stop::kCancelled) return make_error("cancelled", "the statement was cancelled");
      return make_error("statement-timeout", "the statement ran into its deadline",
                        "narrow the statement, or raise the limit statement_seconds");
    case Fault::kNoMemory:
      return make_error("engine-error", "the engine ran out of memory", "narrow the statement");
    case Fault::kTooBig:
      return make_error("over-limit", "a text or blob is longer than 256 MB", "select shorter columns");
    case Fault::kDiskFull:
      return make_error("disk-full", "there is no space for a large sort or group", "narrow the statement");
    case Fault::kBusy:
    case Fault::kLocked:
    case Fault::kNotADatabase:
    case Fault::kReadOnly:
    case Fault::kCorrupt:
    case Fault::kIo:
    case Fault::kCannotOpen:
      return opening_error(failure, fault, source);
    default:
      return language_error(failure, sql);
  }
}

}  // namespace candor::engine::sqlite
