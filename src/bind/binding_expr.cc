// Expressions but for comparisons and functions: literals, logic, arithmetic, CASE, CAST, subqueries.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"
#include "bind/literals.h"

namespace candor::bind {

using dialect::ExprKind;
using dialect::LiteralKind;

BoundPtr Binding::expr(const Ast& ast) {
  if (!spend(1, ast.span)) return nullptr;
  switch (ast.kind) {
    case ExprKind::kLiteral:
      return literal(ast);
    case ExprKind::kColumn:
      return column(ast);
    case ExprKind::kUnary:
      return unary(ast);
    case ExprKind::kBinary:
      return binary(ast);
    case ExprKind::kIs:
      return is(ast);
    case ExprKind::kBetween:
      return between(ast);
    case ExprKind::kIn:
      return in(ast);
    case ExprKind::kInArray:
      return in_array(ast);
    case ExprKind::kLike:
      return like(ast);
    case ExprKind::kExists:
      return exists(ast);
    case ExprKind::kSubquery:
      return subquery(ast);
    case ExprKind::kFunction:
      return function(ast);
    case ExprKind::kCase:
      return case_of(ast);
    case ExprKind::kCast:
      return cast(ast);
    case ExprKind::kList:
      return error("unsupported-construct", "a list of values can't stand here", ast.span,
                   "compare an array column with it, or write IN (…)");
    case ExprKind::kInterval:
      return error("unsupported-construct", "an INTERVAL stands alone", ast.span,
                   "add it to a date: due_at + INTERVAL '7 days'");
    case ExprKind::kStar:
      return error("syntax-error", "* can't stand here", ast.span, "write COUNT(*), or the columns");
    case ExprKind::kDefault:
      return error("unsupported-construct", "DEFAULT stands in VALUES and SET alone", ast.span, "write the value");
  }
  return nullptr;
}

BoundPtr Binding::condition(const Ast& ast) {
  BoundPtr made = expr(ast);
  if (made == nullptr) return nullptr;
  if (made->kind == BoundKind::kLiteral && made->type != Type::kBoolean) {
    if (made->value.is_null()) {
      return error("null-comparison", "NULL as a condition is never true", ast.span, "write a condition on a column");
    }
    if (!coerce(*made, Type::kBoolean, nullptr)) return nullptr;
  }
  if (made->type != Type::kBoolean) {
    return error("bad-literal-type",
                 "'" + text_of(ast.span) + "' is a " +
                     std::string(contract::to_string(made->type.value_or(Type::kString))) + " and no condition",
                 ast.span, "compare it with a value");
  }
  return made;
}

BoundPtr Binding::literal(const Ast& ast) {
  BoundPtr made = make_bound(BoundKind::kLiteral, std::nullopt, ast.span, false);
  const auto bad = [&](std::string_view what, std::string_view example) {
    return error("bad-literal-type", "'" + ast.text + "' is no " + std::string(what), ast.span,
                 "write it as " + std::string(example));
  };
  switch (ast.literal) {
    case LiteralKind::kNull:
      made->nullable = true;
      return made;
    case LiteralKind::kBoolean:
      made->type = Type::kBoolean;
      made->value.kind = CellKind::kBoolean;
      made->value.integer = ast.text == "true" ? 1 : 0;
      return made;
    case LiteralKind::kInteger:
    case LiteralKind::kDecimal:
    case LiteralKind::kReal: {
      std::optional<Value> number = number_of(ast.text);
      if (!number) {
        return error("integer-overflow", ast.text.substr(0, 60) + " is no 64-bit integer", ast.span,
                     "write it with a decimal point, or as a text");
      }
      made->type = number->kind == CellKind::kInteger   ? Type::kInteger
                   : number->kind == CellKind::kDecimal ? Type::kDecimal
                                                        : Type::kNumber;
      made->value = *std::move(number);
      return made;
    }
    case LiteralKind::kText:
      made->type = Type::kString;
      made->value = text_value(ast.text);
      return made;
    case LiteralKind::kDate:
    case LiteralKind::kDatetime: {
      const bool date = ast.literal == LiteralKind::kDate;
      std::optional<std::string> text = date ? canonical_date(ast.text) : canonical_datetime(ast.text);
      if (!text) return date ? bad("date", "DATE '2024-12-31'") : bad("time", "TIMESTAMP '2024-12-31 23:59:59'");
      made->type = date ? Type::kDate : Type::kDatetime;
      made->value.kind = CellKind::kTemporal;
      made->value.text = *std::move(text);
      return made;
    }
  }
  return nullptr;
}

BoundPtr Binding::binary(const Ast& ast) {
  switch (ast.op) {
    case Op::kAnd:
    case Op::kOr:
      return logic(ast);
    case Op::kConcat:
      return concatenation(ast);
    case Op::kOverlap:
    case Op::kContains:
      return array_operator(ast);
    default:
      return dialect::is_comparison(ast.op) ? compare(ast) : arithmetic(ast);
  }
}

BoundPtr Binding::logic(const Ast& ast) {
  BoundPtr made = make_bound(ast.op == Op::kAnd ? BoundKind::kAnd : BoundKind::kOr, Type::kBoolean, ast.span, false);
  bool fine = true;
  for (const dialect::ExprPtr& child : ast.children) {
    BoundPtr bound = condition(*child);
    fine = fine && bound != nullptr;
    if (bound == nullptr) continue;
    made->nullable = made->nullable || bound->nullable;
    made->children.push_back(std::move(bound));
  }
  return fine ? std::move(made) : nullptr;
}

BoundPtr Binding::unary(const Ast& ast) {
  if (ast.op == Op::kNot) {
    BoundPtr child = condition(*ast.children.front());
    if (child == nullptr) return nullptr;
    BoundPtr made = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, child->nullable);
    made->children.push_back(std::move(child));
    return made;
  }
  BoundPtr child = expr(*ast.children.front());
  if (child == nullptr || !number(*child, "-")) return nullptr;
  BoundPtr made = make_bound(BoundKind::kNegate, child->type, ast.span, child->nullable);
  made->children.push_back(std::move(child));
  return made;
}

