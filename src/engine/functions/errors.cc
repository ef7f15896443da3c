// "candor/CODE: message".
#include "engine/functions/errors.h"

#include <algorithm>
#include <array>

#include "base/render_json.h"

namespace candor::engine::functions {
namespace {

constexpr std::string_view kMark = "candor/";

// What the functions fail with; nothing else that looks like it is believed.
constexpr std::array<std::string_view, 6> kCodes = {"bad-argument",     "bad-stored-value", "integer-overflow",
                                                    "number-overflow", "subquery-rows",    "type-mismatch"};

}  // namespace

std::string error_text(const Diagnostic& failure) { return std::string(kMark) + failure.code + ": " + failure.message; }

std::string shown(std::string_view text) {
  constexpr std::size_t kCharacters = 40;
  if (!is_utf8(text)) return "a text that is not UTF-8";
  const std::string_view start = utf8_prefix(text, kCharacters);
  std::string out = "'" + std::string(start) + (start.size() < text.size() ? "…'" : "'");
  for (char& byte : out) byte = static_cast<unsigned char>(byte) < 0x20 ? ' ' : byte;
  return out;
}

std::optional<Diagnostic> read_error_text(std::string_view text) {
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  text.remove_prefix(mark + kMark.size());
  const std::size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view code = text.substr(0, colon);
  if (std::ranges::find(kCodes, code) == kCodes.end()) return std::nullopt;
  const std::string_view message = text.substr(colon + 2);
  return make_error(code, std::string(message.substr(0, message.find('\n'))));
}

}  // namespace candor::engine::functions
