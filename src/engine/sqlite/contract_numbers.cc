// SQLite's own arithmetic gives an infinity without a word, and takes decimals for the doubles that they are kept as.
#include "engine/sqlite/contract_numbers.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "engine/functions/decimals.h"
#include "engine/functions/numbers.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using functions::Decimal;
using sql::Argument;
using sql::Arguments;
using sql::Reply;

void give_decimal(Reply& reply, const Result<Decimal>& value) {
  if (!value.ok()) return give(reply, value.error());
  std::visit([&](auto number) { give(reply, number); }, *value);
}

// ---- doubles ----

template <Result<double> (*Operation)(double, double)>
void of_reals(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto left = real_of(arguments[0]);
  if (!left.ok()) return give(reply, left.error());
  const auto right = real_of(arguments[1]);
  if (!right.ok()) return give(reply, right.error());
  give(reply, Operation(*left, *right));
}

// A division by zero is NULL.
void divide_reals(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments) || arguments[1].real() == 0) return;
  of_reals<functions::divide>(arguments, reply);
}

// ---- decimals ----

Result<Decimal> decimal_of(const Argument& argument) {
  if (argument.storage() == sql::Storage::kInteger) return Decimal(argument.integer());
  CANDOR_ASSIGN(const double real, real_of(argument));
  return Decimal(real);
}

template <Result<Decimal> (*Operation)(const Decimal&, const Decimal&)>
void of_decimals(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto left = decimal_of(arguments[0]);
  if (!left.ok()) return give(reply, left.error());
  const auto right = decimal_of(arguments[1]);
  if (!right.ok()) return give(reply, right.error());
  give_decimal(reply, Operation(*left, *right));
}

// A number or a text of digits, at a scale where one is given.
Result<Decimal> read_decimal(const Arguments& arguments) {
  std::optional<std::int64_t> scale;
  if (arguments.size() > 1) {
    CANDOR_ASSIGN(scale, integer_of(arguments[1]));
  }
  if (arguments[0].storage() == sql::Storage::kText) {
    return scale ? functions::text_to_decimal(arguments[0].text(), *scale)
                 : functions::text_to_decimal(arguments[0].text());
  }
  CANDOR_ASSIGN(Decimal value, decimal_of(arguments[0]));
  return scale ? functions::at_scale(value, *scale) : value;
}

void to_decimal(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  give_decimal(reply, read_decimal(arguments));
}

// (value, scale, precision): as a column of that type takes it.
void store_decimal(const Arguments& arguments, Reply& reply) {
  if (any_null(arguments)) return;
  const auto value = read_decimal(arguments);
  if (!value.ok()) return give(reply, value.error());
  const Status fits = functions::check_precision(*value, arguments[2].integer(), arguments[1].integer());
  if (!fits.ok()) return give(reply, fits.error());
  give_decimal(reply, value);
}

// ---- sums ----

template <bool Average>
class SumOfReals final : public sql::Aggregate {
 public:
  void step(const Arguments& arguments, Reply& reply) override {
    if (arguments[0].is_null()) return;
    const auto value = real_of(arguments[0]);
    if (!value.ok()) return give(reply, value.error());
    sum_.add(*value);
  }

  void finish(Reply& reply) override {
    if (sum_.count() == 0) return;
    const auto sum = sum_.sum();
    if (!sum.ok()) return give(reply, sum.error());
    give(reply, Average ? *sum / static_cast<double>(sum_.count()) : *sum);
  }

 private:
  functions::NumberSum sum_;
};

template <bool Average>
class SumOfDecimals final : public sql::Aggregate {
 public:
  void step(const Arguments& arguments, Reply& reply) override {
    if (arguments[0].is_null()) return;
    const auto value = decimal_of(arguments[0]);
    if (!value.ok()) return give(reply, value.error());
    sum_.add(*value);
  }

  void finish(Reply& reply) override {
    if (sum_.count() == 0) return;
    if (Average) return give(reply, sum_.average());
    give_decimal(reply, sum_.sum());
  }

 private:
  functions::DecimalSum sum_;
};

template <typename State>
std::unique_ptr<sql::Aggregate> make() {
  return std::make_unique<State>();
}

constexpr auto kFunctions = std::to_array<sql::ScalarFunction>({
    {"candor_real_add", 2, of_reals<functions::add>},
    {"candor_real_sub", 2, of_reals<functions::subtract>},
    {"candor_real_mul", 2, of_reals<functions::multiply>},
    {"candor_real_div", 2, divide_reals},
    {"candor_decimal_add", 2, of_decimals<functions::add>},
    {"candor_decimal_sub", 2, of_decimals<functions::subtract>},
    {"candor_decimal_mul", 2, of_decimals<functions::multiply>},
    {"candor_to_decimal", 1, to_decimal},
    {"candor_to_decimal", 2, to_decimal},
    {"candor_store_decimal", 3, store_decimal},
});

constexpr auto kAggregates = std::to_array<sql::AggregateFunction>({
    {"candor_sum", 1, make<SumOfReals<false>>},
    {"candor_avg", 1, make<SumOfReals<true>>},
    {"candor_decimal_sum", 1, make<SumOfDecimals<false>>},
    {"candor_decimal_avg", 1, make<SumOfDecimals<true>>},
});

}  // namespace

Status add_number_functions(sql::Database& database) {
  for (const sql::ScalarFunction& function : kFunctions) CANDOR_TRY(sql::add_function(database, function));
  for (const sql::AggregateFunction& function : kAggregates) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
