// Texts, numbers and arrays, and the list of all functions.
#include "engine/sqlite/contract_functions.h"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engine/functions/arrays.h"
#include "engine/functions/numbers.h"
#include "engine/functions/text.h"
#include "engine/sqlite/contract_aggregates.h"
#include "engine/sqlite/contract_casts.h"
#include "engine/sqlite/contract_fits.h"
#include "engine/sqlite/contract_numbers.h"
#include "engine/sqlite/contract_times.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Argument;
using sql::Arguments;
using sql::Reply;

// ---- texts ----

template <std::string (*Map)(std::string_view)>
void map_text(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  give(reply, Map(*text));
}

// Once a row: each look at a value counts. A NULL's text has no place.
void like(const Arguments& arguments, Reply& reply) {
  const std::string_view pattern = arguments[1].text();
  if (pattern.data() == nullptr || arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const std::string_view escape = arguments[2].text();
  give(reply, functions::like(*text, pattern, escape.data() == nullptr ? std::nullopt : std::optional(escape)));
}

// In time that grows with the text alone, whatever is looked for.
void contains(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const std::string_view part = arguments[1].text();
  give(reply, part.empty() || ::memmem(text->data(), text->size(), part.data(), part.size()) != nullptr);
}

void length(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  give(reply, functions::length(*text));
}

// With a length, or to the end.
void substring(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const auto from = integer_of(arguments[1]);
  if (!from.ok()) return give(reply, from.error());
  std::optional<std::int64_t> count;
  if (arguments.size() > 2) {
    const auto read = integer_of(arguments[2]);
    if (!read.ok()) return give(reply, read.error());
    count = *read;
  }
  give(reply, functions::substring(*text, *from, count));
}

template <Result<std::string_view> (*Part)(std::string_view, std::int64_t)>
void part_of_text(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const auto count = integer_of(arguments[1]);
  if (!count.ok()) return give(reply, count.error());
  give(reply, Part(*text, *count));
}

// ---- numbers ----

template <Result<std::int64_t> (*Operation)(std::int64_t)>
void unary(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto value = integer_of(arguments[0]);
  if (!value.ok()) return give(reply, value.error());
  give(reply, Operation(*value));
}

template <Result<std::int64_t> (*Operation)(std::int64_t, std::int64_t)>
void binary(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto left = integer_of(arguments[0]);
  if (!left.ok()) return give(reply, left.error());
  const auto right = integer_of(arguments[1]);
  if (!right.ok()) return give(reply, right.error());
  give(reply, Operation(*left, *right));
}

// A division by zero is NULL.
void divide_integers(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto left = integer_of(arguments[0]);
  if (!left.ok()) return give(reply, left.error());
  const auto right = integer_of(arguments[1]);
  if (!right.ok()) return give(reply, right.error());
  if (*right == -1) return give(reply, functions::negate(*left));
  if (*right != 0) give(reply, *left / *right);
}

Result<std::string> decimal_of(const Argument& argument, std::int64_t scale) {
  if (argument.storage() == sql::Storage::kInteger) return functions::decimal(argument.integer(), scale);
  if (argument.storage() == sql::Storage::kReal) return functions::decimal(argument.real(), scale);
  CANDOR_ASSIGN(const std::string_view text, text_of(argument));
  return functions::decimal(text, scale);
}

void decimal(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto scale = integer_of(arguments[1]);
  if (!scale.ok()) return give(reply, scale.error());
  give(reply, decimal_of(arguments[0], *scale));
}

// A number of the kind that was given; a decimal that is kept as text is one again.
void round(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto places = integer_of(arguments[1]);
  if (!places.ok()) return give(reply, places.error());
  switch (arguments[0].storage()) {
    case sql::Storage::kInteger:
      return give(reply, functions::round(arguments[0].integer(), *places));
    case sql::Storage::kReal:
      return give(reply, functions::round(arguments[0].real(), *places));
    default:
      return give(reply, decimal_of(arguments[0], *places));
  }
}

// ---- arrays ----

Result<std::string_view> array_of(const Argument& argument) {
  return only_text_of(argument, "array of texts or integers");
}

void array_check(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto array = array_of(arguments[0]);
  if (!array.ok()) return give(reply, array.error());
  if (const Status checked = functions::check_array(*array); !checked.ok()) return give(reply, checked.error());
  reply.same(arguments[0]);
}

void array_length(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto array = array_of(arguments[0]);
  if (!array.ok()) return give(reply, array.error());
  give(reply, functions::array_length(*array));
}

void array_has(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto array = array_of(arguments[0]);
  if (!array.ok()) return give(reply, array.error());
  if (arguments[1].storage() == sql::Storage::kText) {
    return give(reply, functions::array_has(*array, functions::ArrayElement(arguments[1].text())));
  }
  const auto element = integer_of(arguments[1]);
  if (!element.ok()) return give(reply, element.error());
  give(reply, functions::array_has(*array, functions::ArrayElement(*element)));
}

template <Result<bool> (*Compare)(std::string_view, std::string_view)>
void two_arrays(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto left = array_of(arguments[0]);
  if (!left.ok()) return give(reply, left.error());
  const auto right = array_of(arguments[1]);
  if (!right.ok()) return give(reply, right.error());
  give(reply, Compare(*left, *right));
}

constexpr auto kFunctions = std::to_array<sql::ScalarFunction>({
    {"candor_fold", 1, map_text<functions::fold>},
    {"candor_lower", 1, map_text<functions::lower>},
    {"candor_upper", 1, map_text<functions::upper>},
    {"candor_like", 3, like},
    {"candor_contains", 2, contains},
    {"candor_length", 1, length},
    {"candor_substr", 2, substring},
    {"candor_substr", 3, substring},
    {"candor_left", 2, part_of_text<functions::left>},
    {"candor_right", 2, part_of_text<functions::right>},
    {"candor_add", 2, binary<functions::add>},
    {"candor_sub", 2, binary<functions::subtract>},
    {"candor_mul", 2, binary<functions::multiply>},
    {"candor_div", 2, divide_integers},
    {"candor_neg", 1, unary<functions::negate>},
    {"candor_abs", 1, unary<functions::absolute>},
    {"candor_round", 2, round},
    {"candor_decimal", 2, decimal},
    {"candor_array_check", 1, array_check},
    {"candor_array_length", 1, array_length},
    {"candor_array_has", 2, array_has},
    {"candor_array_overlap", 2, two_arrays<functions::arrays_overlap>},
    {"candor_array_has_all", 2, two_arrays<functions::array_has_all>},
    {"candor_array_equal", 2, two_arrays<functions::arrays_equal>},
});

}  // namespace

Status add_contract_functions(sql::Database& database) {
  for (const sql::ScalarFunction& function : kFunctions) CANDOR_TRY(sql::add_function(database, function));
  CANDOR_TRY(add_time_functions(database));
  CANDOR_TRY(add_casts(database));
  CANDOR_TRY(add_number_functions(database));
  CANDOR_TRY(add_fitting_functions(database));
  return add_aggregates(database);
}

}  // namespace candor::engine::sqlite
