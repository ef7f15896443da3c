// Exact JSON rendering by appending to a string; the hot path of every result.
#include "base/render_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace candor {
namespace {

constexpr std::int64_t kExactIntegerLimit = std::int64_t{1} << 53;
constexpr int kDepthMax = 200;

void append_integer(std::string& out, std::int64_t value) {
  std::array<char, 24> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), done.ptr);
}

template <typename Real>
void append_real(std::string& out, Real value) {
  if (std::isnan(value)) {
    out += "\"NaN\"";
    return;
  }
  if (std::isinf(value)) {
    out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return;
  }
  std::array<char, 40> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), done.ptr);
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t group = static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i])) << 16U;
    if (left > 1) group |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(bytes[i + 1])) << 8U;
    if (left > 2) group |= static_cast<std::uint8_t>(bytes[i + 2]);
    out += kAlphabet[(group >> 18U) & 63U];
    out += kAlphabet[(group >> 12U) & 63U];
    out += left > 1 ? kAlphabet[(group >> 6U) & 63U] : '=';
    out += left > 2 ? kAlphabet[group & 63U] : '=';
  }
}

void append_exact_integer(std::string& out, std::int64_t value) {
  const bool quoted = integer_needs_string(value);
  if (quoted) out += '"';
  append_integer(out, value);
  if (quoted) out += '"';
}

void append_blob(std::string& out, std::string_view bytes) {
  out += R"({"base64":")";
  append_base64(out, bytes);
  out += R"(","bytes":)";
  append_integer(out, static_cast<std::int64_t>(bytes.size()));
  out += '}';
}

void append_cut(std::string& out, const Cell& cell) {
  out += R"({"cut":true,"chars":)";
  append_integer(out, cell.integer);
  out += R"(,"text":)";
  append_json_string(out, cell.text);
  out += '}';
}

// Map keys and struct names must be JSON strings: a text as it is, anything else as the string of its JSON.
void append_key(std::string& out, CellReader& reader, int depth);

void append_cell(std::string& out, CellReader& reader, int depth) {
  if (depth > kDepthMax) {
    reader.fail();
    out += "null";
    return;
  }
  const Cell cell = reader.next();
  switch (cell.kind) {
    case CellKind::kNull:
      out += "null";
      return;
    case CellKind::kBoolean:
      out += cell.integer != 0 ? "true" : "false";
      return;
    case CellKind::kInteger:
      return append_exact_integer(out, cell.integer);
    case CellKind::kReal32:
      return append_real(out, static_cast<float>(cell.real));
    case CellKind::kReal64:
      return append_real(out, cell.real);
    case CellKind::kIntegerText:
    case CellKind::kDecimal:
    case CellKind::kText:
    case CellKind::kTemporal:
    case CellKind::kOther:
      return append_json_string(out, cell.text);
    case CellKind::kJson:
      out += cell.text;
      return;
    case CellKind::kBlob:
      return append_blob(out, cell.text);
    case CellKind::kCut:
      return append_cut(out, cell);
    case CellKind::kList:
      out += '[';
      for (std::uint32_t i = 0; i < cell.count && reader.ok(); ++i) {
        if (i > 0) out += ',';
        append_cell(out, reader, depth + 1);
      }
      out += ']';
      return;
    case CellKind::kStruct:
    case CellKind::kMap:
      out += '{';
      for (std::uint32_t i = 0; i < cell.count && reader.ok(); ++i) {
        if (i > 0) out += ',';
        append_key(out, reader, depth + 1);
        out += ':';
        append_cell(out, reader, depth + 1);
      }
      out += '}';
      return;
  }
}

void append_key(std::string& out, CellReader& reader, int depth) {
  std::string key;
  append_cell(key, reader, depth);
  if (!key.empty() && key.front() == '"') {
    out += key;
  } else {
    append_json_string(out, key);
  }
}

// Length of the well-formed sequence that starts here; 0 when there is none (RFC 3629, table of section 4).
std::size_t sequence_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const auto continues = [&](std::size_t i, std::uint8_t low = 0x80, std::uint8_t high = 0xBF) {
    return i < bytes.size() && at(i) >= low && at(i) <= high;
  };
  const std::uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const std::uint8_t low = first == 0xE0 ? 0xA0 : 0x80;
    const std::uint8_t high = first == 0xED ? 0x9F : 0xBF;
    return continues(1, low, high) && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const std::uint8_t low = first == 0xF0 ? 0x90 : 0x80;
    const std::uint8_t high = first == 0xF4 ? 0x8F : 0xBF;
    return continues(1, low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

void append_json(std::string& out, CellReader& reader) { append_cell(out, reader, 0); }

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
    }
  }
  out.append(text, plain);
  out += '"';
}

void append_json_real(std::string& out, double value) { append_real(out, value); }

bool integer_needs_string(std::int64_t value) { return value >= kExactIntegerLimit || value <= -kExactIntegerLimit; }

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    // Most texts are ASCII for long stretches: eight bytes at a time.
    std::uint64_t eight = 0;
    if (bytes.size() >= sizeof eight) {
      std::memcpy(&eight, bytes.data(), sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        bytes.remove_prefix(sizeof eight);
        continue;
      }
    }
    const std::size_t length = sequence_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::size_t utf8_length(std::string_view text) {
  std::size_t characters = 0;
  for (const char byte : text) characters += (static_cast<std::uint8_t>(byte) & 0xC0U) != 0x80U ? 1 : 0;
  return characters;
}

std::string_view utf8_prefix(std::string_view text, std::size_t characters) {
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<std::uint8_t>(text[i]) & 0xC0U) == 0x80U) continue;
    if (seen++ == characters) return text.substr(0, i);
  }
  return text;
}

std::string single_line(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  std::string line;
  for (const char c : text) {
    const bool blank = kBlanks.find(c) != std::string_view::npos;
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::string shortened(std::string_view text, std::size_t characters) {
  const std::string_view shown = utf8_prefix(text, characters);
  return std::string(shown) + (shown.size() < text.size() ? "…" : "");
}

std::string plain_text(CellReader& reader) {
  CellReader ahead = reader;
  const Cell cell = ahead.next();
  switch (cell.kind) {
    case CellKind::kNull:
      reader = ahead;
      return {};
    case CellKind::kIntegerText:
    case CellKind::kDecimal:
    case CellKind::kText:
    case CellKind::kTemporal:
    case CellKind::kOther:
      reader = ahead;
      return std::string(cell.text);
    case CellKind::kInteger: {
      reader = ahead;
      std::string digits;
      append_integer(digits, cell.integer);
      return digits;
    }
    case CellKind::kCut:
      reader = ahead;
      return std::string(cell.text) + "…";
    case CellKind::kReal32:
    case CellKind::kReal64: {
      std::string digits;
      append_json(digits, reader);
      std::erase(digits, '"');  // of "NaN" and the infinities
      return digits;
    }
    default: {
      std::string json;
      append_json(json, reader);
      return json;
    }
  }
}

}  // namespace candor
