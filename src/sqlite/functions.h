// SQL functions of a connection's own, written in C++.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sqlite/sqlite.h"

struct sqlite3_value;
struct sqlite3_context;

namespace candor::sqlite {

// One argument of a call. Its texts live as long as the call, and only until it is read as something else.
class Argument {
 public:
  explicit Argument(sqlite3_value* value) : value_(value) {}
  [[nodiscard]] Storage storage() const;
  [[nodiscard]] bool is_null() const { return storage() == Storage::kNull; }
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double real() const;
  // As SQLite casts it. Throws std::bad_alloc where memory does not suffice.
  [[nodiscard]] std::string_view text() const;
  [[nodiscard]] std::string_view blob() const;

 private:
  friend class Reply;
  sqlite3_value* value_;
};

class Arguments {
 public:
  Arguments(sqlite3_value** values, int count) : values_(values, static_cast<std::size_t>(count)) {}
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Argument operator[](std::size_t index) const { return Argument(values_[index]); }

 private:
  std::span<sqlite3_value*> values_;
};

// What a call gives; without one it gives NULL.
class Reply {
 public:
  explicit Reply(sqlite3_context* context) : context_(context) {}
  void integer(std::int64_t value);
  void real(double value);
  void text(std::string_view value);
  void blob(std::string_view value);
  void same(const Argument& argument);  // without a copy
  void error(std::string_view message);

 private:
  sqlite3_context* context_;
};

// They may throw nothing but std::bad_alloc. None can be called from the schema of the database: from its views, triggers,
// indexes and generated columns.
struct ScalarFunction {
  const char* name;
  int arguments;  // -1: any number
  void (*call)(const Arguments& arguments, Reply& reply);
};

// The state of one group.
class Aggregate {
 public:
  Aggregate() = default;
  virtual ~Aggregate() = default;
  Aggregate(const Aggregate&) = delete;
  Aggregate& operator=(const Aggregate&) = delete;
  virtual void step(const Arguments& arguments, Reply& reply) = 0;
  virtual void finish(Reply& reply) = 0;
};

struct AggregateFunction {
  const char* name;
  int arguments;
  std::unique_ptr<Aggregate> (*make)();
};

// Functions that give the same for the same arguments. `function` must outlive the connection.
[[nodiscard]] Status add_function(Database& database, const ScalarFunction& function);
[[nodiscard]] Status add_function(Database& database, const AggregateFunction& function);

}  // namespace candor::sqlite
