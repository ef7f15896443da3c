// Reading the engine's error documents.
#include "engine/duckdb/errors.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "engine/duckdb/contract_errors.h"
#include "engine/duckdb/tokens.h"
#include "json/json.h"

namespace candor::engine::duckdb {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

EngineError read_plain(std::string_view text) {
  EngineError error;
  constexpr std::string_view kMark = " Error: ";
  const std::size_t mark = text.find(kMark);
  const bool typed = mark != std::string_view::npos && text.find('\n') > mark;
  if (typed) error.type = std::string(text.substr(0, mark));
  error.message = std::string(typed ? text.substr(mark + kMark.size()) : text);
  return error;
}

EngineError read_error(std::string_view text) {
  const std::size_t open = text.find("{\"exception_type\"");
  if (open == std::string_view::npos) return read_plain(text);
  const Result<json::Node> parsed = json::parse(text.substr(open));
  if (!parsed.ok() || !parsed.value().is_object()) return read_plain(text);
  const json::Node& node = parsed.value();
  EngineError error;
  error.type = std::string(node.string_or("exception_type", ""));
  error.message = std::string(node.string_or("exception_message", ""));
  error.subtype = std::string(node.string_or("error_subtype", ""));
  error.entry = std::string(node.string_or("type", ""));
  error.name = std::string(node.string_or("name", ""));
  const std::string_view position = node.string_or("position", "");
  std::size_t value = 0;
  const auto [end, failure] = std::from_chars(position.data(), position.data() + position.size(), value);
  if (!position.empty() && failure == std::errc() && end == position.data() + position.size()) error.position = value;
  return error;
}

// One line, lower case at its start, without the final stop.
std::string message_line(std::string_view message) {
  std::string line(message.substr(0, message.find('\n')));
  while (!line.empty() && (line.back() == '.' || line.back() == '!' || line.back() == ' ' || line.back() == ':')) {
    line.pop_back();
  }
  const auto upper = [&](std::size_t i) { return i < line.size() && line[i] >= 'A' && line[i] <= 'Z'; };
  if (upper(0) && !upper(1)) line[0] = static_cast<char>(line[0] - 'A' + 'a');
  if (!is_utf8(line)) return "the engine's message is not valid UTF-8";
  return line.empty() ? "the engine gave no reason" : line;
}

std::string further_lines(std::string_view message) {
  const std::size_t end = message.find('\n');
  if (end == std::string_view::npos) return {};
  std::string rest(message.substr(end + 1));
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  constexpr std::size_t kBytesMax = 2000;
  if (!is_utf8(rest)) return {};
  if (rest.size() > kBytesMax) rest = std::string(utf8_prefix(rest, kBytesMax)) + "…";
  return rest;
}

// The text between the first pair of double quotes after `mark`.
std::string quoted_after(std::string_view message, std::string_view mark) {
  const std::size_t at = message.find(mark);
  if (at == std::string_view::npos) return {};
  const std::size_t open = message.find('"', at);
  const std::size_t close = open == std::string_view::npos ? open : message.find('"', open + 1);
  return close == std::string_view::npos ? std::string() : std::string(message.substr(open + 1, close - open - 1));
}

std::string last_part(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

// The engine's grammar counts characters, everything after it bytes.
std::optional<std::size_t> byte_position(const EngineError& error, std::string_view sql) {
  if (!error.position || error.subtype != "SYNTAX_ERROR") return error.position;
  return utf8_prefix(sql, *error.position).size();
}

// The token at the engine's position; for a dotted name, the part that is `name`.
std::optional<Span> locate(const EngineError& error, std::string_view sql, const std::string& name) {
  const std::optional<std::size_t> position = byte_position(error, sql);
  if (!position || *position > sql.size()) return std::nullopt;
  const std::vector<Token> tokens = tokenize(sql);
  auto at = std::find_if(tokens.begin(), tokens.end(), [&](const Token& token) { return token.span.end > *position; });
  if (at == tokens.end() || at->span.start > *position) return Span{*position, *position};
  Span span = at->span;
  if (name.empty()) return span;
  const std::string wanted = lower_ascii(name);
  for (auto part = at; part != tokens.end(); part += 2) {
    if (is_name(*part) && lower_ascii(name_of(*part)) == wanted) return part->span;
    if (tokens.end() - part <= 2 || !is_symbol(*(part + 1), '.')) break;
  }
  return span;
}

struct Meaning {
  std::string_view code;
  std::string name;  // of what is missing
  std::string hint;
};

bool looks_like_path(std::string_view name) {
  if (has(name, "/") || has(name, "\\")) return true;
  constexpr std::array kEndings = {".csv",    ".tsv",    ".parquet", ".json", ".jsonl",
                                   ".ndjson", ".duckdb", ".db",      ".gz",   ".txt"};
  const std::string folded = lower_ascii(name);
  return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
    return folded.size() > ending.size() && folded.compare(folded.size() - ending.size(), ending.size(), ending) == 0;
  });
}

