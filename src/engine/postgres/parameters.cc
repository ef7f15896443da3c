// Texts of values, and of arrays of them.
#include "engine/postgres/parameters.h"

#include <cmath>
#include <string>
#include <string_view>

#include "base/render_json.h"

namespace candor::engine::postgres {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string digits;
  append_json_real(digits, value);
  return digits;
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "\\x";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

// Quoted always: an unquoted NULL, a brace or a blank would be read otherwise.
void append_element(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

Result<std::string> text_of(const Value& value);

Result<std::string> list_text(const Value& list) {
  std::string text = "{";
  for (const Value& part : list.parts) {
    if (text.size() > 1) text += ',';
    if (part.is_null()) {
      text += "NULL";
      continue;
    }
    CANDOR_ASSIGN(const std::string inner, text_of(part));
    if (part.kind == CellKind::kList) {
      text += inner;
    } else {
      append_element(text, inner);
    }
  }
  return text + "}";
}

Result<std::string> text_of(const Value& value) {
  switch (value.kind) {
    case CellKind::kBoolean:
      return std::string(value.integer != 0 ? "true" : "false");
    case CellKind::kInteger:
      return std::to_string(value.integer);
    case CellKind::kReal32:
    case CellKind::kReal64:
      return real_text(value.real);
    case CellKind::kBlob:
      return hexadecimal(value.text);
    case CellKind::kList:
      return list_text(value);
    case CellKind::kNull:
    case CellKind::kStruct:
    case CellKind::kMap:
    case CellKind::kCut:
      return make_error("bad-request", "a parameter is of a kind that PostgreSQL has no value for");
    default:
      break;
  }
  if (value.text.find('\0') != std::string::npos) {
    return make_error("invalid-text", "a text holds a NUL, which PostgreSQL can't keep", "leave it out of the text");
  }
  if (!is_utf8(value.text)) return make_error("invalid-text", "a text is not valid UTF-8");
  return value.text;
}

}  // namespace

Result<Parameters> parameters_of(const std::vector<Value>& values) {
  Parameters parameters;
  for (const Value& value : values) {
    if (value.is_null()) {
      parameters.emplace_back(std::nullopt);
      continue;
    }
    CANDOR_ASSIGN(std::string text, text_of(value));
    parameters.emplace_back(std::move(text));
  }
  return parameters;
}

std::string array_literal(const std::vector<std::string>& texts) {
  std::string literal = "{";
  for (const std::string& text : texts) {
    if (literal.size() > 1) literal += ',';
    append_element(literal, text);
  }
  return literal + "}";
}

}  // namespace candor::engine::postgres
