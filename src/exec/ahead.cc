// Two statements are apart when each names its rows by key, in one table by one column, and no key is named by both.
#include "exec/ahead.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/ascii.h"
#include "exec/divisors.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundWrite;
using WriteKind = dialect::Write::Kind;
using Names = std::set<std::string>;

// What a statement touches of its table. No names: any row of it.
struct Touched {
  std::optional<Names> names;
  bool asks = false;  // it has a question, which reads those rows alone
};

std::size_t key_position(const contract::Resource& resource) {
  return static_cast<std::size_t>(resource.find(resource.key) - resource.columns.data());
}

bool is_plain_text(const std::string& type) {
  return type == "text" || type.starts_with("varchar") || type.starts_with("character varying");
}

// A name for the key such that keys with different names are never equal for the engine. Nothing: of such a key, stored like
// that, it can't be said.
std::optional<std::string> name_of(const Value& key, const contract::Column& column, const lower::StoredTable& table) {
  const std::string type = table.type_of(column.stored);
  switch (column.type) {
    case contract::Type::kInteger:
      if (key.kind != CellKind::kInteger || type.find("int") == std::string::npos) return std::nullopt;
      return std::to_string(key.integer);
    case contract::Type::kString:
      if (key.kind != CellKind::kText || !is_plain_text(type) || table.is_collated(column.stored)) return std::nullopt;
      return key.text;
    case contract::Type::kUuid: {
      if (key.is_null() || table.is_collated(column.stored)) return std::nullopt;
      std::string name = lower_ascii(key.text);
      std::erase_if(name, [](char c) { return c == '-' || c == '{' || c == '}'; });
      return name;
    }
    default:
      return std::nullopt;
  }
}

// The literals that the condition wants the key to be one of; none: it says nothing of the kind.
std::vector<const BoundExpr*> wanted_keys(const BoundExpr& condition, const BoundWrite& plan) {
  const auto is_key = [&](const BoundExpr& one) {
    return one.kind == BoundKind::kColumn && one.relation == plan.target->id &&
           one.column == key_position(*plan.resource);
  };
  if (condition.kind == BoundKind::kAnd) {
    for (const bind::BoundPtr& part : condition.children) {
      if (auto found = wanted_keys(*part, plan); !found.empty()) return found;
    }
    return {};
  }
  const bool equal = condition.kind == BoundKind::kCompare && condition.op == dialect::Op::kEqual;
  if (!equal && condition.kind != BoundKind::kIn) return {};
  std::vector<const BoundExpr*> literals;
  bool keyed = is_key(*condition.children.front());
  for (const bind::BoundPtr& child : condition.children) {
    if (child->kind == BoundKind::kLiteral) literals.push_back(child.get());
    if (equal && is_key(*child)) keyed = true;
  }
  return keyed && literals.size() + 1 == condition.children.size() ? literals : std::vector<const BoundExpr*>();
}

bool has_subquery(const BoundExpr& expr) {
  Selects found;
  collect_selects(expr, found);
  return !found.empty();
}

std::optional<Names> names_of(const std::vector<Value>& keys, const contract::Column& column,
                              const lower::StoredTable& table) {
  Names names;
  for (const Value& key : keys) {
    const auto name = name_of(key, column, table);
    if (!name) return std::nullopt;
    names.insert(*name);
  }
  return names;
}

bool sets_key(const std::vector<bind::BoundAssignment>& set, const contract::Resource& resource) {
  return std::ranges::any_of(set, [&](const auto& one) { return one.column == key_position(resource); });
}

Touched of_insert(const BoundWrite& plan, const lower::StoredTable& table) {
  const contract::Column& key = plan.resource->columns[key_position(*plan.resource)];
  const std::vector<Value> given = literal_keys(plan);
  Touched touched;
  if (given.size() != plan.rows.size()) {
    // A key that is made here is no other's; one that the source makes, or that has to be reckoned, can be any.
    const bool listed = std::ranges::find(plan.columns, key_position(*plan.resource)) != plan.columns.end();
    if (!listed && key.generated == contract::Column::Generated::kUuid) touched.names = Names();
    return touched;
  }
  touched.names = names_of(given, key, table);
  if (sets_key(plan.conflict_set, *plan.resource)) touched.names.reset();
  touched.asks = !plan.on_conflict;
  return touched;
}

Touched of_change(const BoundWrite& plan, const lower::StoredTable& table) {
  Touched touched;
  if (plan.where == nullptr || sets_key(plan.set, *plan.resource)) return touched;
  std::vector<Value> keys;
  for (const BoundExpr* one : wanted_keys(*plan.where, plan)) keys.push_back(one->value);
  if (keys.empty()) return touched;
  touched.names = names_of(keys, plan.resource->columns[key_position(*plan.resource)], table);
  touched.asks = !has_subquery(*plan.where) &&
                 std::ranges::none_of(plan.set, [](const auto& one) { return has_subquery(*one.value); });
  return touched;
}

}  // namespace

std::vector<Value> literal_keys(const BoundWrite& plan) {
  const auto place = std::ranges::find(plan.columns, key_position(*plan.resource));
  std::vector<Value> keys;
  if (place == plan.columns.end()) return keys;
  for (const auto& row : plan.rows) {
    const bind::BoundPtr& key = row.at(static_cast<std::size_t>(place - plan.columns.begin()));
    if (key == nullptr) continue;
    if (auto value = constant_of(*key); value && !value->is_null()) keys.push_back(*std::move(value));
  }
  return keys;
}

std::vector<bool> can_ask_ahead(const std::vector<bind::BoundStatement>& batch, const lower::Storage& storage) {
  // By table, the column that names its rows and the names; no names: any row was touched.
  struct Before {
    std::string column;
    std::optional<Names> names = Names();
  };
  std::map<std::pair<std::string, std::string>, Before> touched;
  std::vector<bool> can;
  for (const bind::BoundStatement& statement : batch) {
    const BoundWrite& plan = *statement.write;
    const lower::StoredTable& table = storage.tables.at(plan.resource);
    Touched here = plan.kind == WriteKind::kInsert ? of_insert(plan, table) : of_change(plan, table);
    const std::string column = lower_ascii(plan.resource->find(plan.resource->key)->stored);
    Before& before = touched[{lower_ascii(table.schema), lower_ascii(table.name)}];
    if (before.column.empty()) before.column = column;
    if (before.column != column) here.names.reset();
    const bool apart = before.names && here.names && std::ranges::none_of(*here.names, [&](const std::string& name) {
                         return before.names->contains(name);
                       });
    can.push_back(apart && here.asks);
    if (!here.names) before.names.reset();
    if (before.names) before.names->merge(*here.names);
  }
  return can;
}

}  // namespace candor::exec
