// Walking a plan's conditions.
#include "exec/sought_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace candor::exec {
namespace {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;
using bind::Relation;
using bind::RelationKind;
using contract::Type;

constexpr std::size_t kValuesMax = 20;
constexpr std::size_t kSoughtMax = 8;

struct Place {
  bool negated = false;
  bool beside_others = false;
};

// A pattern without wildcards as the text that it matches.
std::optional<std::string> plain_pattern(const std::string& pattern, const std::string& escape) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escaped = !escape.empty() && pattern[i] == escape.front() && i + 1 < pattern.size();
    if (escaped) ++i;
    if (!escaped && (pattern[i] == '%' || pattern[i] == '_')) return std::nullopt;
    text += pattern[i];
  }
  return text;
}

bool is_literal(const BoundExpr& expr) { return expr.kind == BoundKind::kLiteral && !expr.value.is_null(); }

class Walk {
 public:
  void select(const BoundSelect& plan) {
    if (!seen_.insert(&plan).second) return;  // a common table that is read twice
    for (const auto& relation : plan.from) {
      relations_[relation->id] = relation.get();
      if (relation->kind == RelationKind::kDerived && relation->select != nullptr) select(*relation->select);
    }
    if (plan.where != nullptr) condition(*plan.where, {});
    if (plan.having != nullptr) condition(*plan.having, {});
  }

  std::vector<Sought> found;

 private:
  void condition(const BoundExpr& expr, Place place) {
    switch (expr.kind) {
      case BoundKind::kNot:
        place.negated = !place.negated;
        return condition(*expr.children[0], place);
      case BoundKind::kAnd:
      case BoundKind::kOr:
        place.beside_others = place.beside_others || (expr.kind == BoundKind::kOr) != place.negated;
        for (const bind::BoundPtr& child : expr.children) condition(*child, place);
        return;
      case BoundKind::kExists:
      case BoundKind::kInSelect:
        if (!place.negated) select(*expr.select);
        return;
      case BoundKind::kCompare:
        return compare(expr, place);
      case BoundKind::kIn:
        return list(*expr.children[0], {expr.children.begin() + 1, expr.children.end()}, SoughtForm::kIn, place);
      case BoundKind::kLike:
        return like(expr, place);
      case BoundKind::kHas:
        return list(*expr.children[0], {expr.children.begin() + 1, expr.children.end()}, SoughtForm::kHas, place);
      case BoundKind::kOverlap:
      case BoundKind::kContainsAll: {
        if (expr.children[1]->kind != BoundKind::kArray) return;
        const auto& elements = expr.children[1]->children;
        const bool overlap = expr.kind == BoundKind::kOverlap;
        return list(*expr.children[0], {elements.begin(), elements.end()},
                    overlap ? SoughtForm::kOverlap : SoughtForm::kContains, place);
      }
      default:
        return;
    }
  }

  // Pointers to what a list holds, whatever owns it.
  struct Items {
    std::vector<const BoundExpr*> all;
    template <typename Iterator>
    Items(Iterator begin, Iterator end) {
      for (; begin != end; ++begin) all.push_back(begin->get());
    }
  };

  void list(const BoundExpr& column, const Items& items, SoughtForm form, Place place) {
    std::vector<Value> values;
    for (const BoundExpr* item : items.all) {
      if (is_literal(*item) && item->value.kind == CellKind::kText && values.size() < kValuesMax)
        values.push_back(item->value);
    }
    if (!values.empty()) add(column, std::move(values), form, false, place);
  }

  void compare(const BoundExpr& expr, Place place) {
    if (expr.op == bind::Op::kNotEqual) place.negated = !place.negated;
    if (expr.op != bind::Op::kEqual && expr.op != bind::Op::kNotEqual) return;
    const BoundExpr* column = expr.children[0].get();
    const BoundExpr* value = expr.children[1].get();
    if (is_literal(*column)) std::swap(column, value);
    if (!is_literal(*value)) return;
    const bool folded = column->kind == BoundKind::kFunction &&
                        (column->function == bind::Function::kLower || column->function == bind::Function::kUpper);
    if (folded) column = column->children[0].get();
    if (column->type == Type::kDatetime && value->value.text.ends_with("T00:00:00") && !place.negated)
      return add(*column, {value->value}, SoughtForm::kMidnight, false, place);
    if (value->value.kind == CellKind::kText) add(*column, {value->value}, SoughtForm::kEqual, folded, place);
  }

  void like(const BoundExpr& expr, Place place) {
    if (!is_literal(*expr.children[1])) return;
    const Value& pattern = expr.children[1]->value;
    const std::optional<std::string> plain = plain_pattern(pattern.text, expr.text);
    if (plain) return add(*expr.children[0], {text_value(*plain)}, SoughtForm::kLike, expr.fold, place);
    if (expr.fold || place.negated) return;
    const std::size_t before = found.size();
    add(*expr.children[0], {pattern}, SoughtForm::kPattern, false, place);
    if (found.size() > before) found.back().escape = expr.text;
  }

  // The column of a resource behind a column of the statement; `elements`: behind an UNNEST.
  const BoundExpr* origin(const BoundExpr& expr, bool& elements) const {
    const BoundExpr* at = &expr;
    while (at->kind == BoundKind::kColumn) {
      const auto known = relations_.find(at->relation);
      if (known == relations_.end()) return nullptr;
      const Relation& relation = *known->second;
      if (relation.kind == RelationKind::kScan) return relation.resource != nullptr ? at : nullptr;
      if (relation.kind == RelationKind::kRows) return nullptr;
      elements = elements || relation.kind == RelationKind::kUnnest;
      at =
          relation.kind == RelationKind::kUnnest ? relation.array.get() : relation.select->items[at->column].expr.get();
    }
    return nullptr;
  }

  void add(const BoundExpr& column, std::vector<Value> values, SoughtForm form, bool fold, Place place) {
    if (found.size() == kSoughtMax) return;
    bool elements = false;
    const BoundExpr* own = origin(column, elements);
    if (own == nullptr) return;
    const bool texts = own->type == Type::kString || own->type == Type::kStringArray;
    if (!texts && form != SoughtForm::kMidnight) return;
    Sought one;
    one.resource = relations_.at(own->relation)->resource;
    one.column = own->column;
    one.elements = elements || own->type == Type::kStringArray;
    if (one.elements && (form == SoughtForm::kPattern || form == SoughtForm::kMidnight)) return;
    one.form = form;
    one.fold = fold;
    one.negated = place.negated;
    one.beside_others = place.beside_others;
    one.name = relations_.at(column.relation)->columns[column.column].name;
    one.values = std::move(values);
    found.push_back(std::move(one));
  }

  std::map<std::size_t, const Relation*> relations_;
  std::set<const BoundSelect*> seen_;
};

}  // namespace

std::vector<Sought> sought_values(const BoundSelect& plan) {
  Walk walk;
  walk.select(plan);
  return std::move(walk.found);
}

}  // namespace candor::exec