Meaning catalog_meaning(const EngineError& error) {
  if (error.subtype == "ENTRY_ALREADY_EXISTS" || has(error.message, "already exists")) {
    return {"duplicate-table", {}, "use CREATE OR REPLACE, or choose another name"};
  }
  if (error.subtype == "MISSING_ENTRY") {
    if (error.entry == "Table" || error.entry == "View") {
      if (looks_like_path(error.name))
        return {"not-published", {}, "read a published table: SHOW ALL TABLES lists them"};
      return {"unknown-table", error.name, {}};
    }
    if (has(error.entry, "Function") || has(error.entry, "Macro")) return {"unknown-function", error.name, {}};
    if (error.entry == "Type") return {"type-mismatch", {}, {}};
    return {"engine-error", {}, {}};
  }
  if (has(error.message, "does not exist because schema")) {
    return {"unknown-table", last_part(quoted_after(error.message, "Table with name")), {}};
  }
  if (has(error.message, "write-write conflict")) return {"busy", {}, "run the statement again"};
  return {"engine-error", {}, {}};
}

Meaning binder_meaning(const EngineError& error) {
  const std::string& message = error.message;
  if (error.subtype == "COLUMN_NOT_FOUND") return {"unknown-column", error.name, {}};
  if (has(message, "does not have a column")) {
    return {"unknown-column", quoted_after(message, has(message, "with name") ? "with name" : "column named"), {}};
  }
  if (has(message, "Referenced update column")) {
    const std::size_t from = message.find("column ") + 7;
    return {"unknown-column", message.substr(from, message.find(' ', from) - from), {}};
  }
  if (message.starts_with("Referenced table ")) return {"unknown-table", quoted_after(message, "Referenced table"), {}};
  if (message.starts_with("Catalog ") && has(message, "does not exist")) {
    return {"unknown-source", quoted_after(message, "Catalog"), {}};
  }
  if (error.subtype == "NO_MATCHING_FUNCTION" || has(message, "Could not choose a best candidate") ||
      message.starts_with("Cannot compare values") || message.starts_with("Cannot mix values") ||
      message.starts_with("Cannot cast")) {
    return {"type-mismatch", {}, "write the cast that is meant: CAST(x AS type)"};
  }
  if (has(message, "read-only")) return {"read-only", {}, {}};
  return {"engine-error", {}, {}};
}

bool nested_too_deeply(const EngineError& error) {
  return error.message.starts_with("memory exhausted at or near") ||
         lower_ascii(error.message).starts_with("max expression depth limit");
}

