// Names of tables and columns as texts of the memory: they are data, and may be anything.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "base/digest.h"
#include "base/render_json.h"
#include "candor/lessons.h"

namespace candor::lessons {
namespace {

constexpr std::size_t kNameCharacters = 60;
constexpr std::size_t kKeyCharacters = 120;

bool is_word(std::string_view name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; };
  return !name.empty() && std::ranges::all_of(name, fits) && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
}

// One character of valid UTF-8 from `at` on.
char32_t decode(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  char32_t code = more == 0 ? first : first & (0x3FU >> static_cast<unsigned>(more));
  for (int i = 0; i < more && at < text.size(); ++i)
    code = (code << 6U) | (static_cast<unsigned char>(text[at++]) & 0x3FU);
  return code;
}

// Controls, line ends, and what changes the direction of the text around it.
bool is_unprintable(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t code = decode(text, at);
    if (is_unprintable(code)) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(code));
      out += escape;
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

// Cut where it is long, and still another text than one that begins alike.
std::string bounded(std::string_view text, std::size_t characters) {
  const std::string_view head = utf8_prefix(text, characters);
  if (head.size() == text.size()) return printable(text);
  return printable(head) + "…#" + sha256_hex(text).substr(0, 8);
}

std::string slug(std::string_view text) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool kept = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
    if (kept) {
      out += lower;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
    if (out.size() == kMost) break;
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

}  // namespace

std::string name_text(std::string_view name) {
  if (!is_utf8(name)) return "\"#" + sha256_hex(name).substr(0, 8) + "\"";
  std::string shown = bounded(name, kNameCharacters);
  if (shown == name && is_word(name)) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string table_text(const Side& side, bool qualified) {
  std::string text = qualified ? name_text(side.source) + "." : "";
  const bool usual = side.schema.empty() || side.schema == "main" || side.schema == "public";
  if (!usual) text += name_text(side.schema) + ".";
  return text + name_text(side.table);
}

std::string key_text(const Side& side, bool qualified) {
  const std::string table = table_text(side, qualified);
  if (side.plain) return table + "." + name_text(side.columns.front());
  return table + "(" + (is_utf8(side.key) ? bounded(side.key, kKeyCharacters) : "…") + ")";
}

std::string entity_text(std::string text) {
  constexpr std::size_t kBytes = 460;
  if (text.size() == 1) return "\"" + text + "\"";
  if (text.size() <= kBytes) return text;
  std::string head = text.substr(0, kBytes);
  while (!is_utf8(head)) head.pop_back();
  return head + "…#" + sha256_hex(text).substr(0, 8);
}

std::string percent(std::uint64_t matched, std::uint64_t rows) {
  if (rows == 0) return "no rows";
  if (matched == 0) return "0 %";
  if (matched >= rows) return "100 %";
  const auto share =
      static_cast<std::int64_t>(std::llround(100.0 * static_cast<double>(matched) / static_cast<double>(rows)));
  if (share == 0) return "under 1 %";
  return share == 100 ? "over 99 %" : std::to_string(share) + " %";
}

std::string memory_name(const Join& join) {
  json::Node about = json::Node::array();
  std::string name = "joins";
  for (const Side* side : {&join.left, &join.right}) {
    for (const std::string& part : {side->place, side->source, side->schema, side->table, side->key}) {
      about.push(json::Node::string(is_utf8(part) ? part : sha256_hex(part)));
    }
    for (const std::string& word : {slug(side->table), slug(side->key)}) {
      if (!word.empty()) name += "-" + word;
    }
  }
  // What a filter chose is another population than the whole, and must not take its place.
  about.push(json::Node::boolean(join.filtered()));
  return name + "-" + sha256_hex(json::dump(about)).substr(0, 12);
}

}  // namespace candor::lessons
