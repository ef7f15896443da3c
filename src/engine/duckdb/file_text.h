// Text files before the engine sees them: whether they are UTF-8, where not, copies in UTF-8, lines that are no JSON.
// Reads files in blocks; holds no file as a whole but for one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace candor::engine::duckdb {

inline constexpr std::size_t kRejectedShown = 20;

struct TextScan {
  bool byte_order_mark = false;  // UTF-8's
  bool utf16 = false;            // by its byte order mark or its many zero bytes
  struct Invalid {
    std::uint64_t byte = 0;  // from 0
    std::uint64_t line = 0;  // from 1
  };
  std::optional<Invalid> invalid;               // the first place that is not UTF-8; the scan ends there
  std::uint64_t lines = 0;                      // the last one counts without a line break, too
  std::uint64_t longest_line = 0;               // bytes
  std::uint64_t hash_lines = 0;                 // that begin with '#'
  std::vector<std::uint64_t> first_hash_lines;  // their numbers, at most 20
  char first_character = '\0';                  // that is not white space
};

// Fails with `file-error` when the file can't be read.
[[nodiscard]] Result<TextScan> scan_text(const std::string& path);

// Whether all brackets, braces and quotes of a JSON text are closed. The engine takes an array that ends after a comma, as
// a half-written file does, for whole. Fails with `file-error` when the file can't be read.
[[nodiscard]] Result<bool> is_closed_json(const std::string& path);

// The encodings that are not UTF-8 and can be read: "latin-1", "windows-1252", "utf-16". Other spellings of them are
// known too. Nothing for an encoding that can't be read; "utf-8" for it and for nothing.
[[nodiscard]] std::optional<std::string> known_encoding(std::string_view name);

// Writes the text as UTF-8 without a byte order mark. Fails with `file-error` and the place of what is not of the encoding.
[[nodiscard]] Status transcode(const std::string& from, const std::string& encoding, const std::string& to);

struct LineCheck {
  std::uint64_t rejected = 0;
  std::vector<RejectedRow> first_rejected;  // at most 20
  std::uint64_t accepted = 0;
};

// Copies the lines that are JSON objects (of any value when the first of them is none) to `to`. Empty lines are passed over.
[[nodiscard]] Result<LineCheck> copy_json_lines(const std::string& from, const std::string& to);

}  // namespace candor::engine::duckdb