Meaning meaning_of(const EngineError& error) {
  if (has(error.message, "attached in read-only mode") || has(error.message, "read-only database")) {
    return {"read-only", {}, "copy the rows into a scratch table with CREATE TABLE … AS and change them there"};
  }
  if (nested_too_deeply(error)) {
    return {
        "over-limit", {}, "nest fewer levels: WITH names a part, and IN or a join with VALUES replaces a long chain"};
  }
  if (error.type == "Parser" || error.type == "Syntax") return {"syntax", {}, {}};
  if (error.type == "Catalog") return catalog_meaning(error);
  if (error.type == "Binder") return binder_meaning(error);
  if (error.type == "Conversion" || error.type == "Mismatch Type") {
    return {"type-mismatch", {}, "use TRY_CAST where a value may not fit"};
  }
  if (error.type == "Permission") return {"not-published", {}, "read a published table: SHOW ALL TABLES lists them"};
  // "Out of Memory": what should have made room by going to the disk did not fit there.
  constexpr std::array kOfTheDisk = {"IO", "TransactionContext", "FATAL", "Out of Memory"};
  if (std::ranges::find(kOfTheDisk, error.type) != kOfTheDisk.end() && tells_no_room(error.message))
    return {"disk-full", {}, {}};
  if (error.type == "Out of Memory") return {"over-limit", {}, {}};
  if (error.type == "Dependency") return {"engine-error", {}, {}};
  if (error.type == "TransactionContext" && has(lower_ascii(error.message), "conflict"))
    return {"busy", {}, "run the statement again"};
  if (error.type == "FATAL" || has(error.message, "database has been invalidated")) return {"engine-died", {}, {}};
  return {"engine-error", {}, {}};
}

}  // namespace

// The engine puts the system's own words behind what it could not do.
bool tells_no_room(std::string_view message) {
  constexpr std::array kWords = {"No space left on device", "File too large", "Disk quota exceeded"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) { return has(message, words); });
}

Diagnostic stopped_error(StopReason reason, std::int64_t deadline_ms) {
  if (reason == StopReason::kCancelled) return make_error("cancelled", "the statement was cancelled");
  return make_error("statement-timeout",
                    "the statement did not end within " + std::to_string(deadline_ms) + " ms and was stopped",
                    "narrow the statement, or raise statement_seconds");
}

Diagnostic translate_error(std::string_view text, const ErrorContext& context) {
  const EngineError error = read_error(text);
  const bool interrupted = error.type == "INTERRUPT" || error.type == "Interrupt" || has(error.message, "Interrupted!");
  if (interrupted && context.stopped != StopReason::kNone) return stopped_error(context.stopped, context.deadline_ms);
  if (context.contract) {
    if (auto made = contract_error(error)) return std::move(*made);
  }
  Meaning meaning = meaning_of(error);
  Diagnostic made = make_error(meaning.code, message_line(error.message), std::move(meaning.hint));
  // A place in what was lowered is none in what the caller wrote.
  if (!context.contract) made.span = locate(error, context.sql, meaning.name);
  made.detail = meaning.name.empty() ? further_lines(error.message) : std::move(meaning.name);
  if (nested_too_deeply(error)) {
    made.message = "the statement is nested deeper than the engine's parser goes";
    made.detail = {};
  } else if (meaning.code == "over-limit") {
    made.message =
        "the statement needs more memory than memory_mb allows (" + std::to_string(context.memory_bytes >> 20U) + ")";
    made.detail = message_line(error.message);
    made.hint = "narrow the statement, or raise memory_mb";
  }
  return made;
}

Diagnostic translate_open_error(std::string_view text, std::string_view source, const std::string& path) {
  const EngineError error = read_error(text);
  const std::string who = "source " + std::string(source) + ": ";
  if (has(error.message, "Could not set lock") || has(error.message, "onflicting lock")) {
    return make_error("file-locked", who + "another process holds " + path + " for writing",
                      "close the program that writes to it, or publish a copy of the file",
                      message_line(error.message));
  }
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) {
    return make_error("file-error", who + "there is no file " + path, "correct the path of the source");
  }
  if (has(error.message, "not a valid DuckDB database") || has(error.message, "Trying to read a database file")) {
    return make_error("file-error", who + path + " is not a DuckDB database that this version can read",
                      "publish the file as what it is, or write it anew with a newer DuckDB",
                      message_line(error.message));
  }
  return make_error("source-error", who + "can't open " + path + ": " + message_line(error.message));
}

}  // namespace candor::engine::duckdb
