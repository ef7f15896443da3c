// A recursive-descent recogniser of JSON. Only names with escapes are copied, to compare them by what they mean.
#include "base/strict_json.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/render_json.h"

namespace candor {
namespace {

constexpr int kDepthMax = 200;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto tail = [&](std::uint32_t bits) { out += static_cast<char>(0x80U | (bits & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    tail(code);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    tail(code >> 6U);
    tail(code);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    tail(code >> 12U);
    tail(code >> 6U);
    tail(code);
  }
}

// The text that a JSON string means. Requires one that was recognised, without its quotes.
std::string unescape(std::string_view raw) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeanings = "\b\f\n\r\t";
  const auto code_at = [&](std::size_t at) {
    return static_cast<std::uint32_t>(std::stoul(std::string(raw.substr(at, 4)), nullptr, 16));
  };
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      out += raw[i];
      continue;
    }
    const char escaped = raw[++i];
    if (escaped != 'u') {
      const std::size_t letter = kLetters.find(escaped);
      out += letter == kLetters.npos ? escaped : kMeanings[letter];
      continue;
    }
    std::uint32_t code = code_at(i + 1);
    i += 4;
    if (code >= 0xD800 && code <= 0xDBFF) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (code_at(i + 3) - 0xDC00);
      i += 6;
    }
    append_utf8(out, code);
  }
  return out;
}

// Whether no two member names, given without quotes, mean the same.
bool all_different(std::vector<std::string_view>& names) {
  const auto escaped = [](std::string_view name) { return name.find('\\') != name.npos; };
  if (std::ranges::none_of(names, escaped)) {
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) == names.end();
  }
  std::vector<std::string> meant;
  for (const std::string_view name : names) meant.push_back(unescape(name));
  std::ranges::sort(meant);
  return std::ranges::adjacent_find(meant) == meant.end();
}

class Recogniser {
 public:
  explicit Recogniser(std::string_view text) : rest_(text) {}

  bool document() {
    blanks();
    if (!value(0)) return false;
    blanks();
    return rest_.empty();
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  void blanks() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\r' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  bool value(int depth) {
    if (depth > kDepthMax || rest_.empty()) return false;
    switch (rest_.front()) {
      case '{':
        return object(depth);
      case '[':
        return array(depth);
      case '"':
        return string();
      case 't':
        return take("true");
      case 'f':
        return take("false");
      case 'n':
        return take("null");
      default:
        return number();
    }
  }

  bool digits() {
    const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      return digits();
    }
    return true;
  }

  std::optional<std::uint32_t> hex() {
    if (rest_.size() < 4) return std::nullopt;
    std::uint32_t code = 0;
    for (const char c : rest_.substr(0, 4)) {
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      code = code * 16 + static_cast<std::uint32_t>(digit > 15 ? digit - 6 : digit);
    }
    rest_.remove_prefix(4);
    return code;
  }

  // After "\u". A high surrogate needs a low one behind it.
  bool unicode_escape() {
    const std::optional<std::uint32_t> first = hex();
    if (!first || (*first >= 0xDC00 && *first <= 0xDFFF)) return false;
    if (*first < 0xD800 || *first > 0xDBFF) return true;
    if (!take("\\u")) return false;
    const std::optional<std::uint32_t> second = hex();
    return second && *second >= 0xDC00 && *second <= 0xDFFF;
  }

  bool string() {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (byte == '"') return true;
      if (byte < 0x20) return false;
      if (byte != '\\') continue;
      if (rest_.empty()) return false;
      const char escaped = rest_.front();
      rest_.remove_prefix(1);
      if (escaped == 'u' ? !unicode_escape() : std::string_view("\"\\/bfnrt").find(escaped) == std::string_view::npos)
        return false;
    }
    return false;
  }

  bool array(int depth) {
    take('[');
    blanks();
    if (take(']')) return true;
    do {
      blanks();
      if (!value(depth + 1)) return false;
      blanks();
    } while (take(','));
    return take(']');
  }

  bool object(int depth) {
    take('{');
    blanks();
    if (take('}')) return true;
    std::vector<std::string_view> names;
    do {
      blanks();
      const std::string_view before = rest_;
      if (!string()) return false;
      names.push_back(before.substr(1, before.size() - rest_.size() - 2));
      blanks();
      if (!take(':')) return false;
      blanks();
      if (!value(depth + 1)) return false;
      blanks();
    } while (take(','));
    return all_different(names) && take('}');
  }

  std::string_view rest_;
};

}  // namespace

bool is_strict_json(std::string_view text) { return is_utf8(text) && Recogniser(text).document(); }

}  // namespace candor
