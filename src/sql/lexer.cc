// Tokens of a text, the names that they stand for, and the statements of a text.
#include "sql/lexer.h"

#include "base/ascii.h"
#include "sql/scanner.h"

namespace candor::sql {
namespace {

// The inside of a quoted text with doubled quotes made one.
std::string undoubled(std::string_view inside, char quote) {
  std::string plain;
  plain.reserve(inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) {
    plain += inside[i];
    if (inside[i] == quote && i + 1 < inside.size() && inside[i + 1] == quote) ++i;
  }
  return plain;
}

}  // namespace

std::vector<Token> tokenize(std::string_view sql) {
  std::vector<Token> tokens;
  Scanner scanner(sql);
  for (Token token; scanner.next(token);) tokens.push_back(token);
  return tokens;
}

bool is_word(const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::kWord && same_name(token.text, keyword);
}

std::string identifier(const Token& token) {
  std::string_view text = token.text;
  const auto inside = [&](std::size_t open, std::size_t close) {
    text.remove_prefix(open);
    if (token.closed) text.remove_suffix(close);
    return text;
  };
  if (token.kind == TokenKind::kQuoted) {
    const char quote = text.front();
    return quote == '[' ? std::string(inside(1, 1)) : undoubled(inside(1, 1), quote);
  }
  if (token.kind == TokenKind::kString) {
    if (text.front() == '$') {
      const std::size_t tag = text.find('$', 1) + 1;
      return std::string(inside(tag, tag));
    }
    return undoubled(inside(text.find('\'') + 1, 1), '\'');
  }
  return std::string(text);
}

std::vector<Span> split_statements(std::string_view sql) {
  std::vector<Span> statements;
  bool open = false;
  Scanner scanner(sql);
  for (Token token; scanner.next(token);) {
    if (token.kind == TokenKind::kSymbol && token.text == ";") {
      open = false;
    } else if (open) {
      statements.back().end = token.span.end;
    } else {
      statements.push_back(token.span);
      open = true;
    }
  }
  return statements;
}

}  // namespace candor::sql
