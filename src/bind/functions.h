// The catalogue of functions: every spelling that is taken, what it takes and gives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bind/bound.h"

namespace candor::bind {

enum class Argument : std::uint8_t {
  kText,
  kNumber,  // integer, number or decimal
  kInteger,
  kTime,  // date or datetime
  kAny,
  kArray,
  kUnit,    // a literal: year, month …
  kFormat,  // a literal of strftime
};

struct FunctionSpelling {
  std::string_view name;  // lower case
  Function function;
  std::uint8_t arguments_min, arguments_max;  // 255: any number
  Argument first, rest;
  bool reversed = false;  // the spelling has the unit or format after the value, or the text after its part
};

// Null when there is no such function.
[[nodiscard]] const FunctionSpelling* find_function(std::string_view name);
[[nodiscard]] std::span<const FunctionSpelling> all_functions();

struct AggregateSpelling {
  std::string_view name;
  Aggregate aggregate;
};
[[nodiscard]] const AggregateSpelling* find_aggregate(std::string_view name);

}  // namespace candor::bind
