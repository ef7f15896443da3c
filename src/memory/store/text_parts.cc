// Cutting a body, and finding addresses in it.
#include "memory/store/text_parts.h"

#include <algorithm>
#include <unordered_set>

#include "base/ascii.h"
#include "memory/store/names.h"

namespace candor::memory {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// How good a place to cut is before the byte at `at`: the higher the better, 0 for the middle of a word.
int quality_of_cut(std::string_view body, std::size_t at) {
  if (at == 0 || at >= body.size()) return 0;
  const char before = body[at - 1];
  if (before == '\n' && body[at] == '#') return 5;
  if (before == '\n' && at >= 2 && body[at - 2] == '\n') return 4;
  if (before == '\n') return 3;
  if (!is_space(before)) return 0;
  const char last = at >= 2 ? body[at - 2] : ' ';
  return last == '.' || last == '!' || last == '?' ? 2 : 1;
}

// The best cut in [from, to], the last of equal ones; `to` where all are in the middle of words.
std::size_t best_cut(std::string_view body, std::size_t from, std::size_t to) {
  std::size_t best = to;
  int quality = 0;
  for (std::size_t at = to; at >= from && at > 0; --at) {
    if (const int here = quality_of_cut(body, at); here > quality) {
      best = at;
      quality = here;
    }
  }
  return best;
}

// Pieces are cut in the last quarter of what they may hold, so that each holds at least three quarters of it.
std::size_t piece_characters(std::size_t total) {
  const std::size_t step = total / (kChunks - 1) + 1;
  return std::max(kChunkCharacters, (step + kChunkOverlap) * 4 / 3 + 1);
}

bool ends_url(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == '\x7F' ||
         std::string_view("<>\"'`)]}|\\^").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<Chunk> chunks_of(std::string_view body) {
  std::vector<Chunk> chunks;
  if (body.size() <= kChunkCharacters) return chunks;
  std::vector<std::size_t> starts;  // of characters
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (begins_character(body[at])) starts.push_back(at);
  }
  const std::size_t total = starts.size();
  if (total <= kChunkCharacters) return chunks;
  starts.push_back(body.size());
  const std::size_t piece = piece_characters(total);
  std::size_t first = 0;  // character
  while (first < total) {
    std::size_t last = std::min(first + piece, total);
    if (last < total) {
      const std::size_t cut = best_cut(body, starts[first + piece * 3 / 4], starts[last]);
      last = static_cast<std::size_t>(std::ranges::lower_bound(starts, cut) - starts.begin());
    }
    chunks.push_back({starts[first], starts[last], (last - first + 1) / 2});
    if (last >= total) break;
    const bool heading = quality_of_cut(body, starts[last]) == 5;
    std::size_t next = heading ? last : last - kChunkOverlap;
    while (!heading && next < last && !is_space(body[starts[next] - 1])) ++next;
    first = next < last || heading ? next : last - kChunkOverlap;
  }
  return chunks;
}

std::vector<Url> urls_of(std::string_view body) {
  std::vector<Url> urls;
  std::unordered_set<std::string> seen;
  for (std::size_t at = body.find("://"); at != std::string_view::npos; at = body.find("://", at + 3)) {
    std::size_t start = std::string_view::npos;
    if (at >= 5 && lower_ascii(body.substr(at - 5, 5)) == "https") {
      start = at - 5;
    } else if (at >= 4 && lower_ascii(body.substr(at - 4, 4)) == "http") {
      start = at - 4;
    }
    if (start == std::string_view::npos) continue;
    std::size_t end = at + 3;
    while (end < body.size() && !ends_url(body[end])) ++end;
    while (end > at + 3 && std::string_view(".,;:!?").find(body[end - 1]) != std::string_view::npos) --end;
    const std::string_view text = body.substr(start, end - start);
    const std::size_t length = characters(text);
    if (length < 10 || length > 4096 || !seen.emplace(text).second) continue;
    urls.push_back({std::string(text), start});
  }
  return urls;
}

}  // namespace candor::memory
