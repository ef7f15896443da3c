// A connection's statements, prepared once each, with their parameters given as arguments of a call.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "sqlite/sqlite.h"

namespace candor::sqlite {

[[nodiscard]] inline std::int64_t clamp(std::uint64_t value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(kMax)));
}

inline Status bind_one(Statement& to, int index, std::string_view value) { return to.bind_text(index, value); }
inline Status bind_one(Statement& to, int index, const std::string& value) { return to.bind_text(index, value); }
inline Status bind_one(Statement& to, int index, const char* value) { return to.bind_text(index, value); }
inline Status bind_one(Statement& to, int index, bool value) { return to.bind_integer(index, value ? 1 : 0); }
inline Status bind_one(Statement& to, int index, double value) { return to.bind_real(index, value); }
inline Status bind_one(Statement& to, int index, std::nullopt_t) { return to.bind_null(index); }
template <std::signed_integral Number>
inline Status bind_one(Statement& to, int index, Number value) {
  return to.bind_integer(index, value);
}
template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>)
inline Status bind_one(Statement& to, int index, Number value) {
  return to.bind_integer(index, clamp(value));
}
template <typename Value>
inline Status bind_one(Statement& to, int index, const std::optional<Value>& value) {
  return value ? bind_one(to, index, *value) : to.bind_null(index);
}

// The arguments as the parameters ?1, ?2, … of the statement.
template <typename... Arguments>
[[nodiscard]] Status bind_all(Statement& to, const Arguments&... arguments) {
  int index = 0;
  Status bound = Ok{};
  ((void)(bound.ok() && (bound = bind_one(to, ++index, arguments), true)), ...);
  return bound;
}

// One run of a prepared statement; it is reset at the end, which also ends its read of the file.
class Run {
 public:
  explicit Run(Statement& statement) : statement_(&statement) {}
  Run(Run&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
  Run& operator=(Run&&) = delete;
  ~Run() {
    if (statement_ != nullptr) statement_->reset();
  }
  [[nodiscard]] Result<bool> step() { return statement_->step(); }
  [[nodiscard]] std::string text(int column) const { return std::string(statement_->text(column)); }
  // Lives until the next step.
  [[nodiscard]] std::string_view view(int column) const { return statement_->text(column); }
  [[nodiscard]] std::string_view blob(int column) const { return statement_->blob(column); }
  [[nodiscard]] std::int64_t integer(int column) const { return statement_->integer(column); }
  [[nodiscard]] double real(int column) const { return statement_->real(column); }
  [[nodiscard]] bool is_null(int column) const { return statement_->is_null(column); }
  [[nodiscard]] std::optional<std::int64_t> maybe_integer(int column) const {
    if (is_null(column)) return std::nullopt;
    return integer(column);
  }
  [[nodiscard]] std::optional<std::string> maybe_text(int column) const {
    if (is_null(column)) return std::nullopt;
    return text(column);
  }

 private:
  Statement* statement_;
};

// The statements of one connection, which must outlive them. Two runs of one text may not overlap.
class Prepared {
 public:
  explicit Prepared(Database& database) : database_(&database) {}
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  // `sql` must be a literal, or outlive this: it is the key under which the prepared statement is kept.
  template <typename... Arguments>
  [[nodiscard]] Result<Run> start(std::string_view sql, const Arguments&... arguments) {
    auto found = statements_.find(sql);
    if (found == statements_.end()) {
      CANDOR_ASSIGN(Statement statement, database_->prepare(sql, nullptr, true));
      found = statements_.emplace(sql, std::move(statement)).first;
    }
    Run run(found->second);
    CANDOR_TRY(bind_all(found->second, arguments...));
    return run;
  }

  // Runs a statement whose rows are of no interest.
  template <typename... Arguments>
  [[nodiscard]] Status execute(std::string_view sql, const Arguments&... arguments) {
    CANDOR_ASSIGN(Run run, start(sql, arguments...));
    CANDOR_TRY(run.step());
    return Ok{};
  }

  // The integer in the first column of the first row; nothing without a row, or where it is NULL.
  template <typename... Arguments>
  [[nodiscard]] Result<std::optional<std::int64_t>> integer(std::string_view sql, const Arguments&... arguments) {
    CANDOR_ASSIGN(Run run, start(sql, arguments...));
    CANDOR_ASSIGN(const bool row, run.step());
    if (!row) return std::optional<std::int64_t>();
    return run.maybe_integer(0);
  }

  // Of a count or a sum, which always has a row.
  template <typename... Arguments>
  [[nodiscard]] Result<std::int64_t> count(std::string_view sql, const Arguments&... arguments) {
    CANDOR_ASSIGN(const std::optional<std::int64_t> number, integer(sql, arguments...));
    return number.value_or(0);
  }

  // Ends all statements, so that nothing of the connection holds a lock.
  void clear() { statements_.clear(); }

 private:
  Database* database_;
  std::unordered_map<std::string_view, Statement> statements_;
};

}  // namespace candor::sqlite
