// A reader of JSON arrays that allocates only for texts with escapes.
#include "engine/functions/arrays.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <system_error>
#include <vector>

#include "base/render_json.h"
#include "engine/functions/errors.h"

namespace candor::engine::functions {
namespace {

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// The reading of one array, element by element. Fails for good with the first fault.
class Reader {
 public:
  explicit Reader(std::string_view json) : json_(json) {
    skip_space();
    broken_ = !take('[');
  }

  // Nothing: the end, or a fault. A text lives until the next element.
  std::optional<ArrayElement> next() {
    if (broken_ || ended_) return std::nullopt;
    skip_space();
    if (take(']')) return end();
    if (!first_ && !take(',')) return fail();
    first_ = false;
    skip_space();
    if (at_ == json_.size()) return fail();
    constexpr std::string_view kNull = "null";
    if (json_.substr(at_).starts_with(kNull)) {
      at_ += kNull.size();
      return ArrayElement();
    }
    return json_[at_] == '"' ? read_text() : read_integer();
  }

  // Once there is no next: whether the whole was an array.
  [[nodiscard]] Status status() const {
    if (!broken_) return Ok{};
    return make_error("bad-stored-value", shown(json_) + " is no array of texts or integers");
  }
  // Whether the latest text was put together here, and not pointed to.
  [[nodiscard]] bool decoded() const { return decoded_; }

 private:
  std::optional<ArrayElement> fail() {
    broken_ = true;
    return std::nullopt;
  }

  // After the bracket that closes there is nothing.
  std::optional<ArrayElement> end() {
    ended_ = true;
    skip_space();
    if (at_ != json_.size()) broken_ = true;
    return std::nullopt;
  }

  bool take(char byte) {
    if (at_ == json_.size() || json_[at_] != byte) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < json_.size() &&
           (json_[at_] == ' ' || json_[at_] == '\n' || json_[at_] == '\t' || json_[at_] == '\r')) {
      ++at_;
    }
  }

  std::optional<ArrayElement> read_integer() {
    const std::size_t start = at_;
    (void)take('-');
    const std::size_t digits = at_;
    while (at_ < json_.size() && is_digit(json_[at_])) ++at_;
    // JSON has no leading zeros.
    if (at_ == digits || (json_[digits] == '0' && at_ > digits + 1)) return fail();
    std::int64_t value = 0;
    const auto [rest, failure] = std::from_chars(json_.data() + start, json_.data() + at_, value);
    if (failure != std::errc() || rest != json_.data() + at_) return fail();
    return ArrayElement(value);
  }

  std::optional<ArrayElement> read_text() {
    const std::size_t start = ++at_;
    decoded_ = false;
    while (at_ < json_.size()) {
      const char byte = json_[at_];
      if (byte == '"') {
        const std::string_view text = json_.substr(start, at_ - start);
        ++at_;
        if (!is_utf8(text)) return fail();
        return ArrayElement(text);
      }
      if (byte == '\\') return read_escaped(start);
      if (static_cast<unsigned char>(byte) < 0x20) return fail();
      ++at_;
    }
    return fail();
  }

  std::optional<ArrayElement> read_escaped(std::size_t start) {
    decoded_ = true;
    text_.assign(json_.substr(start, at_ - start));
    while (at_ < json_.size()) {
      const char byte = json_[at_++];
      if (byte == '"') return is_utf8(text_) ? std::optional(ArrayElement(std::string_view(text_))) : fail();
      if (static_cast<unsigned char>(byte) < 0x20) return fail();
      if (byte != '\\') {
        text_ += byte;
      } else if (!read_escape()) {
        return fail();
      }
    }
    return fail();
  }

  bool read_escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (at_ == json_.size()) return false;
    const char name = json_[at_++];
    if (name == 'u') return read_code_point();
    const std::size_t found = kNames.find(name);
    if (found == std::string_view::npos) return false;
    text_ += kBytes[found];
    return true;
  }

