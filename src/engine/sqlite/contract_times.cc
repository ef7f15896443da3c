// Times are texts in SQLite; each function reads what an application may have stored.
#include "engine/sqlite/contract_times.h"

#include <array>
#include <string_view>
#include <variant>

#include "engine/functions/times.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Argument;
using sql::Arguments;
using sql::Reply;

Result<functions::Instant> instant_of(const Argument& argument) {
  CANDOR_ASSIGN(const std::string_view text, only_text_of(argument, "date and time"));
  return functions::read_datetime(text);
}

void give_datetime(Reply& reply, const Result<functions::Instant>& instant) {
  if (!instant.ok()) return give(reply, instant.error());
  give(reply, functions::write_datetime(*instant));
}

void datetime(const Arguments& arguments, Reply& reply) {
  const Argument value = arguments[0];
  if (value.is_null()) return;
  if (value.storage() == sql::Storage::kText && functions::is_canonical_datetime(value.text()))
    return reply.same(value);
  give_datetime(reply, instant_of(value));
}

void date(const Arguments& arguments, Reply& reply) {
  const Argument value = arguments[0];
  if (value.is_null()) return;
  if (value.storage() == sql::Storage::kText && functions::is_canonical_date(value.text())) return reply.same(value);
  const auto instant = instant_of(value);
  if (!instant.ok()) return give(reply, instant.error());
  give(reply, functions::write_date(*instant));
}

void datetime_add(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto instant = instant_of(arguments[0]);
  if (!instant.ok()) return give(reply, instant.error());
  std::array<std::int64_t, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = integer_of(arguments[i + 1]);
    if (!part.ok()) return give(reply, part.error());
    parts[i] = *part;
  }
  give_datetime(reply, functions::add_interval(*instant, parts[0], parts[1], parts[2]));
}

void date_trunc(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto instant = instant_of(arguments[1]);
  if (!instant.ok()) return give(reply, instant.error());
  give_datetime(reply, functions::truncate(arguments[0].text(), *instant));
}

void extract(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto instant = instant_of(arguments[1]);
  if (!instant.ok()) return give(reply, instant.error());
  const auto part = functions::extract(arguments[0].text(), *instant);
  if (!part.ok()) return give(reply, part.error());
  std::visit([&](auto value) { give(reply, value); }, *part);
}

void strftime(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto instant = instant_of(arguments[1]);
  if (!instant.ok()) return give(reply, instant.error());
  give(reply, functions::format_time(arguments[0].text(), *instant));
}

void diff_seconds(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto a = instant_of(arguments[0]);
  if (!a.ok()) return give(reply, a.error());
  const auto b = instant_of(arguments[1]);
  if (!b.ok()) return give(reply, b.error());
  give(reply, functions::difference_seconds(*a, *b));
}

constexpr auto kFunctions = std::to_array<sql::ScalarFunction>({
    {"candor_datetime", 1, datetime},
    {"candor_date", 1, date},
    {"candor_datetime_add", 4, datetime_add},
    {"candor_date_trunc", 2, date_trunc},
    {"candor_extract", 2, extract},
    {"candor_strftime", 2, strftime},
    {"candor_datetime_diff_seconds", 2, diff_seconds},
});

}  // namespace

Status add_time_functions(sql::Database& database) {
  for (const sql::ScalarFunction& function : kFunctions) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
