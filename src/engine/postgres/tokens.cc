// The rules of PostgreSQL's src/backend/parser/scan.l, as far as they decide where a token ends.
#include "engine/postgres/tokens.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace candor::engine::postgres {
namespace {

constexpr std::size_t kNameBytesMax = 63;  // NAMEDATALEN - 1

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<std::uint8_t>(c) >= 0x80;
}
bool continues_word(char c) { return starts_word(c) || is_digit(c) || c == '$'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool in_operator(char c) { return std::string_view("~!@#^&|`?+-*/%<>=").find(c) != std::string_view::npos; }

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> run() {
    while (skip_blanks()) {
      if (!read()) return refused();
      const Token& token = tokens_.back();
      const bool text = token.kind == TokenKind::kString;
      // 'a' and 'b' in two lines are one text, in which the rules of its first part hold.
      if (text && tokens_.size() > 1 && tokens_[tokens_.size() - 2].kind == TokenKind::kString) {
        fail(token.span.start, "two texts stand side by side: write one");
        return refused();
      }
    }
    if (failure_) return refused();
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char at(std::size_t index) const { return index < sql_.size() ? sql_[index] : '\0'; }
  [[nodiscard]] bool starts(std::size_t index, std::string_view text) const {
    return sql_.compare(index, text.size(), text) == 0;
  }
  Diagnostic refused() { return *std::move(failure_); }

  bool fail(std::size_t start, std::string message) {
    failure_ = make_error("syntax", std::move(message));
    failure_->span = Span{start, std::min(start + 1, sql_.size())};
    return false;
  }

  // To the next token; false at the end, or when a comment is not closed.
  bool skip_blanks() {
    while (pos_ < sql_.size()) {
      if (is_space(sql_[pos_])) {
        ++pos_;
      } else if (starts(pos_, "--")) {
        pos_ = std::min(sql_.find_first_of("\r\n", pos_), sql_.size());
      } else if (starts(pos_, "/*")) {
        if (!skip_comment()) return false;
      } else {
        return true;
      }
    }
    return false;
  }

  bool skip_comment() {
    const std::size_t begin = pos_;
    int open = 0;
    do {
      if (starts(pos_, "/*") || starts(pos_, "*/")) {
        open += sql_[pos_] == '/' ? 1 : -1;
        pos_ += 2;
      } else if (++pos_ >= sql_.size()) {
        return fail(begin, "a comment is not closed");
      }
    } while (open > 0);
    return true;
  }

  bool read() {
    const char first = sql_[pos_];
    if (starts_word(first)) return word();
    if (is_digit(first) || (first == '.' && is_digit(at(pos_ + 1)))) return number();
    if (first == '\'') return text(pos_, false);
    if (first == '"') return quoted_name();
    if (first == '$') return dollar();
    if (in_operator(first)) return finish(TokenKind::kOperator, operator_end());
    if (starts(pos_, "::") || starts(pos_, ":=") || starts(pos_, "..")) {
      return finish(TokenKind::kPunctuation, pos_ + 2);
    }
    if (std::string_view("(),;[].:").find(first) == std::string_view::npos) {
      return fail(pos_, "a character that has no meaning here");
    }
    if (first == ')' && depth_ > 0) --depth_;
    finish(TokenKind::kPunctuation, pos_ + 1);
    if (first == '(') ++depth_;
    return true;
  }

  bool finish(TokenKind kind, std::size_t end) {
    tokens_.push_back({kind, {pos_, end}, sql_.substr(pos_, end - pos_), depth_});
    pos_ = end;
    return true;
  }

  bool word() {
    std::size_t end = pos_;
    while (end < sql_.size() && continues_word(sql_[end])) ++end;
    const std::string_view word = sql_.substr(pos_, end - pos_);
    if (same_name(word, "u") && at(end) == '&' && at(end + 1) == '"') {
      return fail(pos_, "names with U& are not read: write the name itself");
    }
    if (same_name(word, "u") && at(end) == '&' && at(end + 1) == '\'') return text(end + 1, false);
    const bool prefix = word.size() == 1 && std::string_view("eExXbBnN").find(word[0]) != std::string_view::npos;
    if (prefix && at(end) == '\'') return text(end, lower_ascii(word[0]) == 'e');
    return finish(TokenKind::kWord, end);
  }

  // A text whose opening quote is at `quote`.
  bool text(std::size_t quote, bool escapes) {
    for (std::size_t i = quote + 1; i < sql_.size(); ++i) {
      if (escapes && sql_[i] == '\\') {
        ++i;
      } else if (sql_[i] == '\'') {
        if (at(i + 1) != '\'') return finish(TokenKind::kString, i + 1);
        ++i;
      }
    }
    return fail(pos_, "a text is not closed");
  }

  bool quoted_name() {
    for (std::size_t i = pos_ + 1; i < sql_.size(); ++i) {
      if (sql_[i] != '"') continue;
      if (at(i + 1) != '"') return finish(TokenKind::kQuoted, i + 1);
      ++i;
    }
    return fail(pos_, "a quoted name is not closed");
  }

  bool dollar() {
    std::size_t end = pos_ + 1;
    if (is_digit(at(end))) {
      while (is_digit(at(end))) ++end;
      if (continues_word(at(end))) return fail(end, "a parameter runs into a word");
      return finish(TokenKind::kParameter, end);
    }
    if (starts_word(at(end))) {
      while (end < sql_.size() && (starts_word(sql_[end]) || is_digit(sql_[end]))) ++end;
    }
    if (at(end) != '$') return fail(pos_, "a character that has no meaning here");
    const std::string_view tag = sql_.substr(pos_, end + 1 - pos_);
    const std::size_t close = sql_.find(tag, end + 1);
    if (close == std::string_view::npos) return fail(pos_, "a text is not closed");
    return finish(TokenKind::kString, close + tag.size());
  }

  bool number() {
    std::size_t end = pos_;
    const auto digits = [&] {
      while (is_digit(at(end))) ++end;
    };
    digits();
    // 0x1F and 1_000 are numbers since PostgreSQL 16; before, they are an error or a number with an alias.
    const bool based =
        end == pos_ + 1 && sql_[pos_] == '0' && std::string_view("xXoObB").find(at(end)) != std::string_view::npos;
    if (based || (at(end) == '_' && is_digit(at(end + 1)))) {
      while (is_digit(at(end)) || starts_word(at(end))) ++end;
    } else {
      if (at(end) == '.' && at(end + 1) != '.') {
        ++end;
        digits();
      }
      const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
      if ((at(end) == 'e' || at(end) == 'E') && is_digit(at(end + 1 + sign))) {
        end += 1 + sign;
        digits();
      }
    }
    if (continues_word(at(end)) || at(end) == '\'') return fail(end, "a number runs into a word");
    return finish(TokenKind::kNumber, end);
  }

  // As many characters as make an operator. A comment ends it, and + or - are its last one only beside certain others.
  [[nodiscard]] std::size_t operator_end() const {
    std::size_t end = pos_;
    while (end < sql_.size() && in_operator(sql_[end]) && !starts(end, "--") && !starts(end, "/*")) ++end;
    const std::string_view run = sql_.substr(pos_, end - pos_);
    if (run.find_first_of("~!@#^&|`?%") != std::string_view::npos) return end;
    while (end > pos_ + 1 && (sql_[end - 1] == '+' || sql_[end - 1] == '-')) --end;
    return end;
  }

  std::string_view sql_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  std::vector<Token> tokens_;
  std::optional<Diagnostic> failure_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view sql) { return Lexer(sql).run(); }

bool is_word(const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::kWord && same_name(token.text, keyword);
}

bool is_mark(const Token& token, std::string_view mark) {
  return (token.kind == TokenKind::kPunctuation || token.kind == TokenKind::kOperator) && token.text == mark;
}

bool is_name(const Token& token) { return token.kind == TokenKind::kWord || token.kind == TokenKind::kQuoted; }

std::string name_of(const Token& token) {
  std::string name;
  if (token.kind == TokenKind::kQuoted) {
    const std::string_view inside = token.text.substr(1, token.text.size() - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      name += inside[i];
      if (inside[i] == '"') ++i;
    }
  } else {
    name = lower_ascii(token.text);
  }
  if (name.size() > kNameBytesMax) name.resize(kNameBytesMax);
  return name;
}

std::string quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

}  // namespace candor::engine::postgres
