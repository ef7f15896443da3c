// Looking at the type of a value before it is read as another.
#include "engine/sqlite/function_arguments.h"

#include <cmath>

namespace candor::engine::sqlite {

namespace sql = candor::sqlite;

Result<std::string_view> text_of(const sql::Argument& argument) {
  if (argument.storage() == sql::Storage::kBlob) return make_error("bad-stored-value", "a blob is no text");
  return argument.text();
}

Result<std::string_view> only_text_of(const sql::Argument& argument, std::string_view wanted) {
  if (argument.storage() == sql::Storage::kText) return argument.text();
  const bool blob = argument.storage() == sql::Storage::kBlob;
  return make_error("bad-stored-value",
                    (blob ? "a blob" : functions::shown(argument.text())) + " is no " + std::string(wanted));
}

Result<std::int64_t> integer_of(const sql::Argument& argument) {
  if (argument.storage() == sql::Storage::kInteger) return argument.integer();
  if (argument.storage() == sql::Storage::kReal) {
    constexpr double kExact = 9007199254740992.0;  // beyond it a real stands for several integers
    const double value = argument.real();
    if (std::trunc(value) == value && std::abs(value) <= kExact) return static_cast<std::int64_t>(value);
  }
  const bool blob = argument.storage() == sql::Storage::kBlob;
  return make_error("bad-stored-value", (blob ? "a blob" : functions::shown(argument.text())) + " is no integer");
}

Result<double> real_of(const sql::Argument& argument) {
  if (argument.storage() == sql::Storage::kReal || argument.storage() == sql::Storage::kInteger) return argument.real();
  const bool blob = argument.storage() == sql::Storage::kBlob;
  return make_error("bad-stored-value", (blob ? "a blob" : functions::shown(argument.text())) + " is no number");
}

}  // namespace candor::engine::sqlite
