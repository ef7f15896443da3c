// Folding and cutting by utf8proc's tables.
#include "scope/characters.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>

#include "base/ascii.h"
#include "base/render_json.h"

namespace candor::scope {

std::string case_folded(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return lower_ascii(text);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                               static_cast<utf8proc_ssize_t>(text.size()), &made, UTF8PROC_CASEFOLD);
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  if (length < 0) return std::string(text);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)};
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  if (text.size() <= characters) return text;
  std::size_t border = 0;
  std::size_t at = 0;
  utf8proc_int32_t previous = 0;
  utf8proc_int32_t state = 0;
  for (std::size_t seen = 0; at < text.size(); ++seen) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                     static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (length <= 0) break;
    const bool begins = seen == 0 || utf8proc_grapheme_break_stateful(previous, code, &state) != 0;
    if (begins) border = at;
    if (seen == characters) return border > 0 ? text.substr(0, border) : utf8_prefix(text, characters);
    previous = code;
    at += static_cast<std::size_t>(length);
  }
  return at == text.size() ? text : utf8_prefix(text, characters);
}

}  // namespace candor::scope