  std::optional<std::uint32_t> read_hex() {
    std::uint32_t unit = 0;
    if (json_.size() - at_ < 4) return std::nullopt;
    const char* from = json_.data() + at_;
    const auto [rest, failure] = std::from_chars(from, from + 4, unit, 16);
    if (failure != std::errc() || rest != from + 4) return std::nullopt;
    at_ += 4;
    return unit;
  }

  bool read_code_point() {
    auto code = read_hex();
    if (!code || (*code >= 0xDC00 && *code < 0xE000)) return false;
    if (*code >= 0xD800 && *code < 0xDC00) {
      if (!take('\\') || !take('u')) return false;
      const auto low = read_hex();
      if (!low || *low < 0xDC00 || *low >= 0xE000) return false;
      code = 0x10000 + ((*code - 0xD800) << 10U) + (*low - 0xDC00);
    }
    append_utf8(*code);
    return true;
  }

  void append_utf8(std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { text_ += static_cast<char>(value); };
    if (code < 0x80) return byte(code);
    if (code < 0x800) {
      byte(0xC0U | code >> 6U);
    } else {
      if (code < 0x10000) {
        byte(0xE0U | code >> 12U);
      } else {
        byte(0xF0U | code >> 18U);
        byte(0x80U | (code >> 12U & 0x3FU));
      }
      byte(0x80U | (code >> 6U & 0x3FU));
    }
    byte(0x80U | (code & 0x3FU));
  }

  std::string_view json_;
  std::size_t at_ = 0;
  std::string text_;
  bool first_ = true;
  bool ended_ = false;
  bool decoded_ = false;
  bool broken_ = false;
};

// All elements at once, sorted.
struct Elements {
  std::vector<ArrayElement> sorted;
  std::deque<std::string> texts;  // of those that had escapes
  Status status = Ok{};

  explicit Elements(std::string_view json) {
    Reader reader(json);
    while (auto element = reader.next()) {
      if (const auto* text = std::get_if<std::string_view>(&*element); text != nullptr && reader.decoded()) {
        *element = std::string_view(texts.emplace_back(*text));
      }
      sorted.push_back(*element);
    }
    status = reader.status();
    if (sorted.size() > 1) std::ranges::sort(sorted);
  }
  [[nodiscard]] bool has(const ArrayElement& element) const { return std::ranges::binary_search(sorted, element); }
  [[nodiscard]] bool shares(const ArrayElement& element) const {
    return !std::holds_alternative<std::monostate>(element) && has(element);
  }
};

}  // namespace

Status check_array(std::string_view json) {
  Reader reader(json);
  while (reader.next()) {
  }
  return reader.status();
}

Result<std::int64_t> array_length(std::string_view json) {
  std::int64_t length = 0;
  Reader reader(json);
  while (reader.next()) ++length;
  CANDOR_TRY(reader.status());
  return length;
}

Result<bool> array_has(std::string_view json, const ArrayElement& element) {
  bool has = false;
  Reader reader(json);
  while (const auto next = reader.next()) has = has || *next == element;
  CANDOR_TRY(reader.status());
  return has;
}

Result<bool> arrays_overlap(std::string_view a, std::string_view b) {
  const Elements wanted(b);
  CANDOR_TRY(wanted.status);
  bool shared = false;
  Reader reader(a);
  while (const auto next = reader.next()) shared = shared || wanted.shares(*next);
  CANDOR_TRY(reader.status());
  return shared;
}

Result<bool> array_has_all(std::string_view a, std::string_view b) {
  const Elements all(a);
  CANDOR_TRY(all.status);
  bool has = true;
  Reader reader(b);
  while (const auto next = reader.next()) {
    has = has && (std::holds_alternative<std::monostate>(*next) || all.has(*next));
  }
  CANDOR_TRY(reader.status());
  return has;
}

Result<bool> arrays_equal(std::string_view a, std::string_view b) {
  const Elements one(a);
  CANDOR_TRY(one.status);
  const Elements other(b);
  CANDOR_TRY(other.status);
  return one.sorted == other.sorted;
}

}  // namespace candor::engine::functions
