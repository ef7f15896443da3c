// Cutting out the middle: what a message says of a text stands around it.
#include "base/shorten.h"

#include <utility>

namespace candor {

std::string both_ends(std::string text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t head = bytes_max - bytes_max / 3;
  while (head > 0 && inside(head)) --head;
  std::size_t tail = text.size() - bytes_max / 3;
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::string short_line(std::string text) {
  constexpr std::size_t kLineMax = 1'000;
  return both_ends(std::move(text), kLineMax);
}

void shorten(Diagnostic& diagnostic) {
  constexpr std::size_t kDetailMax = 8'000;
  diagnostic.message = short_line(std::move(diagnostic.message));
  diagnostic.hint = short_line(std::move(diagnostic.hint));
  diagnostic.detail = both_ends(std::move(diagnostic.detail), kDetailMax);
}

}  // namespace candor
