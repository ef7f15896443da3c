// Texts that stand for a value of another type, in every form that is taken, to the one canonical form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "contract/contract.h"

namespace candor::bind {

// 8-4-4-4-12 hexadecimal digits, made lower case; also without dashes, and in braces.
[[nodiscard]] std::optional<std::string> canonical_uuid(std::string_view text);
// A date that exists: "2024-02-29".
[[nodiscard]] std::optional<std::string> canonical_date(std::string_view text);
// "2024-02-29T23:59:59", with up to six digits of a fraction where it has one. A blank may stand for the T, the seconds may be left
// out, a bare date is midnight, and an offset (Z, +02, +02:00, -0530) is brought to UTC.
[[nodiscard]] std::optional<std::string> canonical_datetime(std::string_view text);
// Digits as SQL writes a number: an integer of 64 bits, a decimal ("12.50", or more digits than these) or a real ("1e3").
[[nodiscard]] std::optional<Value> number_of(std::string_view text);
// The elements of PostgreSQL's text of an array: {a,"b c",NULL is refused}.
[[nodiscard]] std::optional<std::vector<std::string>> braced_elements(std::string_view text);
// true, t, yes, on, 1 and their opposites, in any case.
[[nodiscard]] std::optional<bool> truth_of(std::string_view text);

// A value for people: 'text', 12.5, TRUE, NULL.
[[nodiscard]] std::string as_sql(const Value& value);

// An example of the type, as it stands in a statement: DATE's is '2024-12-31'.
[[nodiscard]] std::string_view example_of(contract::Type type);

}  // namespace candor::bind
