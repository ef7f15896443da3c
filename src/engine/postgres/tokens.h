// PostgreSQL's own lexical grammar, for deciding what a statement may call: what is a text, a comment or a name here must
// be what the server takes for one. Where its versions differ, or a text needs more than that, it is refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::engine::postgres {

enum class TokenKind : std::uint8_t { kWord, kQuoted, kString, kNumber, kParameter, kOperator, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kPunctuation;
  Span span;
  std::string_view text;  // as it stands
  int depth = 0;          // of round brackets around it
};

// Comments and blanks are left out. Fails with `syntax` and a span for what is not closed, for a number or parameter that
// runs into a word, for U&"…", for a text that goes on in the next line, and for characters of no meaning. Requires
// `standard_conforming_strings`.
[[nodiscard]] Result<std::vector<Token>> tokenize(std::string_view sql);

// An unquoted word, whatever its case. `keyword` is in lower case.
[[nodiscard]] bool is_word(const Token& token, std::string_view keyword);
[[nodiscard]] bool is_mark(const Token& token, std::string_view mark);
// A word or a quoted name.
[[nodiscard]] bool is_name(const Token& token);
// The name that it stands for: folded to lower case or unquoted, and cut to the 63 bytes that the server keeps.
[[nodiscard]] std::string name_of(const Token& token);

// A name in double quotes.
[[nodiscard]] std::string quote_name(std::string_view name);

}  // namespace candor::engine::postgres
