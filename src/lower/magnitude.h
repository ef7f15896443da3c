// How large and how small a number can be by what stands in the plan: arithmetic that can't leave the range of a double
// needs no watch over it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bind/bound.h"

namespace candor::lower {

// The value is zero, or lies between ten to the power of -least and of most. Nothing where that is not known.
struct Magnitude {
  int most = 0;
  int least = 0;
};
[[nodiscard]] std::optional<Magnitude> magnitude_of(const bind::BoundExpr& expr);

// Whether the expression, a number, may be an infinity though all that it is made of is finite, or zero though nothing is.
[[nodiscard]] bool may_overflow(const bind::BoundExpr& expr);

// Digits behind the point of a decimal: of a literal's text.
[[nodiscard]] int scale_of_digits(const std::string& digits);

// What DECIMAL(10, 2) or NUMERIC(10, 2) says of its column.
struct DeclaredDecimal {
  int precision = 0;
  int scale = 0;
};
[[nodiscard]] std::optional<DeclaredDecimal> declared_decimal(std::string_view type);

}  // namespace candor::lower
