// Operators as nodes, expressions as text: `(cards.reps > 5 AND decks.name = 'x')`. A subquery of an expression is a node of
// its own, named by a number.
#include "bind/plan_text.h"

#include <array>
#include <map>
#include <set>
#include <utility>

#include "bind/literals.h"
#include "dialect/printer.h"

namespace candor::bind {
namespace {

std::string type_text(std::optional<Type> type) { return std::string(type ? contract::to_string(*type) : "null"); }

// In the order of the two enumerations.
constexpr std::array<std::string_view, 28> kFunctionNames = {
    "LOWER",        "UPPER",    "TRIM",       "LTRIM",   "RTRIM",    "LENGTH",   "SUBSTR",
    "REPLACE",      "POSITION", "CONCAT",     "LEFT",    "RIGHT",    "COALESCE", "NULLIF",
    "ABS",          "ROUND",    "FLOOR",      "CEIL",    "GREATEST", "LEAST",    "NOW",
    "CURRENT_DATE", "DATE",     "DATE_TRUNC", "EXTRACT", "STRFTIME", "RANDOM",   "CARDINALITY"};
static_assert(kFunctionNames.size() == static_cast<std::size_t>(Function::kArrayLength) + 1);

constexpr std::array<std::string_view, 6> kAggregateNames = {"COUNT", "SUM", "AVG", "MIN", "MAX", "STRING_AGG"};
static_assert(kAggregateNames.size() == static_cast<std::size_t>(Aggregate::kJoin) + 1);

std::string name_of(Function function) { return std::string(kFunctionNames.at(static_cast<std::size_t>(function))); }
std::string name_of(Aggregate aggregate) {
  return std::string(kAggregateNames.at(static_cast<std::size_t>(aggregate)));
}

class PlanText {
 public:
  Outline select(const BoundSelect& plan);
  Outline write(const BoundWrite& plan);

 private:
  void know(const Relation& relation) { relations_[relation.id] = &relation; }
  void know(const BoundSelect& plan) {
    for (const auto& relation : plan.from) know(*relation);
  }

  Outline relation(const Relation& one);
  Outline from(const BoundSelect& plan);
  Outline aggregate(const BoundSelect& plan, Outline below);
  void finish(Outline& node);  // subqueries that its text named
  std::string columns(const Relation& one) const;
  std::string items(const std::vector<BoundItem>& items);
  std::string order(const std::vector<BoundOrder>& order);

  std::string expr(const BoundExpr& one);
  std::string operands(const BoundExpr& one, std::string_view between, std::size_t first = 0);
  std::string literal(const BoundExpr& one) const;
  std::string column(const BoundExpr& one) const;
  std::string function(const BoundExpr& one);
  std::string aggregate_call(const BoundExpr& one);
  std::string case_of(const BoundExpr& one);
  std::string interval(const BoundExpr& one);
  std::string subquery(const BoundExpr& one);

