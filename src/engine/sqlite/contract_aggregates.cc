// Texts joined in an order; the one row of a scalar subquery.
#include "engine/sqlite/contract_aggregates.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/functions/string_agg.h"
#include "engine/sqlite/function_arguments.h"
#include "sqlite/functions.h"

namespace candor::engine::sqlite {
namespace {

namespace sql = candor::sqlite;
using sql::Argument;
using sql::Arguments;
using sql::Reply;

functions::SortKey key_of(const Argument& argument) {
  switch (argument.storage()) {
    case sql::Storage::kInteger:
      return argument.integer();
    case sql::Storage::kReal:
      return argument.real();
    case sql::Storage::kText:
      return std::string(argument.text());
    case sql::Storage::kBlob:
      return functions::Bytes{std::string(argument.blob())};
    case sql::Storage::kNull:
      break;
  }
  return std::monostate();
}

// (value, separator, distinct, key, flags, key, flags …)
class StringAggregate final : public sql::Aggregate {
 public:
  void step(const Arguments& arguments, Reply& reply) override {
    if (arguments.size() < kBeforeKeys || (arguments.size() - kBeforeKeys) % 2 != 0) {
      return give(reply, make_error("bad-argument", "candor_string_agg takes keys with their flags"));
    }
    if (arguments[0].is_null()) return;
    const auto value = text_of(arguments[0]);
    if (!value.ok()) return give(reply, value.error());
    std::vector<functions::SortKey> keys;
    for (std::size_t i = kBeforeKeys; i < arguments.size(); i += 2) keys.push_back(key_of(arguments[i]));
    if (!begun_) begin(arguments);
    joined_.add(std::string(*value), std::move(keys));
  }

  void finish(Reply& reply) override {
    const auto text = joined_.join(separator_, orders_, distinct_);
    if (text) give(reply, *text);
  }

 private:
  static constexpr std::size_t kBeforeKeys = 3;

  // These are the same in every row.
  void begin(const Arguments& arguments) {
    begun_ = true;
    if (!arguments[1].is_null()) separator_ = std::string(arguments[1].text());
    distinct_ = arguments[2].integer() != 0;
    for (std::size_t i = kBeforeKeys + 1; i < arguments.size(); i += 2) {
      const std::int64_t flags = arguments[i].integer();
      orders_.push_back({(flags & 1) != 0, (flags & 2) != 0});
    }
  }

  functions::StringAgg joined_;
  std::string separator_;
  std::vector<functions::SortOrder> orders_;
  bool distinct_ = false;
  bool begun_ = false;
};

// SQLite takes the first row of a scalar subquery and says nothing of the others.
class SingleRow final : public sql::Aggregate {
 public:
  void step(const Arguments& arguments, Reply& reply) override {
    if (std::exchange(seen_, true)) {
      return give(reply, make_error("subquery-rows", "a scalar subquery gave more than one row"));
    }
    value_ = key_of(arguments[0]);
  }

  void finish(Reply& reply) override {
    if (const auto* integer = std::get_if<std::int64_t>(&value_)) return reply.integer(*integer);
    if (const auto* real = std::get_if<double>(&value_)) return reply.real(*real);
    if (const auto* text = std::get_if<std::string>(&value_)) return reply.text(*text);
    if (const auto* bytes = std::get_if<functions::Bytes>(&value_)) reply.blob(bytes->value);
  }

 private:
  bool seen_ = false;
  functions::SortKey value_;
};

template <typename State>
std::unique_ptr<sql::Aggregate> make() {
  return std::make_unique<State>();
}

constexpr auto kAggregates = std::to_array<sql::AggregateFunction>({
    {"candor_string_agg", -1, make<StringAggregate>},
    {"candor_single", 1, make<SingleRow>},
});

}  // namespace

Status add_aggregates(sql::Database& database) {
  for (const sql::AggregateFunction& function : kAggregates) CANDOR_TRY(sql::add_function(database, function));
  return Ok{};
}

}  // namespace candor::engine::sqlite
