// Comparisons: which values can be compared with which, and what a literal means beside a column.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "bind/binding.h"
#include "bind/literals.h"
#include "json/json.h"

namespace candor::bind {

using dialect::ExprKind;
using dialect::LiteralKind;

namespace {

bool is_null_literal(const dialect::Expr& ast) {
  return ast.kind == ExprKind::kLiteral && ast.literal == LiteralKind::kNull;
}

std::string name_of(Type type) { return std::string(contract::to_string(type)); }

}  // namespace

const RelationColumn* Binding::column_of(const BoundExpr& expr) const {
  return expr.kind == BoundKind::kColumn ? &relations_[expr.relation]->columns[expr.column] : nullptr;
}

BoundPtr Binding::null_comparison(const Ast& ast, const Ast& other, bool negated) {
  const std::string form = text_of(other.span) + (negated ? " IS NOT NULL" : " IS NULL");
  const bool plain = other.kind == ExprKind::kColumn;
  return error("null-comparison", "'" + text_of(ast.span) + "' is never true: nothing equals NULL", ast.span,
               "write " + form, {}, plain ? std::optional(Edit{ast.span, form}) : std::nullopt);
}

BoundPtr Binding::compare(const Ast& ast) {
  const Span before = std::exchange(construct_, ast.span);
  const Ast& left_ast = *ast.children[0];
  const Ast& right_ast = *ast.children[1];
  const bool exact = ast.op == Op::kDistinct || ast.op == Op::kNotDistinct;
  BoundPtr made;
  if (!exact && (is_null_literal(left_ast) || is_null_literal(right_ast))) {
    const Ast& other = is_null_literal(right_ast) ? left_ast : right_ast;
    if (expr(other) != nullptr) made = null_comparison(ast, other, ast.op == Op::kNotEqual);
  } else if (left_ast.kind == ExprKind::kList && right_ast.kind != ExprKind::kList) {
    BoundPtr right = expr(right_ast);
    if (right != nullptr) made = array_compare(ast, std::move(right), left_ast);
  } else if (right_ast.kind == ExprKind::kList) {
    BoundPtr left = left_ast.kind == ExprKind::kList
                        ? error("unsupported-construct", "a comparison of rows is not part of the dialect", ast.span,
                                "compare the columns one by one, with AND")
                        : expr(left_ast);
    if (left != nullptr) made = array_compare(ast, std::move(left), right_ast);
  } else {
    BoundPtr left = expr(left_ast);
    BoundPtr right = expr(right_ast);
    if (left != nullptr && right != nullptr) {
      const bool left_array = left->type && contract::is_array(*left->type);
      const bool right_array = right->type && contract::is_array(*right->type);
      if (left_array) {
        made = array_compare(ast, std::move(left), right_ast);
      } else if (right_array) {
        made = array_compare(ast, std::move(right), left_ast);
      } else {
        made = compare_bound(ast.op, std::move(left), std::move(right), ast);
      }
    }
  }
  construct_ = before;
  return made;
}

BoundPtr Binding::compare_bound(Op op, BoundPtr left, BoundPtr right, const Ast& ast) {
  if (!comparable(left, right, ast.span)) return nullptr;
  const bool order = op == Op::kLess || op == Op::kLessEqual || op == Op::kGreater || op == Op::kGreaterEqual;
  if (order && (left->type == Type::kBoolean || left->type == Type::kUuid)) {
    return error("bad-literal-type", "a " + name_of(*left->type) + " has no order", ast.span, "compare it with =");
  }
  note_outside_scope(op, *left, *right);
  const bool exact = op == Op::kDistinct || op == Op::kNotDistinct;
  BoundPtr made =
      make_bound(BoundKind::kCompare, Type::kBoolean, ast.span, !exact && (left->nullable || right->nullable));
  made->op = op;
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

void Binding::note_outside_scope(Op op, const BoundExpr& left, const BoundExpr& right) {
  const auto& scope = context_.contract->scope;
  if (!scope || (op != Op::kEqual && op != Op::kNotEqual) || use_ != Use::kFilter) return;
  const BoundExpr& column = left.kind == BoundKind::kColumn ? left : right;
  const BoundExpr& value = left.kind == BoundKind::kColumn ? right : left;
  const RelationColumn* named = column_of(column);
  if (named == nullptr || named->published == nullptr || value.kind != BoundKind::kLiteral) return;
  const bool own = value.value.text == context_.scope_value;
  if (!same_name(named->published->stored, scope->column) || own == (op == Op::kEqual)) return;
  warn("outside-scope", "'" + short_text_of(construct_) + "' asks for rows outside of the caller's " + named->name,
       "leave the condition out: only rows of the caller's own are there");
}

namespace {

BoundPtr cast_to(BoundPtr one, Type type) {
  BoundPtr made = make_bound(BoundKind::kCast, type, one->span, one->nullable);
  made->children.push_back(std::move(one));
  return made;
}

// A date that is compared with a time is its midnight.
void as_datetime(BoundPtr& one) {
  if (one->type != Type::kDate) return;
  if (one->kind != BoundKind::kLiteral) {
    one = cast_to(std::move(one), Type::kDatetime);
    return;
  }
  one->value.text += "T00:00:00";
  one->type = Type::kDatetime;
}

}  // namespace

void Binding::align_times(BoundPtr& left, BoundPtr& right) {
  constexpr std::string_view kMidnight = "T00:00:00";
  for (BoundPtr* one : {&left, &right}) {
    const BoundPtr& other = one == &left ? right : left;
    BoundExpr& literal = **one;
    if (literal.kind != BoundKind::kLiteral || literal.type != Type::kDatetime || other->type != Type::kDate) continue;
    if (!literal.value.text.ends_with(kMidnight)) continue;
    literal.value.text.resize(literal.value.text.size() - kMidnight.size());
    literal.type = Type::kDate;
  }
  if (left->type == Type::kDatetime) as_datetime(right);
  if (right->type == Type::kDatetime) as_datetime(left);
}

void Binding::align_times(std::vector<BoundPtr>& values) {
  const bool time = std::ranges::any_of(values, [](const BoundPtr& one) { return one->type == Type::kDatetime; });
  for (BoundPtr& one : values) {
    if (time) as_datetime(one);
  }
}

void Binding::as_real(BoundExpr& literal) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53U;
  if (literal.kind != BoundKind::kLiteral) return;
  const Value given = literal.value;
  const bool large = given.kind == CellKind::kInteger && (given.integer > kExact || given.integer < -kExact);
  if (given.kind != CellKind::kDecimal && !large) return;
  literal.value = Value();
  literal.value.kind = CellKind::kReal64;
  literal.value.real = large ? static_cast<double>(given.integer) : std::strtod(given.text.c_str(), nullptr);
  literal.type = Type::kNumber;
}

bool Binding::comparable(BoundPtr& left, BoundPtr& right, Span span) {
  if (left->type == Type::kJson || right->type == Type::kJson) {
    error("unsupported-construct", "JSON can't be compared", span, "read the column whole");
    return false;
  }
  if (!left->type || !right->type) return true;
  const bool left_literal = left->kind == BoundKind::kLiteral;
  const bool right_literal = right->kind == BoundKind::kLiteral;
  if (left_literal != right_literal) {
    BoundPtr& literal = left_literal ? left : right;
    const BoundPtr& other = left_literal ? right : left;
    if (!coerce(*literal, *other->type, other.get())) return false;
    align_times(left, right);
    return true;
  }
  if (*left->type == *right->type || (is_number(left->type) && is_number(right->type))) return true;
  if (left_literal && right_literal) return coerce(*right, *left->type, nullptr);
  const auto cast = [](BoundPtr& one, Type type) {
    one = cast_to(std::move(one), type);
    return true;
  };
  if (left->type == Type::kDate && right->type == Type::kDatetime) return cast(left, Type::kDatetime);
  if (left->type == Type::kDatetime && right->type == Type::kDate) return cast(right, Type::kDatetime);
  if (left->type == Type::kUuid && right->type == Type::kString) return cast(left, Type::kString);
  if (left->type == Type::kString && right->type == Type::kUuid) return cast(right, Type::kString);
  error("bad-literal-type",
        "'" + text_of(left->span) + "' is a " + name_of(*left->type) + " and '" + text_of(right->span) + "' a " +
            name_of(*right->type),
        span, "compare values of one type, or write a CAST");
  return false;
}

bool Binding::bad_literal(const BoundExpr& literal, Type type, const BoundExpr* beside, std::string_view more) {
  const RelationColumn* column = beside != nullptr ? column_of(*beside) : nullptr;
  const bool element = column != nullptr && column->type && contract::is_array(*column->type);
  const std::string who = element             ? "an element of '" + column->name + "' is "
                          : column != nullptr ? "'" + column->name + "' is "
                                              : std::string("expected ");
  error("bad-literal-type",
        who + std::string(type == Type::kInteger ? "an " : "a ") + name_of(type) +
            (more.empty() ? "" : " " + std::string(more)) + ", and " + as_sql(literal.value) + " is none",
        literal.span, "write a value such as " + std::string(example_of(type)));
  return false;
}

// A bare number beside a text: whether 7 or '007' is meant, quotes say.
bool Binding::bad_text(const BoundExpr& literal, const BoundExpr* beside) {
  const RelationColumn* column = beside != nullptr ? column_of(*beside) : nullptr;
  const std::string text = as_sql(text_value(text_of(literal.span)));
  error("bad-literal-type",
        (column != nullptr ? "'" + column->name + "' is a string" : std::string("expected a string")) + ", and " +
            as_sql(literal.value) + " is none",
        literal.span, "write " + text + " for the text", {}, Edit{literal.span, text});
  return false;
}

// One of the values that the contract lists for the column.
bool Binding::check_allowed(const BoundExpr& literal, const BoundExpr& beside) {
  const RelationColumn* column = column_of(beside);
  if (column == nullptr || column->published == nullptr || column->published->allowed.empty()) return true;
  const std::vector<std::string>& allowed = column->published->allowed;
  if (literal.value.kind != CellKind::kText || std::ranges::find(allowed, literal.value.text) != allowed.end())
    return true;
  if (told_enough()) {
    error("bad-literal-type", {}, literal.span);
    return false;
  }
  const std::vector<std::string> near = near_names(literal.value.text, allowed);
  std::optional<Edit> edit;
  if (!near.empty()) edit = Edit{literal.span, as_sql(text_value(near.front()))};
  error("bad-literal-type",
        "'" + column->name + "' is never '" + literal.value.text + "': it is one of " + list_of(allowed), literal.span,
        near.empty() ? "write one of them" : "did you mean '" + near.front() + "'?", {}, std::move(edit));
  return false;
}

namespace {

bool become(BoundExpr& literal, CellKind kind, std::string text, Type type) {
  literal.value = Value();
  literal.value.kind = kind;
  literal.value.text = std::move(text);
  literal.type = type;
  return true;
}

std::optional<bool> truth_of_value(const Value& value) {
  if (value.kind == CellKind::kText) return truth_of(value.text);
  if (value.kind == CellKind::kBoolean) return value.integer != 0;
  if (value.kind == CellKind::kInteger && (value.integer == 0 || value.integer == 1)) return value.integer == 1;
  return std::nullopt;
}

}  // namespace

bool Binding::coerce_number(BoundExpr& literal, Type type, const BoundExpr* beside, bool exact) {
  const CellKind kind = literal.value.kind;
  if (kind == CellKind::kText) {
    std::optional<Value> number = number_of(literal.value.text);
    if (!number) return bad_literal(literal, type, beside);
    literal.value = *std::move(number);
    literal.type = literal.value.kind == CellKind::kInteger   ? Type::kInteger
                   : literal.value.kind == CellKind::kDecimal ? Type::kDecimal
                                                              : Type::kNumber;
  } else if (kind != CellKind::kInteger && kind != CellKind::kDecimal && kind != CellKind::kReal64) {
    return bad_literal(literal, type, beside);
  }
  if (type == Type::kNumber) as_real(literal);
  const bool too_wide = literal.value.kind == CellKind::kDecimal && literal.value.text.find('.') == std::string::npos;
  if (too_wide && type == Type::kInteger) return bad_literal(literal, type, beside, "of 64 bits");
  const bool whole = literal.value.kind == CellKind::kInteger;
  return whole || !exact || type != Type::kInteger || bad_literal(literal, type, beside);
}

bool Binding::coerce_date(BoundExpr& literal, const BoundExpr* beside, bool exact) {
  if (literal.type == Type::kDate) return true;
  if (literal.type == Type::kDatetime) return !exact || bad_literal(literal, Type::kDate, beside);
  const std::string text = literal.value.text;
  if (literal.value.kind != CellKind::kText) return bad_literal(literal, Type::kDate, beside);
  if (const auto date = canonical_date(text)) return become(literal, CellKind::kTemporal, *date, Type::kDate);
  const auto time = canonical_datetime(text);
  return time && !exact ? become(literal, CellKind::kTemporal, *time, Type::kDatetime)
                        : bad_literal(literal, Type::kDate, beside);
}

bool Binding::coerce(BoundExpr& literal, Type type, const BoundExpr* beside, bool exact) {
  if (literal.value.is_null()) return true;
  const CellKind kind = literal.value.kind;
  switch (type) {
    case Type::kString:
      if (kind == CellKind::kText) return beside == nullptr || check_allowed(literal, *beside);
      if (is_time(literal.type) || literal.type == Type::kUuid)
        return become(literal, CellKind::kText, literal.value.text, type);
      return bad_text(literal, beside);
    case Type::kInteger:
    case Type::kNumber:
    case Type::kDecimal:
      return coerce_number(literal, type, beside, exact);
    case Type::kBoolean: {
      const std::optional<bool> truth = truth_of_value(literal.value);
      if (!truth) return bad_literal(literal, type, beside);
      (void)become(literal, CellKind::kBoolean, "", type);
      literal.value.integer = *truth ? 1 : 0;
      return true;
    }
    case Type::kDate:
      return coerce_date(literal, beside, exact);
    case Type::kDatetime: {
      if (literal.type == Type::kDatetime) return true;
      if (kind != CellKind::kText && literal.type != Type::kDate) return bad_literal(literal, type, beside);
      const auto time = canonical_datetime(literal.value.text);
      return time ? become(literal, CellKind::kTemporal, *time, type) : bad_literal(literal, type, beside);
    }
    case Type::kUuid: {
      if (literal.type == Type::kUuid) return true;
      const auto uuid = kind == CellKind::kText ? canonical_uuid(literal.value.text) : std::nullopt;
      return uuid ? become(literal, CellKind::kOther, *uuid, type) : bad_literal(literal, type, beside);
    }
    case Type::kJson:
      if (kind != CellKind::kText || !json::parse(literal.value.text).ok()) return bad_literal(literal, type, beside);
      if (literal.value.text.find("\\u0000") != std::string::npos) return bad_literal(literal, type, beside);
      literal.type = type;
      return true;
    case Type::kStringArray:
    case Type::kIntegerArray:
      return bad_literal(literal, type, beside);
  }
  return false;
}

BoundPtr Binding::between(const Ast& ast) {
  const Span before = std::exchange(construct_, ast.span);
  for (std::size_t i = 1; i < 3; ++i) {
    if (is_null_literal(*ast.children[i])) (void)null_comparison(ast, *ast.children[0], false);
  }
  BoundPtr value = expr(*ast.children[0]);
  BoundPtr low = expr(*ast.children[1]);
  BoundPtr high = expr(*ast.children[2]);
  construct_ = before;
  if (value == nullptr || low == nullptr || high == nullptr) return nullptr;
  if (value->type && contract::is_array(*value->type)) {
    return error("bad-literal-type", "an array lies between nothing", ast.span,
                 "ask CARDINALITY(array) BETWEEN 1 AND 3");
  }
  const bool fine = comparable(value, low, ast.span);
  if (!comparable(value, high, ast.span) || !fine) return nullptr;
  BoundPtr made =
      make_bound(BoundKind::kBetween, Type::kBoolean, ast.span, value->nullable || low->nullable || high->nullable);
  made->children.push_back(std::move(value));
  made->children.push_back(std::move(low));
  made->children.push_back(std::move(high));
  align_times(made->children);
  if (!ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, made->nullable);
  negation->children.push_back(std::move(made));
  return negation;
}

BoundPtr Binding::in(const Ast& ast) {
  const bool one_column =
      ast.select == nullptr && ast.children.size() == 2 && ast.children[1]->kind == ExprKind::kColumn;
  if (one_column) {  // 'a' IN (tags) is 'a' = ANY(tags)
    const BoundPtr item = expr(*ast.children[1]);
    if (item == nullptr) return nullptr;
    if (item->type && contract::is_array(*item->type)) return in_array(ast);
  }
  const Span before = std::exchange(construct_, ast.span);
  BoundPtr left = expr(*ast.children.front());
  BoundPtr made;
  if (left != nullptr) made = ast.select != nullptr ? in_select(ast, std::move(left)) : in_list(ast, std::move(left));
  construct_ = before;
  if (made == nullptr || !ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, made->nullable);
  negation->children.push_back(std::move(made));
  return negation;
}

BoundPtr Binding::in_list(const Ast& ast, BoundPtr left) {
  if (left->type && contract::is_array(*left->type)) {
    const std::string list = text_of({ast.children[1]->span.start, ast.children.back()->span.end});
    const std::string name = text_of(ast.children.front()->span);
    const std::string form = (ast.negated ? "NOT " : "") + name + " OVERLAP (" + list + ")";
    return error("in-list-on-array", "'" + name + "' is an array, and an array is in no list of values", ast.span,
                 "write " + form + " for \"shares an element\", or " + name + " = (" + list + ") for \"equal as sets\"",
                 {}, Edit{ast.span, form});
  }
  if (ast.children.size() == 2 && is_null_literal(*ast.children[1])) {
    return null_comparison(ast, *ast.children.front(), ast.negated);
  }
  if (ast.children.size() == 1) {
    return error("syntax-error", "IN () holds nothing", ast.span, "write a value, or leave the condition out");
  }
  BoundPtr made = make_bound(BoundKind::kIn, Type::kBoolean, ast.span, left->nullable);
  made->children.push_back(std::move(left));
  bool fine = true;
  for (std::size_t i = 1; i < ast.children.size(); ++i) {
    const Ast& item = *ast.children[i];
    if (is_null_literal(item)) {
      const std::string name = text_of(ast.children.front()->span);
      const std::string form = name + (ast.negated ? " IS NOT NULL" : " IS NULL");
      error("null-comparison",
            ast.negated ? "NOT IN with a NULL matches nothing" : "a NULL in the list of IN is never matched", item.span,
            "leave NULL out of the list, and write " + form);
      fine = false;
      continue;
    }
    BoundPtr value = expr(item);
    if (value == nullptr || !comparable(made->children.front(), value, item.span)) {
      fine = false;
      continue;
    }
    note_outside_scope(Op::kEqual, *made->children.front(), *value);
    made->nullable = made->nullable || value->nullable;
    made->children.push_back(std::move(value));
  }
  if (!fine) return nullptr;
  align_times(made->children);
  return made;
}

namespace {

// Whether no row that the condition lets through has NULL in the column: a comparison with it, or IS NOT NULL.
bool excludes_null(const BoundExpr& condition, const BoundExpr& column) {
  const auto any = [&] {
    return std::ranges::any_of(condition.children, [&](const BoundPtr& child) { return same_expr(*child, column); });
  };
  switch (condition.kind) {
    case BoundKind::kAnd:
      return std::ranges::any_of(condition.children,
                                 [&](const BoundPtr& child) { return excludes_null(*child, column); });
    case BoundKind::kNot: {
      const BoundExpr& child = *condition.children[0];
      return child.kind == BoundKind::kIsNull && same_expr(*child.children[0], column);
    }
    case BoundKind::kCompare:
      return condition.op != Op::kDistinct && condition.op != Op::kNotDistinct && any();
    case BoundKind::kIn:
    case BoundKind::kBetween:
    case BoundKind::kLike:
      return same_expr(*condition.children[0], column);
    default:
      return false;
  }
}

}  // namespace

BoundPtr Binding::in_select(const Ast& ast, BoundPtr left) {
  std::unique_ptr<BoundSelect> inner = one_column(ast, "IN");
  if (inner == nullptr) return nullptr;
  const BoundExpr& item = *inner->items.front().expr;
  if (!may_compare(item, ast.select->items.front().expr->span)) return nullptr;
  if (left->type && contract::is_array(*left->type)) {
    return error("in-list-on-array", "'" + text_of(left->span) + "' is an array, and the subquery gives single values",
                 ast.span, "write EXISTS (SELECT 1 FROM … WHERE x = ANY(" + text_of(left->span) + "))");
  }
  if (ast.negated && item.nullable && !(inner->where != nullptr && excludes_null(*inner->where, item))) {
    const std::string name = text_of(ast.select->items.front().expr->span);
    return error("null-comparison", "NOT IN with a subquery that can give NULL matches nothing as soon as it gives one",
                 ast.span, "add WHERE " + name + " IS NOT NULL to the subquery, or write NOT EXISTS");
  }
  if (left->type == Type::kJson || item.type == Type::kJson) {
    return error("unsupported-construct", "JSON can't be compared", ast.span, "read the column whole");
  }
  if (left->type && item.type && *left->type != *item.type) {
    const bool numbers = is_number(left->type) && is_number(item.type);
    if (left->kind == BoundKind::kLiteral) {
      if (!coerce(*left, *item.type, nullptr)) return nullptr;
    } else if (!numbers) {
      return error("bad-literal-type",
                   "'" + text_of(left->span) + "' is a " + name_of(*left->type) + " and the subquery gives a " +
                       name_of(*item.type),
                   ast.span, "compare values of one type, or write a CAST");
    }
  }
  BoundPtr made = make_bound(BoundKind::kInSelect, Type::kBoolean, ast.span, left->nullable || item.nullable);
  made->children.push_back(std::move(left));
  made->select = std::move(inner);
  return made;
}

// Whether all that the expression reads may be searched for: a comparison with a subquery's values is a filter on them.
bool Binding::may_compare(const BoundExpr& item, Span span) {
  if (const RelationColumn* column = column_of(item)) {
    return with_use(Use::kFilter, [&] { return may_use(*relations_[item.relation], *column, span); });
  }
  return std::ranges::all_of(item.children, [&](const BoundPtr& child) { return may_compare(*child, span); });
}

BoundPtr Binding::like(const Ast& ast) {
  const Span before = std::exchange(construct_, ast.span);
  BoundPtr value = expr(*ast.children[0]);
  BoundPtr pattern = expr(*ast.children[1]);
  bool fine = value != nullptr && pattern != nullptr && text(*value, ast);
  if (fine && is_null_literal(*ast.children[1])) {
    (void)null_comparison(ast, *ast.children[0], ast.negated);
    fine = false;
  }
  fine = fine && text(*pattern, ast);
  construct_ = before;
  if (!fine) return nullptr;
  BoundPtr made = make_bound(BoundKind::kLike, Type::kBoolean, ast.span, value->nullable || pattern->nullable);
  made->fold = ast.fold;
  if (ast.children.size() > 2) {
    const Ast& escape = *ast.children[2];
    const bool one =
        escape.kind == ExprKind::kLiteral && escape.literal == LiteralKind::kText && escape.text.size() == 1;
    if (!one) return error("syntax-error", "ESCAPE takes one character", escape.span, "write ESCAPE '!'");
    made->text = escape.text;
  }
  if (pattern->kind == BoundKind::kLiteral && !made->text.empty()) {
    std::size_t escapes = 0;
    const std::string& written = pattern->value.text;
    while (escapes < written.size() && written[written.size() - 1 - escapes] == made->text.front()) ++escapes;
    if (escapes % 2 == 1) {
      return error("syntax-error", "the pattern ends in its escape character", ast.children[1]->span,
                   "double it, or leave it out");
    }
  }
  made->children.push_back(std::move(value));
  made->children.push_back(std::move(pattern));
  if (!ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, made->nullable);
  negation->children.push_back(std::move(made));
  return negation;
}

}  // namespace candor::bind
