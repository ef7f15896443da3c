// SELECT, expressions and parameters, as all three engines write them.
#include "lower/dialect.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "bind/expr_index.h"

namespace candor::lower {

std::string quote_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

bool StoredTable::has(std::string_view column) const { return types.contains(lower_ascii(column)); }

std::string StoredTable::declared_type(std::string_view column) const {
  const auto found = types.find(lower_ascii(column));
  return found == types.end() ? std::string() : found->second;
}

std::string StoredTable::type_of(std::string_view column) const { return lower_ascii(declared_type(column)); }

bool StoredTable::is_collated(std::string_view column) const { return collated.contains(lower_ascii(column)); }

namespace {

std::string relation_name(std::size_t id) { return "t" + std::to_string(id); }

}  // namespace

// ---- parameters ----

// Equal values are one parameter: an engine takes two for two expressions, and GROUP BY would not find its item.
std::string Dialect::parameter(const Value& value, std::optional<Type> type) {
  const Value bound = bindable(value);
  std::string bytes;
  CellWriter writer(bytes);
  write_value(writer, bound);
  const auto [known, added] = numbers_.emplace(std::move(bytes), parameters_.size());
  if (added) parameters_.push_back(bound);
  return typed_value(placeholder(known->second + 1), type, value);
}

std::string Dialect::text_parameter(std::string_view text) {
  return parameter(text_value(std::string(text)), Type::kString);
}

std::string Dialect::integer_parameter(std::int64_t number) { return parameter(integer_value(number), Type::kInteger); }

std::string Dialect::value(const Value& value, std::optional<Type> type) {
  return value.is_null() ? "NULL" : parameter(value, type);
}

std::string Dialect::key_value(const contract::Resource& resource, const Value& key) {
  return value(key, resource.find(resource.key)->type);
}

std::string Dialect::stored_value(const StoredTable& table, const contract::Column& column, const Value& given) {
  (void)table;
  return value(given, column.type);
}

std::string Dialect::scope_value(const StoredTable&) { return text_parameter(storage_.scope_value); }

std::string Dialect::in_scope(const StoredTable& table) {
  return quote_name(storage_.scope_column) + " = " + scope_value(table);
}

std::optional<int> Dialect::shown_scale(const BoundExpr&) const { return std::nullopt; }

// ---- relations ----

std::string Dialect::table_name(const contract::Resource& resource) const { return quoted_table(stored(resource)); }

bool Dialect::can_keep(const std::string& type) const {
  (void)type;
  return true;
}

std::string Dialect::kept_column(const std::string& column, const std::string& type) const {
  (void)type;
  return quote_name(column);
}

std::string Dialect::scope_filter(const contract::Resource& resource) {
  if (storage_.scope_column.empty() || !stored(resource).has(storage_.scope_column)) return {};
  return " WHERE " + in_scope(stored(resource));
}

std::string Dialect::row_filter(const contract::Resource& resource) {
  std::string where = scope_filter(resource);
  if (!resource.soft_delete.empty()) {
    where +=
        (where.empty() ? " WHERE " : " AND ") + quote_name(resource.find(resource.soft_delete)->stored) + " IS NULL";
  }
  return where;
}

std::string Dialect::scan(const contract::Resource& resource, const std::set<std::size_t>* used, bool with_kept) {
  const StoredTable& table = stored(resource);
  std::string columns;
  for (std::size_t i = 0; i < resource.columns.size(); ++i) {
    if (used != nullptr && !used->contains(i)) continue;
    const contract::Column& column = resource.columns[i];
    columns += (columns.empty() ? "" : ", ") + read_column(table, column) + " AS " + quote_name(column.name);
  }
  for (std::size_t i = 0; with_kept && i < table.kept.size(); ++i) {
    const std::string& name = table.kept[i];
    columns += (columns.empty() ? "" : ", ") + kept_column(name, table.declared_type(name)) + " AS " +
               quote_name(kept_name(i));
  }
  if (columns.empty()) columns = "1 AS \"one\"";
  return "(SELECT " + columns + " FROM " + quoted_table(table) + row_filter(resource) + ")";
}

std::string Dialect::known_rows(const Relation& relation) {
  std::string sql;
  for (const std::vector<Value>& row : relation.rows) {
    sql += sql.empty() ? "SELECT " : " UNION ALL SELECT ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + value(row[i], relation.columns[i].type) + " AS " +
             quote_name(relation.columns[i].name);
    }
  }
  return "(" + sql + ")";
}