bool Binding::number(const BoundExpr& expr, std::string_view what) {
  if (is_number(expr.type) || !expr.type) return true;
  error("bad-literal-type",
        std::string(what) + " takes numbers, and '" + text_of(expr.span) + "' is a " +
            std::string(contract::to_string(*expr.type)),
        expr.span, "write a number or a column of numbers");
  return false;
}

namespace {

// The type that holds the numbers of both.
Type wider(Type a, Type b) {
  if (a == Type::kNumber || b == Type::kNumber) return Type::kNumber;
  return a == Type::kDecimal || b == Type::kDecimal ? Type::kDecimal : Type::kInteger;
}

// A quotient has digits without end, so `/` gives a number.
Type arithmetic_type(Op op, const BoundExpr& left, const BoundExpr& right) {
  if (op == Op::kDivide || !left.type || !right.type) return Type::kNumber;
  return wider(*left.type, *right.type);
}

bool is_zero(const BoundExpr& one) {
  if (one.kind != BoundKind::kLiteral) return false;
  if (one.value.kind == CellKind::kInteger) return one.value.integer == 0;
  if (one.value.kind == CellKind::kReal64) return one.value.real == 0;
  return one.value.kind == CellKind::kDecimal && one.value.text.find_first_not_of("-+0.") == std::string::npos;
}

}  // namespace

