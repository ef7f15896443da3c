// Building diagnostics.
#include "base/diagnostic.h"

#include <utility>

#include "base/codes.h"

namespace candor {

ErrorClass Diagnostic::error_class() const {
  const CodeInfo* info = find_code(code);
  return info == nullptr ? ErrorClass::kPermanent : info->error_class;
}

std::string shortened(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t head = bytes_max * 2 / 3;
  while (head > 0 && inside(head)) --head;
  std::size_t tail = text.size() - bytes_max / 3;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

void shorten(Diagnostic& diagnostic) {
  constexpr std::size_t kLineMax = 1'000;
  constexpr std::size_t kDetailMax = 8'000;
  diagnostic.message = shortened(std::move(diagnostic.message), kLineMax);
  diagnostic.hint = shortened(std::move(diagnostic.hint), kLineMax);
  diagnostic.detail = shortened(std::move(diagnostic.detail), kDetailMax);
}

Diagnostic make_error(std::string_view code, std::string message, std::string hint, std::string detail) {
  Diagnostic made;
  made.code = std::string(code);
  made.message = std::move(message);
  made.hint = std::move(hint);
  made.detail = std::move(detail);
  return made;
}

}  // namespace candor
