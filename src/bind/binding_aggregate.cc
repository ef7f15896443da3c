// Aggregates.
#include <utility>

#include "bind/binding.h"

namespace candor::bind {

using dialect::ExprKind;

BoundPtr Binding::aggregate(const Ast& ast, Aggregate which) {
  const std::string& name = ast.names.front().text;
  if (level_ == nullptr || !level_->aggregates_allowed) {
    return error(
        "aggregate-in-where", "'" + text_of(ast.span) + "' stands where rows are chosen, before they are grouped",
        ast.span,
        "write the condition in HAVING, or compare with a subquery: (SELECT " + text_of(ast.span) + " FROM …)");
  }
  if (level_->inside_aggregate) {
    return error("unsupported-construct", "an aggregate of an aggregate is not part of the dialect", ast.span,
                 "write the inner one in WITH");
  }
  level_->has_aggregate = true;
  level_->inside_aggregate = true;
  BoundPtr made = make_bound(BoundKind::kAggregate, std::nullopt, ast.span, which != Aggregate::kCount);
  made->aggregate = which;
  if (which == Aggregate::kCount) made->type = Type::kInteger;
  made->distinct = ast.distinct;
  bool fine = true;
  if (ast.star) {
    if (which != Aggregate::kCount) {
      error("syntax-error", name + "(*) means nothing", ast.span, "write " + name + "(column)");
      fine = false;
    }
  } else if (which == Aggregate::kCount && ast.children.empty()) {
    fine = true;  // COUNT()
  } else {
    fine = with_use(Use::kAggregate, [&] { return aggregate_argument(*made, ast); });
  }
  if (ast.filter != nullptr) {
    made->condition = with_use(Use::kFilter, [&] { return condition(*ast.filter); });
    fine = fine && made->condition != nullptr;
  }
  level_->inside_aggregate = false;
  return fine ? std::move(made) : nullptr;
}

// COUNT_IF(condition) is COUNT(*) FILTER (WHERE condition).
BoundPtr Binding::count_if(const Ast& ast) {
  if (ast.children.size() != 1) {
    return error("syntax-error", "COUNT_IF takes a condition", ast.span, "write COUNT(*) FILTER (WHERE …)");
  }
  Ast none;
  none.kind = ExprKind::kFunction;
  none.span = ast.span;
  none.names = ast.names;
  none.star = true;
  BoundPtr made = aggregate(none, Aggregate::kCount);
  if (made == nullptr) return nullptr;
  level_->inside_aggregate = true;
  made->condition = with_use(Use::kFilter, [&] { return condition(*ast.children.front()); });
  level_->inside_aggregate = false;
  return made->condition != nullptr ? std::move(made) : nullptr;
}

bool Binding::aggregate_argument(BoundExpr& made, const Ast& ast) {
  const std::string& name = ast.names.front().text;
  const std::size_t most = made.aggregate == Aggregate::kJoin ? 2 : 1;
  if (ast.children.empty() || ast.children.size() > most) {
    error("syntax-error",
          name + " takes " + std::to_string(most) + (most == 1 ? " argument" : " arguments: a text and a separator"),
          ast.span, "count the arguments");
    return false;
  }
  BoundPtr child = expr(*ast.children.front());
  if (child == nullptr) return false;
  if (!ast.order.empty() && made.aggregate != Aggregate::kJoin) {
    error("unsupported-construct", "ORDER BY inside of " + name + " changes nothing", ast.span, "leave it out");
    return false;
  }
  const bool array = child->type && (contract::is_array(*child->type) || child->type == Type::kJson);
  switch (made.aggregate) {
    case Aggregate::kCount:
      made.type = Type::kInteger;
      if (array && made.distinct) {
        error("unsupported-construct", "COUNT(DISTINCT array) is not part of the dialect", ast.span,
              "UNNEST the array and count its elements");
        return false;
      }
      break;
    case Aggregate::kSum:
    case Aggregate::kAverage:
      if (child->type == Type::kBoolean) {  // a habit for counting
        BoundPtr cast = make_bound(BoundKind::kCast, Type::kInteger, child->span, child->nullable);
        cast->children.push_back(std::move(child));
        child = std::move(cast);
      }
      if (!number(*child, name)) return false;
      made.type = made.aggregate == Aggregate::kAverage ? Type::kNumber : child->type;
      break;
    case Aggregate::kMinimum:
    case Aggregate::kMaximum:
      if (array || child->type == Type::kBoolean) {
        error("bad-literal-type",
              name + " takes numbers, texts and times, and '" + text_of(ast.children.front()->span) + "' has no order",
              ast.span, child->type == Type::kBoolean ? "write COUNT(*) FILTER (WHERE …)" : "UNNEST the array");
        return false;
      }
      made.type = child->type;
      break;
    case Aggregate::kJoin:
      if (!join_argument(made, child, ast)) return false;
      break;
  }
  for (const dialect::OrderItem& item : ast.order) {
    BoundPtr key = with_use(Use::kOrder, [&] { return expr(*item.expr); });
    if (key == nullptr) return false;
    made.order.push_back({std::move(key), item.descending, item.nulls == dialect::Nulls::kFirst});
  }
  // Without an order a DISTINCT would come as the engine's hash has it.
  if (made.aggregate == Aggregate::kJoin && made.distinct && made.order.empty())
    made.order.push_back({copy_of(*child), false, false});
  made.children.push_back(std::move(child));
  return true;
}

// The text of STRING_AGG, and its separator.
bool Binding::join_argument(BoundExpr& made, BoundPtr& child, const Ast& ast) {
  const std::string& name = ast.names.front().text;
  const bool castable = child->type == Type::kInteger || child->type == Type::kDecimal || is_time(child->type) ||
                        child->type == Type::kUuid;
  if (castable) {
    BoundPtr cast = make_bound(BoundKind::kCast, Type::kString, child->span, child->nullable);
    cast->children.push_back(std::move(child));
    child = std::move(cast);
  } else if (!text(*child, ast)) {
    return false;
  }
  made.type = Type::kString;
  made.text = ",";
  if (ast.children.size() < 2) return true;
  const Ast& separator = *ast.children[1];
  if (separator.kind != ExprKind::kLiteral || separator.literal != dialect::LiteralKind::kText) {
    error("unsupported-construct", "the separator of " + name + " is a text in quotes", separator.span, "write ', '");
    return false;
  }
  made.text = separator.text;
  return true;
}

}  // namespace candor::bind
