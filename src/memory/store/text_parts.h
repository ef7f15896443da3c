// What is found in a body: its chunks, and the addresses that it names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace candor::memory {

constexpr std::size_t kChunkCharacters = 800;
constexpr std::size_t kChunkOverlap = 100;
constexpr std::size_t kChunks = 512;

// Half-open, in bytes of the body.
struct Chunk {
  std::size_t start = 0, end = 0;
  std::size_t tokens = 0;  // estimated: two characters each
};

// Pieces of about 800 characters that overlap by about 100 and end, where they can, before a heading of Markdown, after a
// paragraph, a line, a sentence or a word. At most 512: the pieces of a long body are longer. None for a body of one piece.
[[nodiscard]] std::vector<Chunk> chunks_of(std::string_view body);

struct Url {
  std::string text;
  std::size_t offset = 0;  // in bytes
};

// Each http or https address once, 10 to 4,096 characters long.
[[nodiscard]] std::vector<Url> urls_of(std::string_view body);

}  // namespace candor::memory
