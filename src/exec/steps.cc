// What read.cc and write.cc ask of the source, told without asking it.
#include <algorithm>
#include <optional>
#include <utility>

#include "exec/exec.h"
#include "exec/order.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

using bind::BoundWrite;
using contract::Column;
using ColumnValue = lower::Lowering::ColumnValue;
using WriteKind = dialect::Write::Kind;

constexpr std::size_t kRowsShown = 3;  // of an INSERT; the others are asked likewise

// A value that is not known before it runs.
Value later(std::string what) {
  Value value;
  value.kind = CellKind::kCut;
  value.text = std::move(what);
  return value;
}

// Arrays are lists, but in SQLite texts.
Value later(const Column& column, std::string what, lower::Target target) {
  if (!contract::is_array(column.type) || target == lower::Target::kSqlite) return later(std::move(what));
  Value list;
  list.kind = CellKind::kList;
  list.parts.push_back(later(std::move(what)));
  return list;
}

class Steps {
 public:
  Steps(const contract::Contract& contract, const lower::Storage& storage) : contract_(contract), storage_(storage) {}

  void read(const bind::BoundSelect& plan) {
    const Page page = page_of(plan, contract_);
    const lower::Lowering::SelectOptions options = options_of(plan, page);
    add("read", "once; one row more than is shown tells that there are more", lowering().select(plan, options));
    add("count", "once, when there are more rows than are shown", lowering().count(plan));
    if (!may_tie(plan)) return;
    lower::Lowering::Border border;
    for (std::size_t i = 0; i < plan.order_by.size(); ++i) border.push_back(later("the last row's"));
    add("ties", "in place of the count, when the row behind the page's border equals the one at it",
        lowering().count_equal(plan, {border}));
    add("places", "once, when equal rows can't be counted by their values",
        lowering().places(plan, plan.offset, plan.offset + page.limit));
  }

  void write(const BoundWrite& plan) {
    if (plan.kind == WriteKind::kInsert) {
      insert(plan);
    } else {
      change(plan);
    }
  }

  std::vector<Step> made;

 private:
  [[nodiscard]] lower::Lowering lowering() const { return lower::Lowering(storage_); }
  void add(std::string name, std::string when, lower::Lowered lowered) {
    made.push_back({std::move(name), std::move(when), std::move(lowered)});
  }

  static Value key_of(const BoundWrite& plan) { return later("the row's " + plan.resource->key); }

  void condition(const BoundWrite& plan) {
    if (plan.where == nullptr) return;
    (void)bind::constant_truth(*plan.where, [&](const bind::BoundExpr& one) -> std::optional<bool> {
      add("condition", "once: a part that reads no row", lowering().values({&one}));
      return std::nullopt;
    });
  }

  void returning(const BoundWrite& plan, std::string when) {
    if (!plan.returning.empty()) add("returning", std::move(when), lowering().returning(plan, {key_of(plan)}));
  }

  // What undoing puts back is what the batch made of the rows in the end.
  void look_again(const BoundWrite& plan) {
    if (!lowering().cannot_keep(*plan.resource).empty()) return;
    add("look again", "once before the commit, all keys of the batch at once: the rows as they became, for undoing",
        lowering().kept_rows(*plan.resource, {key_of(plan)}));
  }

  // UPDATE and DELETE.
  void change(const BoundWrite& plan) {
    const contract::Resource& resource = *plan.resource;
    const std::int64_t most = contract_.rows_per_statement;
    condition(plan);
    add("resolve", "once: the keys of the rows that match, and the rows as they are, for undoing",
        lowering().matched_rows(plan, most + 1, lowering().cannot_keep(resource).empty()));
    add("count", "when more than " + std::to_string(most) + " match; then nothing is written",
        lowering().matched_count(plan));
    if (plan.kind == WriteKind::kUpdate) {
      std::vector<ColumnValue> values;
      for (const bind::BoundAssignment& one : plan.set) {
        const Column& column = resource.columns[one.column];
        values.push_back({&column, later(column, "its new " + column.name, storage_.target)});
      }
      add("change", "for each key; each must change one row", lowering().update(resource, key_of(plan), values));
      returning(plan, "once, all keys at once");
      return look_again(plan);
    }
    returning(plan, "once, all keys at once: the rows as they were");
    if (resource.soft_delete.empty()) {
      add("change", "for each key; each must change one row", lowering().remove(resource, key_of(plan)));
      return;
    }
    const Column* deleted = resource.find(resource.soft_delete);
    add("change", "for each key; each must change one row",
        lowering().update(resource, key_of(plan), {{deleted, later("the time of the batch")}}));
    look_again(plan);
  }

