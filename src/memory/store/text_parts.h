// What is found in a body: its chunks, its headings, the addresses that it names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace candor::memory {

constexpr std::size_t kChunkCharacters = 800;
constexpr std::size_t kChunkOverlap = 100;
constexpr std::size_t kChunks = 512;
// What so many chunks of the usual size hold.
constexpr std::size_t kPartCharacters = kChunks * (kChunkCharacters - kChunkOverlap);

// Half-open, in bytes of the body.
struct Chunk {
  std::size_t start = 0, end = 0;
  std::size_t tokens = 0;  // estimated: two characters each
};

// Pieces of about 800 characters that overlap by about 100 and end, where they can, before a heading of Markdown, after a
// paragraph, a line, a sentence or a word, and never between a letter and its marks. At most 512: the pieces of a long body
// are longer. None for a body of one piece.
[[nodiscard]] std::vector<Chunk> chunks_of(std::string_view body);

// Where the lines begin that are headings of the form `## Title`; lines of fenced code are none.
[[nodiscard]] std::vector<std::size_t> headings_of(std::string_view text);

// A text that is too long for one memory as parts that aren't: at most kBodyBytes and kPartCharacters each, cut before a
// heading where there is one, else as chunks are. Put together they are the text. One part for any other text.
[[nodiscard]] std::vector<std::string_view> sections_of(std::string_view text);

struct Url {
  std::string text;
  std::size_t offset = 0;  // in bytes
};

// Each http or https address once, 10 to 4,096 characters long.
[[nodiscard]] std::vector<Url> urls_of(std::string_view body);

}  // namespace candor::memory
