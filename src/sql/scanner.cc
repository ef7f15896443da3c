// The lexical grammar: white space, comments, words, texts in all their quotes, numbers, parameters, operators.
#include "sql/scanner.h"

#include <algorithm>
#include <cstdint>

namespace candor::sql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<std::uint8_t>(c) >= 0x80;
}
bool continues_word(char c) { return starts_word(c) || is_digit(c) || c == '$'; }

// Longest first: the first that fits is taken.
constexpr std::string_view kOperators[] = {
    "!~~*", "->>", "<->", "<=>", "!~~", "!~*", "~~~", "~~*", "<=", ">=", "<>", "!=", "==", "||", "&&",
    "@>",   "<@",  "^@",  "**",  "//",  "<<",  ">>",  "->",  "::", ":=", "=>", "~~", "!~", "~*", "..",
};

}  // namespace

// Length of the white space that begins here, 0 for none. The Unicode spaces are those that DuckDB takes for blanks.
std::size_t Scanner::space_at(std::size_t index) const {
  switch (static_cast<std::uint8_t>(at(index))) {
    case ' ':
    case '\t':
    case '\n':
    case '\f':
    case '\r':
      return index < sql_.size() ? 1 : 0;
    case 0xC2:
      return starts(index, "\u00A0") ? 2 : 0;
    case 0xE2: {
      const auto second = static_cast<std::uint8_t>(at(index + 1));
      const auto third = static_cast<std::uint8_t>(at(index + 2));
      const bool in_block = second == 0x80 && ((third >= 0x80 && third <= 0x8B) || third == 0xAF);
      return in_block || (second == 0x81 && (third == 0x9F || third == 0xA0)) ? 3 : 0;
    }
    case 0xE3:
      return starts(index, "\u3000") ? 3 : 0;
    case 0xEF:
      return starts(index, "\uFEFF") ? 3 : 0;
    default:
      return 0;
  }
}

// Passes over white space and comments. True when the input ends inside of a comment: then `token` is that comment.
bool Scanner::skip_blanks(Token& token) {
  while (pos_ < sql_.size()) {
    if (const std::size_t blank = space_at(pos_); blank > 0) {
      pos_ += blank;
    } else if (starts(pos_, "--")) {
      pos_ = std::min(sql_.find_first_of("\r\n", pos_), sql_.size());
    } else if (starts(pos_, "/*")) {
      const std::size_t begin = pos_;
      std::size_t open = 1;
      pos_ += 2;
      while (pos_ < sql_.size() && open > 0) {
        if (starts(pos_, "*/")) {
          --open;
          pos_ += 2;
        } else if (starts(pos_, "/*")) {
          ++open;
          pos_ += 2;
        } else {
          ++pos_;
        }
      }
      if (open == 0) continue;
      const std::size_t end = pos_;
      pos_ = begin;
      closed_ = false;
      finish(token, TokenKind::kSymbol, end);
      return true;
    } else {
      return false;
    }
  }
  return false;
}

std::size_t Scanner::word_end(std::size_t from) const {
  while (from < sql_.size() && continues_word(sql_[from]) && space_at(from) == 0) ++from;
  return from;
}

// The end of a text whose opening quote stands before `from`. A doubled quote is one of the text's own.
std::size_t Scanner::quoted_end(std::size_t from, char quote, bool escapes) {
  while (from < sql_.size()) {
    const bool escape = escapes && sql_[from] == '\\';
    const bool ends = sql_[from] == quote;
    if (ends && at(from + 1) != quote) return from + 1;
    from += escape || ends ? 2 : 1;
  }
  closed_ = false;
  return sql_.size();
}

// The end of $tag$ … $tag$ that begins here, or pos_ when none does.
std::size_t Scanner::dollar_quoted_end() {
  std::size_t tag_end = pos_ + 1;
  if (starts_word(at(tag_end))) {
    while (tag_end < sql_.size() && (starts_word(sql_[tag_end]) || is_digit(sql_[tag_end]))) ++tag_end;
  }
  if (at(tag_end) != '$') return pos_;
  const std::string_view tag = sql_.substr(pos_, tag_end + 1 - pos_);
  const std::size_t close = sql_.find(tag, tag_end + 1);
  if (close != std::string_view::npos) return close + tag.size();
  closed_ = false;
  return sql_.size();
}

std::size_t Scanner::number_end() const {
  std::size_t end = pos_;
  const auto digits = [&] {
    while (is_digit(at(end)) || (at(end) == '_' && is_digit(at(end + 1)) && end > pos_ && is_digit(at(end - 1)))) ++end;
  };
  const auto is_hex = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  if (at(pos_) == '0' && (at(pos_ + 1) == 'x' || at(pos_ + 1) == 'X') && is_hex(at(pos_ + 2))) {
    end = pos_ + 2;
    while (is_hex(at(end))) ++end;
    return end;
  }
  digits();
  if (at(end) == '.' && at(end + 1) != '.') {
    ++end;
    digits();
  }
  if (at(end) == 'e' || at(end) == 'E') {
    const std::size_t sign = at(end + 1) == '+' || at(end + 1) == '-' ? 1 : 0;
    if (is_digit(at(end + 1 + sign))) {
      end += 1 + sign;
      digits();
    }
  }
  return end;
}

