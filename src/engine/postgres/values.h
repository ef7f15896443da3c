// Texts of the server made into cells. The session prints with DateStyle ISO, TimeZone UTC, hexadecimal bytea and floats
// by their shortest digits.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/value.h"
#include "engine/postgres/types.h"

namespace candor::engine::postgres {

// Appends one cell. Fails with `invalid-value` for a text that is not valid UTF-8, which a server without an encoding of
// its own can hold, and for what is no text of that type.
[[nodiscard]] Status append_value(CellWriter& writer, const Type& type, std::string_view text);

// "2024-01-02 03:04:05+00" as "2024-01-02T03:04:05+00:00"; years before Christ as the DuckDB engine has them.
[[nodiscard]] std::string iso_timestamp(std::string_view text, bool zone);

// Whether a decimal's text has no more digits than DECIMAL(precision,scale).
struct Digits {
  int whole = 0;
  int fraction = 0;
  bool number = true;  // false: NaN or an infinity
};
[[nodiscard]] Digits digits_of(std::string_view decimal);

}  // namespace candor::engine::postgres
