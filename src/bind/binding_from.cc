// FROM: what each relation shows, and how it is joined to those before it.
#include <algorithm>
#include <ranges>
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"

namespace candor::bind {
namespace {

constexpr std::size_t kResourcesMax = 4;
constexpr std::size_t kArraysMax = 16;

RelationColumn shown(const contract::Column& column) {
  return {column.name, column.type, column.nullable, column.filterable, column.sortable, &column};
}

// The relations that an expression reads.
void collect_relations(const BoundExpr& expr, std::set<std::size_t>& ids) {
  if (expr.kind == BoundKind::kColumn) ids.insert(expr.relation);
  for (const BoundPtr& child : expr.children) collect_relations(*child, ids);
}

// Whether a conjunct of the condition makes equal, or lets overlap, something of `id` and something of another relation.
bool links(const BoundExpr& condition, std::size_t id) {
  if (condition.kind == BoundKind::kAnd) {
    return std::ranges::any_of(condition.children, [&](const BoundPtr& child) { return links(*child, id); });
  }
  const bool equality =
      (condition.kind == BoundKind::kCompare && (condition.op == Op::kEqual || condition.op == Op::kNotDistinct)) ||
      condition.kind == BoundKind::kOverlap || condition.kind == BoundKind::kHas ||
      condition.kind == BoundKind::kContainsAll || condition.kind == BoundKind::kArrayEqual;
  if (!equality) return false;
  std::set<std::size_t> left;
  std::set<std::size_t> right;
  collect_relations(*condition.children[0], left);
  collect_relations(*condition.children[1], right);
  const auto other = [&](const std::set<std::size_t>& side) {
    return std::ranges::any_of(side, [&](std::size_t one) { return one != id; });
  };
  return (left.contains(id) && other(right)) || (right.contains(id) && other(left));
}

}  // namespace

std::unique_ptr<Relation> Binding::scan_of(const contract::Resource& resource, std::size_t id) {
  auto made = std::make_unique<Relation>();
  made->id = id;
  made->alias = resource.name;
  made->resource = &resource;
  for (const contract::Column& column : resource.columns) made->columns.push_back(shown(column));
  return made;
}

void Binding::remember(Relation& relation) {
  if (relations_.size() <= relation.id) relations_.resize(relation.id + 1, nullptr);
  relations_[relation.id] = &relation;
}

bool Binding::from(const dialect::Select& parsed, Level& level) {
  bool fine = true;
  std::size_t resources = 0;
  std::size_t arrays = 0;
  for (const dialect::TableRef& ref : parsed.from) {
    ++(ref.kind == dialect::TableKind::kUnnest ? arrays : resources);
    if (resources > kResourcesMax) {
      error("unsupported-construct", "a join of more than four resources is not part of the dialect", ref.span,
            "join four of them in WITH, and the result with the others");
      return false;
    }
    if (arrays > kArraysMax) {
      error("unsupported-construct", "more than 16 unnested arrays are not part of the dialect", ref.span,
            "unnest some of them in WITH");
      return false;
    }
    fine = relation(ref, level) && fine;
  }
  return fine;
}

bool Binding::relation(const dialect::TableRef& ref, Level& level) {
  auto made = std::make_unique<Relation>();
  made->id = next_relation_++;
  made->span = ref.span;
  bool fine = false;
  switch (ref.kind) {
    case dialect::TableKind::kResource:
      fine = scan(ref, *made);
      break;
    case dialect::TableKind::kUnnest:
      fine = unnest(ref, *made);
      break;
    case dialect::TableKind::kSubquery:
      fine = derived(ref, *made);
      break;
  }
  if (!fine) return false;
  if (ref.alias) made->alias = ref.alias->text;
  fine = rename_columns(ref, *made);
  const bool twice = std::ranges::any_of(level.relations, [&](const Relation* other) {
    return same_name(other->alias, made->alias) && made->kind != RelationKind::kUnnest;
  });
  if (twice) {
    error("ambiguous-column", "'" + made->alias + "' stands twice in FROM", ref.span,
          "give each its own alias: " + made->alias + " AS a");
    return false;
  }
  remember(*made);
  level.relations.push_back(made.get());
  level.select->from.push_back(std::move(made));
  return join(ref, level, *level.relations.back()) && fine;
}

bool Binding::scan(const dialect::TableRef& ref, Relation& made) {
  if (ref.names.size() == 1) {
    for (const CommonTable& common : std::views::reverse(common_)) {
      if (!same_name(common.name, ref.names.front().text)) continue;
      made.kind = RelationKind::kDerived;
      made.common = true;
      made.alias = common.name;
      made.select = common.select;
      if (made.select == nullptr) return false;  // its error is told
      for (std::size_t i = 0; i < made.select->items.size(); ++i) {
        const BoundItem& item = made.select->items[i];
        RelationColumn column{i < common.columns.size() ? common.columns[i] : item.name, item.expr->type,
                              item.expr->nullable};
        if (const RelationColumn* inner = column_of(*item.expr)) column.published = inner->published;
        made.columns.push_back(std::move(column));
      }
      derived_permissions(made);
      return true;
    }
  }
  if (known_rows(ref, made)) return true;
  const contract::Resource* found = resource(ref.names, ref.names.back().span);
  if (found == nullptr) return false;
  const std::size_t id = made.id;
  made = std::move(*scan_of(*found, id));
  made.span = ref.span;
  return true;
}

bool Binding::derived(const dialect::TableRef& ref, Relation& made) {
  std::unique_ptr<BoundSelect> inner = select(*ref.select, false);
  if (inner == nullptr) return false;
  made.kind = RelationKind::kDerived;
  made.alias = "subquery";
  made.select = std::move(inner);
  for (const BoundItem& item : made.select->items) {
    RelationColumn column{item.name, item.expr->type, item.expr->nullable};
    if (const RelationColumn* one = column_of(*item.expr)) column.published = one->published;
    made.columns.push_back(std::move(column));
  }
  derived_permissions(made);
  return true;
}

// What the contract keeps from filters or sorting stays kept behind a subquery.
void Binding::derived_permissions(Relation& made) {
  const auto look = [&](auto&& self, const BoundExpr& expr, RelationColumn& column) -> void {
    if (expr.kind == BoundKind::kColumn) {
      const RelationColumn& inner = relations_[expr.relation]->columns[expr.column];
      column.filterable = column.filterable && inner.filterable;
      column.sortable = column.sortable && inner.sortable;
    }
    for (const BoundPtr& child : expr.children) self(self, *child, column);
  };
  for (std::size_t i = 0; i < made.columns.size(); ++i) look(look, *made.select->items[i].expr, made.columns[i]);
}

bool Binding::unnest(const dialect::TableRef& ref, Relation& made) {
  BoundPtr array = expr(*ref.array);
  if (array == nullptr) return false;
  if (!array->type || !contract::is_array(*array->type)) {
    const std::string type(array->type ? contract::to_string(*array->type) : "NULL");
    error("not-an-array", "UNNEST takes an array, and " + text_of(ref.array->span) + " is a " + type, ref.array->span,
          "leave the UNNEST out");
    return false;
  }
  if (const RelationColumn* column = column_of(*array); column != nullptr && !column->filterable) {
    error("not-filterable", "the contract keeps '" + column->name + "' from UNNEST", ref.array->span,
          "read the column with SELECT");
    return false;
  }
  made.kind = RelationKind::kUnnest;
  made.array = std::move(array);
  const Type element = *made.array->type == Type::kStringArray ? Type::kString : Type::kInteger;
  made.alias = ref.json_each ? "json_each" : "unnest";
  const std::string name = ref.json_each ? "value" : ref.alias ? ref.alias->text : "unnest";
  made.columns.push_back({name, element, ref.join == dialect::JoinKind::kLeft});
  return true;
}

bool Binding::rename_columns(const dialect::TableRef& ref, Relation& made) {
  if (ref.columns.size() > made.columns.size()) {
    error("unsupported-construct",
          "the alias names " + std::to_string(ref.columns.size()) + " columns, and there are " +
              std::to_string(made.columns.size()),
          ref.columns.back().span, "name as many columns as there are");
    return false;
  }
  for (std::size_t i = 0; i < ref.columns.size(); ++i) made.columns[i].name = ref.columns[i].text;
  return true;
}

bool Binding::join(const dialect::TableRef& ref, Level& level, Relation& made) {
  made.join = ref.join;
  if (ref.natural || !ref.using_columns.empty()) return join_using(ref, level, made);
  if (ref.on == nullptr) {
    if (made.join == dialect::JoinKind::kLeft) {
      for (RelationColumn& column : made.columns) column.nullable = true;
    }
    return true;
  }
  // In the condition of a LEFT JOIN its right side is not yet filled with NULLs.
  BoundPtr on = with_use(Use::kFilter, [&] { return condition(*ref.on); });
  if (on == nullptr) return false;
  if (made.kind != RelationKind::kUnnest && !links(*on, made.id)) {
    error("unsupported-construct", "a join on other than an equality is not part of the dialect", ref.on->span,
          "write JOIN … ON a.x = b.y, and further conditions in WHERE");
    return false;
  }
  made.on = std::move(on);
  if (made.join == dialect::JoinKind::kLeft) {
    for (RelationColumn& column : made.columns) column.nullable = true;
  }
  return true;
}

bool Binding::join_using(const dialect::TableRef& ref, Level& level, Relation& made) {
  std::vector<dialect::Name> names = ref.using_columns;
  if (ref.natural) {
    for (const RelationColumn& column : made.columns) {
      const bool shared = std::any_of(level.relations.begin(), level.relations.end() - 1, [&](const Relation* other) {
        return std::ranges::any_of(other->columns, [&](const auto& one) { return same_name(one.name, column.name); });
      });
      if (shared) names.push_back({column.name, ref.span, false});
    }
    if (names.empty()) {
      error("unsupported-construct", "a NATURAL JOIN without a common column", ref.span, "write JOIN … ON a.x = b.y");
      return false;
    }
  }
  BoundPtr all;
  for (const dialect::Name& name : names) {
    Ast left;
    left.kind = dialect::ExprKind::kColumn;
    left.span = name.span;
    left.names = {name};
    Ast right;
    right.kind = dialect::ExprKind::kColumn;
    right.span = name.span;
    right.names = {dialect::Name{made.alias, name.span, false}, name};
    Relation* last = level.relations.back();
    level.relations.pop_back();
    BoundPtr a = with_use(Use::kFilter, [&] { return column(left); });
    level.relations.push_back(last);
    BoundPtr b = with_use(Use::kFilter, [&] { return column(right); });
    if (a == nullptr || b == nullptr || !comparable(a, b, name.span)) return false;
    BoundPtr equal = make_bound(BoundKind::kCompare, Type::kBoolean, name.span, a->nullable || b->nullable);
    equal->op = Op::kEqual;
    equal->children.push_back(std::move(a));
    equal->children.push_back(std::move(b));
    made.merged.insert(lower_ascii(name.text));
    if (all == nullptr) all = make_bound(BoundKind::kAnd, Type::kBoolean, ref.span, true);
    all->children.push_back(std::move(equal));
  }
  made.on = std::move(all);
  if (made.join == dialect::JoinKind::kCross) made.join = dialect::JoinKind::kInner;
  if (made.join == dialect::JoinKind::kLeft) {
    for (RelationColumn& column : made.columns) column.nullable = true;
  }
  return true;
}

// A comma between resources needs an equality in WHERE: without one it pairs each row with each.
bool Binding::check_equalities(const dialect::Select& parsed, const Level& level, const BoundSelect& made) {
  for (std::size_t i = 1; i < level.relations.size() && i < parsed.from.size(); ++i) {
    const Relation& relation = *level.relations[i];
    const bool needs =
        relation.kind != RelationKind::kUnnest && relation.on == nullptr && relation.join == dialect::JoinKind::kCross;
    if (!needs || (made.where != nullptr && links(*made.where, relation.id))) continue;
    const bool later = std::ranges::any_of(
        level.relations, [&](const Relation* other) { return other->on != nullptr && links(*other->on, relation.id); });
    if (later) continue;
    error("unsupported-construct", "a join without an equality is not part of the dialect: each row would meet each",
          relation.span, "write JOIN " + relation.alias + " ON a.x = b.y");
    return false;
  }
  return true;
}

}  // namespace candor::bind
