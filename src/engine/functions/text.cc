// UTF-8 walked through byte by byte; the tables of cases.
#include "engine/functions/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace candor::engine::functions {
namespace {

struct CaseRange {
  char32_t first, last;
  char32_t step;
  std::int32_t delta;
};
#include "engine/functions/case_tables.inc"

constexpr unsigned char kContinuation = 0x80;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == kContinuation; }

// Bytes of the character that begins at `at`: those of a code point, or the one byte that begins none.
std::size_t width_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t wanted = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 1;
  std::size_t width = 1;
  while (width < wanted && at + width < text.size() && continues(text[at + width])) ++width;
  return width == wanted ? width : 1;
}

// Requires a whole code point of two bytes or more.
char32_t decode(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  char32_t code = lead & (0xFFU >> (character.size() + 1));
  for (const char byte : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  return code;
}

void encode(char32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6U);
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12U);
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xF0U | code >> 18U);
    out += static_cast<char>(0x80U | (code >> 12U & 0x3FU));
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

char32_t mapped(std::span<const CaseRange> table, char32_t code) {
  const auto range = std::ranges::lower_bound(table, code, {}, &CaseRange::last);
  if (range == table.end() || code < range->first || (code - range->first) % range->step != 0) return code;
  return static_cast<char32_t>(static_cast<std::int32_t>(code) + range->delta);
}

std::string map_all(std::span<const CaseRange> table, std::string_view text) {
  // Those of ASCII are the table's first range.
  const CaseRange& ascii = table.front();
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x80) {
      out += byte >= ascii.first && byte <= ascii.last ? static_cast<char>(byte + ascii.delta) : text[at];
      ++at;
      continue;
    }
    const std::string_view character = text.substr(at, width_at(text, at));
    at += character.size();
    const char32_t code = character.size() == 1 ? 0 : decode(character);
    const char32_t other = character.size() == 1 ? 0 : mapped(table, code);
    if (other == code) {
      out += character;
    } else {
      encode(other, out);
    }
  }
  return out;
}

// One element of a pattern.
struct Token {
  enum class Kind { kAny, kOne, kLiteral } kind = Kind::kLiteral;
  std::string_view character;  // of a literal
  std::size_t bytes = 0;       // in the pattern
};

class Matcher {
 public:
  Matcher(std::string_view text, std::string_view pattern, std::string_view escape)
      : text_(text), pattern_(pattern), escape_(escape) {}

  // Goes back to the latest % alone: what stands before it can be left as it is.
  [[nodiscard]] bool match() const {
    std::size_t at = 0;
    std::size_t token_at = 0;
    std::optional<std::size_t> after_any;
    std::size_t retry = 0;
    while (true) {
      if (token_at == pattern_.size()) {
        if (at == text_.size()) return true;
      } else {
        const Token token = token_of(token_at);
        if (token.kind == Token::Kind::kAny) {
          token_at += token.bytes;
          if (token_at == pattern_.size()) return true;
          after_any = token_at;
          retry = at;
          continue;
        }
        if (const std::size_t taken = take(token, at); taken > 0) {
          at += taken;
          token_at += token.bytes;
          continue;
        }
      }
      if (!after_any || retry >= text_.size()) return false;
      retry = next_start(retry + width_at(text_, retry), *after_any);
      at = retry;
      token_at = *after_any;
    }
  }

  [[nodiscard]] bool ends_in_escape() const {
    if (escape_.empty()) return false;
    for (std::size_t at = 0; at < pattern_.size();) {
      if (!pattern_.substr(at).starts_with(escape_)) {
        at += width_at(pattern_, at);
        continue;
      }
      at += escape_.size();
      if (at == pattern_.size()) return true;
      at += width_at(pattern_, at);
    }
    return false;
  }

 private:
  [[nodiscard]] Token token_of(std::size_t at) const {
    Token token;
    if (!escape_.empty() && pattern_.substr(at).starts_with(escape_)) {
      token.bytes = escape_.size();
      at += token.bytes;
    } else if (pattern_[at] == '%' || pattern_[at] == '_') {
      token.kind = pattern_[at] == '%' ? Token::Kind::kAny : Token::Kind::kOne;
      token.bytes = 1;
      return token;
    }
    token.character = pattern_.substr(at, width_at(pattern_, at));
    token.bytes += token.character.size();
    return token;
  }

