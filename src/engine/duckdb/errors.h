// The engine's error texts made into diagnostics with codes, names and spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace candor::engine::duckdb {

// Why a statement was interrupted, when it was.
enum class StopReason : std::uint8_t { kNone, kDeadline, kCancelled, kBudget };

// What the engine said, taken apart.
struct EngineError {
  std::string type;     // "Parser", "Catalog", …
  std::string message;  // all its lines
  std::string subtype;
  std::string entry;  // of a missing entry: "Table", "Scalar Function", …
  std::string name;
  std::optional<std::size_t> position;
};

struct ErrorContext {
  std::string_view sql;  // the text that spans point into
  StopReason stopped = StopReason::kNone;
  std::int64_t deadline_ms = 0;
  std::uint64_t memory_bytes = 0;
  bool contract = false;  // the statement was lowered by Candor: what it can meet is told in the contract's terms
};

// `text` is what the C interface gives under `errors_as_json`, or a plain message where that is not in force yet.
[[nodiscard]] Diagnostic translate_error(std::string_view text, const ErrorContext& context);

// The diagnostic of a statement that was stopped before the engine said anything.
[[nodiscard]] Diagnostic stopped_error(StopReason reason, std::int64_t deadline_ms);

// Whether a message of the engine's says that the disk is full, or that a quota or a limit of file size ended a write.
[[nodiscard]] bool tells_no_room(std::string_view message);

// Of opening a database file: `file-locked`, `file-error` or `source-error`, naming the source and the file.
[[nodiscard]] Diagnostic translate_open_error(std::string_view text, std::string_view source, const std::string& path);

}  // namespace candor::engine::duckdb
