// Arrays: all spellings of their predicates, and what is true where they are taken for texts.
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"
#include "bind/literals.h"

namespace candor::bind {

using dialect::ExprKind;
using dialect::LiteralKind;

namespace {

Type element_of(Type array) { return array == Type::kStringArray ? Type::kString : Type::kInteger; }

}  // namespace

// A list, one value in parentheses, or '{a,b}', as an array of the type.
BoundPtr Binding::array_value(const Ast& ast, Type type, const BoundExpr& beside) {
  BoundPtr made = make_bound(BoundKind::kArray, type, ast.span, false);
  const auto add = [&](BoundPtr element) {
    if (element == nullptr) return false;
    if (element->kind == BoundKind::kLiteral && element->value.is_null()) {
      const bool filter = use_ == Use::kFilter;
      error(filter ? "null-comparison" : "null-not-allowed", "an element of an array is never NULL", element->span,
            "leave NULL out of the list");
      return false;
    }
    if (element->kind != BoundKind::kLiteral) {
      error("unsupported-construct", "an array is written with values alone", element->span, "write the values");
      return false;
    }
    if (!coerce(*element, element_of(type), &beside, true)) return false;
    made->children.push_back(std::move(element));
    return true;
  };
  if (ast.kind == ExprKind::kList) {
    bool fine = true;
    for (const dialect::ExprPtr& child : ast.children) fine = add(expr(*child)) && fine;
    return fine ? std::move(made) : nullptr;
  }
  if (ast.kind == ExprKind::kLiteral && ast.literal == LiteralKind::kText && !ast.grouped) {
    if (!spend(static_cast<std::size_t>(std::ranges::count(ast.text, ',')), ast.span)) return nullptr;
    if (const auto elements = braced_elements(ast.text)) {
      for (const std::string& element : *elements) {
        BoundPtr literal = make_bound(BoundKind::kLiteral, Type::kString, ast.span, false);
        literal->value = text_value(element);
        if (!add(std::move(literal))) return nullptr;
      }
      return made;
    }
    return nullptr;
  }
  if (ast.kind == ExprKind::kLiteral && ast.grouped) return add(expr(ast)) ? std::move(made) : nullptr;
  return nullptr;
}

// left is bound; the right side may be a list, a text in braces, or another array.
BoundPtr Binding::array_compare(const Ast& ast, BoundPtr left, const Ast& right_ast) {
  const std::string name = text_of(left->span);
  if (!left->type || !contract::is_array(*left->type)) {
    if (right_ast.kind == ExprKind::kList && !right_ast.children.empty()) {
      const std::string list = text_of({right_ast.children.front()->span.start, right_ast.children.back()->span.end});
      const std::string form = name + (ast.op == Op::kNotEqual ? " NOT IN (" : " IN (") + list + ")";
      return error("bad-literal-type", "'" + name + "' is no array, so it equals no list", ast.span, "write " + form,
                   {}, Edit{ast.span, form});
    }
    return error("bad-literal-type", "'" + name + "' is no array, so it equals no list", ast.span,
                 "compare it with one value");
  }
  const bool equality =
      ast.op == Op::kEqual || ast.op == Op::kNotEqual || ast.op == Op::kDistinct || ast.op == Op::kNotDistinct;
  if (!equality) {
    return error("bad-literal-type", "an array has no order", ast.span,
                 "ask CARDINALITY(" + name + ") > 1, or " + name + " OVERLAP (…)");
  }
  BoundPtr right;
  const bool value = right_ast.kind == ExprKind::kList || right_ast.kind == ExprKind::kLiteral;
  const std::size_t faults = faults_;
  if (value) {
    right = array_value(right_ast, *left->type, *left);
    if (right == nullptr && faults_ == faults) {
      const std::string text = text_of(right_ast.span);
      return error("bad-literal-type",
                   "'" + name + "' is an array of type " + std::string(contract::to_string(*left->type)) + ", and " +
                       text + " is a single value",
                   ast.span,
                   "write " + text + " = ANY(" + name + ") for \"has the element\", or " + name + " = (" + text +
                       ") for \"is exactly this one\"");
    }
  } else {
    right = expr(right_ast);
    if (right != nullptr && right->type != left->type) {
      return error("bad-literal-type",
                   "'" + text_of(right_ast.span) + "' is no " + std::string(contract::to_string(*left->type)), ast.span,
                   "write value = ANY(" + name + ") for \"has the element\"");
    }
  }
  if (right == nullptr) return nullptr;
  const bool nullable = left->nullable || right->nullable;
  BoundPtr made = make_bound(BoundKind::kArrayEqual, Type::kBoolean, ast.span, nullable);
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  const bool exact = ast.op == Op::kDistinct || ast.op == Op::kNotDistinct;
  if (exact && nullable) {
    if (made->children[1]->nullable) {
      return error("unsupported-construct",
                   "IS DISTINCT FROM between two arrays that can be NULL is not part of the dialect", ast.span,
                   "write " + name + " <> (…) OR " + name + " IS NULL");
    }
    // The right side is never NULL, so "the same" is "known, and equal".
    BoundPtr null = make_bound(BoundKind::kIsNull, Type::kBoolean, ast.span, false);
    null->children.push_back(copy_of(*made->children[0]));
    BoundPtr known = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, false);
    known->children.push_back(std::move(null));
    BoundPtr same = make_bound(BoundKind::kAnd, Type::kBoolean, ast.span, false);
    same->children.push_back(std::move(known));
    same->children.push_back(std::move(made));
    BoundPtr truth = make_bound(BoundKind::kIsTruth, Type::kBoolean, ast.span, false);
    truth->children.push_back(std::move(same));
    made = std::move(truth);
  }
  if (ast.op != Op::kNotEqual && ast.op != Op::kDistinct) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, made->nullable);
  negation->children.push_back(std::move(made));
  return negation;
}