BoundPtr Binding::arithmetic(const Ast& ast) {
  const Ast& right_ast = *ast.children[1];
  const bool adds = ast.op == Op::kAdd || ast.op == Op::kSubtract;
  if (adds && right_ast.kind == ExprKind::kInterval) {
    BoundPtr left = expr(*ast.children[0]);
    return left == nullptr ? nullptr : time_arithmetic(ast, std::move(left), nullptr);
  }
  BoundPtr left = expr(*ast.children[0]);
  BoundPtr right = expr(right_ast);
  if (left == nullptr || right == nullptr) return nullptr;
  if (adds && (is_time(left->type) || is_time(right->type)))
    return time_arithmetic(ast, std::move(left), std::move(right));
  return arithmetic_bound(ast.op, std::move(left), std::move(right), ast);
}

BoundPtr Binding::arithmetic_bound(Op which, BoundPtr left, BoundPtr right, const Ast& ast) {
  const std::string op(dialect::to_string(which));
  const bool fine = number(*left, op);
  if (!number(*right, op) || !fine) return nullptr;
  const bool integers = left->type == Type::kInteger && right->type == Type::kInteger;
  const bool divides = which == Op::kDivide || which == Op::kDivideInteger || which == Op::kModulo;
  if ((which == Op::kDivideInteger || which == Op::kModulo) && !integers) {
    return error("bad-literal-type", op + " takes two integers", ast.span, "write ROUND or FLOOR of an exact division");
  }
  const bool by_literal = right->kind == BoundKind::kLiteral;
  const bool by_zero = is_zero(*right);
  if (divides && by_zero)
    warn("division-by-zero", "a division by zero is NULL", "exclude zero, or say with COALESCE what it shall be");
  BoundPtr made = make_bound(BoundKind::kArithmetic, arithmetic_type(which, *left, *right), ast.span,
                             left->nullable || right->nullable || (divides && (!by_literal || by_zero)));
  made->op = which;
  if (made->type == Type::kNumber) {
    for (BoundExpr* side : {left.get(), right.get()}) as_real(*side);
  }
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

// A date or time with an INTERVAL, or a date with a number of days.
BoundPtr Binding::time_arithmetic(const Ast& ast, BoundPtr left, BoundPtr right) {
  const auto fail = [&] {
    return error("unsupported-construct", "'" + text_of(ast.span) + "' adds what can't be added", ast.span,
                 "write due_at + INTERVAL '7 days'");
  };
  std::int64_t amount = 0;
  std::string unit = "day";
  if (right == nullptr) {
    const Ast& interval = *ast.children[1];
    amount = std::stoll(interval.text);
    unit = interval.names.front().text;
    if (left->kind == BoundKind::kLiteral && left->type == Type::kString && !coerce(*left, Type::kDatetime, nullptr))
      return nullptr;
  } else if (left->type == Type::kDate && right->kind == BoundKind::kLiteral &&
             right->value.kind == CellKind::kInteger) {
    amount = right->value.integer;
  } else {
    return fail();
  }
  if (!is_time(left->type)) return fail();
  if (ast.op == Op::kSubtract) amount = -amount;
  const bool days = unit == "day" || unit == "week" || unit == "month" || unit == "quarter" || unit == "year";
  BoundPtr made = make_bound(BoundKind::kAddInterval, days ? left->type : Type::kDatetime, ast.span, left->nullable);
  constexpr std::int64_t kMicros = 1'000'000;
  if (unit == "day") made->days = amount;
  if (unit == "week") made->days = amount * 7;
  if (unit == "month") made->months = amount;
  if (unit == "quarter") made->months = amount * 3;
  if (unit == "year") made->months = amount * 12;
  if (unit == "hour") made->microseconds = amount * 3600 * kMicros;
  if (unit == "minute") made->microseconds = amount * 60 * kMicros;
  if (unit == "second") made->microseconds = amount * kMicros;
  made->children.push_back(std::move(left));
  return made;
}

// Tells where the construct is a text's affair and the expression none. A NULL is a text too.
bool Binding::text(BoundExpr& one, const Ast& construct) {
  if (!one.type || *one.type == Type::kString) return true;
  const Span whole = construct_.end > construct_.start ? construct_ : construct.span;
  if (contract::is_array(*one.type)) {
    (void)text_function_on_array(construct, one);
    return false;
  }
  const std::string type(contract::to_string(*one.type));
  const std::string form = is_time(one.type)
                               ? text_of(one.span) + " >= '2024-01-01' AND " + text_of(one.span) + " < '2024-02-01'"
                               : text_of(one.span) + " = " + std::string(example_of(*one.type));
  error("text-function-on-non-text",
        "'" + text_of(whole) + "' treats " + text_of(one.span) + " as a text, and it is a " + type, construct.span,
        "compare it with a value of its type: " + form);
  return false;
}

BoundPtr Binding::concatenation(const Ast& ast) {
  BoundPtr left = expr(*ast.children[0]);
  BoundPtr right = expr(*ast.children[1]);
  if (left == nullptr || right == nullptr) return nullptr;
  for (BoundPtr* side : {&left, &right}) {
    const bool castable = (*side)->type == Type::kInteger || (*side)->type == Type::kDecimal ||
                          is_time((*side)->type) || (*side)->type == Type::kUuid;
    if (castable) {
      BoundPtr cast = make_bound(BoundKind::kCast, Type::kString, (*side)->span, (*side)->nullable);
      cast->children.push_back(std::move(*side));
      *side = std::move(cast);
    } else if (!text(**side, ast)) {
      return nullptr;
    }
  }
  BoundPtr made = make_bound(BoundKind::kConcat, Type::kString, ast.span, left->nullable || right->nullable);
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

BoundPtr Binding::is(const Ast& ast) {
  const bool null_test = ast.literal == LiteralKind::kNull;
  BoundPtr child = null_test ? expr(*ast.children.front()) : condition(*ast.children.front());
  if (child == nullptr) return nullptr;
  if (null_test && child->kind == BoundKind::kColumn && !child->nullable) {
    const std::string name = text_of(ast.children.front()->span);
    if (child->type && contract::is_array(*child->type)) {
      const std::string form = name + (ast.negated ? " <> ()" : " = ()");
      return error("never-null", "'" + name + "' is an array that is never NULL", ast.span,
                   "write " + form + " for " + (ast.negated ? "\"some\"" : "\"none\""), {}, Edit{ast.span, form});
    }
    warn("never-null", "'" + name + "' is never NULL, so '" + text_of(ast.span) + "' is " +
                           (ast.negated ? "true" : "false") + " for every row");
  }
  BoundPtr made = make_bound(null_test ? BoundKind::kIsNull : BoundKind::kIsTruth, Type::kBoolean, ast.span, false);
  made->truth = ast.text == "true";
  made->children.push_back(std::move(child));
  if (!ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, false);
  negation->children.push_back(std::move(made));
  return negation;
}

BoundPtr Binding::case_of(const Ast& ast) {
  BoundPtr made = make_bound(BoundKind::kCase, std::nullopt, ast.span, !ast.has_else);
  const std::size_t first = ast.has_operand ? 1 : 0;
  const std::size_t pairs_end = ast.children.size() - (ast.has_else ? 1 : 0);
  bool fine = true;
  for (std::size_t i = first; i + 1 < pairs_end + 1 && i < pairs_end; i += 2) {
    BoundPtr when;
    if (ast.has_operand) {
      const Ast& value = *ast.children[i];
      if (value.kind == ExprKind::kLiteral && value.literal == LiteralKind::kNull) {
        error("null-comparison", "WHEN NULL is never true", value.span, "write CASE WHEN … IS NULL THEN …");
        fine = false;
        continue;
      }
      BoundPtr left = expr(*ast.children.front());
      BoundPtr right = expr(value);
      if (left == nullptr || right == nullptr) {
        fine = false;
        continue;
      }
      when = compare_bound(Op::kEqual, std::move(left), std::move(right), value);
    } else {
      when = condition(*ast.children[i]);
    }
    BoundPtr then = expr(*ast.children[i + 1]);
    fine = fine && when != nullptr && then != nullptr;
    if (!fine) continue;
    made->nullable = made->nullable || then->nullable;
    made->children.push_back(std::move(when));
    made->children.push_back(std::move(then));
  }
  if (ast.has_else) {
    BoundPtr otherwise = expr(*ast.children.back());
    if (otherwise == nullptr) return nullptr;
    made->nullable = made->nullable || otherwise->nullable;
    made->children.push_back(std::move(otherwise));
  }
  if (!fine) return nullptr;
  std::vector<BoundPtr*> results;
  for (std::size_t i = 1; i < made->children.size(); i += 2) results.push_back(&made->children[i]);
  if (ast.has_else) results.push_back(&made->children.back());
  if (!unify(results, ast.span, made->type)) return nullptr;
  return made;
}

// Gives the expressions one type, which is `type` then: numbers meet, literals follow the others.
bool Binding::unify(const std::vector<BoundPtr*>& exprs, Span span, std::optional<Type>& type) {
  type.reset();
  for (BoundPtr* one : exprs) {
    if ((*one)->kind == BoundKind::kLiteral || !(*one)->type) continue;
    if (!type) type = (*one)->type;
    if (type == Type::kDate && (*one)->type == Type::kDatetime) type = Type::kDatetime;
  }
  for (BoundPtr* one : exprs) {
    if (!type && (*one)->type) type = (*one)->type;
    if (is_number(type) && is_number((*one)->type)) type = wider(*type, *(*one)->type);
  }
  for (BoundPtr* one : exprs) {
    BoundExpr& value = **one;
    if (!value.type || !type || *value.type == *type) continue;
    if (is_number(value.type) && is_number(type)) {
      if (type == Type::kNumber) as_real(value);
      continue;
    }
    if (value.kind == BoundKind::kLiteral) {
      if (!coerce(value, *type, nullptr)) return false;
      continue;
    }
    if (value.type == Type::kDate && type == Type::kDatetime) {
      BoundPtr cast = make_bound(BoundKind::kCast, type, value.span, value.nullable);
      cast->children.push_back(std::move(*one));
      *one = std::move(cast);
      continue;
    }
    error("bad-literal-type",
          "'" + text_of(span) + "' mixes " + std::string(contract::to_string(*type)) + " and " +
              std::string(contract::to_string(*value.type)),
          value.span, "write values of one type, or a CAST");
    return false;
  }
  return true;
}

// A subquery that gives one column.
std::unique_ptr<BoundSelect> Binding::one_column(const Ast& ast, std::string_view what) {
  std::unique_ptr<BoundSelect> made = select(*ast.select, false);
  if (made == nullptr) return nullptr;
  if (made->items.size() != 1) {
    error("unsupported-construct",
          std::string(what) + " takes a subquery of one column, and this one has " + std::to_string(made->items.size()),
          ast.span, "list the one column");
    return nullptr;
  }
  return made;
}

BoundPtr Binding::subquery(const Ast& ast) {
  std::unique_ptr<BoundSelect> inner = one_column(ast, "a value");
  if (inner == nullptr) return nullptr;
  BoundPtr made = make_bound(BoundKind::kScalar, inner->items.front().expr->type, ast.span, true);
  made->select = std::move(inner);
  return made;
}

BoundPtr Binding::exists(const Ast& ast) {
  std::unique_ptr<BoundSelect> inner = select(*ast.select, false);
  if (inner == nullptr) return nullptr;
  BoundPtr made = make_bound(BoundKind::kExists, Type::kBoolean, ast.span, false);
  made->select = std::move(inner);
  if (!ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, false);
  negation->children.push_back(std::move(made));
  return negation;
}

}  // namespace candor::bind