std::string Dialect::relation_sql(const Relation& relation) {
  const std::string name = " AS " + relation_name(relation.id);
  switch (relation.kind) {
    case RelationKind::kScan:
      return scan(*relation.resource, &relation.used) + name;
    case RelationKind::kUnnest:
      return unnest(relation);
    case RelationKind::kRows:
      return known_rows(relation) + name;
    case RelationKind::kDerived:
      break;
  }
  if (!relation.common) return "(" + select(*relation.select, {}) + ")" + name;
  auto found = common_.find(relation.select.get());
  if (found == common_.end()) {
    std::string sql = select(*relation.select, {});
    const std::string with = "w" + std::to_string(common_.size());
    found = common_.emplace(relation.select.get(), with).first;
    common_sql_.emplace_back(with, std::move(sql));
  }
  return found->second + name;
}

std::string Dialect::with_common(const std::string& sql) const {
  std::string with;
  for (const auto& [name, text] : common_sql_) with += (with.empty() ? "WITH " : ", ") + name + " AS (" + text + ")";
  return with.empty() ? sql : with + " " + sql;
}

std::string Dialect::from(const BoundSelect& plan) {
  std::string sql;
  for (const auto& relation : plan.from) {
    relations_[relation->id] = relation.get();
    if (sql.empty()) {
      sql = relation_sql(*relation);
      continue;
    }
    const bool left = relation->join == dialect::JoinKind::kLeft;
    const bool cross = relation->on == nullptr && !left;
    sql += left ? " LEFT JOIN " : cross ? " CROSS JOIN " : " JOIN ";
    sql += relation_sql(*relation);
    if (!cross) sql += " ON " + (relation->on != nullptr ? expr(*relation->on) : std::string("1 = 1"));
  }
  return sql;
}

std::string Dialect::literal(const Value& given, std::optional<Type> type) {
  if (given.kind != CellKind::kList) return value(given, type);
  const bind::BoundPtr list = bind::make_bound(BoundKind::kArray, type, {}, false);
  for (const Value& part : given.parts) {
    list->children.push_back(bind::make_bound(BoundKind::kLiteral, std::nullopt, {}, false));
    list->children.back()->value = part;
  }
  return array(*list);
}

std::string Dialect::column(const BoundExpr& one) {
  if (const auto found = substitutes_.find(one.relation); found != substitutes_.end())
    return literal((*found->second)[one.column], one.type);
  const Relation& relation = *relations_.at(one.relation);
  if (relation.kind == RelationKind::kUnnest) return element(relation);
  const std::string name = relation.kind == RelationKind::kDerived ? "c" + std::to_string(one.column)
                           : relation.kind == RelationKind::kScan  ? relation.resource->columns[one.column].name
                                                                   : relation.columns[one.column].name;
  return relation_name(relation.id) + "." + quote_name(name);
}

// ---- SELECT ----

namespace {

std::vector<const BoundExpr*> items_of(const BoundSelect& plan) {
  std::vector<const BoundExpr*> items;
  for (const bind::BoundItem& item : plan.items) items.push_back(item.expr.get());
  return items;
}

}  // namespace

std::string Dialect::select_core(const BoundSelect& plan, const std::vector<const BoundExpr*>& items) {
  const std::string sources = plan.from.empty() ? std::string() : " FROM " + from(plan);
  std::string sql = plan.distinct ? "SELECT DISTINCT " : "SELECT ";
  for (std::size_t i = 0; i < items.size(); ++i) {
    sql += (i == 0 ? "" : ", ") + expr(*items[i]) + " AS \"c" + std::to_string(i) + "\"";
  }
  sql += sources;
  if (plan.where != nullptr) sql += " WHERE " + expr(*plan.where);
  for (std::size_t i = 0; i < plan.group_by.size(); ++i)
    sql += (i == 0 ? " GROUP BY " : ", ") + expr(*plan.group_by[i]);
  if (plan.having != nullptr) sql += " HAVING " + expr(*plan.having);
  return sql;
}

std::vector<std::string> Dialect::order_columns(const BoundSelect& plan,
                                                const std::vector<const BoundExpr*>& items) const {
  bind::ExprIndex numbers;
  for (std::size_t i = 0; i < items.size(); ++i) numbers.add(*items[i], i);
  std::vector<std::string> columns;
  for (const bind::BoundOrder& one : plan.order_by) {
    const std::string name = "d.\"c" + std::to_string(numbers.find(*one.expr).value_or(0)) + "\"";
    columns.push_back(ordered(name, one.expr->type));
  }
  return columns;
}

