// See contract_casts.h.
#include "engine/sqlite/contract_casts.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/functions/casts.h"
#include "engine/functions/numbers.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Arguments;
using sql::Reply;

template <typename Value, Result<Value> (*Read)(std::string_view)>
void text_to(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  give(reply, Read(*text));
}

template <std::string (*Write)(functions::Instant)>
void text_to_time(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  const auto text = text_of(arguments[0]);
  if (!text.ok()) return give(reply, text.error());
  const auto instant = functions::text_to_datetime(*text);
  if (!instant.ok()) return give(reply, instant.error());
  give(reply, Write(*instant));
}

void number_to_integer(const Arguments& arguments, Reply& reply) {
  if (arguments[0].is_null()) return;
  if (arguments[0].storage() == sql::Storage::kInteger) return reply.same(arguments[0]);
  const auto number = real_of(arguments[0]);
  if (!number.ok()) return give(reply, number.error());
  give(reply, functions::to_integer(*number));
}

constexpr auto kCasts = std::to_array<sql::ScalarFunction>({
    {"candor_to_integer", 1, text_to<std::int64_t, functions::text_to_integer>},
    {"candor_to_number", 1, text_to<double, functions::text_to_number>},
    {"candor_to_boolean", 1, text_to<bool, functions::text_to_boolean>},
    {"candor_to_uuid", 1, text_to<std::string, functions::text_to_uuid>},
    {"candor_to_date", 1, text_to_time<functions::write_date>},
    {"candor_to_datetime", 1, text_to_time<functions::write_datetime>},
    {"candor_whole", 1, number_to_integer},
});

}  // namespace

Status add_casts(sql::Database& database) {
  for (const sql::ScalarFunction& function : kCasts) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
