// See contract_casts.h.
#include "engine/sqlite/contract_casts.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Arguments;
using sql::Reply;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Diagnostic no_value(std::string_view text, std::string_view what) {
  return make_error("bad-stored-value", functions::shown(text) + " can't be read as " + std::string(what),
                    "leave such rows out with WHERE");
}

// The whole text as a number of the type, with a sign.
template <typename Number>
Result<Number> number_of(std::string_view text, std::string_view what) {
  std::string_view digits = trimmed(text);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  Number value{};
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool letters = digits.find_first_of("nNiI") != std::string_view::npos;  // nan and inf are none
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || letters) return no_value(text, what);
  return value;
}

template <typename Number>
void to_number(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  constexpr bool kWhole = std::is_integral_v<Number>;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  give(reply, number_of<Number>(*text, kWhole ? "an integer" : "a number"));
}

void to_boolean(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const std::string word = lower_ascii(trimmed(*text));
  for (const std::string_view yes : {"true", "t", "yes", "y", "on", "1"}) {
    if (word == yes) return give(reply, true);
  }
  for (const std::string_view no : {"false", "f", "no", "n", "off", "0"}) {
    if (word == no) return give(reply, false);
  }
  give(reply, no_value(*text, "a boolean"));
}

void to_uuid(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  std::string uuid = lower_ascii(trimmed(*text));
  bool fine = uuid.size() == 36;
  for (std::size_t i = 0; fine && i < uuid.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool digit = (uuid[i] >= '0' && uuid[i] <= '9') || (uuid[i] >= 'a' && uuid[i] <= 'f');
    fine = dash ? uuid[i] == '-' : digit;
  }
  if (!fine) return give(reply, no_value(*text, "a uuid"));
  give(reply, uuid);
}

constexpr auto kCasts = std::to_array<sql::ScalarFunction>({
    {"candor_to_integer", 1, to_number<std::int64_t>},
    {"candor_to_number", 1, to_number<double>},
    {"candor_to_boolean", 1, to_boolean},
    {"candor_to_uuid", 1, to_uuid},
});

}  // namespace

Status add_casts(sql::Database& database) {
  for (const sql::ScalarFunction& function : kCasts) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