BoundPtr Binding::overlap_on_scalar(const Ast& ast, const BoundExpr& left) {
  const Ast& right = *ast.children[1];
  const std::string name = text_of(left.span);
  std::string list = text_of(right.span);
  if (right.kind == ExprKind::kList) {
    list = right.children.empty()
               ? "()"
               : "(" + text_of({right.children.front()->span.start, right.children.back()->span.end}) + ")";
  } else if (right.kind == ExprKind::kLiteral && !right.grouped) {
    list = "(" + list + ")";
  }
  const bool text_contains = ast.op == Op::kContains && left.type == Type::kString && right.kind == ExprKind::kLiteral;
  if (text_contains) {
    const std::string form = "MATCH(" + name + ", " + text_of(right.span) + ")";
    return error("overlap-on-scalar", "'" + name + "' is a text and no array", ast.span,
                 "write " + form + " for a part of a text");
  }
  const bool values = right.kind == ExprKind::kList || right.kind == ExprKind::kLiteral;
  const std::string form = name + " IN " + list;
  return error(
      "overlap-on-scalar",
      "'" + name + "' is a " + std::string(left.type ? contract::to_string(*left.type) : "NULL") + " and no array",
      ast.span, values ? "write " + form : "compare it with =", {},
      values ? std::optional(Edit{ast.span, form}) : std::nullopt);
}