  std::map<std::size_t, const Relation*> relations_;
  std::set<const BoundSelect*> shown_;
  std::vector<const BoundSelect*> waiting_;  // named by a text that is not finished
  std::size_t subqueries_ = 0;
};

// ---- expressions ----

std::string PlanText::operands(const BoundExpr& one, std::string_view between, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < one.children.size(); ++i)
    text += (i == first ? "" : std::string(between)) + expr(*one.children[i]);
  return text;
}

std::string PlanText::literal(const BoundExpr& one) const {
  const bool plain = one.value.is_null() || !one.type || *one.type == Type::kString || *one.type == Type::kInteger ||
                     *one.type == Type::kBoolean;
  return (plain ? "" : type_text(one.type) + " ") + as_sql(one.value);
}

std::string PlanText::column(const BoundExpr& one) const {
  const Relation& relation = *relations_.at(one.relation);
  return dialect::name_in_sql(relation.alias) + "." + dialect::name_in_sql(relation.columns[one.column].name);
}

std::string PlanText::function(const BoundExpr& one) {
  const std::string text =
      one.text.empty() ? std::string() : as_sql(text_value(one.text)) + (one.children.empty() ? "" : ", ");
  return name_of(one.function) + "(" + text + operands(one, ", ") + ")";
}

std::string PlanText::aggregate_call(const BoundExpr& one) {
  std::string text = name_of(one.aggregate) + "(" + (one.distinct ? "DISTINCT " : "") +
                     (one.children.empty() ? "*" : operands(one, ", "));
  if (!one.order.empty()) text += " ORDER BY " + order(one.order);
  text += ")";
  return one.condition != nullptr ? text + " FILTER (WHERE " + expr(*one.condition) + ")" : text;
}

std::string PlanText::case_of(const BoundExpr& one) {
  std::string text = "CASE";
  for (std::size_t i = 0; i + 1 < one.children.size(); i += 2)
    text += " WHEN " + expr(*one.children[i]) + " THEN " + expr(*one.children[i + 1]);
  if (one.children.size() % 2 == 1) text += " ELSE " + expr(*one.children.back());
  return text + " END";
}

std::string PlanText::interval(const BoundExpr& one) {
  std::string text = "(" + expr(*one.children[0]) + " + interval";
  const auto add = [&](std::int64_t count, std::string_view unit) {
    if (count != 0) text += " " + std::to_string(count) + " " + std::string(unit);
  };
  add(one.months, "months");
  add(one.days, "days");
  add(one.microseconds, "microseconds");
  return text + ")";
}

std::string PlanText::subquery(const BoundExpr& one) {
  waiting_.push_back(one.select.get());
  return "(subquery " + std::to_string(subqueries_ + waiting_.size()) + ")";
}

std::string PlanText::expr(const BoundExpr& one) {
  switch (one.kind) {
    case BoundKind::kLiteral:
      return literal(one);
    case BoundKind::kColumn:
      return column(one);
    case BoundKind::kNot:
      return "NOT " + expr(*one.children[0]);
    case BoundKind::kAnd:
      return "(" + operands(one, " AND ") + ")";
    case BoundKind::kOr:
      return "(" + operands(one, " OR ") + ")";
    case BoundKind::kCompare:
    case BoundKind::kArithmetic:
      return "(" + operands(one, " " + std::string(dialect::to_string(one.op)) + " ") + ")";
    case BoundKind::kNegate:
      return "-" + expr(*one.children[0]);
    case BoundKind::kConcat:
      return "(" + operands(one, " || ") + ")";
    case BoundKind::kAddInterval:
      return interval(one);
    case BoundKind::kIsNull:
      return "(" + expr(*one.children[0]) + " IS NULL)";
    case BoundKind::kIsTruth:
      return "(" + expr(*one.children[0]) + (one.truth ? " IS TRUE)" : " IS FALSE)");
    case BoundKind::kBetween:
      return "(" + expr(*one.children[0]) + " BETWEEN " + operands(one, " AND ", 1) + ")";
    case BoundKind::kIn:
      return "(" + expr(*one.children[0]) + " IN (" + operands(one, ", ", 1) + "))";
    case BoundKind::kInSelect:
      return "(" + expr(*one.children[0]) + " IN " + subquery(one) + ")";
    case BoundKind::kLike: {
      const std::string escape = one.text.empty() ? "" : " ESCAPE " + as_sql(text_value(one.text));
      return "(" + operands(one, one.fold ? " ILIKE " : " LIKE ") + escape + ")";
    }
    case BoundKind::kExists:
      return "EXISTS " + subquery(one);
    case BoundKind::kScalar:
      return subquery(one);
    case BoundKind::kFunction:
      return function(one);
    case BoundKind::kAggregate:
      return aggregate_call(one);
    case BoundKind::kCase:
      return case_of(one);
    case BoundKind::kCast:
      return "CAST(" + expr(*one.children[0]) + " AS " + type_text(one.type) + ")";
    case BoundKind::kArray:
      return type_text(one.type) + " [" + operands(one, ", ") + "]";
    case BoundKind::kOverlap:
      return "(" + operands(one, " OVERLAP ") + ")";
    case BoundKind::kContainsAll:
      return "(" + operands(one, " CONTAINS ") + ")";
    case BoundKind::kHas:
      return "(" + expr(*one.children[1]) + " = ANY(" + expr(*one.children[0]) + "))";
    case BoundKind::kArrayEqual:
      return "(" + operands(one, " = ") + " as sets)";
    case BoundKind::kContainsText:
      return "MATCH(" + operands(one, ", ") + ")";
  }
  return {};
}

std::string PlanText::items(const std::vector<BoundItem>& items) {
  std::string text;
  for (const BoundItem& item : items) {
    const std::string made = expr(*item.expr);
    text += (text.empty() ? "" : ", ") + made;
    const bool named = item.expr->kind == BoundKind::kColumn && made.ends_with("." + dialect::name_in_sql(item.name));
    if (!named) text += " AS " + dialect::name_in_sql(item.name);
    text += ": " + type_text(item.expr->type) + (item.expr->nullable ? "" : " not null");
  }
  return text;
}

std::string PlanText::order(const std::vector<BoundOrder>& order) {
  std::string text;
  for (const BoundOrder& one : order) {
    text += (text.empty() ? "" : ", ") + expr(*one.expr) + (one.descending ? " DESC" : " ASC") +
            (one.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  return text;
}

// ---- operators ----

// The subqueries that the text of the operator named stand below it, after its input.
void PlanText::finish(Outline& node) {
  const std::vector<const BoundSelect*> named = std::exchange(waiting_, {});
  const std::size_t first = subqueries_ + 1;
  subqueries_ += named.size();
  for (std::size_t i = 0; i < named.size(); ++i) {
    Outline one{"Subquery", std::to_string(first + i) + (named[i]->correlated ? ", for each row" : ""), {}, {}};
    one.add(select(*named[i]));
    node.add(std::move(one));
  }
}

std::string PlanText::columns(const Relation& one) const {
  std::string text;
  for (const std::size_t position : one.used) {
    const RelationColumn& column = one.columns[position];
    text += (text.empty() ? "" : ", ") + dialect::name_in_sql(column.name) + ": " + type_text(column.type) +
            (column.nullable ? "" : " not null");
  }
  return text.empty() ? "no column" : text;
}

Outline PlanText::relation(const Relation& one) {
  know(one);
  Outline made{"Scan", "", {}, {}};
  if (one.span.end > one.span.start) made.span = one.span;  // of a write's target the statement's own is enough
  const std::string alias = dialect::name_in_sql(one.alias);
  switch (one.kind) {
    case RelationKind::kScan: {
      const std::string name = dialect::name_in_sql(one.resource->name);
      made.detail = name + (alias == name ? "" : " AS " + alias) + " (" + columns(one) + ")";
      if (!one.resource->soft_delete.empty()) made.detail += ", " + one.resource->soft_delete + " is null";
      break;
    }
    case RelationKind::kUnnest:
      made.node = "Unnest";
      made.detail = expr(*one.array) + " AS " + alias + " (" + columns(one) + ")";
      break;
    case RelationKind::kRows:
      made.node = "Rows";
      made.detail = alias + ", told by the contract: " + std::to_string(one.rows.size());
      break;
    case RelationKind::kDerived:
      made.node = one.common ? "With" : "Derived";
      made.detail = alias;
      // A common table stands where it is read first.
      if (shown_.insert(one.select.get()).second) {
        made.add(select(*one.select));
      } else {
        made.detail += ", as above";
      }
      break;
  }
  return made;
}

Outline PlanText::from(const BoundSelect& plan) {
  if (plan.from.empty()) return {"OneRow", "", {}, {}};
  Outline tree = relation(*plan.from.front());
  for (std::size_t i = 1; i < plan.from.size(); ++i) {
    const Relation& right = *plan.from[i];
    const std::string kind = right.join == dialect::JoinKind::kLeft ? "left" : right.on != nullptr ? "inner" : "cross";
    Outline made{"Join", kind, {}, {}};
    made.add(std::move(tree));
    made.add(relation(right));
    if (right.on != nullptr) made.detail += " on " + expr(*right.on);
    finish(made);
    tree = std::move(made);
  }
  return tree;
}

Outline PlanText::aggregate(const BoundSelect& plan, Outline below) {
  std::string keys;
  for (const BoundPtr& one : plan.group_by) keys += (keys.empty() ? "by " : ", ") + expr(*one);
  Outline made{"Aggregate", keys.empty() ? "all rows" : keys, {}, {}};
  made.add(std::move(below));
  finish(made);
  return made;
}

Outline PlanText::select(const BoundSelect& plan) {
  know(plan);
  Outline tree = from(plan);
  const auto above = [&](std::string node, std::string detail) {
    Outline made{std::move(node), std::move(detail), {}, {}};
    made.add(std::move(tree));
    finish(made);
    tree = std::move(made);
  };
  if (plan.where != nullptr) above("Filter", expr(*plan.where));
  if (plan.grouped) tree = aggregate(plan, std::move(tree));
  if (plan.having != nullptr) above("Filter", expr(*plan.having));
  above("Project", items(plan.items));
  if (plan.distinct) above("Distinct", "");
  if (!plan.order_by.empty()) above("Sort", order(plan.order_by));
  if (plan.limit || plan.offset > 0) {
    above("Limit", (plan.limit ? std::to_string(*plan.limit) : std::string("all")) +
                       (plan.offset > 0 ? " offset " + std::to_string(plan.offset) : ""));
  }
  return tree;
}

// ---- writes ----

Outline PlanText::write(const BoundWrite& plan) {
  const bool insert = plan.kind == dialect::Write::Kind::kInsert;
  const contract::Resource& resource = *plan.resource;
  Outline made{insert                                       ? "Insert"
               : plan.kind == dialect::Write::Kind::kUpdate ? "Update"
                                                            : "Delete",
               dialect::name_in_sql(resource.name),
               {},
               {}};
  if (!insert) made.detail += ", by key " + resource.key;
  if (plan.target != nullptr) know(*plan.target);
  if (plan.excluded != nullptr) know(*plan.excluded);
  const auto set = [&](Outline& parent, const std::vector<BoundAssignment>& assignments) {
    for (const BoundAssignment& one : assignments) {
      const contract::Column& column = resource.columns[one.column];
      Outline& node =
          parent.add({"Set", column.name + ": " + type_text(column.type) + " = " + expr(*one.value), {}, {}});
      finish(node);
    }
  };
  for (const auto& row : plan.rows) {
    std::string values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const contract::Column& column = resource.columns[plan.columns[i]];
      values += (values.empty() ? "" : ", ") + column.name + ": " + type_text(column.type) + " = " +
                (row[i] == nullptr ? std::string("DEFAULT") : expr(*row[i]));
    }
    finish(made.add({"Row", values, {}, {}}));
  }
  if (plan.on_conflict) {
    Outline& conflict = made.add({"OnConflict", plan.conflict_set.empty() ? "do nothing" : "do update", {}, {}});
    set(conflict, plan.conflict_set);
    if (plan.conflict_where != nullptr) finish(conflict.add({"Filter", expr(*plan.conflict_where), {}, {}}));
  }
  set(made, plan.set);
  if (!plan.returning.empty()) finish(made.add({"Returning", items(plan.returning), {}, {}}));
  if (insert) return made;
  Outline* below = &made;
  if (plan.where != nullptr) {
    below = &made.add({"Filter", expr(*plan.where), {}, {}});
    below->add(relation(*plan.target));
    finish(*below);
  } else {
    made.add(relation(*plan.target));
  }
  return made;
}

}  // namespace

Outline outline_of(const BoundStatement& statement) {
  if (statement.select != nullptr) return PlanText().select(*statement.select);
  if (statement.write != nullptr) return PlanText().write(*statement.write);
  if (statement.discovery == nullptr) return {};
  const BoundDiscovery& discovery = *statement.discovery;
  Outline made{"Discover", "", {}, {}};
  made.detail = discovery.resource != nullptr ? "columns of " + discovery.resource->name : "resources";
  if (discovery.pattern) made.detail += " like " + as_sql(text_value(*discovery.pattern));
  return made;
}

}  // namespace candor::bind
