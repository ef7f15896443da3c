// Cutting a body, and finding addresses in it.
#include "memory/store/text_parts.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utf8proc.h>

#include "base/ascii.h"
#include "memory/store/names.h"

namespace candor::memory {
namespace {

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// For each byte, and for the end, whether a text may be cut before it: a letter keeps its marks, an emoji its parts.
std::vector<bool> borders_of(std::string_view text) {
  std::vector<bool> borders(text.size() + 1, false);
  borders[0] = borders[text.size()] = true;
  utf8proc_int32_t state = 0, before = 0;
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at),
                                                    static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (bytes <= 0) return borders;  // not reached: bodies are UTF-8
    if (at > 0) borders[at] = utf8proc_grapheme_break_stateful(before, code, &state) != 0;
    before = code;
    at += static_cast<std::size_t>(bytes);
  }
  return borders;
}

// A line's text without its end.
std::string_view line_at(std::string_view text, std::size_t at) {
  std::string_view line = text.substr(at, text.find('\n', at) - at);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// The line without up to three blanks before it; more make it code.
std::string_view unindented(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  return blanks > 3 ? std::string_view() : line.substr(blanks);
}

bool is_heading(std::string_view line) {
  line = unindented(line);
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level >= 1 && level <= 6 && (level == line.size() || line[level] == ' ' || line[level] == '\t');
}

// How many of ` or ~ begin the line, three or more; 0 where it begins no fence.
std::size_t fence_of(std::string_view line) {
  line = unindented(line);
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
  const std::size_t length = std::min(line.find_first_not_of(line[0]), line.size());
  return length < 3 || (line[0] == '`' && line.find('`', length) != std::string_view::npos) ? 0 : length;
}

bool ends_fence(std::string_view line, char mark, std::size_t length) {
  const std::size_t closing = fence_of(line);
  line = unindented(line);
  return closing >= length && line[0] == mark && line.find_first_not_of(" \t", closing) == std::string_view::npos;
}

// Finds places to cut a text at.
class Cutter {
 public:
  explicit Cutter(std::string_view body) : body_(body), borders_(borders_of(body)), headings_(headings_of(body)) {}

  [[nodiscard]] bool border(std::size_t at) const { return borders_[at]; }
  [[nodiscard]] bool heading(std::size_t at) const { return std::ranges::binary_search(headings_, at); }
  [[nodiscard]] const std::vector<std::size_t>& headings() const { return headings_; }

  // The best cut in [from, to], the last of equal ones. Where all are in the middle of words the last that splits no letter,
  // and `to` where there is none of these either.
  [[nodiscard]] std::size_t best(std::size_t from, std::size_t to) const {
    std::size_t best = to;
    int quality = -1;
    for (std::size_t at = to; at >= from && at > 0; --at) {
      if (!borders_[at]) continue;
      if (const int here = quality_of(at); here > quality) {
        best = at;
        quality = here;
      }
    }
    return best;
  }

 private:
  // The higher the better, 0 for the middle of a word.
  [[nodiscard]] int quality_of(std::size_t at) const {
    if (at == 0 || at >= body_.size()) return 0;
    const char before = body_[at - 1];
    if (before == '\n' && heading(at)) return 5;
    if (before == '\n' && at >= 2 && (body_[at - 2] == '\n' || body_.substr(0, at).ends_with("\n\r\n"))) return 4;
    if (before == '\n') return 3;
    if (!is_space(before)) return 0;
    const char last = at >= 2 ? body_[at - 2] : ' ';
    return last == '.' || last == '!' || last == '?' ? 2 : 1;
  }

  std::string_view body_;
  std::vector<bool> borders_;
  std::vector<std::size_t> headings_;
};

// The longest beginning that one memory can hold.
std::size_t fitting_bytes(std::string_view text) {
  return std::min(first_characters(text, kPartCharacters).size(), kBodyBytes);
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

std::vector<std::size_t> headings_of(std::string_view text) {
  std::vector<std::size_t> headings;
  std::size_t fence = 0;
  char mark = 0;
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    const std::string_view line = line_at(text, at);
    if (fence > 0) {
      if (ends_fence(line, mark, fence)) fence = 0;
    } else if (fence = fence_of(line); fence > 0) {
      mark = unindented(line)[0];
    } else if (is_heading(line)) {
      headings.push_back(at);
    }
  }
  return headings;
}

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
  const Cutter cutter(body);
  const std::size_t piece = piece_characters(total);
  std::size_t first = 0;  // character
  while (first < total) {
    std::size_t last = std::min(first + piece, total);
    if (last < total) {
      const std::size_t cut = cutter.best(starts[first + piece * 3 / 4], starts[last]);
      last = static_cast<std::size_t>(std::ranges::lower_bound(starts, cut) - starts.begin());
    }
    chunks.push_back({starts[first], starts[last], (last - first + 1) / 2});
    if (last >= total) break;
    if (cutter.heading(starts[last])) {
      first = last;
      continue;
    }
    // The overlap begins with a word, or at least with a letter.
    std::size_t next = last - kChunkOverlap;
    while (next < last && !(is_space(body[starts[next] - 1]) && cutter.border(starts[next]))) ++next;
    if (next == last) next = last - kChunkOverlap;
    while (next < last && !cutter.border(starts[next])) ++next;
    first = next;
  }
  return chunks;
}

std::vector<std::string_view> sections_of(std::string_view text) {
  std::vector<std::string_view> parts;
  if (fitting_bytes(text) == text.size()) return {text};
  const Cutter cutter(text);
  const std::vector<std::size_t>& headings = cutter.headings();
  std::size_t start = 0;
  for (;;) {
    const std::size_t fits = fitting_bytes(text.substr(start));
    if (start + fits == text.size()) break;
    std::size_t end = start + fits;
    while (!begins_character(text[end])) --end;
    const auto after = std::ranges::upper_bound(headings, end);
    const bool heading = after != headings.begin() && *std::prev(after) > start;
    const std::size_t cut = heading ? *std::prev(after) : cutter.best(start + fits * 3 / 4, end);
    parts.push_back(text.substr(start, cut - start));
    start = cut;
  }
  parts.push_back(text.substr(start));
  return parts;
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
