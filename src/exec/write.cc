// Writes: one transaction a batch. The rows are found by the same predicate as a SELECT's, counted, refused over the limit,
// and written by their keys; what changes is compared with what was counted.
#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>

#include "base/ascii.h"
#include "exec/change_log.h"
#include "exec/divisors.h"
#include "exec/probes.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

using bind::BoundWrite;
using contract::Column;
using ColumnValue = lower::Lowering::ColumnValue;
using WriteKind = dialect::Write::Kind;

std::string new_uuid() {
  std::random_device device;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = device();
  words[1] = (words[1] & 0xFFFF0FFFU) | 0x4000U;
  words[2] = (words[2] & 0x3FFFFFFFU) | 0x80000000U;
  std::array<char, 40> text{};
  (void)std::snprintf(text.data(), text.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16U,
                      words[1] & 0xFFFFU, words[2] >> 16U, words[2] & 0xFFFFU, words[3]);
  return text.data();
}

Value typed_text(CellKind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

std::string in_sql(const Value& key) {
  if (key.kind == CellKind::kInteger) return std::to_string(key.integer);
  return "'" + key.text + "'";
}

class Writer {
 public:
  Writer(const Environment& environment, engine::Transaction& transaction, const CancelToken& cancel)
      : environment_(environment), transaction_(transaction), cancel_(cancel), log_(environment, transaction, cancel) {}

  Result<Outcome> run_one(const BoundWrite& plan) {
    plan_ = &plan;
    keys_.clear();
    zero_ = false;
    Outcome outcome;
    outcome.resource = plan.resource->name;
    outcome.kind = plan.kind == WriteKind::kInsert   ? engine::StatementKind::kInsert
                   : plan.kind == WriteKind::kUpdate ? engine::StatementKind::kUpdate
                                                     : engine::StatementKind::kDelete;
    Status done = plan.kind == WriteKind::kInsert   ? insert()
                  : plan.kind == WriteKind::kUpdate ? update()
                                                    : remove(outcome);
    if (!done.ok()) return std::move(done).error();
    outcome.affected = keys_.size();
    if (plan.kind != WriteKind::kDelete) CANDOR_TRY(show(outcome));
    outcome.surface = scope::describe({}, outcome.rows.size(), outcome.rows.size(), "");
    if (zero_) outcome.warnings.push_back(division_warning(true));
    return outcome;
  }

  [[nodiscard]] Result<Changes> changes() { return log_.finish(); }

 private:
  lower::Lowering lowering() { return lower::Lowering(environment_.storage); }

  Result<Rows> ask(const lower::Lowered& lowered) {
    return run(lowered, environment_, &transaction_, environment_.statement_ms, cancel_);
  }

  // The statement must change exactly one row: it was there a moment ago.
  Status change_one(const lower::Lowered& lowered) {
    CANDOR_ASSIGN(const Rows done, ask(lowered));
    if (done.changed_others) log_.changed_others();
    if (done.affected == std::uint64_t{1}) return Ok{};
    // Inside of a transaction no other writer can be the reason.
    return done.affected.value_or(0) == 0
               ? not_taken()
               : make_error("constraint-violation",
                            std::to_string(*done.affected) + " rows of '" + plan_->resource->name + "' have the same " +
                                plan_->resource->key + ", which must name one",
                            "candor contract check counts such keys");
  }

  [[nodiscard]] Diagnostic not_taken() const {
    return make_error("constraint-violation",
                      "the source did not write a row of '" + plan_->resource->name +
                          "': a trigger or rule of its own keeps it from that",
                      "ask the operator of the source");
  }

  // Of a condition that reads no row the engine says what it is; the binder has judged those that are plain.
  Status check_condition() {
    if (plan_->where == nullptr) return Ok{};
    const bind::Evaluate evaluate = [&](const bind::BoundExpr& one) -> std::optional<bool> {
      const Result<Rows> made = ask(lowering().values({&one}));
      if (!made.ok() || made->rows.size() != 1 || made->rows[0][0].kind != CellKind::kBoolean) return std::nullopt;
      return made->rows[0][0].integer != 0;
    };
    if (bind::constant_truth(*plan_->where, evaluate) != true) return Ok{};
    CANDOR_ASSIGN(const std::uint64_t rows, run_count(lowering().count_all(*plan_->resource), environment_,
                                                      &transaction_, environment_.statement_ms, cancel_));
    return make_error(
        "write-without-where",
        "the condition is true for each row of '" + plan_->resource->name + "': it has " + std::to_string(rows),
        "name the rows: WHERE " + plan_->resource->key + " IN (…)");
  }

  // Begins with their keys; behind those the new values of SET.
  Result<std::vector<std::vector<Value>>> matched() {
    CANDOR_TRY(check_condition());
    const std::int64_t most = environment_.contract->rows_per_statement;
    const bool kept = log_.keeps(*plan_->resource);
    const Divisors divisors = divisors_of(plan_->set);
    Result<Rows> found = ask(lowering().matched_rows(*plan_, most + 1, kept, divisors));
    const bool too_long = kept && !found.ok() && found.error().code == "result-too-large";
    if (too_long) found = ask(lowering().matched_rows(*plan_, most + 1, false, divisors));
    if (!found.ok()) return std::move(found).error();
    Rows rows = *std::move(found);
    if (!divisors.empty()) note_zero(rows);
    if (rows.rows.size() <= static_cast<std::size_t>(most)) {
      CANDOR_TRY(remember(rows.rows, kept && !too_long));
      return std::move(rows.rows);
    }
    CANDOR_ASSIGN(const std::uint64_t count, run_count(lowering().matched_count(*plan_), environment_, &transaction_,
                                                       environment_.statement_ms, cancel_));
    std::string some;
    for (std::size_t i = 0; i < 3; ++i) some += (i == 0 ? "" : ", ") + in_sql(rows.rows[i][0]);
    return make_error("too-many-rows",
                      std::to_string(count) + " rows match, and one statement writes at most " + std::to_string(most) +
                          ": nothing was written",
                      "split the write by key: WHERE " + plan_->resource->key + " IN (" + some + ", …)");
  }

  static Divisors divisors_of(const std::vector<bind::BoundAssignment>& set) {
    Divisors found;
    for (const bind::BoundAssignment& one : set) collect_divisors(*one.value, found);
    return found;
  }

  // Takes off the last column, which says whether a divisor was zero.
  void note_zero(Rows& rows) {
    for (auto& row : rows.rows) {
      zero_ = zero_ || row.back().integer != 0;
      row.pop_back();
    }
  }

  // How the rows are, for undoing: read with them, unless they are too long to come at once.
  Status remember(const std::vector<std::vector<Value>>& rows, bool with_kept) {
    for (const std::vector<Value>& row : rows) keys_.push_back(row[0]);
    if (!with_kept) return log_.before(*plan_->resource, keys_);
    std::vector<std::vector<Value>> kept;
    for (const std::vector<Value>& row : rows) {
      kept.push_back({row[0]});
      kept.back().insert(kept.back().end(), row.begin() + 1 + static_cast<std::ptrdiff_t>(plan_->set.size()),
                         row.end());
    }
    return log_.before(*plan_->resource, kept);
  }

  Status check_value(const Column& column, const Value& value) {
    if (value.is_null() && !column.nullable) {
      return make_error("null-not-allowed", "'" + column.name + "' can't be NULL",
                        contract::is_array(column.type) ? "write () for an empty array" : "give it a value");
    }
    const bool listed = column.allowed.empty() || value.is_null() ||
                        std::ranges::find(column.allowed, value.text) != column.allowed.end();
    if (!listed) {
      return make_error("bad-literal-type", "'" + column.name + "' is never '" + value.text + "'",
                        "write one of the values that DESCRIBE lists");
    }
    return Ok{};
  }

  Status update() {
    CANDOR_ASSIGN(const auto rows, matched());
    for (const std::vector<Value>& row : rows) {
      std::vector<ColumnValue> values;
      for (std::size_t i = 0; i < plan_->set.size(); ++i) {
        const Column& column = plan_->resource->columns[plan_->set[i].column];
        CANDOR_TRY(check_value(column, row[i + 1]));
        values.push_back({&column, row[i + 1]});
      }
      CANDOR_TRY(change_one(lowering().update(*plan_->resource, row[0], values)));
      note_key(row[0], values);
    }
    return Ok{};
  }

  // An UPDATE may write the key itself.
  void note_key(const Value& before, const std::vector<ColumnValue>& values) {
    const contract::Resource& resource = *plan_->resource;
    const Column* key = resource.find(resource.key);
    for (const ColumnValue& one : values) {
      if (one.column == key) log_.moved(resource, before, one.value);
    }
  }

  Status remove(Outcome& outcome) {
    const contract::Resource& resource = *plan_->resource;
    CANDOR_TRY(matched());
    if (!plan_->returning.empty()) CANDOR_TRY(show(outcome));  // as they were
    for (const Value& key : keys_) {
      if (resource.soft_delete.empty()) {
        CANDOR_TRY(change_one(lowering().remove(resource, key)));
        log_.removed(resource, key);
      } else {
        CANDOR_TRY(change_one(lowering().update(resource, key, {{resource.find(resource.soft_delete), now()}})));
      }
    }
    return Ok{};
  }

  [[nodiscard]] Value now() const { return typed_text(CellKind::kTemporal, environment_.storage.now); }

  // The values of one row by column of the resource; nothing where the table's default shall stand.
  Result<std::vector<std::optional<Value>>> row_values(const std::vector<bind::BoundPtr>& row) {
    const contract::Resource& resource = *plan_->resource;
    std::vector<std::optional<Value>> values(resource.columns.size());
    std::vector<const bind::BoundExpr*> computed;
    std::vector<std::size_t> computed_columns;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t column = plan_->columns[i];
      if (row[i] == nullptr) continue;
      values[column] = constant_of(*row[i]);
      if (!values[column]) {
        computed.push_back(row[i].get());
        computed_columns.push_back(column);
      }
    }
    if (!computed.empty()) {
      Divisors divisors;
      for (const bind::BoundExpr* one : computed) collect_divisors(*one, divisors);
      CANDOR_ASSIGN(Rows made, ask(lowering().values(computed, divisors)));
      if (!divisors.empty()) note_zero(made);
      for (std::size_t i = 0; i < computed.size(); ++i) values[computed_columns[i]] = std::move(made.rows.at(0).at(i));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Column& column = resource.columns[i];
      if (!values[i] && column.generated == Column::Generated::kUuid)
        values[i] = typed_text(CellKind::kOther, new_uuid());
      if (!values[i] && column.generated == Column::Generated::kNow) values[i] = now();
      if (values[i]) CANDOR_TRY(check_value(column, *values[i]));
    }
    return values;
  }

  Status insert() {
    const contract::Resource& resource = *plan_->resource;
    const std::int64_t most = environment_.contract->rows_per_statement;
    if (plan_->rows.size() > static_cast<std::size_t>(most)) {
      return make_error("too-many-rows",
                        std::to_string(plan_->rows.size()) +
                            " rows are to be inserted, and one statement writes at most " + std::to_string(most) +
                            ": nothing was written",
                        "send them in several statements");
    }
    const auto key_column = static_cast<std::size_t>(resource.find(resource.key) - resource.columns.data());
    std::vector<std::vector<std::optional<Value>>> rows;
    std::vector<Value> given;
    for (const auto& row : plan_->rows) {
      CANDOR_ASSIGN(auto values, row_values(row));
      if (values[key_column]) given.push_back(*values[key_column]);
      rows.push_back(std::move(values));
    }
    CANDOR_TRY(look_up(given));
    for (const auto& row : rows) CANDOR_TRY(insert_row(row, key_column));
    return Ok{};
  }

  // Which of the keys are there, and whether the caller sees them.
  Status look_up(const std::vector<Value>& given) {
    known_.clear();
    if (given.empty()) return Ok{};
    CANDOR_ASSIGN(const Rows found, ask(lowering().known_keys(*plan_->resource, given)));
    for (const std::vector<Value>& row : found.rows) known_.emplace_back(row[0], row[1].integer != 0);
    return Ok{};
  }

  Diagnostic duplicate(const Value& key) const {
    return make_error(
        "duplicate-key",
        "a row of '" + plan_->resource->name + "' with " + plan_->resource->key + " = " + in_sql(key) +
            " exists already",
        "use another " + plan_->resource->key + ", or write ON CONFLICT (" + plan_->resource->key + ") DO NOTHING");
  }

  Status insert_row(const std::vector<std::optional<Value>>& row, std::size_t key_column) {
    const contract::Resource& resource = *plan_->resource;
    if (row[key_column]) {
      const auto known = std::ranges::find_if(known_, [&](const auto& one) { return one.first == *row[key_column]; });
      if (known != known_.end()) {
        // A row that the caller can't see is there all the same: it can be neither passed over nor written.
        if (!plan_->on_conflict || !known->second) return duplicate(*row[key_column]);
        return plan_->conflict_set.empty() ? Status(Ok{}) : conflicting(row, *row[key_column]);
      }
    }
    // SQLite would number the row itself, which tells of other rows' keys; a key that the source makes is read only.
    const Column& key = resource.columns[key_column];
    if (!row[key_column] && !key.read_only && environment_.storage.target == lower::Target::kSqlite) {
      return make_error("null-not-allowed", "'" + key.name + "' must have a value", "give the row a " + key.name);
    }
    std::vector<ColumnValue> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i]) values.push_back({&resource.columns[i], *row[i]});
    }
    CANDOR_ASSIGN(const Rows made, ask(lowering().insert(resource, values)));
    if (made.rows.size() != 1) return not_taken();
    keys_.push_back(made.rows[0][0]);
    known_.emplace_back(made.rows[0][0], true);
    if (made.changed_others) log_.changed_others();
    log_.inserted(resource, made.rows[0][0]);
    return Ok{};
  }

  Status conflicting(const std::vector<std::optional<Value>>& row, const Value& key) {
    const contract::Resource& resource = *plan_->resource;
    if (std::ranges::find(keys_, key) != keys_.end()) {
      return make_error("duplicate-key",
                        "the statement writes the row with " + resource.key + " = " + in_sql(key) + " twice",
                        "name each key once");
    }
    std::vector<Value> excluded;
    for (const auto& value : row) excluded.push_back(value.value_or(Value()));
    const Divisors divisors = divisors_of(plan_->conflict_set);
    CANDOR_ASSIGN(Rows made, ask(lowering().conflict_row(*plan_, key, excluded, divisors)));
    if (!divisors.empty()) note_zero(made);
    if (made.rows.empty()) return Ok{};  // its WHERE does not hold
    CANDOR_TRY(log_.before(resource, {key}));
    std::vector<ColumnValue> values;
    for (std::size_t i = 0; i < plan_->conflict_set.size(); ++i) {
      const Column& column = resource.columns[plan_->conflict_set[i].column];
      CANDOR_TRY(check_value(column, made.rows[0][i + 1]));
      values.push_back({&column, made.rows[0][i + 1]});
    }
    CANDOR_TRY(change_one(lowering().update(resource, key, values)));
    note_key(made.rows[0][0], values);
    keys_.push_back(key);
    return Ok{};
  }

  // RETURNING, or the keys; in the order in which the rows were written.
  Status show(Outcome& outcome) {
    const contract::Resource& resource = *plan_->resource;
    if (plan_->returning.empty()) {
      const Column& key = *resource.find(resource.key);
      outcome.columns = {{key.name, type_name(key.type)}};
      for (const Value& one : keys_) outcome.rows.push_back({one});
      return Ok{};
    }
    for (const bind::BoundItem& item : plan_->returning)
      outcome.columns.push_back({item.name, type_name(item.expr->type)});
    if (keys_.empty()) return Ok{};
    CANDOR_ASSIGN(const Rows rows, ask(lowering().returning(*plan_, keys_)));
    for (const Value& key : keys_) {
      const auto row = std::ranges::find_if(rows.rows, [&](const std::vector<Value>& one) { return one[0] == key; });
      if (row != rows.rows.end()) outcome.rows.emplace_back(row->begin() + 1, row->end());
    }
    return Ok{};
  }

  const Environment& environment_;
  engine::Transaction& transaction_;
  const CancelToken& cancel_;
  ChangeLog log_;
  const BoundWrite* plan_ = nullptr;
  bool zero_ = false;                          // a division by zero was met
  std::vector<Value> keys_;                    // written so far by the statement
  std::vector<std::pair<Value, bool>> known_;  // keys that are there; whether the caller sees them
};

}  // namespace

Result<Written> write(const std::vector<bind::BoundStatement>& batch, const Environment& environment,
                      const CancelToken& cancel, std::size_t& failed, const BeforeCommit& before_commit) {
  failed = 0;
  std::vector<Outcome> noted(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) warn_division(*batch[i].write, environment, i == 0, cancel, noted[i]);
  CANDOR_ASSIGN(const auto transaction, environment.engine->begin(environment.wait_ms, cancel));
  Writer writer(environment, *transaction, cancel);
  Written written;
  for (failed = 0; failed < batch.size(); ++failed) {
    CANDOR_ASSIGN(Outcome outcome, writer.run_one(*batch[failed].write));
    if (outcome.warnings.empty()) outcome.warnings = std::move(noted[failed].warnings);
    outcome.warnings.insert(outcome.warnings.end(), batch[failed].warnings.begin(), batch[failed].warnings.end());
    written.outcomes.push_back(std::move(outcome));
  }
  if (environment.dry_run) return written;
  CANDOR_ASSIGN(written.changes, writer.changes());
  if (before_commit) CANDOR_TRY(before_commit(written.changes));
  CANDOR_TRY(transaction->commit());
  return written;
}

}  // namespace candor::exec
