// An allow-list over tokens. DuckDB's grammar comes from an older PostgreSQL and has grown words of its own.
#include "engine/postgres/review_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "engine/postgres/tokens.h"

namespace candor::engine::postgres {
namespace {

constexpr auto kSymbols = std::to_array<std::string_view>(
    {"(", ")", ",", ".", ";", "::", "*", "+", "-", "/", "%", "=", "<", ">", "<=", ">=", "<>", "!=", "||"});
constexpr auto kComparisons = std::to_array<std::string_view>({"=", "<", ">", "<=", ">=", "<>", "!="});
constexpr auto kComparingWords = std::to_array<std::string_view>({"is", "in", "between", "like", "ilike"});
// Words with a meaning of their own to one of the two parsers, or with another one.
constexpr auto kForeignWords = std::to_array<std::string_view>(
    {"all",      "anti",     "any",       "array",      "asof",        "at",      "collate", "columns",
     "escape",   "exclude",  "glob",      "isnull",     "lambda",      "lateral", "notnull", "only",
     "operator", "overlaps", "pivot",     "positional", "qualify",     "row",     "sample",  "semi",
     "similar",  "some",     "summarize", "symmetric",  "tablesample", "unpivot", "within",  "zone"});
// Between these a comparison stands alone.
constexpr auto kBorders = std::to_array<std::string_view>(
    {"and",    "or",   "where", "on",    "having", "when",  "then",   "else", "case",  "end",
     "select", "from", "group", "order", "by",     "limit", "offset", "join", "using", "filter"});
// Not varchar: the parser makes one type of it and text, and `varchar = char(n)` compares without trailing blanks.
constexpr auto kTypes =
    std::to_array<std::string_view>({"text", "integer", "int", "int4", "bigint", "int8", "smallint", "int2", "real",
                                     "float4", "float8", "date", "timestamp", "boolean", "bool"});

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, text) != list.end();
}

class Text {
 public:
  Text(std::string_view sql, std::vector<Token> tokens) : sql_(sql), tokens_(std::move(tokens)) {}

  Result<std::string> read() {
    std::string text(sql_.size(), ' ');
    for (i_ = 0; i_ < tokens_.size(); ++i_) {
      if (!is_allowed() || !stands_alone()) {
        return make_error("unsupported-syntax", "PostgreSQL's text is not read safely from here: " +
                                                    std::string(tokens_[i_].text.substr(0, 40)));
      }
      const Token& token = tokens_[i_];
      const bool word = token.kind == TokenKind::kWord;
      text.replace(token.span.start, token.text.size(), word ? lower_ascii(token.text) : std::string(token.text));
    }
    return text;
  }

 private:
  [[nodiscard]] bool word_at(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && is_word(tokens_[i], word);
  }
  [[nodiscard]] bool mark_at(std::size_t i, std::string_view mark) const {
    return i < tokens_.size() && is_mark(tokens_[i], mark);
  }

  [[nodiscard]] bool is_allowed() const {
    const Token& token = tokens_[i_];
    switch (token.kind) {
      case TokenKind::kWord:
        return is_allowed_word(lower_ascii(token.text));
      case TokenKind::kQuoted:
        return true;
      case TokenKind::kString:
        return token.text.starts_with('\'');
      case TokenKind::kNumber:
        return token.text.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
      case TokenKind::kOperator:
      case TokenKind::kPunctuation:
        return is_one_of(token.text, kSymbols) && (token.text != "::" || type_ends(i_ + 1) > 0);
      case TokenKind::kParameter:
        return false;
    }
    return false;
  }

  [[nodiscard]] bool is_allowed_word(const std::string& word) const {
    // Some characters beyond ASCII are blanks for one of the two, and `$` is no letter for it.
    const bool plain =
        std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (!plain || is_one_of(word, kForeignWords)) return false;
    if (word == "is") {
      const std::size_t next = word_at(i_ + 1, "not") ? i_ + 2 : i_ + 1;
      return word_at(next, "null") || (word_at(next, "distinct") && word_at(next + 1, "from"));
    }
    if (word == "in") return mark_at(i_ + 1, "(");
    return word != "cast" || is_allowed_cast();
  }

  // CAST(… AS type).
  [[nodiscard]] bool is_allowed_cast() const {
    if (!mark_at(i_ + 1, "(")) return true;
    const int depth = tokens_[i_ + 1].depth + 1;
    std::size_t as = 0;
    for (std::size_t j = i_ + 2; j < tokens_.size(); ++j) {
      if (tokens_[j].depth < depth) {
        const std::size_t end = as > 0 ? type_ends(as + 1) : 0;
        return end == j;
      }
      if (tokens_[j].depth == depth && word_at(j, "as")) as = j;
    }
    return false;
  }

  // Behind the type that begins at a place; 0 where that is none that both know as the same.
  [[nodiscard]] std::size_t type_ends(std::size_t i) const {
    if (i >= tokens_.size() || tokens_[i].kind != TokenKind::kWord) return 0;
    const std::string word = lower_ascii(tokens_[i].text);
    std::size_t end = i + 1;
    if (word == "double") {
      if (!word_at(end, "precision")) return 0;
      ++end;
    } else if (word == "numeric" || word == "decimal") {
      if (mark_at(end, "(")) {
        while (end < tokens_.size() && !mark_at(end, ")")) ++end;
        ++end;
      }
    } else if (!is_one_of(word, kTypes) || word_at(end, "with") || word_at(end, "without")) {
      return 0;
    }
    return mark_at(end, "(") || mark_at(end, ".") ? 0 : end;
  }

  // One comparison between two borders.
  [[nodiscard]] bool stands_alone() {
    const Token& token = tokens_[i_];
    const auto depth = static_cast<std::size_t>(token.depth);
    if (is_mark(token, "(")) {
      levels_.resize(std::max(levels_.size(), depth + 2));
      levels_[depth + 1] = {};
    }
    levels_.resize(std::max(levels_.size(), depth + 1));
    Level& level = levels_[depth];
    const std::string word = token.kind == TokenKind::kWord ? lower_ascii(token.text) : std::string();
    const bool of_distinct = word == "from" && i_ > 0 && word_at(i_ - 1, "distinct") && level.compared;
    if (word == "and" && level.between) {
      level.between = false;  // it belongs to BETWEEN
    } else if (is_mark(token, ",") || (is_one_of(word, kBorders) && !of_distinct)) {
      level = {};
    } else if (is_one_of(token.text, kComparisons) || is_one_of(word, kComparingWords)) {
      if (level.compared) return false;
      level.compared = true;
      level.between = word == "between";
    }
    return true;
  }

  struct Level {
    bool compared = false;
    bool between = false;
  };

  std::string_view sql_;
  std::vector<Token> tokens_;
  std::size_t i_ = 0;
  std::vector<Level> levels_;
};

}  // namespace

Result<std::string> text_for_parser(std::string_view sql) {
  auto tokens = tokenize(sql);
  if (!tokens.ok()) return make_error("unsupported-syntax", "the statement is not read: " + tokens.error().message);
  return Text(sql, *std::move(tokens)).read();
}

}  // namespace candor::engine::postgres
