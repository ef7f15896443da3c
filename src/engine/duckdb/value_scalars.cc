// Scalars to cells, with the exact length of their JSON. The rules are those of base/render_json.h.
#include "engine/duckdb/value_scalars.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/render_json.h"
#include "base/strict_json.h"

namespace candor::engine::duckdb::internal {
namespace {

// How many characters of JSON each byte of a text makes: none for the later bytes of a sequence.
constexpr std::array<std::uint8_t, 256> make_widths() {
  std::array<std::uint8_t, 256> widths{};
  for (std::size_t byte = 0; byte < widths.size(); ++byte) {
    const bool continues = (byte & 0xC0U) == 0x80U;
    widths[byte] = byte < 0x20 ? 6 : continues ? 0 : 1;
  }
  for (const char escaped : {'"', '\\', '\n', '\r', '\t'}) widths[static_cast<unsigned char>(escaped)] = 2;
  return widths;
}
constexpr std::array<std::uint8_t, 256> kJsonWidths = make_widths();

struct TextMeasure {
  std::uint64_t json_chars;  // without quotes
  bool ascii;
};

TextMeasure measure(std::string_view text) {
  std::uint64_t chars = 0;
  std::uint8_t all = 0;
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    chars += kJsonWidths[byte];
    all |= byte;
  }
  return {chars, all < 0x80};
}

// ASCII without anything to escape.
std::uint64_t put_plain(Sink& sink, CellKind kind, std::string_view text) {
  sink.writer.text(kind, text);
  return text.size() + 2;
}

template <typename Real>
std::uint64_t real_chars(Real value) {
  if (std::isnan(value)) return 5;
  if (std::isinf(value)) return value > 0 ? 10 : 11;
  std::array<char, 40> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return static_cast<std::uint64_t>(done.ptr - digits.data());
}

std::uint64_t put_instant(Sink& sink, std::int64_t units, std::int64_t per_second, std::string_view zone = {}) {
  ShortText text;
  format_timestamp(text, units, per_second, zone);
  return put_plain(sink, CellKind::kTemporal, text.view());
}

}  // namespace

void Sink::fail(std::string message) {
  if (failure) return;
  failure = make_error("invalid-value", std::move(message), "cast the column to VARCHAR or leave it out");
}

std::uint64_t json_string_chars(std::string_view text) { return measure(text).json_chars + 2; }

std::uint64_t decimal_digits(std::uint64_t value) {
  std::uint64_t digits = 1;
  for (; value >= 10; value /= 10) ++digits;
  return digits;
}

Int128 to_int128(duckdb_hugeint value) {
  return static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(value.upper)) << 64U) | value.lower);
}

std::uint64_t put_null(Sink& sink) {
  sink.writer.null();
  return 4;
}

std::uint64_t put_boolean(Sink& sink, bool value) {
  sink.writer.boolean(value);
  return value ? 4 : 5;
}

std::uint64_t put_integer(Sink& sink, std::int64_t value) {
  sink.writer.integer(value);
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t digits = value < 0 ? decimal_digits(0 - bits) + 1 : decimal_digits(bits);
  return integer_needs_string(value) ? digits + 2 : digits;
}

std::uint64_t put_unsigned(Sink& sink, std::uint64_t value) { return put_uhugeint(sink, {.lower = value, .upper = 0}); }

std::uint64_t put_hugeint(Sink& sink, duckdb_hugeint value) {
  const Int128 whole = to_int128(value);
  if (whole >= std::numeric_limits<std::int64_t>::min() && whole <= std::numeric_limits<std::int64_t>::max()) {
    return put_integer(sink, static_cast<std::int64_t>(whole));
  }
  ShortText text;
  format_integer(text, whole);
  return put_plain(sink, CellKind::kIntegerText, text.view());
}

std::uint64_t put_uhugeint(Sink& sink, duckdb_uhugeint value) {
  const UInt128 whole = (static_cast<UInt128>(value.upper) << 64U) | value.lower;
  if (whole <= static_cast<UInt128>(std::numeric_limits<std::int64_t>::max())) {
    return put_integer(sink, static_cast<std::int64_t>(whole));
  }
  ShortText text;
  format_unsigned(text, whole);
  return put_plain(sink, CellKind::kIntegerText, text.view());
}

std::uint64_t put_bignum(Sink& sink, std::string_view bytes) {
  const std::string digits = format_bignum(bytes);
  if (digits.empty()) {
    sink.fail("a BIGNUM of the engine is not in the form that is known");
    return 0;
  }
  std::int64_t small = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), small);
  if (problem == std::errc{}) return put_integer(sink, small);
  return put_plain(sink, CellKind::kIntegerText, digits);
}