// OVERLAP and CONTAINS, in all their spellings.
BoundPtr Binding::array_operator(const Ast& ast) {
  const Span before = std::exchange(construct_, ast.span);
  const Ast& left_ast = *ast.children[0];
  const Ast& right_ast = *ast.children[1];
  const bool left_list = left_ast.kind == ExprKind::kList;
  BoundPtr left = left_list ? nullptr : expr(left_ast);
  BoundPtr right;
  construct_ = before;
  if (left_list) {  // ARRAY['a'] && tags
    right = expr(right_ast);
    if (right == nullptr) return nullptr;
    if (!right->type || !contract::is_array(*right->type)) return overlap_on_scalar(ast, *right);
    left = array_value(left_ast, *right->type, *right);
    if (left == nullptr) return nullptr;
  }
  if (left == nullptr) return nullptr;
  if (!left->type || !contract::is_array(*left->type)) return overlap_on_scalar(ast, *left);
  // Whether it is a list is seen by reading it.
  if (right_ast.kind == ExprKind::kLiteral && right_ast.text.starts_with('{') &&
      !spend(static_cast<std::size_t>(std::ranges::count(right_ast.text, ',')), right_ast.span)) {
    return nullptr;
  }
  const bool one = ast.op == Op::kContains && right_ast.kind == ExprKind::kLiteral && !right_ast.grouped &&
                   !braced_elements(right_ast.text);
  BoundKind kind = ast.op == Op::kOverlap ? BoundKind::kOverlap : BoundKind::kContainsAll;
  if (one) {
    kind = BoundKind::kHas;
    right = expr(right_ast);
    if (right == nullptr || !coerce(*right, element_of(*left->type), left.get(), true)) return nullptr;
  } else if (right == nullptr && (right_ast.kind == ExprKind::kList || right_ast.kind == ExprKind::kLiteral)) {
    right = array_value(right_ast, *left->type, *left);
    if (right == nullptr) {
      if (right_ast.kind == ExprKind::kList || right_ast.grouped) return nullptr;
      return error("bad-literal-type", "OVERLAP takes a list", right_ast.span,
                   "write " + text_of(left_ast.span) + " OVERLAP (" + text_of(right_ast.span) + ")");
    }
  } else if (right == nullptr) {
    right = expr(right_ast);
    if (right == nullptr) return nullptr;
    if (kind == BoundKind::kContainsAll && right->type == element_of(*left->type)) kind = BoundKind::kHas;
    if (kind != BoundKind::kHas && right->type != left->type) {
      return error("bad-literal-type",
                   "'" + text_of(right_ast.span) + "' is no " + std::string(contract::to_string(*left->type)), ast.span,
                   "write a list of values or another array");
    }
  }
  BoundPtr made = make_bound(kind, Type::kBoolean, ast.span, left->nullable || right->nullable);
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

// 'a' IN tags, 'a' = ANY(tags), 'a' <> ALL(tags).
BoundPtr Binding::in_array(const Ast& ast) {
  const Span before = std::exchange(construct_, ast.span);
  BoundPtr value = expr(*ast.children[0]);
  const Ast& array_ast = *ast.children[1];
  const bool list = array_ast.kind == ExprKind::kList || (array_ast.kind == ExprKind::kLiteral && value != nullptr);
  construct_ = before;
  if (value == nullptr) return nullptr;
  BoundPtr array;
  if (list) {
    const Type type = value->type == Type::kInteger ? Type::kIntegerArray : Type::kStringArray;
    array = array_value(array_ast, type, *value);
  } else {
    array = expr(array_ast);
  }
  if (array == nullptr) return nullptr;
  if (!array->type || !contract::is_array(*array->type)) {
    const std::string name = text_of(array_ast.span);
    return error("in-list-on-array", "'" + name + "' is no array, so nothing is in it", ast.span,
                 "write " + text_of(ast.children[0]->span) + " = " + name);
  }
  if (value->value.is_null() && value->kind == BoundKind::kLiteral) return null_comparison(ast, array_ast, ast.negated);
  if (value->kind == BoundKind::kLiteral) {
    if (!coerce(*value, element_of(*array->type), array.get(), true)) return nullptr;
  } else if (value->type != element_of(*array->type)) {
    return error(
        "bad-literal-type",
        "the elements of " + text_of(array_ast.span) + " are of another type than " + text_of(ast.children[0]->span),
        ast.span, "compare values of one type");
  }
  BoundPtr made = make_bound(BoundKind::kHas, Type::kBoolean, ast.span, value->nullable || array->nullable);
  made->children.push_back(std::move(array));
  made->children.push_back(std::move(value));
  if (!ast.negated) return made;
  BoundPtr negation = make_bound(BoundKind::kNot, Type::kBoolean, ast.span, made->nullable);
  negation->children.push_back(std::move(made));
  return negation;
}

// The construct is told in the agent's own words, for "LIKE" says nothing to who wrote LOWER.
BoundPtr Binding::text_function_on_array(const Ast& call, const BoundExpr& array) {
  const Span whole = construct_.end > construct_.start ? construct_ : call.span;
  const std::string name = text_of(array.span);
  return error("text-function-on-array", "'" + text_of(whole) + "' treats " + name + " as a text, and it is an array",
               call.span,
               "write 'x' = ANY(" + name + ") for one element, " + name +
                   " OVERLAP ('x', 'y') for several, or UNNEST " + name + " AS x and compare x");
}

}  // namespace candor::bind
