// One scalar of DuckDB's physical form made a cell. Shared by columns of that type and by the values inside VARIANT.
#pragma once

#include <cstdint>
#include <duckdb.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "base/value.h"
#include "engine/duckdb/value_text.h"

namespace candor::engine::duckdb::internal {

// Where cells go. The first failure ends the encoding.
struct Sink {
  explicit Sink(std::string& to) : out(&to), writer(to) {}
  void fail(std::string message);

  std::string* out;
  CellWriter writer;
  std::optional<Diagnostic> failure;
};

// Each appends one cell and returns how many characters its JSON has.
std::uint64_t put_null(Sink& sink);
std::uint64_t put_boolean(Sink& sink, bool value);
std::uint64_t put_integer(Sink& sink, std::int64_t value);
std::uint64_t put_unsigned(Sink& sink, std::uint64_t value);
std::uint64_t put_hugeint(Sink& sink, duckdb_hugeint value);
std::uint64_t put_uhugeint(Sink& sink, duckdb_uhugeint value);
std::uint64_t put_bignum(Sink& sink, std::string_view bytes);
std::uint64_t put_float(Sink& sink, float value);
std::uint64_t put_double(Sink& sink, double value);
std::uint64_t put_decimal(Sink& sink, Int128 unscaled, int scale);
std::uint64_t put_varchar(Sink& sink, std::string_view text);  // bytes that are not UTF-8 become kBlob
std::uint64_t put_json(Sink& sink, std::string_view text);     // kJson where it is strict JSON, else kText
std::uint64_t put_blob(Sink& sink, std::string_view bytes);
std::uint64_t put_bits(Sink& sink, std::string_view bytes);
std::uint64_t put_geometry(Sink& sink, std::string_view bytes);
std::uint64_t put_uuid(Sink& sink, duckdb_hugeint value);
std::uint64_t put_date(Sink& sink, std::int32_t days);
std::uint64_t put_time(Sink& sink, std::int64_t micros);
std::uint64_t put_time_ns(Sink& sink, std::int64_t nanos);
std::uint64_t put_time_tz(Sink& sink, std::uint64_t bits);
std::uint64_t put_timestamp(Sink& sink, std::int64_t micros);
std::uint64_t put_timestamp_s(Sink& sink, std::int64_t seconds);
std::uint64_t put_timestamp_ms(Sink& sink, std::int64_t millis);
std::uint64_t put_timestamp_ns(Sink& sink, std::int64_t nanos);
std::uint64_t put_timestamp_tz(Sink& sink,
                               std::int64_t micros);  // always at "+00:00": the instant, whatever the session's zone
std::uint64_t put_interval(Sink& sink, duckdb_interval value);

[[nodiscard]] Int128 to_int128(duckdb_hugeint value);

// Characters of a JSON string of this text, quotes included; requires UTF-8.
[[nodiscard]] std::uint64_t json_string_chars(std::string_view text);
[[nodiscard]] std::uint64_t decimal_digits(std::uint64_t value);

}  // namespace candor::engine::duckdb::internal
