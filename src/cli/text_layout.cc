// Widths by utf8proc's tables; breaking of lines.
#include "cli/text_layout.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utf8proc.h>

#include "base/render_json.h"

namespace candor::cli {
namespace {

// The grapheme cluster that a text begins with.
struct Cluster {
  std::size_t bytes = 0;
  std::size_t width = 0;
};

constexpr utf8proc_int32_t kEmojiPresentation = 0xFE0F;

Cluster first_cluster(std::string_view text) {
  // Almost every text is plain ASCII, where each byte is a cluster unless a mark follows.
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80 && (text.size() == 1 || byte(1) < 0x80)) return {1, byte(0) >= 0x20 && byte(0) != 0x7F ? 1U : 0U};
  Cluster cluster;
  utf8proc_int32_t previous = 0;
  utf8proc_int32_t state = 0;
  while (cluster.bytes < text.size()) {
    utf8proc_int32_t code = 0;
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + cluster.bytes);
    const utf8proc_ssize_t length =
        utf8proc_iterate(at, static_cast<utf8proc_ssize_t>(text.size() - cluster.bytes), &code);
    if (length <= 0) {  // not UTF-8: a byte on its own, so that callers always get on
      if (cluster.bytes == 0) cluster = {1, 1};
      break;
    }
    if (cluster.bytes > 0 && utf8proc_grapheme_break_stateful(previous, code, &state) != 0) break;
    const std::size_t width =
        code == kEmojiPresentation ? 2 : static_cast<std::size_t>(std::max(utf8proc_charwidth(code), 0));
    cluster.width = std::max(cluster.width, width);
    cluster.bytes += static_cast<std::size_t>(length);
    previous = code;
  }
  return cluster;
}

bool turns_direction(utf8proc_int32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E || code == 0x200F ||
         code == 0x061C;
}

void append_escape(std::string& out, utf8proc_int32_t code) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\r') {
    out += "\\r";
  } else if (code == '\t') {
    out += "\\t";
  } else {
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4)
      out += kHex[(static_cast<std::uint32_t>(code) >> static_cast<std::uint32_t>(shift)) & 15U];
  }
}

}  // namespace

std::string visible(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_iterate(at, static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (length <= 0) {
      out += "\uFFFD";
      text.remove_prefix(1);
      continue;
    }
    const bool control =
        code < 0x20 || (code >= 0x7F && code < 0xA0) || turns_direction(code) || code == 0x2028 || code == 0x2029;
    if (control && !(keep_lines && code == '\n')) {
      append_escape(out, code);
    } else {
      out += text.substr(0, static_cast<std::size_t>(length));
    }
    text.remove_prefix(static_cast<std::size_t>(length));
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Cluster cluster = first_cluster(text);
    width += cluster.width;
    text.remove_prefix(cluster.bytes);
  }
  return width;
}

std::string_view prefix_of_width(std::string_view text, std::size_t width) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    const Cluster cluster = first_cluster(text.substr(bytes));
    if (used + cluster.width > width) break;
    used += cluster.width;
    bytes += cluster.bytes;
  }
  return text.substr(0, bytes);
}

namespace {

// How much of `line` (no line breaks in it) goes into `width` cells: up to the last blank, else as much as fits; at least
// one cluster, so that a wide character in a narrow column ends.
std::size_t fitting(std::string_view line, std::size_t width) {
  const std::size_t bytes = prefix_of_width(line, width).size();
  if (bytes == line.size()) return bytes;
  if (bytes == 0) return first_cluster(line).bytes;
  if (line[bytes] == ' ') return bytes;
  const std::size_t blank = line.substr(0, bytes).rfind(' ');
  // A break that would waste more than half of the line is no help to the reader.
  return blank != std::string_view::npos && blank + 1 > bytes / 2 ? blank + 1 : bytes;
}

std::string_view without_trailing_blanks(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<std::string> folded(std::string_view text, std::size_t width, std::size_t lines_max) {
  width = std::max<std::size_t>(width, 1);
  std::vector<std::string> lines;
  std::string_view rest = text;
  bool more = true;
  while (more) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    more = end < rest.size();
    rest.remove_prefix(more ? end + 1 : end);
    do {
      if (lines_max > 0 && lines.size() == lines_max) {
        const std::size_t left = utf8_length(line) + (more ? 1 + utf8_length(rest) : 0);
        std::string mark = "… +" + grouped(left);
        lines.back() = std::string(prefix_of_width(lines.back(), width > width_of(mark) ? width - width_of(mark) : 0));
        lines.back() += prefix_of_width(mark, width);
        return lines;
      }
      const std::size_t bytes = fitting(line, width);
      lines.emplace_back(bytes == line.size() ? line : without_trailing_blanks(line.substr(0, bytes)));
      line.remove_prefix(bytes);
      if (!line.empty() && line.front() == ' ' && lines.back().size() == bytes) line.remove_prefix(1);
    } while (!line.empty());
  }
  return lines;
}

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = width_of(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return align == Align::kRight ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "";
  char text[32];
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part < whole && share > 99.9) return ">99.9 %";
  if (part > 0 && share < 0.1) return "<0.1 %";
  std::snprintf(text, sizeof text, part == whole ? "%.0f %%" : "%.1f %%", share);
  return text;
}

std::string local_time(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0 ? "" : text;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return grouped(number) + " " + std::string(number == 1 ? one : many);
}

}  // namespace candor::cli
