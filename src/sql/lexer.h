// SQL text to tokens with spans: enough of the lexical grammar of DuckDB, SQLite and PostgreSQL to split statements, to
// find the tables that a statement names and the LIMIT that it ends with. Never fails: an unclosed text is one token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace candor::sql {

enum class TokenKind : std::uint8_t {
  kWord,    // an identifier or keyword without quotes
  kQuoted,  // "x", `x` or [x] where it can only be a name
  kString,  // 'x', E'x', $$x$$
  kNumber,
  kParameter,  // ?, ?1, $1, :name
  kSymbol,     // one operator ("<=", "::", "->>") or punctuation character; a comment that the input ends in
};

struct Token {
  TokenKind kind = TokenKind::kSymbol;
  Span span;
  std::string_view text;  // as it stands
  bool closed = true;     // false for a text, comment or name that the input ends in
  int depth = 0;          // of parentheses and brackets around it
};

// Comments and white space are left out.
[[nodiscard]] std::vector<Token> tokenize(std::string_view sql);

// A keyword, whatever its case.
[[nodiscard]] bool is_word(const Token& token, std::string_view keyword);

// The name that a word or quoted token stands for: quotes removed and doubled quotes made one; case kept. Of a text, too,
// since a text can stand for a table's name; escapes of E'…' are left as they are.
[[nodiscard]] std::string identifier(const Token& token);

// The statements of a text, without their semicolons, surrounding white space and comments; empty ones are left out.
// Spans into it.
[[nodiscard]] std::vector<Span> split_statements(std::string_view sql);

// Names that stand where a table can stand: after FROM, JOIN, INTO, UPDATE, TABLE, or a comma of a FROM list. `parts` are
// the identifiers between dots. Common table expressions of the same text are left out. May name too much, never too little.
struct TableMention {
  std::vector<std::string> parts;
  Span span;
};
[[nodiscard]] std::vector<TableMention> table_mentions(std::string_view sql);

// The LIMIT, OFFSET or FETCH at the outermost level of a single SELECT, set operations included.
struct LimitClause {
  Span span;                            // LIMIT … OFFSET … , to be left out for counting without it
  std::optional<std::uint64_t> limit;   // absent when it is no plain number
  std::optional<std::uint64_t> offset;  // 0 without OFFSET; absent when it is no plain number
  std::vector<std::string_view> order;  // the items of the ORDER BY before it, as they stand
};
[[nodiscard]] std::optional<LimitClause> limit_clause(std::string_view sql);

// Whether a single SELECT has an ORDER BY at its outermost level.
[[nodiscard]] bool is_ordered(std::string_view sql);

// One spelling for all layouts: two statements become equal exactly when their tokens are the same. Comments and final
// semicolons are dropped, case is kept.
[[nodiscard]] std::string normalize(std::string_view sql);

}  // namespace candor::sql
