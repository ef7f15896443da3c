// Result<T>: a value or the Diagnostic that says why there is none. See docs/decisions/ for the choice.
#pragma once

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/diagnostic.h"

namespace candor {

template <typename T>
class [[nodiscard]] Result {
 public:
  // Both convert on purpose: `return value;` and `return make_error(…);` are how a function ends.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic failure) : state_(std::in_place_index<1>, std::move(failure)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Requires ok().
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }  // by value: a loop over *call() must not dangle
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Requires !ok().
  [[nodiscard]] const Diagnostic& error() const& { return std::get<1>(state_); }
  [[nodiscard]] Diagnostic& error() & { return std::get<1>(state_); }
  [[nodiscard]] Diagnostic&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Diagnostic> state_;
};

// Success without a value: `return Ok{};`
struct Ok {};
using Status = Result<Ok>;

}  // namespace candor

// CANDOR_TRY(expression): leaves the function with the Diagnostic when the Status or Result failed; drops the value.
// CANDOR_ASSIGN(declaration, expression): the same, and declares a variable for the value.
#define CANDOR_CONCAT_INNER(a, b) a##b
#define CANDOR_CONCAT(a, b) CANDOR_CONCAT_INNER(a, b)
#define CANDOR_TRY(expression)                                        \
  do {                                                                \
    auto candor_status = (expression);                                \
    if (!candor_status.ok()) return std::move(candor_status).error(); \
  } while (false)
#define CANDOR_ASSIGN(declaration, expression) \
  CANDOR_ASSIGN_IMPL(CANDOR_CONCAT(candor_result_, __LINE__), declaration, expression)
#define CANDOR_ASSIGN_IMPL(result, declaration, expression) \
  auto result = (expression);                               \
  if (!result.ok()) return std::move(result).error();       \
  declaration = std::move(result).value()
