// SELECT, clause by clause.
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"
#include "bind/expr_index.h"

namespace candor::bind {

using dialect::ExprKind;

namespace {

constexpr std::size_t kCommonTablesMax = 100;

}  // namespace

std::unique_ptr<BoundSelect> Binding::select(const dialect::Select& parsed, bool top) {
  const std::size_t faults = faults_;
  const std::size_t common = common_.size();
  auto made = std::make_unique<BoundSelect>();
  Level level;
  level.outer = level_;
  level.select = made.get();
  level_ = &level;
  const Use use = std::exchange(use_, Use::kRead);
  const bool sources = with(parsed) && from(parsed, level);
  // Without all of FROM every column would be told as unknown.
  if (sources) {
    if (parsed.where != nullptr) made->where = with_use(Use::kFilter, [&] { return condition(*parsed.where); });
    if (made->where != nullptr || parsed.where == nullptr) (void)check_equalities(parsed, level, *made);
    made->distinct = parsed.distinct;
    level.aggregates_allowed = true;
    (void)items(parsed, level, *made);
    level.aliases = &made->items;
    (void)group_by(parsed, level, *made);
    if (parsed.having != nullptr) made->having = with_use(Use::kFilter, [&] { return condition(*parsed.having); });
    made->grouped = !made->group_by.empty() || level.has_aggregate;
    (void)order_by(parsed, level, *made);
    made->grouped = made->grouped || level.has_aggregate || made->having != nullptr;
    (void)limit(parsed, *made, top);
    if (faults_ == faults) (void)check_grouping(*made);
  }
  use_ = use;
  level_ = level.outer;
  common_.resize(common);
  made->correlated = level.correlated;
  if (faults_ > faults) return nullptr;
  if (made->where != nullptr) warn_vacuous(*made->where);
  if (made->having != nullptr) warn_vacuous(*made->having);
  return made;
}

bool Binding::with(const dialect::Select& parsed) {
  // Each may stand inside of the one behind it, and what follows such a chain is as deep as the chain is long.
  if (common_.size() + parsed.with.size() > kCommonTablesMax) {
    (void)error("over-limit", "more than " + std::to_string(kCommonTablesMax) + " common tables in one statement",
                parsed.with.back().name.span, "ask in several statements");
    return false;
  }
  for (const dialect::CommonTable& table : parsed.with) {
    Level* outer = std::exchange(level_, nullptr);  // it sees no row of the statement around it
    std::shared_ptr<BoundSelect> made = select(*table.select, false);
    level_ = outer;
    CommonTable common{table.name.text, std::move(made), {}};
    for (const dialect::Name& name : table.columns) common.columns.push_back(name.text);
    common_.push_back(std::move(common));
  }
  return true;
}

std::string Binding::item_name(const dialect::SelectItem& item) const {
  if (item.alias) return item.alias->text;
  if (item.expr->kind == ExprKind::kColumn) return item.expr->names.back().text;
  return text_of(item.expr->span);
}

bool Binding::items(const dialect::Select& parsed, Level& level, BoundSelect& made) {
  const Use use = parsed.distinct ? Use::kDistinct : Use::kRead;
  bool fine = true;
  for (const dialect::SelectItem& item : parsed.items) {
    if (item.expr->kind == ExprKind::kStar) {
      fine = with_use(use, [&] { return star(item, level, made); }) && fine;
      continue;
    }
    BoundPtr bound = with_use(use, [&] { return expr(*item.expr); });
    if (bound == nullptr) fine = false;
    // An item with an error keeps its place, for the positions of the others.
    made.items.push_back({std::move(bound), item_name(item)});
    level.alias_exprs.push_back(item.expr.get());
  }
  return fine;
}

bool Binding::star(const dialect::SelectItem& item, Level& level, BoundSelect& made) {
  const std::string* wanted = item.expr->names.empty() ? nullptr : &item.expr->names.front().text;
  bool found = false;
  for (Relation* relation : level.relations) {
    const bool named = wanted == nullptr || same_name(relation->alias, *wanted) ||
                       (relation->resource != nullptr && same_name(relation->resource->name, *wanted));
    if (!named) continue;
    found = true;
    for (std::size_t i = 0; i < relation->columns.size(); ++i) {
      const RelationColumn& column = relation->columns[i];
      if (wanted == nullptr && relation->merged.contains(lower_ascii(column.name))) continue;
      if (!spend(1, item.expr->span)) return false;
      if (!may_use(*relation, column, item.expr->span)) continue;
      relation->used.insert(i);
      BoundPtr bound = make_bound(BoundKind::kColumn, column.type, item.expr->span, column.nullable);
      bound->relation = relation->id;
      bound->column = i;
      made.items.push_back({std::move(bound), column.name});
      level.alias_exprs.push_back(nullptr);
    }
  }
  if (found) return true;
  if (level.relations.empty()) {
    error("unknown-column", "* needs a resource in FROM", item.expr->span, "SELECT * FROM resource");
  } else {
    error("unknown-resource", "there is no '" + (wanted != nullptr ? *wanted : std::string()) + "' in FROM",
          item.expr->span, "write * for the columns of all resources in FROM");
  }
  return false;
}

bool Binding::returning(const std::vector<dialect::SelectItem>& parsed, Level& level, std::vector<BoundItem>& made) {
  BoundSelect holder;
  dialect::Select none;
  bool fine = true;
  for (const dialect::SelectItem& item : parsed) {
    if (item.expr->kind == ExprKind::kStar) {
      fine = star(item, level, holder) && fine;
      continue;
    }
    BoundPtr bound = expr(*item.expr);
    fine = fine && bound != nullptr;
    if (bound != nullptr) holder.items.push_back({std::move(bound), item_name(item)});
  }
  made = std::move(holder.items);
  return fine;
}

// An integer that stands alone in GROUP BY or ORDER BY is the position of an item.
BoundPtr Binding::position(const Ast& ast, const dialect::Select& parsed, Level& level) {
  (void)parsed;
  std::int64_t number = 0;
  const auto read = std::from_chars(ast.text.data(), ast.text.data() + ast.text.size(), number);
  const auto count = static_cast<std::int64_t>(level.alias_exprs.size());
  if (read.ec != std::errc() || number < 1 || number > count) {
    return error("position-out-of-range", "there is no item " + ast.text + ": the list has " + std::to_string(count),
                 ast.span, "write a number from 1 to " + std::to_string(count) + ", or the column");
  }
  const auto index = static_cast<std::size_t>(number - 1);
  const BoundItem& item = level.select->items[index];
  if (item.expr == nullptr) return nullptr;  // its error is told
  if (const Ast* again = level.alias_exprs[index]; again != nullptr) {
    const std::vector<BoundItem>* aliases = std::exchange(level.aliases, nullptr);
    BoundPtr made = expr(*again);
    level.aliases = aliases;
    return made;
  }
  const RelationColumn& column = relations_[item.expr->relation]->columns[item.expr->column];
  if (!may_use(*relations_[item.expr->relation], column, ast.span)) return nullptr;
  return copy_of(*item.expr);
}

namespace {

bool is_position(const dialect::Expr& ast) {
  return ast.kind == ExprKind::kLiteral && ast.literal == dialect::LiteralKind::kInteger && !ast.grouped;
}

}  // namespace

bool Binding::group_by(const dialect::Select& parsed, Level& level, BoundSelect& made) {
  bool fine = true;
  level.aggregates_allowed = false;
  for (const dialect::ExprPtr& ast : parsed.group_by) {
    BoundPtr bound =
        with_use(Use::kGroup, [&] { return is_position(*ast) ? position(*ast, parsed, level) : expr(*ast); });
    fine = fine && bound != nullptr;
    if (bound != nullptr) made.group_by.push_back(std::move(bound));
  }
  level.aggregates_allowed = true;
  return fine;
}

BoundPtr Binding::order_item(const Ast& ast, const dialect::Select& parsed, Level& level, BoundSelect& made) {
  if (is_position(ast)) return position(ast, parsed, level);
  // In ORDER BY the name of an item comes before the name of a column.
  if (ast.kind == ExprKind::kColumn && ast.names.size() == 1) {
    for (std::size_t i = 0; i < level.alias_exprs.size(); ++i) {
      const Ast* item = level.alias_exprs[i];
      if (made.items[i].expr == nullptr || item == nullptr || !same_name(made.items[i].name, ast.names.front().text))
        continue;
      const std::vector<BoundItem>* aliases = std::exchange(level.aliases, nullptr);
      BoundPtr bound = expr(*item);
      level.aliases = aliases;
      return bound;
    }
  }
  return expr(ast);
}

bool Binding::order_by(const dialect::Select& parsed, Level& level, BoundSelect& made) {
  bool fine = true;
  ExprIndex items;
  for (std::size_t i = 0; made.distinct && i < made.items.size(); ++i) {
    if (made.items[i].expr != nullptr) items.add(*made.items[i].expr, i);
  }
  for (const dialect::OrderItem& item : parsed.order_by) {
    BoundPtr bound = with_use(Use::kOrder, [&] { return order_item(*item.expr, parsed, level, made); });
    if (bound == nullptr) {
      fine = false;
      continue;
    }
    if (bound->type && (*bound->type == Type::kJson || contract::is_array(*bound->type))) {
      error("not-sortable", "an array or JSON has no order", item.expr->span, "order by another column");
      fine = false;
      continue;
    }
    if (made.distinct && !items.find(*bound)) {
      error("unsupported-construct", "ORDER BY an expression that SELECT DISTINCT does not list", item.expr->span,
            "add it to the list, or order by an item of it");
      fine = false;
      continue;
    }
    made.order_by.push_back({std::move(bound), item.descending, item.nulls == dialect::Nulls::kFirst});
  }
  return fine;
}

bool Binding::limit_value(const Ast& ast, std::string_view word, std::int64_t least, std::int64_t& value) {
  const bool integer = ast.kind == ExprKind::kLiteral && ast.literal == dialect::LiteralKind::kInteger;
  if (!integer) {
    error("unsupported-construct", std::string(word) + " by an expression is not part of the dialect", ast.span,
          "write a whole number after " + std::string(word));
    return false;
  }
  const auto read = std::from_chars(ast.text.data(), ast.text.data() + ast.text.size(), value);
  if (read.ec == std::errc() && value >= least) return true;
  error("limit-out-of-range", std::string(word) + " " + ast.text + " can only give no rows", ast.span,
        least == 0 ? "write OFFSET 0 or more" : "write LIMIT 1 or more; COUNT(*) counts without showing rows");
  return false;
}

bool Binding::limit(const dialect::Select& parsed, BoundSelect& made, bool top) {
  bool fine = true;
  if (parsed.limit != nullptr) {
    std::int64_t value = 0;
    fine = limit_value(*parsed.limit, "LIMIT", 1, value);
    made.limit = value;
  }
  if (parsed.offset != nullptr) fine = limit_value(*parsed.offset, "OFFSET", 0, made.offset) && fine;
  const std::int64_t most = context_.contract->rows_per_statement;
  if (top && fine && made.limit && *made.limit > most) {
    warn("limit-capped", "LIMIT " + std::to_string(*made.limit) + " was lowered to " + std::to_string(most),
         "ask for the next rows with OFFSET and an ORDER BY that ends with the key");
  }
  if (fine && parsed.offset != nullptr && made.order_by.empty() && parsed.order_by.empty()) {
    warn("offset-without-order", "OFFSET without ORDER BY skips rows that no order names", "add ORDER BY with the key");
  }
  return fine;
}

// ---- groups ----

bool Binding::check_grouping(const BoundSelect& made) {
  if (!made.grouped) return true;
  bool told = false;
  ExprIndex groups;
  for (const BoundPtr& one : made.group_by) groups.add(*one, 0);
  for (const BoundItem& item : made.items) (void)grouped(*item.expr, made, groups, told);
  if (made.having != nullptr) (void)grouped(*made.having, made, groups, told);
  for (const BoundOrder& order : made.order_by) (void)grouped(*order.expr, made, groups, told);
  return !told;
}

// Tells each column that a group has several values of.
bool Binding::grouped(const BoundExpr& expr, const BoundSelect& made, const ExprIndex& groups, bool& told) {
  if (expr.kind == BoundKind::kAggregate) return true;
  if (groups.find(expr)) return true;
  if (expr.kind == BoundKind::kColumn) {
    const bool own =
        std::ranges::any_of(made.from, [&](const auto& relation) { return relation->id == expr.relation; });
    if (!own) return true;  // of a row around this SELECT
    const std::string& name = relations_[expr.relation]->columns[expr.column].name;
    error("not-grouped", "'" + name + "' is neither grouped nor inside of an aggregate", expr.span,
          "add " + name + " to GROUP BY, or write MIN(" + name + ")");
    told = true;
    return false;
  }
  bool fine = true;
  for (const BoundPtr& child : expr.children) fine = grouped(*child, made, groups, told) && fine;
  return fine;
}

}  // namespace candor::bind
