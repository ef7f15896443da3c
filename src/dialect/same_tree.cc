// Every member of every node, but for spans.
#include "dialect/same_tree.h"

#include <algorithm>

namespace candor::dialect {
namespace {

// The templates below find only what is declared before them.
bool same(const Assignment& a, const Assignment& b);
bool same(const CommonTable& a, const CommonTable& b);
bool same(const Conflict& a, const Conflict& b);
bool same(const Discovery& a, const Discovery& b);
bool same(const Expr& a, const Expr& b);
bool same(const Name& a, const Name& b);
bool same(const OrderItem& a, const OrderItem& b);
bool same(const Select& a, const Select& b);
bool same(const SelectItem& a, const SelectItem& b);
bool same(const TableRef& a, const TableRef& b);
bool same(const Write& a, const Write& b);
template <typename T>
bool same(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b);
template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b);

template <typename T>
bool same(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || same(*a, *b));
}

bool same(const Name& a, const Name& b) { return a.text == b.text; }

template <typename T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
}

bool same(const OrderItem& a, const OrderItem& b) {
  return a.descending == b.descending && a.nulls == b.nulls && same(a.expr, b.expr);
}

bool same(const Expr& a, const Expr& b) {
  const bool flat = a.kind == b.kind && a.op == b.op && a.literal == b.literal && a.text == b.text &&
                    a.negated == b.negated && a.distinct == b.distinct && a.star == b.star && a.fold == b.fold &&
                    a.has_operand == b.has_operand && a.has_else == b.has_else &&
                    (a.kind != ExprKind::kLiteral || a.grouped == b.grouped);
  return flat && same(a.names, b.names) && same(a.children, b.children) && same(a.select, b.select) &&
         same(a.order, b.order) && same(a.filter, b.filter);
}

bool same(const SelectItem& a, const SelectItem& b) { return same(a.expr, b.expr) && same(a.alias, b.alias); }

bool same(const TableRef& a, const TableRef& b) {
  const bool flat = a.kind == b.kind && a.json_each == b.json_each && a.join == b.join && a.natural == b.natural;
  return flat && same(a.names, b.names) && same(a.array, b.array) && same(a.select, b.select) &&
         same(a.alias, b.alias) && same(a.columns, b.columns) && same(a.on, b.on) &&
         same(a.using_columns, b.using_columns);
}

bool same(const CommonTable& a, const CommonTable& b) {
  return same(a.name, b.name) && same(a.columns, b.columns) && same(a.select, b.select);
}

bool same(const Select& a, const Select& b) {
  return a.distinct == b.distinct && same(a.with, b.with) && same(a.items, b.items) && same(a.from, b.from) &&
         same(a.where, b.where) && same(a.group_by, b.group_by) && same(a.having, b.having) &&
         same(a.order_by, b.order_by) && same(a.limit, b.limit) && same(a.offset, b.offset);
}

bool same(const Assignment& a, const Assignment& b) { return same(a.column, b.column) && same(a.value, b.value); }

bool same(const Conflict& a, const Conflict& b) {
  return same(a.key, b.key) && same(a.set, b.set) && same(a.where, b.where);
}

bool same(const Write& a, const Write& b) {
  return a.kind == b.kind && same(a.resource, b.resource) && same(a.alias, b.alias) && same(a.columns, b.columns) &&
         same(a.rows, b.rows) && same(a.conflict, b.conflict) && same(a.set, b.set) && same(a.where, b.where) &&
         same(a.returning, b.returning);
}

bool same(const Discovery& a, const Discovery& b) {
  return a.kind == b.kind && a.pattern == b.pattern && same(a.resource, b.resource);
}

}  // namespace

bool same_tree(const Statement& a, const Statement& b) {
  return same(a.select, b.select) && same(a.write, b.write) && same(a.discovery, b.discovery);
}

}  // namespace candor::dialect
