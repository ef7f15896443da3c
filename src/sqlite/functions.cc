// The calls from SQLite into C++ and back.
#include "sqlite/functions.h"

#include <new>
#include <sqlite3.h>
#include <string>

namespace candor::sqlite {
namespace {

constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;

// A slot that SQLite keeps for each group, zero before its first row.
Aggregate** slot_of(sqlite3_context* context, bool make) {
  return static_cast<Aggregate**>(sqlite3_aggregate_context(context, make ? sizeof(Aggregate*) : 0));
}

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* function = static_cast<const ScalarFunction*>(sqlite3_user_data(context));
  try {
    Reply reply(context);
    function->call(Arguments(values, count), reply);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void step(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto* function = static_cast<const AggregateFunction*>(sqlite3_user_data(context));
  try {
    Aggregate** slot = slot_of(context, true);
    if (slot == nullptr) throw std::bad_alloc();
    if (*slot == nullptr) *slot = function->make().release();
    Reply reply(context);
    (*slot)->step(Arguments(values, count), reply);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

// Called once for each group, also for one that is given up.
void finish(sqlite3_context* context) {
  const auto* function = static_cast<const AggregateFunction*>(sqlite3_user_data(context));
  try {
    Aggregate** slot = slot_of(context, false);
    const std::unique_ptr<Aggregate> state(slot == nullptr || *slot == nullptr ? function->make().release() : *slot);
    if (slot != nullptr) *slot = nullptr;
    Reply reply(context);
    state->finish(reply);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

Status added(int code, const char* name) {
  if (code == SQLITE_OK) return Ok{};
  return make_error("storage", std::string("SQLite does not take the function ") + name);
}

}  // namespace

Storage Argument::storage() const {
  switch (sqlite3_value_type(value_)) {
    case SQLITE_INTEGER:
      return Storage::kInteger;
    case SQLITE_FLOAT:
      return Storage::kReal;
    case SQLITE_TEXT:
      return Storage::kText;
    case SQLITE_BLOB:
      return Storage::kBlob;
    default:
      return Storage::kNull;
  }
}

std::int64_t Argument::integer() const { return sqlite3_value_int64(value_); }
double Argument::real() const { return sqlite3_value_double(value_); }

std::string_view Argument::text() const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value_));
  if (bytes == nullptr) {
    if (!is_null()) throw std::bad_alloc();
    return {};
  }
  return {bytes, static_cast<std::size_t>(sqlite3_value_bytes(value_))};
}

std::string_view Argument::blob() const {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value_));
  return {bytes, bytes == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value_))};
}

void Reply::integer(std::int64_t value) { sqlite3_result_int64(context_, value); }
void Reply::real(double value) { sqlite3_result_double(context_, value); }

void Reply::text(std::string_view value) {
  // A null pointer would give NULL.
  sqlite3_result_text64(context_, value.data() == nullptr ? "" : value.data(), value.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

void Reply::blob(std::string_view value) {
  sqlite3_result_blob64(context_, value.data() == nullptr ? "" : value.data(), value.size(), SQLITE_TRANSIENT);
}

void Reply::same(const Argument& argument) { sqlite3_result_value(context_, argument.value_); }

void Reply::error(std::string_view message) {
  sqlite3_result_error(context_, message.data(), static_cast<int>(message.size()));
}

Status add_function(Database& database, const ScalarFunction& function) {
  void* data = const_cast<ScalarFunction*>(&function);
  return added(sqlite3_create_function_v2(database.handle(), function.name, function.arguments, kFlags, data, &call,
                                          nullptr, nullptr, nullptr),
               function.name);
}

Status add_function(Database& database, const AggregateFunction& function) {
  void* data = const_cast<AggregateFunction*>(&function);
  return added(sqlite3_create_function_v2(database.handle(), function.name, function.arguments, kFlags, data, nullptr,
                                          &step, &finish, nullptr),
               function.name);
}

}  // namespace candor::sqlite
