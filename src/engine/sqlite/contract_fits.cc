// Looking at single values without an error for those that are none.
#include "engine/sqlite/contract_fits.h"

#include <array>
#include <string_view>

#include "base/render_json.h"
#include "engine/functions/arrays.h"
#include "engine/functions/times.h"
#include "engine/sqlite/affinity.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Argument;
using sql::Arguments;
using sql::Reply;
using sql::Storage;

bool is_canonical_uuid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  if (text.size() != kLength) return false;
  for (std::size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const char c = text[i];
    if (dash ? c != '-' : (c < '0' || c > '9') && (c < 'a' || c > 'f')) return false;
  }
  return true;
}

bool text_fits(std::string_view type, std::string_view text) {
  if (!is_utf8(text)) return false;
  if (type == "string") return true;
  if (type == "uuid") return is_canonical_uuid(text);
  if (type == "array") return functions::check_array(text).ok();
  return (type == "date" || type == "datetime") && functions::read_datetime(text).ok();
}

bool value_fits(std::string_view type, const Argument& value) {
  switch (value.storage()) {
    case Storage::kInteger:
      if (type == "boolean") return value.integer() == 0 || value.integer() == 1;
      return type == "integer" || type == "number" || type == "decimal";
    case Storage::kReal:
      return type == "number" || type == "decimal";
    case Storage::kText:
      return text_fits(type, value.text());
    default:
      return false;
  }
}

void fits(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  give(reply, value_fits(arguments[0].text(), arguments[1]));
}

void affinity(const Arguments& arguments, Reply& reply) {
  switch (affinity_of(arguments[0].text())) {
    case Affinity::kInteger:
      return give(reply, std::string_view("INTEGER"));
    case Affinity::kReal:
      return give(reply, std::string_view("REAL"));
    case Affinity::kNumeric:
      return give(reply, std::string_view("NUMERIC"));
    case Affinity::kText:
      return give(reply, std::string_view("TEXT"));
    case Affinity::kBlob:
      return give(reply, std::string_view("BLOB"));
  }
}

constexpr auto kFunctions = std::to_array<sql::ScalarFunction>({
    {"candor_fits", 2, fits},
    {"candor_affinity", 1, affinity},
});

}  // namespace

Status add_fitting_functions(sql::Database& database) {
  for (const sql::ScalarFunction& function : kFunctions) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
