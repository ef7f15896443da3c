// One text, one cell; an array's text, a list of them.
#include "engine/postgres/values.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/render_json.h"
#include "base/strict_json.h"

namespace candor::engine::postgres {
namespace {

constexpr int kListDepthMax = 6;  // MAXDIM of the server

Diagnostic invalid(const Type& type, std::string_view what) {
  return make_error("invalid-value", std::string(what) + " of type " + type.name);
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// from_chars reads NaN and Infinity in any case; a float4 is read as one, so that its digits are its own.
template <typename Real>
std::optional<double> real_of(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const auto number = number_of<Real>(text);
  return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::optional<std::string> bytes_of(std::string_view text) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2 - 1);
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// "+05" and "+05:30" of a time with a zone, both as hours and minutes.
std::string with_minutes(std::string_view text) {
  const std::size_t sign = text.find_last_of("+-");
  std::string whole(text);
  if (sign != std::string_view::npos && text.size() - sign == 3) whole += ":00";
  return whole;
}

// A day: "0044-03-15 BC" as "0044-03-15 (BC)".
std::string iso_date(std::string_view text) {
  if (!text.ends_with(" BC")) return std::string(text);
  return std::string(text.substr(0, text.size() - 3)) + " (BC)";
}

Status append_json_cell(CellWriter& writer, std::string_view text) {
  // What json keeps and others would not read (a name twice, half a surrogate pair) stays a text.
  writer.text(is_strict_json(text) ? CellKind::kJson : CellKind::kText, text);
  return Ok{};
}

Status append_number(CellWriter& writer, const Type& type, std::string_view text) {
  if (type.form == Form::kInteger) {
    const auto number = number_of<std::int64_t>(text);
    if (!number) return invalid(type, "a number");
    writer.integer(*number);
    return Ok{};
  }
  const bool narrow = type.form == Form::kReal32;
  const auto number = narrow ? real_of<float>(text) : real_of<double>(text);
  if (!number) return invalid(type, "a number");
  if (narrow) {
    writer.real32(static_cast<float>(*number));
  } else {
    writer.real64(*number);
  }
  return Ok{};
}

// Reads an array's text: {1,NULL,"a \"b\""}, {{1,2},{3,4}}, [0:1]={1,2}.
class ListReader {
 public:
  ListReader(CellWriter& writer, const Type& type, std::string_view text) : writer_(writer), type_(type), text_(text) {}

  Status read() {
    // Bounds other than from 1 are no part of a list.
    if (text_.starts_with("[")) {
      const std::size_t equals = text_.find('=');
      if (equals == std::string_view::npos) return malformed();
      at_ = equals + 1;
    }
    CANDOR_TRY(list(1));
    return at_ == text_.size() ? Status(Ok{}) : Status(malformed());
  }

 private:
  [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] Diagnostic malformed() const { return invalid(type_, "a value"); }

  // The cells of a list come after their number, so the elements are counted first.
  std::uint32_t count() const {
    std::uint32_t elements = 0;
    int depth = 0;
    bool any = false;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') {
        for (++i; i < text_.size() && text_[i] != '"'; ++i) i += text_[i] == '\\' ? 1 : 0;
        any = true;
      } else if (c == '\\') {
        ++i;
        any = true;
      } else if (c == '{') {
        if (depth++ > 0) any = true;
      } else if (c == '}') {
        if (--depth == 0) break;
      } else if (c == type_.delimiter && depth == 1) {
        ++elements;
      } else {
        any = true;
      }
    }
    return any ? elements + 1 : 0;
  }

  Status list(int depth) {
    if (here() != '{' || depth > kListDepthMax) return malformed();
    const std::uint32_t elements = count();
    writer_.container(CellKind::kList, elements);
    ++at_;
    for (std::uint32_t i = 0; i < elements; ++i) {
      if (i > 0 && text_[at_++] != type_.delimiter) return malformed();
      CANDOR_TRY(here() == '{' ? list(depth + 1) : element());
      if (at_ >= text_.size()) return malformed();
    }
    if (here() != '}') return malformed();
    ++at_;
    return Ok{};
  }

  Status element() {
    std::string text;
    if (here() == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        text += text_[at_];
      }
      if (at_ >= text_.size()) return malformed();
      ++at_;
      return append_value(writer_, *type_.element, text);
    }
    while (at_ < text_.size() && text_[at_] != type_.delimiter && text_[at_] != '}') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      text += text_[at_++];
    }
    if (text != "NULL") return append_value(writer_, *type_.element, text);
    writer_.null();
    return Ok{};
  }

  CellWriter& writer_;
  const Type& type_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string iso_timestamp(std::string_view text, bool zone) {
  const bool before_christ = text.ends_with(" BC");
  if (before_christ) text.remove_suffix(3);
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::string(text);  // infinity
  const std::string clock = zone ? with_minutes(text.substr(blank + 1)) : std::string(text.substr(blank + 1));
  return std::string(text.substr(0, blank)) + (before_christ ? " (BC) " : "T") + clock;
}

Digits digits_of(std::string_view decimal) {
  Digits digits;
  if (decimal.starts_with('-')) decimal.remove_prefix(1);
  if (decimal.empty() || decimal.front() < '0' || decimal.front() > '9') return {0, 0, false};
  const std::size_t point = decimal.find('.');
  const std::string_view whole = decimal.substr(0, point);
  digits.whole = whole == "0" ? 0 : static_cast<int>(whole.size());
  if (point != std::string_view::npos) digits.fraction = static_cast<int>(decimal.size() - point - 1);
  return digits;
}

Status append_value(CellWriter& writer, const Type& type, std::string_view text) {
  switch (type.form) {
    case Form::kBoolean:
      writer.boolean(text == "t");
      return Ok{};
    case Form::kInteger:
    case Form::kReal32:
    case Form::kReal64:
      return append_number(writer, type, text);
    case Form::kDecimal:
      writer.text(CellKind::kDecimal, text);
      return Ok{};
    case Form::kBlob: {
      const auto bytes = bytes_of(text);
      if (!bytes) return invalid(type, "a value");
      writer.text(CellKind::kBlob, *bytes);
      return Ok{};
    }
    case Form::kDate:
      writer.text(CellKind::kTemporal, iso_date(text));
      return Ok{};
    case Form::kTime:
      writer.text(CellKind::kTemporal, with_minutes(text));
      return Ok{};
    case Form::kTimestamp:
    case Form::kTimestampZone:
      writer.text(CellKind::kTemporal, iso_timestamp(text, type.form == Form::kTimestampZone));
      return Ok{};
    case Form::kJson:
      if (!is_utf8(text)) break;
      return append_json_cell(writer, text);
    case Form::kList:
      return ListReader(writer, type, text).read();
    case Form::kText:
    case Form::kOther:
      if (!is_utf8(text)) break;
      writer.text(type.form == Form::kText ? CellKind::kText : CellKind::kOther, text);
      return Ok{};
  }
  return invalid(type, "a text that is not valid UTF-8");
}

}  // namespace candor::engine::postgres