// The end of ?, ?1, $1, $name or :name, or pos_ when this is none. A colon that follows a word, text or number without a
// blank belongs to it: {'a':b}, list[1:n], alias:table.
std::size_t Scanner::parameter_end() const {
  const char first = at(pos_);
  std::size_t end = pos_ + 1;
  if (first == '?' || (first == '$' && is_digit(at(end)))) {
    while (is_digit(at(end))) ++end;
    return end;
  }
  const bool named = (first == '$' || first == ':') && starts_word(at(end)) && space_at(end) == 0;
  if (!named) return pos_;
  const Token& last = before_[0];
  const bool touches = !last.text.empty() && last.span.end == pos_;
  if (first == ':' && touches && (last.kind != TokenKind::kSymbol || last.text == "]" || last.text == ")")) return pos_;
  return word_end(end);
}

// The end of [name] where a list can't stand: after FROM, JOIN, INTO, UPDATE, TABLE, AS or a dot. Else pos_.
std::size_t Scanner::bracket_name_end() {
  const Token& last = before_[0];
  bool name = last.kind == TokenKind::kSymbol && last.text == ".";
  if (last.kind == TokenKind::kWord) {
    constexpr std::string_view kBefore[] = {"from", "join", "into", "update", "table", "as"};
    name = std::ranges::any_of(kBefore, [&](std::string_view word) { return is_word(last, word); });
    // IS DISTINCT FROM [1, 2] compares with a list.
    const bool after_is = is_word(before_[2], "is") || is_word(before_[2], "not");
    if (is_word(last, "from") && is_word(before_[1], "distinct") && after_is) name = false;
  }
  if (!name || !brackets_left_) return pos_;
  const std::size_t close = sql_.find(']', pos_);
  brackets_left_ = close != std::string_view::npos;
  return brackets_left_ ? close + 1 : pos_;
}

std::size_t Scanner::symbol_end() const {
  constexpr std::string_view kAlone = "(),;[]{}+%?";
  if (kAlone.find(sql_[pos_]) != std::string_view::npos) return pos_ + 1;
  for (const std::string_view op : kOperators) {
    if (starts(pos_, op)) return pos_ + op.size();
  }
  return pos_ + 1;
}

void Scanner::finish(Token& token, TokenKind kind, std::size_t end) {
  end = std::min(end, sql_.size());
  token = {kind, {pos_, end}, sql_.substr(pos_, end - pos_), closed_, depth_};
  pos_ = end;
  closed_ = true;
  before_ = {token, before_[0], before_[1]};
}

void Scanner::classify(Token& token) {
  const char first = sql_[pos_];
  if (starts_word(first)) {
    const std::size_t end = word_end(pos_);
    constexpr std::string_view kPrefixes = "eExXbBnN";
    if (end == pos_ + 1 && at(end) == '\'' && kPrefixes.find(first) != std::string_view::npos) {
      return finish(token, TokenKind::kString, quoted_end(end + 1, '\'', first == 'e' || first == 'E'));
    }
    return finish(token, TokenKind::kWord, end);
  }
  if (is_digit(first) || (first == '.' && is_digit(at(pos_ + 1))))
    return finish(token, TokenKind::kNumber, number_end());
  if (first == '\'') return finish(token, TokenKind::kString, quoted_end(pos_ + 1, first, false));
  if (first == '"' || first == '`') return finish(token, TokenKind::kQuoted, quoted_end(pos_ + 1, first, false));
  if (first == '$') {
    if (const std::size_t end = dollar_quoted_end(); end > pos_) return finish(token, TokenKind::kString, end);
  }
  if (first == '$' || first == '?' || first == ':') {
    if (const std::size_t end = parameter_end(); end > pos_) return finish(token, TokenKind::kParameter, end);
  }
  if (first == '[') {
    if (const std::size_t end = bracket_name_end(); end > pos_) return finish(token, TokenKind::kQuoted, end);
  }
  const bool closes = first == ')' || first == ']' || first == '}';
  if (closes && depth_ > 0) --depth_;
  finish(token, TokenKind::kSymbol, symbol_end());
  if (first == '(' || first == '[' || first == '{') ++depth_;
}

bool Scanner::next(Token& token) {
  if (skip_blanks(token)) return true;
  if (pos_ >= sql_.size()) return false;
  classify(token);
  return true;
}

}  // namespace candor::sql