// The order in the words of a SELECT around the plan, whose items are all that is seen there.
std::string Dialect::order_by_items(const BoundSelect& plan, const std::vector<const BoundExpr*>& items) {
  const std::vector<std::string> columns = order_columns(plan, items);
  std::string order;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bind::BoundOrder& one = plan.order_by[i];
    order += (order.empty() ? "" : ", ") + columns[i] + (one.descending ? " DESC" : "") +
             (one.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  return order;
}

Dialect::Keys Dialect::keys_of(const BoundSelect& plan) {
  Keys keys{items_of(plan), {}};
  bind::ExprIndex numbers;
  for (std::size_t i = 0; i < keys.items.size(); ++i) numbers.add(*keys.items[i], i);
  for (const bind::BoundOrder& one : plan.order_by) {
    std::optional<std::size_t> column = numbers.find(*one.expr);
    if (!column) {
      column = keys.items.size();
      numbers.add(*one.expr, *column);
      keys.items.push_back(one.expr.get());
    }
    keys.columns.push_back(*column);
  }
  return keys;
}

namespace {

// What decides about a row's place: of a DISTINCT all items, for these make the row.
std::vector<const BoundExpr*> order_items(const BoundSelect& plan) {
  if (plan.distinct) return items_of(plan);
  std::vector<const BoundExpr*> items;
  for (const bind::BoundOrder& one : plan.order_by) items.push_back(one.expr.get());
  return items;
}

}  // namespace

std::string Dialect::order_rows(const BoundSelect& plan) { return select_core(plan, order_items(plan)); }

std::string Dialect::equals(const BoundSelect& plan, const Lowering::Border& border) {
  const std::vector<std::string> columns = order_columns(plan, order_items(plan));
  std::string sql;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string wanted = value(border[i], plan.order_by[i].expr->type);
    sql += (sql.empty() ? "" : " AND ") + distinct_from(columns[i], wanted, true);
  }
  return sql;
}

std::string Dialect::places(const BoundSelect& plan) {
  const std::string rows = order_rows(plan);
  return "SELECT RANK() OVER (ORDER BY " + order_by_items(plan, order_items(plan)) + ") AS \"place\" FROM (" + rows +
         ") AS d";
}

std::string Dialect::order_list(const std::vector<bind::BoundOrder>& order) {
  std::string sql;
  for (const bind::BoundOrder& one : order) {
    sql += (sql.empty() ? "" : ", ") + ordered(expr(*one.expr), one.expr->type) + (one.descending ? " DESC" : "") +
           (one.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  }
  return sql;
}

std::string Dialect::paging(const BoundSelect& plan, const Lowering::SelectOptions& options) {
  std::string sql;
  const std::optional<std::int64_t> limit = options.limit ? options.limit : plan.limit;
  if (!options.with_limit) return sql;
  if (limit) sql += " LIMIT " + std::to_string(*limit);
  const std::int64_t offset = options.offset.value_or(plan.offset);
  if (!limit && offset > 0 && storage_.target == Target::kSqlite) sql += " LIMIT -1";
  if (offset > 0) sql += " OFFSET " + std::to_string(offset);
  return sql;
}

std::string Dialect::select(const BoundSelect& plan, const Lowering::SelectOptions& options) {
  const std::vector<const BoundExpr*> items = options.with_keys ? keys_of(plan).items : items_of(plan);
  const std::string sql = select_core(plan, items);
  if (plan.order_by.empty() || !options.with_order) return sql + paging(plan, options);
  if (!plan.distinct) return sql + " ORDER BY " + order_list(plan.order_by) + paging(plan, options);
  // Above a DISTINCT only its own columns can be ordered by; the binder saw to it that they are.
  return "SELECT * FROM (" + sql + ") AS d ORDER BY " + order_by_items(plan, items) + paging(plan, options);
}

// ---- expressions ----

std::string Dialect::joined(const BoundExpr& one, std::string_view separator) {
  std::string sql = "(";
  for (std::size_t i = 0; i < one.children.size(); ++i)
    sql += (i == 0 ? "" : std::string(separator)) + expr(*one.children[i]);
  return sql + ")";
}

std::string Dialect::call(std::string_view name, const BoundExpr& one) { return std::string(name) + joined(one, ", "); }

std::string Dialect::compare(const BoundExpr& one) {
  std::string a = expr(*one.children[0]);
  std::string b = expr(*one.children[1]);
  if (one.op == Op::kDistinct || one.op == Op::kNotDistinct) return distinct_from(a, b, one.op == Op::kNotDistinct);
  const bool order = one.op != Op::kEqual && one.op != Op::kNotEqual;
  if (order) {
    const std::optional<Type> type = one.children[0]->type ? one.children[0]->type : one.children[1]->type;
    a = ordered(a, type);
    b = ordered(b, type);
  }
  return "(" + a + " " + std::string(dialect::to_string(one.op)) + " " + b + ")";
}

std::string Dialect::case_of(const BoundExpr& one) {
  std::string sql = "CASE";
  const std::size_t pairs = one.children.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    sql += " WHEN " + expr(*one.children[2 * i]) + " THEN " + expr(*one.children[2 * i + 1]);
  }
  if (one.children.size() % 2 == 1) sql += " ELSE " + expr(*one.children.back());
  return sql + " END";
}

