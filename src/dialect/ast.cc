// Spellings of operators, and what the nodes can't define in the header: they hold each other.
#include "dialect/ast.h"

namespace candor::dialect {

Expr::Expr() = default;
Expr::Expr(Expr&&) noexcept = default;
Expr& Expr::operator=(Expr&&) noexcept = default;
Expr::~Expr() = default;

TableRef::TableRef() = default;
TableRef::TableRef(TableRef&&) noexcept = default;
TableRef& TableRef::operator=(TableRef&&) noexcept = default;
TableRef::~TableRef() = default;

std::string_view to_string(Op op) {
  switch (op) {
    case Op::kNone:
      return "";
    case Op::kOr:
      return "OR";
    case Op::kAnd:
      return "AND";
    case Op::kNot:
      return "NOT";
    case Op::kEqual:
      return "=";
    case Op::kNotEqual:
      return "<>";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kDistinct:
      return "IS DISTINCT FROM";
    case Op::kNotDistinct:
      return "IS NOT DISTINCT FROM";
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
    case Op::kNegate:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kDivideInteger:
      return "//";
    case Op::kModulo:
      return "%";
    case Op::kConcat:
      return "||";
    case Op::kOverlap:
      return "OVERLAP";
    case Op::kContains:
      return "CONTAINS";
  }
  return "";
}

bool is_comparison(Op op) { return op >= Op::kEqual && op <= Op::kNotDistinct; }

}  // namespace candor::dialect