  // The values of a row, by column of the resource; nothing where the table's default shall stand.
  std::vector<std::optional<Value>> values_of(const BoundWrite& plan, const std::vector<bind::BoundPtr>& row,
                                              std::vector<const bind::BoundExpr*>& computed) const {
    const contract::Resource& resource = *plan.resource;
    std::vector<std::optional<Value>> values(resource.columns.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t position = plan.columns[i];
      if (row[i] == nullptr) continue;
      values[position] = constant_of(*row[i]);
      if (!values[position]) {
        computed.push_back(row[i].get());
        const Column& column = resource.columns[position];
        values[position] = later(column, "the computed " + column.name, storage_.target);
      }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Column& column = resource.columns[i];
      if (values[i]) continue;
      if (column.generated == Column::Generated::kUuid) values[i] = later("a new uuid");
      if (column.generated == Column::Generated::kNow) values[i] = later("the time of the batch");
    }
    return values;
  }

  void insert(const BoundWrite& plan) {
    const contract::Resource& resource = *plan.resource;
    const auto key = static_cast<std::size_t>(resource.find(resource.key) - resource.columns.data());
    std::vector<std::vector<std::optional<Value>>> rows;
    std::vector<Value> keys;
    for (const auto& row : plan.rows) {
      if (rows.size() == kRowsShown) break;
      std::vector<const bind::BoundExpr*> computed;
      rows.push_back(values_of(plan, row, computed));
      if (!computed.empty()) add("values", "once for " + row_of(plan, rows.size()), lowering().values(computed));
      if (rows.back()[key]) keys.push_back(*rows.back()[key]);
    }
    if (!keys.empty()) add("known keys", "once, all keys at once", lowering().known_keys(resource, keys));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<ColumnValue> values;
      for (std::size_t c = 0; c < rows[i].size(); ++c) {
        if (rows[i][c]) values.push_back({&resource.columns[c], *rows[i][c]});
      }
      add("insert", "once for " + row_of(plan, i + 1), lowering().insert(resource, values));
    }
    if (plan.on_conflict && !plan.conflict_set.empty() && !rows.empty()) conflict(plan, rows.front());
    returning(plan, "once, all keys at once");
    look_again(plan);
  }

  static std::string row_of(const BoundWrite& plan, std::size_t number) {
    const bool last = number == kRowsShown && plan.rows.size() > kRowsShown;
    return "row " + std::to_string(number) + " of " + std::to_string(plan.rows.size()) +
           (last ? ", and likewise for those behind it" : "");
  }

  void conflict(const BoundWrite& plan, const std::vector<std::optional<Value>>& row) {
    const contract::Resource& resource = *plan.resource;
    std::vector<Value> excluded;
    for (const auto& value : row) excluded.push_back(value.value_or(Value()));
    const std::string when = "for each row whose key is there already";
    add("conflict", when + ", in place of the insert", lowering().conflict_row(plan, key_of(plan), excluded));
    add("remember", when, lowering().kept_rows(resource, {key_of(plan)}));
    std::vector<ColumnValue> values;
    for (const bind::BoundAssignment& one : plan.conflict_set) {
      const Column& column = resource.columns[one.column];
      values.push_back({&column, later(column, "its new " + column.name, storage_.target)});
    }
    add("change", when, lowering().update(resource, key_of(plan), values));
  }

  const contract::Contract& contract_;
  const lower::Storage& storage_;
};

}  // namespace

std::vector<Step> steps_of(const bind::BoundStatement& statement, const contract::Contract& contract,
                           const lower::Storage& storage) {
  Steps steps(contract, storage);
  if (statement.select != nullptr) steps.read(*statement.select);
  if (statement.write != nullptr) steps.write(*statement.write);
  return std::move(steps.made);
}

}  // namespace candor::exec
