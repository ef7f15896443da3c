// DuckDB's own lexical grammar, for the statement policy: what it calls a word, a text, a comment or a blank here must
// be what the engine takes for one. Other dialects are src/sql's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace candor::engine::duckdb {

enum class TokenKind : std::uint8_t { kWord, kQuoted, kString, kNumber, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kSymbol;
  Span span;
  std::string_view text;  // as it stands
  int depth = 0;          // of round brackets around it
};

// Comments and blanks, Unicode's and a byte order mark too, are left out. Never fails: what is not closed ends with the
// text.
[[nodiscard]] std::vector<Token> tokenize(std::string_view sql);

// An unquoted word, whatever its case. `keyword` is in lower case.
[[nodiscard]] bool is_word(const Token& token, std::string_view keyword);
[[nodiscard]] bool is_symbol(const Token& token, char symbol);
// A word or a quoted name.
[[nodiscard]] bool is_name(const Token& token);

// The name that a token stands for: without its quotes, doubled quotes made one.
[[nodiscard]] std::string name_of(const Token& token);

// A name in double quotes, as text of a statement.
[[nodiscard]] std::string quote_name(std::string_view name);
// The same, but a plain lower-case word as it is.
[[nodiscard]] std::string quote_if_needed(std::string_view name);
// A text in single quotes.
[[nodiscard]] std::string quote_text(std::string_view text);

}  // namespace candor::engine::duckdb
