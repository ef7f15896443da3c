// Each question is a plan of its own over the one resource, lowered like any other: the scope stands in its scan.
#include "exec/near_values.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/near_names.h"
#include "base/shorten.h"
#include "bind/literals.h"
#include "dialect/printer.h"
#include "exec/sought_values.h"

namespace candor::exec {
namespace {

using bind::BoundKind;
using bind::BoundPtr;
using bind::BoundSelect;
using contract::Type;

constexpr std::int64_t kValuesMax = 500;  // different values of a column that are looked at, the most frequent first

// ---- plans over the resource ----

// Relation `id` is the resource, the one behind it the unnested elements.
class Plan {
 public:
  explicit Plan(const Sought& sought, std::size_t id = 0) : sought_(sought), id_(id) {
    auto scan = std::make_unique<bind::Relation>();
    scan->id = id;
    scan->resource = sought.resource;
    scan->used.insert(sought.column);
    plan_->from.push_back(std::move(scan));
  }

  [[nodiscard]] BoundPtr column() const {
    const contract::Column& published = sought_.resource->columns[sought_.column];
    BoundPtr made = bind::make_bound(BoundKind::kColumn, published.type, {}, true);
    made->relation = id_;
    made->column = sought_.column;
    return made;
  }

  // The column, or an element of it.
  BoundPtr value() {
    if (!sought_.elements) return column();
    if (plan_->from.size() == 1) {
      auto elements = std::make_unique<bind::Relation>();
      elements->kind = bind::RelationKind::kUnnest;
      elements->id = id_ + 1;
      elements->array = column();
      elements->columns.push_back({"element", Type::kString, true});
      plan_->from.push_back(std::move(elements));
    }
    BoundPtr made = bind::make_bound(BoundKind::kColumn, Type::kString, {}, true);
    made->relation = id_ + 1;
    return made;
  }

  void item(BoundPtr expr) { plan_->items.push_back({std::move(expr), "v"}); }
  BoundSelect& operator*() { return *plan_; }
  std::unique_ptr<BoundSelect> take() && { return std::move(plan_); }