  // The first place from `at` on where the token could begin; the end where there is none. What begins a character never
  // stands inside of one.
  [[nodiscard]] std::size_t next_start(std::size_t at, std::size_t token_at) const {
    const Token token = token_of(token_at);
    if (token.kind != Token::Kind::kLiteral || at >= text_.size()) return at;
    const char first = token.character.front();
    if (continues(first)) return at;
    return std::min(text_.find(first, at), text_.size());
  }

  // The bytes of the text that the token stands for; 0: none.
  [[nodiscard]] std::size_t take(const Token& token, std::size_t at) const {
    if (at == text_.size()) return 0;
    if (token.kind == Token::Kind::kOne) return width_at(text_, at);
    return text_.substr(at).starts_with(token.character) ? token.character.size() : 0;
  }

  std::string_view text_, pattern_, escape_;
};

// The usual patterns, abc%, %abc% and those that begin so, without a step for each character. A pattern is valid UTF-8, so that
// no character of its own begins inside of one of the text, whatever bytes that has.
bool like_unescaped(std::string_view text, std::string_view pattern) {
  std::size_t plain = 0;
  for (; plain < pattern.size() && pattern[plain] != '%' && pattern[plain] != '_'; ++plain) {
    if (plain == text.size() || text[plain] != pattern[plain]) return false;
  }
  text.remove_prefix(plain);
  pattern.remove_prefix(plain);
  if (pattern.empty()) return text.empty();
  if (pattern == "%") return true;
  const bool within = pattern.size() > 2 && pattern.front() == '%' && pattern.find('%', 1) == pattern.size() - 1;
  if (within && pattern.find('_') == std::string_view::npos)
    return ::memmem(text.data(), text.size(), pattern.data() + 1, pattern.size() - 2) != nullptr;
  return Matcher(text, pattern, {}).match();
}

}  // namespace

std::string fold(std::string_view text) { return map_all(kFold, text); }
std::string lower(std::string_view text) { return map_all(kLower, text); }
std::string upper(std::string_view text) { return map_all(kUpper, text); }

Result<bool> like(std::string_view text, std::string_view pattern, std::optional<std::string_view> escape) {
  if (escape && (escape->empty() || width_at(*escape, 0) != escape->size())) {
    return make_error("bad-argument", "the character after ESCAPE is not one character");
  }
  if (!escape) return like_unescaped(text, pattern);
  const Matcher matcher(text, pattern, *escape);
  if (matcher.ends_in_escape()) return make_error("bad-argument", "the LIKE pattern ends with its escape character");
  return matcher.match();
}

std::int64_t length(std::string_view text) {
  std::int64_t characters = 0;
  for (std::size_t at = 0; at < text.size(); at += width_at(text, at)) ++characters;
  return characters;
}

namespace {

Diagnostic negative_length() { return make_error("bad-argument", "a part of a text can't have a negative length"); }

}  // namespace

Result<std::string_view> left(std::string_view text, std::int64_t count) { return substring(text, 1, count); }

Result<std::string_view> right(std::string_view text, std::int64_t count) {
  if (count < 0) return negative_length();
  return substring(text, length(text) - std::min(count, length(text)) + 1, std::nullopt);
}

Result<std::string_view> substring(std::string_view text, std::int64_t from, std::optional<std::int64_t> count) {
  if (count && *count < 0) return negative_length();
  // The position after the last; where it can't be counted, the text is long over.
  std::int64_t end = 0;
  const bool bounded = count && !__builtin_add_overflow(from, *count, &end);
  std::size_t start_at = 0;
  for (std::int64_t position = 1; position < from && start_at < text.size(); ++position) {
    start_at += width_at(text, start_at);
  }
  if (!bounded) return text.substr(start_at);
  std::size_t end_at = start_at;
  for (std::int64_t position = std::max<std::int64_t>(from, 1); position < end && end_at < text.size(); ++position) {
    end_at += width_at(text, end_at);
  }
  return text.substr(start_at, end_at - start_at);
}

}  // namespace candor::engine::functions
