// Texts of a statement, decoded as the engine decodes them.
#include "engine/duckdb/path_candidates.h"

#include <cstddef>
#include <string_view>

namespace candor::engine::duckdb {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Reads up to `digits_max` digits of base 8 or 16.
unsigned read_digits(std::string_view text, std::size_t& at, int digits_max, int base) {
  unsigned value = 0;
  for (int i = 0; i < digits_max && at < text.size(); ++i) {
    const int digit = hex_value(text[at]);
    if (digit < 0 || digit >= base) break;
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
    ++at;
  }
  return value;
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  } else {
    out.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    out.push_back(static_cast<char>(0x80U | ((code >> 12U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | ((code >> 6U) & 0x3FU)));
    out.push_back(static_cast<char>(0x80U | (code & 0x3FU)));
  }
}

void append_escape(std::string& out, std::string_view inner, std::size_t& at) {
  const char c = at < inner.size() ? inner[at] : '\\';
  if (c == 'x') {
    ++at;
    out.push_back(static_cast<char>(read_digits(inner, at, 2, 16)));
  } else if (c == 'u' || c == 'U') {
    ++at;
    append_utf8(out, read_digits(inner, at, c == 'u' ? 4 : 8, 16));
  } else if (c >= '0' && c <= '7') {
    out.push_back(static_cast<char>(read_digits(inner, at, 3, 8)));
  } else {
    constexpr std::string_view kLetters = "bfnrt";
    constexpr std::string_view kMeanings = "\b\f\n\r\t";
    const std::size_t known = kLetters.find(c);
    out.push_back(known == std::string_view::npos ? c : kMeanings[known]);
    ++at;
  }
}

std::string undouble(std::string_view inner, bool escapes) {
  std::string text;
  for (std::size_t at = 0; at < inner.size();) {
    const char c = inner[at++];
    if (escapes && c == '\\') {
      append_escape(text, inner, at);
      continue;
    }
    text.push_back(c);
    if (c == '\'') ++at;
  }
  return text;
}

std::string decode(std::string_view token) {
  if (token.front() == '$') {
    const std::size_t tag = token.find('$', 1) + 1;
    return token.size() >= 2 * tag ? std::string(token.substr(tag, token.size() - 2 * tag)) : std::string();
  }
  const std::size_t open = token.find('\'') + 1;
  const bool closed = token.size() > open && token.back() == '\'';
  const std::string_view inner = token.substr(open, token.size() - open - (closed ? 1 : 0));
  return undouble(inner, open == 2 && (token.front() == 'e' || token.front() == 'E'));
}

}  // namespace

std::vector<PathCandidate> path_candidates(const std::vector<Token>& tokens) {
  std::vector<PathCandidate> found;
  for (std::size_t i = 0; i < tokens.size();) {
    PathCandidate candidate{{}, tokens[i].span};
    if (tokens[i].kind == TokenKind::kString) {
      for (; i < tokens.size() && tokens[i].kind == TokenKind::kString; ++i) {
        candidate.text += decode(tokens[i].text);
        candidate.span.end = tokens[i].span.end;
      }
      found.push_back(std::move(candidate));
      continue;
    }
    if (!is_name(tokens[i])) {
      ++i;
      continue;
    }
    const bool quoted = tokens[i].kind == TokenKind::kQuoted;
    candidate.text = name_of(tokens[i++]);
    const std::size_t first = i;
    for (; i + 1 < tokens.size() && is_symbol(tokens[i], '.') && is_name(tokens[i + 1]); i += 2) {
      candidate.text += '.' + name_of(tokens[i + 1]);
      candidate.span.end = tokens[i + 1].span.end;
    }
    if (quoted || i > first) found.push_back(std::move(candidate));
  }
  return found;
}

}  // namespace candor::engine::duckdb