 private:
  const Sought& sought_;
  std::size_t id_;
  std::unique_ptr<BoundSelect> plan_ = std::make_unique<BoundSelect>();
};

BoundPtr literal(const Value& value, std::optional<Type> type) {
  BoundPtr made = bind::make_bound(BoundKind::kLiteral, type, {}, false);
  made->value = value;
  return made;
}

BoundPtr call(bind::Function function, BoundPtr argument, Type type = Type::kString) {
  BoundPtr made = bind::make_bound(BoundKind::kFunction, type, {}, true);
  made->function = function;
  made->children.push_back(std::move(argument));
  return made;
}

BoundPtr of_two(BoundKind kind, BoundPtr left, BoundPtr right) {
  BoundPtr made = bind::make_bound(kind, Type::kBoolean, {}, true);
  made->op = kind == BoundKind::kCompare ? bind::Op::kEqual : bind::Op::kNone;
  made->children.push_back(std::move(left));
  made->children.push_back(std::move(right));
  return made;
}

BoundPtr count(BoundPtr condition) {
  BoundPtr made = bind::make_bound(BoundKind::kAggregate, Type::kInteger, {}, false);
  made->condition = std::move(condition);
  return made;
}

// A row has the value.
BoundPtr has(const Plan& plan, const Sought& sought, const Value& value) {
  if (sought.elements) return of_two(BoundKind::kHas, plan.column(), literal(value, Type::kString));
  if (!sought.fold) return of_two(BoundKind::kCompare, plan.column(), literal(value, Type::kString));
  return of_two(BoundKind::kCompare, call(bind::Function::kLower, plan.column()),
                call(bind::Function::kLower, literal(value, Type::kString)));
}

// ---- questions ----

std::optional<std::uint64_t> number_in(const std::vector<Value>& row, std::size_t at) {
  if (at >= row.size() || row[at].kind != CellKind::kInteger || row[at].integer < 0) return std::nullopt;
  return static_cast<std::uint64_t>(row[at].integer);
}

// Those of the values that no row has; one statement that ends at the first row of each.
std::vector<Value> missing_values(const Sought& sought, const Questions& questions) {
  BoundSelect all;
  for (std::size_t i = 0; i < sought.values.size(); ++i) {
    Plan inner(sought, 2 * i);
    (*inner).where = has(inner, sought, sought.values[i]);
    inner.item(literal(integer_value(1), Type::kInteger));
    BoundPtr exists = bind::make_bound(BoundKind::kExists, Type::kBoolean, {}, false);
    exists->select = std::move(inner).take();
    all.items.push_back({std::move(exists), "v"});
  }
  const auto rows = questions.ask(questions.lowering().select(all));
  std::vector<Value> missing;
  if (!rows || rows->size() != 1) return missing;
  for (std::size_t i = 0; i < sought.values.size(); ++i) {
    const Value& there = rows->front()[i];
    if (there.kind == CellKind::kBoolean && there.integer == 0) missing.push_back(sought.values[i]);
  }
  return missing;
}

// Values of the column, the most frequent first; those alone that differ from `like` by case and blanks at the ends, when given.
std::vector<std::string> known_values(const Sought& sought, const Value* like, const Questions& questions) {
  Plan plan(sought);
  plan.item(plan.value());
  (*plan).group_by.push_back(plan.value());
  (*plan).grouped = true;
  if (like != nullptr) {
    const auto bare = [](BoundPtr text) {
      return call(bind::Function::kLower, call(bind::Function::kTrim, std::move(text)));
    };
    (*plan).where = of_two(BoundKind::kCompare, bare(plan.value()), bare(literal(*like, Type::kString)));
  }
  (*plan).order_by.push_back({count(nullptr), true, false});
  (*plan).order_by.push_back({plan.value(), false, false});
  (*plan).limit = kValuesMax;
  std::vector<std::string> known;
  const auto rows = questions.ask(questions.lowering().select(*plan));
  if (!rows) return known;
  for (const std::vector<Value>& row : *rows) {
    if (row[0].kind == CellKind::kText) known.push_back(row[0].text);
  }
  return known;
}

std::optional<std::string> near_value(const Sought& sought, const Value& value, const Questions& questions) {
  for (const Value* like : {&value, static_cast<const Value*>(nullptr)}) {
    const std::vector<std::string> near = near_names(value.text, known_values(sought, like, questions), 1);
    if (!near.empty()) return near.front();
  }
  return std::nullopt;
}

// Rows of the resource, and those of them for which each condition holds.
std::vector<std::optional<std::uint64_t>> counts(Plan& plan, std::vector<BoundPtr> conditions,
                                                 const Questions& questions) {
  const std::size_t size = conditions.size() + 1;
  plan.item(count(nullptr));
  for (BoundPtr& condition : conditions) plan.item(count(std::move(condition)));
  (*plan).grouped = true;
  std::vector<std::optional<std::uint64_t>> numbers(size);
  const auto rows = questions.ask(questions.lowering().select(*plan));
  if (!rows || rows->size() != 1) return numbers;
  for (std::size_t i = 0; i < size; ++i) numbers[i] = number_in(rows->front(), i);
  return numbers;
}

// ---- words ----

std::string in_sql(const Value& value) { return bind::as_sql(value); }

// The condition as it would stand there with this value.
std::string written(const Sought& sought, const Value& value) {
  const std::string name = dialect::name_in_sql(sought.name);
  const std::string no = sought.negated ? "NOT " : "";
  switch (sought.form) {
    case SoughtForm::kLike:
    case SoughtForm::kPattern:
      return name + " " + no + (sought.fold ? "ILIKE " : "LIKE ") + in_sql(value);
    case SoughtForm::kHas:
      return sought.negated ? "NOT " + in_sql(value) + " = ANY(" + name + ")" : in_sql(value) + " = ANY(" + name + ")";
    case SoughtForm::kIn:
      return name + " " + no + "IN (" + in_sql(value) + ")";
    case SoughtForm::kOverlap:
      return name + " " + no + "OVERLAP (" + in_sql(value) + ")";
    case SoughtForm::kContains:
      return name + " " + no + "CONTAINS (" + in_sql(value) + ")";
    default:
      return (sought.fold ? "LOWER(" + name + ")" : name) + (sought.negated ? " <> " : " = ") + in_sql(value);
  }
}

// "0 of 40 cards", or less where that was not counted.
std::string none_of(const Sought& sought, std::optional<std::uint64_t> all) {
  return (all ? "0 of " + std::to_string(*all) + " " : "no row of ") + sought.resource->name;
}

void tell(std::string message, std::string hint, Outcome& outcome) {
  message = short_line(std::move(message));
  hint = short_line(std::move(hint));
  const bool told =
      std::ranges::any_of(outcome.warnings, [&](const bind::BoundWarning& other) { return other.message == message; });
  if (!told) outcome.warnings.push_back({"value-not-found", std::move(message), std::move(hint)});
}

void warn_value(const Sought& sought, const Value& value, const Questions& questions, Outcome& outcome) {
  const std::optional<std::string> near = near_value(sought, value, questions);
  if (!near) return;
  const Value found = text_value(*near);
  Plan plan(sought);
  std::vector<BoundPtr> conditions;
  conditions.push_back(has(plan, sought, found));
  const auto numbers = counts(plan, std::move(conditions), questions);
  const std::string verb = sought.negated ? " leaves out " : " matches ";
  const std::string instead = numbers[1] ? verb + std::to_string(*numbers[1]) : " is there";
  const bool one = sought.values.size() == 1;
  tell(written(sought, value) + verb + none_of(sought, numbers[0]) + "; " + in_sql(found) + instead,
       one ? "write " + written(sought, found) : "write " + in_sql(found) + " in place of " + in_sql(value), outcome);
}

// LIKE 'Done%' where ILIKE finds some.
void warn_pattern(const Sought& sought, const Questions& questions, Outcome& outcome) {
  const Value& pattern = sought.values.front();
  Plan plan(sought);
  std::vector<BoundPtr> conditions;
  for (const bool fold : {false, true}) {
    conditions.push_back(of_two(BoundKind::kLike, plan.column(), literal(pattern, Type::kString)));
    conditions.back()->fold = fold;
    conditions.back()->text = sought.escape;
  }
  const auto numbers = counts(plan, std::move(conditions), questions);
  if (numbers[1] != std::uint64_t{0} || numbers[2].value_or(0) == 0) return;
  Sought folded = sought;
  folded.fold = true;
  tell(written(sought, pattern) + " matches " + none_of(sought, numbers[0]) +
           "; ILIKE, which takes no notice of case, " + "matches " + std::to_string(*numbers[2]),
       "write " + written(folded, pattern), outcome);
}

// A date compared with a datetime is its midnight.
void warn_midnight(const Sought& sought, const Questions& questions, Outcome& outcome) {
  const Value& midnight = sought.values.front();
  Value day = midnight;
  day.text.resize(day.text.find('T'));
  Plan plan(sought);
  std::vector<BoundPtr> conditions;
  conditions.push_back(of_two(BoundKind::kCompare, plan.column(), literal(midnight, Type::kDatetime)));
  conditions.push_back(of_two(BoundKind::kCompare, call(bind::Function::kToDate, plan.column(), Type::kDate),
                              literal(day, Type::kDate)));
  const auto numbers = counts(plan, std::move(conditions), questions);
  if (numbers[1] != std::uint64_t{0} || numbers[2].value_or(0) == 0) return;
  const std::string name = dialect::name_in_sql(sought.name);
  tell(name + " = '" + day.text + "' is midnight and matches " + none_of(sought, numbers[0]) + "; of that day are " +
           std::to_string(*numbers[2]),
       "write DATE(" + name + ") = '" + day.text + "'", outcome);
}

}  // namespace

void warn_near_values(const BoundSelect& plan, bool says_nothing, const Questions& questions, Outcome& outcome) {
  for (const Sought& sought : sought_values(plan)) {
    const bool counted = sought.form == SoughtForm::kPattern || sought.form == SoughtForm::kMidnight;
    const bool hidden = !counted && (sought.negated || sought.beside_others ||
                                     (sought.values.size() > 1 && sought.form != SoughtForm::kContains));
    if (!says_nothing && !hidden) continue;
    if (sought.form == SoughtForm::kPattern) {
      warn_pattern(sought, questions, outcome);
    } else if (sought.form == SoughtForm::kMidnight) {
      warn_midnight(sought, questions, outcome);
    } else {
      for (const Value& value : missing_values(sought, questions)) warn_value(sought, value, questions, outcome);
    }
  }
}

}  // namespace candor::exec
