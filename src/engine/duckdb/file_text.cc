// Reading text files in blocks.
#include "engine/duckdb/file_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>

#include "base/ascii.h"
#include "base/no_room.h"
#include "base/render_json.h"
#include "base/strict_json.h"

namespace candor::engine::duckdb {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20U;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

Diagnostic cannot(const std::string& what, const std::string& path) {
  return make_error(no_room(errno) ? "disk-full" : "file-error", "can't " + what + ' ' + path, {},
                    std::strerror(errno));
}

// Gives the blocks of a file to `use`, each cut behind a line break where there is one; `use` returns false to stop.
Status for_each_block(const std::string& path, const std::function<bool(std::string_view block)>& use) {
  constexpr std::size_t kLineMax = std::size_t{64} << 20U;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot("read", path);
  std::string buffer;
  while (true) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + kBlock);
    file.read(buffer.data() + kept, kBlock);
    buffer.resize(kept + static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return cannot("read", path);
    if (buffer.size() == kept) break;
    std::size_t whole = buffer.rfind('\n') + 1;
    if (whole == 0 && buffer.size() > kLineMax) {
      // No line break in sight: cut between two characters.
      whole = buffer.size() - 1;
      while (whole > 1 && (static_cast<unsigned char>(buffer[whole]) & 0xC0U) == 0x80U) --whole;
    }
    if (whole == 0) continue;
    if (!use(std::string_view(buffer).substr(0, whole))) return Ok{};
    buffer.erase(0, whole);
  }
  if (!buffer.empty()) use(buffer);
  return Ok{};
}

bool is_ascii(std::string_view text) {
  std::uint64_t all = 0;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    all |= word;
  }
  for (; i < text.size(); ++i) all |= static_cast<unsigned char>(text[i]);
  return (all & 0x8080808080808080U) == 0;
}

// Requires bytes that are not UTF-8; the first byte of what is wrong.
std::size_t first_invalid(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::size_t length = 1;
    while (length < 4 && at + length < bytes.size() &&
           (static_cast<unsigned char>(bytes[at + length]) & 0xC0U) == 0x80U)
      ++length;
    if (!is_utf8(bytes.substr(at, length))) return at;
    at += length;
  }
  return at;
}

bool looks_like_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  start = start.substr(0, 4096);
  return start.size() >= 4 && std::ranges::count(start, '\0') * 4 > static_cast<std::ptrdiff_t>(start.size());
}

class Scanner {
 public:
  explicit Scanner(TextScan& scan) : scan_(scan) {}

  bool block(std::string_view bytes) {
    if (offset_ == 0) {
      scan_.byte_order_mark = bytes.starts_with(kUtf8Mark);
      scan_.utf16 = looks_like_utf16(bytes);
    }
    if (scan_.first_character == '\0') {
      const std::size_t from = offset_ == 0 && scan_.byte_order_mark ? kUtf8Mark.size() : 0;
      const std::size_t first = bytes.find_first_not_of(" \t\r\n", from);
      if (first != bytes.npos) scan_.first_character = bytes[first];
    }
    if (!is_ascii(bytes) && !is_utf8(bytes)) {
      const std::size_t at = first_invalid(bytes);
      const auto breaks = static_cast<std::uint64_t>(std::ranges::count(bytes.substr(0, at), '\n'));
      scan_.invalid = {.byte = offset_ + at, .line = scan_.lines + breaks + 1};
      return false;
    }
    lines(bytes);
    offset_ += bytes.size();
    return true;
  }

  void finish() {
    if (line_ > 0) ++scan_.lines;
    scan_.longest_line = std::max(scan_.longest_line, line_);
  }

 private:
  void lines(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t end = bytes.find('\n', at);
      if (line_ == 0 && bytes[at] == '#') {
        ++scan_.hash_lines;
        if (scan_.first_hash_lines.size() < kRejectedShown) scan_.first_hash_lines.push_back(scan_.lines + 1);
      }
      if (end == bytes.npos) {
        line_ += bytes.size() - at;
        return;
      }
      scan_.longest_line = std::max<std::uint64_t>(scan_.longest_line, line_ + end - at);
      line_ = 0;
      ++scan_.lines;
      at = end + 1;
    }
  }

  TextScan& scan_;
  std::uint64_t offset_ = 0;
  std::uint64_t line_ = 0;
};

void append_code_point(std::string& out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6U);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | code >> 12U);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | code >> 18U);
    tail(12);
    tail(6);
    tail(0);
  }
}

// What the bytes 0x80 to 0x9F of windows-1252 mean; 0 where nothing (WHATWG's index, without its stand-ins).
constexpr std::array<std::uint16_t, 32> kWindows1252 = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                        0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

// Decoders take a block and append UTF-8; false with the offset in the block of what they can't decode.
class Decoder {
 public:
  explicit Decoder(const std::string& encoding) : utf16_(encoding == "utf-16"), windows_(encoding == "windows-1252") {}

  bool decode(std::string_view bytes, std::string& out, std::size_t& bad) {
    return utf16_ ? wide(bytes, out, bad) : narrow(bytes, out, bad);
  }
  [[nodiscard]] bool complete() const { return !half_ && high_ == 0; }

