// Each kind of node by its name; what is not there is left out.
#include "dialect/tree_text.h"

#include <utility>

#include "dialect/printer.h"

namespace candor::dialect {
namespace {

Outline outline_of(const Expr& expr);
Outline outline_of(const Select& select);

std::string joined(const std::vector<Name>& names, std::string_view separator) {
  std::string text;
  for (const Name& name : names) text += (text.empty() ? "" : std::string(separator)) + name_in_sql(name.text);
  return text;
}

std::string dotted(const std::vector<Name>& names) { return joined(names, "."); }

Outline holder(std::string node, std::string detail = {}) { return {std::move(node), std::move(detail), {}, {}}; }

void add_clause(Outline& parent, std::string node, const ExprPtr& expr) {
  if (expr != nullptr) parent.add(holder(std::move(node))).add(outline_of(*expr));
}

void add_clause(Outline& parent, std::string node, const std::vector<ExprPtr>& list) {
  if (list.empty()) return;
  Outline& clause = parent.add(holder(std::move(node)));
  for (const ExprPtr& one : list) clause.add(outline_of(*one));
}

void add_order(Outline& parent, const std::vector<OrderItem>& items) {
  if (items.empty()) return;
  Outline& order = parent.add(holder("OrderBy"));
  for (const OrderItem& item : items) {
    const std::string detail =
        std::string(item.descending ? "DESC" : "ASC") + (item.nulls == Nulls::kFirst ? " NULLS FIRST" : " NULLS LAST");
    order.add(holder("Key", detail)).add(outline_of(*item.expr));
  }
}

void add_items(Outline& parent, std::string node, const std::vector<SelectItem>& items) {
  if (items.empty()) return;
  Outline& list = parent.add(holder(std::move(node)));
  for (const SelectItem& item : items) {
    if (item.alias) {
      list.add(holder("Alias", name_in_sql(item.alias->text))).add(outline_of(*item.expr));
    } else {
      list.add(outline_of(*item.expr));
    }
  }
}

void add_set(Outline& parent, const std::vector<Assignment>& set) {
  for (const Assignment& one : set) {
    Outline& made = parent.add(holder("Set", name_in_sql(one.column.text)));
    made.span = one.column.span;
    made.add(outline_of(*one.value));
  }
}

// ---- expressions ----

// The node's word, and what it holds besides its children.
std::pair<std::string, std::string> words_of(const Expr& expr) {
  const std::string no = expr.negated ? "NOT" : "";
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return {"Literal", print(expr)};
    case ExprKind::kColumn:
      return {"Column", dotted(expr.names)};
    case ExprKind::kStar:
      return {"Star", dotted(expr.names)};
    case ExprKind::kUnary:
      return {expr.op == Op::kNegate ? "Negate" : "Not", ""};
    case ExprKind::kBinary:
      if (expr.op == Op::kAnd || expr.op == Op::kOr) return {expr.op == Op::kAnd ? "And" : "Or", ""};
      return {is_comparison(expr.op) ? "Compare" : "Operator", std::string(to_string(expr.op))};
    case ExprKind::kIs:
      return {"Is", no + (no.empty() ? "" : " ") + (expr.literal == LiteralKind::kNull ? "NULL" : expr.text)};
    case ExprKind::kBetween:
      return {"Between", no};
    case ExprKind::kIn:
      return {"In", no};
    case ExprKind::kInArray:
      return {"InArray", no};
    case ExprKind::kLike:
      return {expr.fold ? "ILike" : "Like", no};
    case ExprKind::kExists:
      return {"Exists", no};
    case ExprKind::kSubquery:
      return {"Subquery", ""};
    case ExprKind::kFunction:
      return {"Function", dotted(expr.names) + (expr.distinct ? " DISTINCT" : "") + (expr.star ? " *" : "")};
    case ExprKind::kCase:
      return {"Case", ""};
    case ExprKind::kCast:
      return {"Cast", expr.text};
    case ExprKind::kList:
      return {"List", ""};
    case ExprKind::kInterval:
      return {"Interval", expr.text + " " + dotted(expr.names)};
    case ExprKind::kDefault:
      return {"Default", ""};
  }
  return {"Expr", ""};
}

void add_branches(Outline& made, const Expr& expr) {
  std::size_t i = 0;
  if (expr.has_operand) made.add(holder("Operand")).add(outline_of(*expr.children[i++]));
  for (; i + 1 < expr.children.size(); i += 2) {
    made.add(holder("When")).add(outline_of(*expr.children[i]));
    made.add(holder("Then")).add(outline_of(*expr.children[i + 1]));
  }
  if (expr.has_else) made.add(holder("Else")).add(outline_of(*expr.children.back()));
}

Outline outline_of(const Expr& expr) {
  auto [node, detail] = words_of(expr);
  Outline made{std::move(node), std::move(detail), expr.span, {}};
  if (expr.kind == ExprKind::kCase) {
    add_branches(made, expr);
    return made;
  }
  for (const ExprPtr& child : expr.children) made.add(outline_of(*child));
  add_order(made, expr.order);
  add_clause(made, "Filter", expr.filter);
  if (expr.select != nullptr) made.add(outline_of(*expr.select));
  return made;
}

// ---- FROM and SELECT ----

std::string_view word_of(JoinKind join) {
  return join == JoinKind::kLeft ? "left" : join == JoinKind::kInner ? "inner" : "cross";
}

Outline outline_of(const TableRef& ref, bool first) {
  Outline made;
  made.node = ref.kind == TableKind::kResource ? "Resource" : ref.kind == TableKind::kUnnest ? "Unnest" : "Subquery";
  made.detail = dotted(ref.names);
  const auto add = [&](const std::string& text) { made.detail += (made.detail.empty() ? "" : " ") + text; };
  if (ref.alias) add("AS " + name_in_sql(ref.alias->text));
  if (!ref.columns.empty()) add("(" + joined(ref.columns, ", ") + ")");
  if (!first) add(std::string(ref.natural ? "natural " : "") + std::string(word_of(ref.join)) + " join");
  if (!ref.using_columns.empty()) add("using (" + joined(ref.using_columns, ", ") + ")");
  made.span = ref.span;
  if (ref.array != nullptr) made.add(outline_of(*ref.array));
  if (ref.select != nullptr) made.add(outline_of(*ref.select));
  add_clause(made, "On", ref.on);
  return made;
}

Outline outline_of(const Select& select) {
  Outline made{"Select", select.distinct ? "DISTINCT" : "", select.span, {}};
  for (const CommonTable& table : select.with) {
    Outline& with = made.add(holder("With", name_in_sql(table.name.text)));
    if (!table.columns.empty()) with.detail += " (" + joined(table.columns, ", ") + ")";
    with.span = table.name.span;
    with.add(outline_of(*table.select));
  }
  add_items(made, "Items", select.items);
  if (!select.from.empty()) {
    Outline& from = made.add(holder("From"));
    for (const TableRef& ref : select.from) from.add(outline_of(ref, &ref == &select.from.front()));
  }
  add_clause(made, "Where", select.where);
  add_clause(made, "GroupBy", select.group_by);
  add_clause(made, "Having", select.having);
  add_order(made, select.order_by);
  add_clause(made, "Limit", select.limit);
  add_clause(made, "Offset", select.offset);
  return made;
}

// ---- writes, discovery ----

Outline outline_of(const Write& write) {
  Outline made;
  made.node = write.kind == Write::Kind::kInsert ? "Insert" : write.kind == Write::Kind::kUpdate ? "Update" : "Delete";
  made.detail = dotted(write.resource) + (write.alias ? " AS " + name_in_sql(write.alias->text) : "");
  if (!write.columns.empty()) made.detail += " (" + joined(write.columns, ", ") + ")";
  made.span = write.span;
  for (std::size_t i = 0; i < write.rows.size(); ++i) {
    Outline& row = made.add(holder("Row"));
    if (i < write.row_spans.size()) row.span = write.row_spans[i];
    for (const ExprPtr& value : write.rows[i]) row.add(outline_of(*value));
  }
  if (write.conflict) {
    Outline& conflict = made.add(holder("OnConflict", write.conflict->set.empty() ? "DO NOTHING" : "DO UPDATE"));
    if (!write.conflict->key.empty())
      conflict.detail = "(" + joined(write.conflict->key, ", ") + ") " + conflict.detail;
    conflict.span = write.conflict->span;
    add_set(conflict, write.conflict->set);
    add_clause(conflict, "Where", write.conflict->where);
  }
  add_set(made, write.set);
  add_clause(made, "Where", write.where);
  add_items(made, "Returning", write.returning);
  return made;
}

Outline outline_of(const Discovery& discovery) {
  const bool tables = discovery.kind == Discovery::Kind::kTables;
  Outline made{tables ? "ShowTables" : "ShowColumns", dotted(discovery.resource), discovery.span, {}};
  if (discovery.pattern) made.add(holder("Like", *discovery.pattern));
  return made;
}

}  // namespace

Outline outline_of(const Statement& statement) {
  if (statement.select != nullptr) return outline_of(*statement.select);
  if (statement.write != nullptr) return outline_of(*statement.write);
  if (statement.discovery != nullptr) return outline_of(*statement.discovery);
  return {};
}

}  // namespace candor::dialect
