// Powers of ten, added up.
#include "lower/magnitude.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/ascii.h"

namespace candor::lower {

using bind::BoundKind;
using bind::Op;
using contract::Type;

namespace {

constexpr int kIntegerDigits = 19;
constexpr int kDecimalDigits = 38;
constexpr int kDoubleDigits = 17;
constexpr int kBound = 300;  // a double goes to 308

std::optional<Magnitude> of_literal(const Value& value) {
  if (value.kind == CellKind::kInteger) return Magnitude{kIntegerDigits, 0};
  if (value.kind == CellKind::kDecimal) {
    const auto digits = static_cast<int>(value.text.size());
    return Magnitude{digits, digits};
  }
  if (value.kind != CellKind::kReal64 || value.real == 0 || !std::isfinite(value.real)) return std::nullopt;
  const auto power = static_cast<int>(std::floor(std::log10(std::abs(value.real))));
  return Magnitude{power + 1, -power};
}

std::optional<Magnitude> of_arithmetic(const bind::BoundExpr& one) {
  const auto a = magnitude_of(*one.children[0]);
  const auto b = magnitude_of(*one.children[1]);
  if (!a || !b) return std::nullopt;
  Magnitude made;
  switch (one.op) {
    case Op::kAdd:
    case Op::kSubtract:
      made = {std::max(a->most, b->most) + 1, std::max(a->least, b->least) + kDoubleDigits};
      break;
    case Op::kMultiply:
      made = {a->most + b->most, a->least + b->least};
      break;
    case Op::kDivide:
      made = {a->most + b->least, a->least + b->most};
      break;
    default:
      return std::nullopt;
  }
  if (made.most > kBound || made.least > kBound) return std::nullopt;
  return made;
}

}  // namespace

std::optional<Magnitude> magnitude_of(const bind::BoundExpr& expr) {
  if (expr.kind == BoundKind::kLiteral) return of_literal(expr.value);
  if (expr.kind == BoundKind::kNegate) return magnitude_of(*expr.children[0]);
  if (expr.type == Type::kInteger) return Magnitude{kIntegerDigits, 0};
  if (expr.type == Type::kDecimal) return Magnitude{kDecimalDigits, kDecimalDigits};
  if (expr.kind == BoundKind::kArithmetic) return of_arithmetic(expr);
  return std::nullopt;
}

bool may_overflow(const bind::BoundExpr& expr) { return !magnitude_of(expr); }

int scale_of_digits(const std::string& digits) {
  const std::size_t point = digits.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(digits.size() - point - 1);
}

std::optional<DeclaredDecimal> declared_decimal(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string name = lower_ascii(type.substr(0, open));
  if (!name.starts_with("decimal") && !name.starts_with("numeric")) return std::nullopt;
  const auto number = [&](std::size_t from) {
    while (from < type.size() && type[from] == ' ') ++from;
    int value = -1;
    (void)std::from_chars(type.data() + from, type.data() + type.size(), value);
    return value;
  };
  DeclaredDecimal made;
  made.precision = number(open + 1);
  const std::size_t comma = type.find(',', open);
  made.scale = comma == std::string_view::npos ? 0 : number(comma + 1);
  constexpr int kMost = 1000;
  if (made.precision < 1 || made.precision > kMost || made.scale < 0 || made.scale > kDecimalDigits) return std::nullopt;
  return made;
}

}  // namespace candor::lower