std::string Dialect::scalar(const BoundExpr& one) { return "(" + select(*one.select, {}) + ")"; }

std::string Dialect::filtered(std::string aggregate, const BoundExpr& one) {
  if (one.condition != nullptr) aggregate += " FILTER (WHERE " + expr(*one.condition) + ")";
  return aggregate;
}

std::string Dialect::expr(const BoundExpr& one) {
  switch (one.kind) {
    case BoundKind::kLiteral:
      return value(one.value, one.type);
    case BoundKind::kColumn:
      return column(one);
    case BoundKind::kNot:
      return "(NOT " + expr(*one.children[0]) + ")";
    case BoundKind::kAnd:
      return joined(one, " AND ");
    case BoundKind::kOr:
      return joined(one, " OR ");
    case BoundKind::kCompare:
      return compare(one);
    case BoundKind::kArithmetic:
      return arithmetic(one);
    case BoundKind::kNegate:
      return negate(one);
    case BoundKind::kConcat:
      return joined(one, " || ");
    case BoundKind::kAddInterval:
      return add_interval(one);
    case BoundKind::kIsNull:
      return "(" + expr(*one.children[0]) + " IS NULL)";
    case BoundKind::kIsTruth:
      return "COALESCE(" + std::string(one.truth ? "" : "NOT ") + "(" + expr(*one.children[0]) + "), 1 = 0)";
    case BoundKind::kBetween: {
      const std::string a = ordered(expr(*one.children[0]), one.children[0]->type);
      return "(" + a + " BETWEEN " + expr(*one.children[1]) + " AND " + expr(*one.children[2]) + ")";
    }
    case BoundKind::kIn: {
      std::string list;
      for (std::size_t i = 1; i < one.children.size(); ++i) list += (i == 1 ? "" : ", ") + expr(*one.children[i]);
      return "(" + expr(*one.children[0]) + " IN (" + list + "))";
    }
    case BoundKind::kInSelect:
      return "(" + expr(*one.children[0]) + " IN (" + select(*one.select, {}) + "))";
    case BoundKind::kLike:
      return like(one);
    case BoundKind::kExists:
      return "EXISTS (" + select(*one.select, {}) + ")";
    case BoundKind::kScalar:
      return scalar(one);
    case BoundKind::kFunction:
      return function(one);
    case BoundKind::kAggregate:
      return aggregate(one);
    case BoundKind::kCase:
      return case_of(one);
    case BoundKind::kCast:
      return cast(one);
    case BoundKind::kArray:
      return array(one);
    case BoundKind::kOverlap:
    case BoundKind::kContainsAll:
    case BoundKind::kHas:
    case BoundKind::kArrayEqual:
      return array_predicate(one);
    case BoundKind::kContainsText:
      return contains_text(one);
  }
  return "NULL";
}

std::string Dialect::format_time(const BoundExpr& one, const std::string& time,
                                 const std::vector<std::pair<char, std::string>>& letters) {
  std::string sql;
  std::string text;
  bool reads = false;
  const auto add = [&](const std::string& part) { sql += (sql.empty() ? "(" : " || ") + part; };
  const auto flush = [&] {
    if (!text.empty()) add(text_parameter(std::exchange(text, {})));
  };
  for (std::size_t i = 0; i < one.text.size(); ++i) {
    if (one.text[i] != '%') {
      text += one.text[i];
      continue;
    }
    const char letter = one.text[++i];
    const auto known = std::ranges::find(letters, letter, [](const auto& entry) { return entry.first; });
    if (known == letters.end()) {
      text += letter;  // %%
      continue;
    }
    flush();
    add(known->second);
    reads = true;
  }
  flush();
  if (sql.empty()) add(text_parameter(""));
  sql += ")";
  return reads ? sql : "CASE WHEN " + time + " IS NOT NULL THEN " + sql + " END";
}

}  // namespace candor::lower