 private:
  bool narrow(std::string_view bytes, std::string& out, std::size_t& bad) const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      std::uint32_t code = static_cast<unsigned char>(bytes[i]);
      if (windows_ && code >= 0x80 && code <= 0x9F) {
        code = kWindows1252[code - 0x80];
        if (code == 0) {
          bad = i;
          return false;
        }
      }
      append_code_point(out, code);
    }
    return true;
  }

  bool wide(std::string_view bytes, std::string& out, std::size_t& bad) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t byte = static_cast<unsigned char>(bytes[i]);
      if (!half_) {
        half_ = true;
        first_ = byte;
        continue;
      }
      half_ = false;
      const std::uint32_t unit = big_endian_ ? first_ << 8U | byte : byte << 8U | first_;
      if (!started_) {
        started_ = true;
        if (unit == 0xFEFF) continue;
        if (unit == 0xFFFE) {
          big_endian_ = !big_endian_;
          continue;
        }
      }
      if (!take_unit(unit, out)) {
        bad = i;
        return false;
      }
    }
    return true;
  }

  bool take_unit(std::uint32_t unit, std::string& out) {
    const bool low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (high_ != 0) {
      if (!low) return false;
      append_code_point(out, 0x10000 + ((high_ - 0xD800) << 10U) + (unit - 0xDC00));
      high_ = 0;
      return true;
    }
    if (low) return false;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      high_ = unit;
      return true;
    }
    append_code_point(out, unit);
    return true;
  }

  bool utf16_;
  bool windows_;
  bool started_ = false;
  bool big_endian_ = false;
  bool half_ = false;
  std::uint32_t first_ = 0;
  std::uint32_t high_ = 0;
};

}  // namespace

Result<TextScan> scan_text(const std::string& path) {
  TextScan scan;
  Scanner scanner(scan);
  CANDOR_TRY(for_each_block(path, [&](std::string_view block) { return scanner.block(block); }));
  scanner.finish();
  return scan;
}

Result<bool> is_closed_json(const std::string& path) {
  std::int64_t depth = 0;
  bool in_text = false;
  bool escaped = false;
  CANDOR_TRY(for_each_block(path, [&](std::string_view block) {
    for (const char c : block) {
      if (escaped) {
        escaped = false;
      } else if (in_text) {
        escaped = c == '\\';
        in_text = c != '"';
      } else if (c == '"') {
        in_text = true;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        --depth;
      }
    }
    return true;
  }));
  return depth == 0 && !in_text;
}

std::optional<std::string> known_encoding(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += lower_ascii(c);
  }
  if (plain.empty() || plain == "utf8") return "utf-8";
  if (plain == "latin1" || plain == "iso88591") return "latin-1";
  if (plain == "windows1252" || plain == "cp1252") return "windows-1252";
  if (plain == "utf16") return "utf-16";
  return std::nullopt;
}

Status transcode(const std::string& from, const std::string& encoding, const std::string& to) {
  std::ifstream in(from, std::ios::binary);
  if (!in) return cannot("read", from);
  std::ofstream out(to, std::ios::binary);
  if (!out) return cannot("write", to);
  std::string block(kBlock, '\0');
  std::string text;
  std::uint64_t offset = 0;
  bool first = true;
  Decoder decoder(encoding);
  while (in.read(block.data(), kBlock), in.gcount() > 0) {
    const std::string_view bytes = std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount()));
    text.clear();
    std::size_t bad = 0;
    if (encoding == "utf-8") {
      text = first && bytes.starts_with(kUtf8Mark) ? bytes.substr(kUtf8Mark.size()) : bytes;
    } else if (!decoder.decode(bytes, text, bad)) {
      return make_error("file-error", "byte " + std::to_string(offset + bad) + " is not of the encoding " + encoding);
    }
    first = false;
    offset += bytes.size();
    if (!out.write(text.data(), static_cast<std::streamsize>(text.size()))) return cannot("write", to);
  }
  if (!decoder.complete()) return make_error("file-error", "the text ends inside a character of " + encoding);
  out.close();
  if (!out) return cannot("write", to);
  return Ok{};
}

Result<LineCheck> copy_json_lines(const std::string& from, const std::string& to) {
  std::ifstream in(from, std::ios::binary);
  if (!in) return cannot("read", from);
  std::ofstream out(to, std::ios::binary);
  LineCheck check;
  std::uint64_t number = 0;
  std::optional<bool> objects;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::string_view text = line;
    if (number == 1 && text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == text.npos) continue;
    std::string reason;
    if (!is_strict_json(text)) {
      reason = "not valid JSON";
    } else {
      if (!objects) objects = text[first] == '{';
      if (*objects != (text[first] == '{'))
        reason = *objects ? "not a JSON object" : "a JSON object among other values";
    }
    if (!reason.empty()) {
      ++check.rejected;
      if (check.first_rejected.size() < kRejectedShown)
        check.first_rejected.push_back({.line = number, .reason = reason});
      continue;
    }
    ++check.accepted;
    out << text << '\n';
  }
  if (in.bad()) return cannot("read", from);
  out.close();
  if (!out) return cannot("write", to);
  return check;
}

}  // namespace candor::engine::duckdb
