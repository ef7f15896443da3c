// See sqlite_text.h.
#include "review/syntax/sqlite_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "review/syntax/tree.h"
#include "sql/lexer.h"

namespace candor::review::syntax {
namespace {

using sql::Token;
using sql::TokenKind;

// Words that mean something else to the other parser, or nothing.
constexpr std::array<std::string_view, 9> kForeignWords = {"glob",  "regexp",  "match",  "isnull", "notnull",
                                                           "raise", "indexed", "escape", "collate"};
// Symbols that both read alike. `||`, `/` and `%` differ in precedence or result, but only inside of one condition, and
// a condition that holds them is not printed.
constexpr std::array<std::string_view, 18> kSymbols = {"(", ")", ",", ".", ";",  "*",  "+",  "-",  "/",
                                                       "%", "=", "<", ">", "<=", ">=", "<>", "!=", "||"};
// Type names of CAST by which SQLite and DuckDB mean the same affinity.
constexpr std::array<std::string_view, 8> kCastTypes = {"text",   "varchar", "integer", "int",
                                                        "bigint", "real",    "double",  "float"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Text {
 public:
  explicit Text(std::string_view sql) : sql_(sql), tokens_(sql::tokenize(sql)) {}

  Status check() const {
    std::size_t end_of_last = 0;
    bool plain = true;
    for (const Token& token : tokens_) {
      plain = plain && is_plain_gap(sql_.substr(end_of_last, token.span.start - end_of_last));
      end_of_last = token.span.end;
    }
    if (!plain || !is_plain_gap(sql_.substr(end_of_last))) {
      return make_error("unsupported-syntax", "SQLite's text has comments or blanks that are not read safely");
    }
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].closed || !is_allowed(i)) {
        return make_error("unsupported-syntax",
                          "SQLite's text is not read safely from here: " + std::string(tokens_[i].text.substr(0, 40)));
      }
    }
    return Ok{};
  }

 private:
  // Blanks and comments that end at the same place for both: a comment in a comment does not, a lone carriage return
  // ends a line for one, and what is a blank beyond ASCII is a letter for the other.
  static bool is_plain_gap(std::string_view gap) {
    const std::size_t first = gap.find("/*");
    if (first != std::string_view::npos && gap.find("/*", first + 2) != std::string_view::npos) return false;
    for (std::size_t i = 0; i < gap.size(); ++i) {
      const char c = gap[i];
      if (c == '\r' && (i + 1 == gap.size() || gap[i + 1] != '\n')) return false;
      if (c != '\t' && c != '\n' && c != '\r' && (c < ' ' || c > '~')) return false;
    }
    return true;
  }

  [[nodiscard]] bool word_at(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && sql::is_word(tokens_[i], word);
  }
  [[nodiscard]] bool symbol_at(std::size_t i, std::string_view symbol) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kSymbol && tokens_[i].text == symbol;
  }
  [[nodiscard]] bool touches_next(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].span.end == tokens_[i + 1].span.start;
  }

  [[nodiscard]] bool is_allowed(std::size_t i) const {
    const Token& token = tokens_[i];
    switch (token.kind) {
      case TokenKind::kWord:
        return is_allowed_word(i);
      case TokenKind::kQuoted:
        return token.text.starts_with('"');
      case TokenKind::kString:
        return token.text.starts_with('\'');
      case TokenKind::kNumber:
        return token.text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
      case TokenKind::kSymbol:
        return is_allowed_symbol(i);
      case TokenKind::kParameter:
        return false;
    }
    return false;
  }

  [[nodiscard]] bool is_allowed_symbol(std::size_t i) const {
    // `= =` is an error to both; `==`, `->` and `<<` are one token.
    return is_one_of(tokens_[i].text, kSymbols);
  }

  [[nodiscard]] bool is_allowed_word(std::size_t i) const {
    const std::string word = lower_ascii(tokens_[i].text);
    if (is_one_of(word, kForeignWords)) return false;
    // x'41' is a blob, e'…' and u&'…' are texts with escapes.
    if (touches_next(i) && tokens_[i + 1].kind == TokenKind::kString) return false;
    // `x IN t2` reads a table.
    if (word == "in") return symbol_at(i + 1, "(");
    if (word == "is")
      return is_null_test(i + 1) || (word_at(i + 1, "not") && is_null_test(i + 2)) || is_distinct_test(i + 1);
    // `x NOT NULL` is a test of its own.
    if (word == "not") return !word_at(i + 1, "null") || (i > 0 && word_at(i - 1, "is"));
    if (word == "cast") return is_allowed_cast(i);
    return true;
  }

  [[nodiscard]] bool is_null_test(std::size_t i) const { return word_at(i, "null"); }
  [[nodiscard]] bool is_distinct_test(std::size_t i) const {
    return word_at(i, "distinct") || (word_at(i, "not") && word_at(i + 1, "distinct"));
  }

  // CAST(… AS type), where the type is one word of the list.
  [[nodiscard]] bool is_allowed_cast(std::size_t i) const {
    if (!symbol_at(i + 1, "(")) return true;
    std::size_t open = 0;
    for (std::size_t j = i + 1; j < tokens_.size(); ++j) {
      if (symbol_at(j, "(")) ++open;
      if (!symbol_at(j, ")") || --open > 0) continue;
      return j >= i + 4 && word_at(j - 2, "as") && tokens_[j - 1].kind == TokenKind::kWord &&
             is_one_of(lower_ascii(tokens_[j - 1].text), kCastTypes);
    }
    return false;
  }

  std::string_view sql_;
  std::vector<Token> tokens_;
};

}  // namespace

Status check_sqlite_text(std::string_view sql) { return Text(sql).check(); }

}  // namespace candor::review::syntax