std::uint64_t put_float(Sink& sink, float value) {
  sink.writer.real32(value);
  return real_chars(value);
}

std::uint64_t put_double(Sink& sink, double value) {
  sink.writer.real64(value);
  return real_chars(value);
}

std::uint64_t put_decimal(Sink& sink, Int128 unscaled, int scale) {
  ShortText text;
  format_decimal(text, unscaled, scale);
  return put_plain(sink, CellKind::kDecimal, text.view());
}

std::uint64_t put_varchar(Sink& sink, std::string_view text) {
  const TextMeasure measured = measure(text);
  if (!measured.ascii && !is_utf8(text)) return put_blob(sink, text);
  sink.writer.text(CellKind::kText, text);
  return measured.json_chars + 2;
}

std::uint64_t put_json(Sink& sink, std::string_view text) {
  if (!is_strict_json(text)) return put_varchar(sink, text);
  if (text.find_first_of("\n\r") == std::string_view::npos) {
    sink.writer.text(CellKind::kJson, text);
  } else {
    // A line break outside a string is only white space, but it would break protocols of one document a line.
    std::string one_line(text);
    for (char& c : one_line) c = c == '\n' || c == '\r' ? ' ' : c;
    sink.writer.text(CellKind::kJson, one_line);
  }
  return utf8_length(text);
}

std::uint64_t put_blob(Sink& sink, std::string_view bytes) {
  sink.writer.text(CellKind::kBlob, bytes);
  constexpr std::uint64_t kFrame = std::string_view(R"({"base64":"","bytes":})").size();
  return kFrame + (bytes.size() + 2) / 3 * 4 + decimal_digits(bytes.size());
}

std::uint64_t put_bits(Sink& sink, std::string_view bytes) {
  const std::string digits = format_bits(bytes);
  if (digits.empty()) {
    sink.fail("a BIT of the engine is not in the form that is known");
    return 0;
  }
  return put_plain(sink, CellKind::kOther, digits);
}

std::uint64_t put_geometry(Sink& sink, std::string_view bytes) {
  const std::optional<std::string> text = format_geometry(bytes);
  if (!text) {
    sink.fail("a GEOMETRY of the engine is not in the form that is known");
    return 0;
  }
  return put_plain(sink, CellKind::kOther, *text);
}

std::uint64_t put_uuid(Sink& sink, duckdb_hugeint value) {
  ShortText text;
  format_uuid(text, value.lower, value.upper);
  return put_plain(sink, CellKind::kOther, text.view());
}

std::uint64_t put_date(Sink& sink, std::int32_t days) {
  ShortText text;
  format_date(text, days);
  return put_plain(sink, CellKind::kTemporal, text.view());
}

std::uint64_t put_time(Sink& sink, std::int64_t micros) {
  ShortText text;
  format_time(text, micros, 1'000'000);
  return put_plain(sink, CellKind::kTemporal, text.view());
}

std::uint64_t put_time_ns(Sink& sink, std::int64_t nanos) {
  ShortText text;
  format_time(text, nanos, 1'000'000'000);
  return put_plain(sink, CellKind::kTemporal, text.view());
}

std::uint64_t put_time_tz(Sink& sink, std::uint64_t bits) {
  ShortText text;
  format_time_tz(text, bits);
  return put_plain(sink, CellKind::kTemporal, text.view());
}

std::uint64_t put_timestamp(Sink& sink, std::int64_t micros) { return put_instant(sink, micros, 1'000'000); }
std::uint64_t put_timestamp_s(Sink& sink, std::int64_t seconds) { return put_instant(sink, seconds, 1); }
std::uint64_t put_timestamp_ms(Sink& sink, std::int64_t millis) { return put_instant(sink, millis, 1'000); }
std::uint64_t put_timestamp_ns(Sink& sink, std::int64_t nanos) { return put_instant(sink, nanos, 1'000'000'000); }
std::uint64_t put_timestamp_tz(Sink& sink, std::int64_t micros) {
  return put_instant(sink, micros, 1'000'000, "+00:00");
}

std::uint64_t put_interval(Sink& sink, duckdb_interval value) {
  ShortText text;
  format_interval(text, value.months, value.days, value.micros);
  return put_plain(sink, CellKind::kOther, text.view());
}

}  // namespace candor::engine::duckdb::internal
