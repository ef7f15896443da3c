// Writes: one transaction a batch. The rows are found by the same predicate as a SELECT's, counted, refused over the limit,
// and written by their keys; what changes is compared with what was counted.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "base/ascii.h"
#include "exec/ahead.h"
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

// A batch is taken back and done anew where its questions were asked ahead and that turned out to be unfounded.
Diagnostic asked_too_early() { return make_error("internal", "what was asked ahead did not hold"); }

class Writer {
 public:
  Writer(const Environment& environment, engine::Transaction& transaction, const CancelToken& cancel)
      : environment_(environment), exchange_(environment, transaction, cancel), log_(environment, exchange_) {}

  // Asks together what the statements ask before they write, as far as that is decided before any of them writes.
  Status ask_ahead(const std::vector<bind::BoundStatement>& batch) {
    const std::vector<bool> can = can_ask_ahead(batch, environment_.storage);
    if (std::ranges::count(can, true) < 2) return Ok{};
    std::vector<lower::Lowered> questions;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (can[i]) questions.push_back(question_of(*batch[i].write));
    }
    asked_ahead_ = true;
    CANDOR_ASSIGN(auto answers, exchange_.ask_all(questions));
    ahead_.resize(batch.size());
    for (std::size_t i = 0, next = 0; i < batch.size(); ++i) {
      if (can[i]) ahead_[i] = std::move(answers.at(next++));
    }
    return Ok{};
  }
  [[nodiscard]] bool asked_ahead() const { return asked_ahead_; }
  // Triggers or foreign keys of the source changed rows besides those that were written.
  [[nodiscard]] bool changed_others() const { return changed_others_; }

  // Much of it may be put off until `finish`.
  Status run_one(const BoundWrite& plan) {
    exchange_.begin_statement(statements_.size());
    now_ = &statements_.emplace_back();
    now_->plan = plan_ = &plan;
    Outcome& outcome = now_->outcome;
    outcome.resource = plan.resource->name;
    outcome.kind = plan.kind == WriteKind::kInsert   ? engine::StatementKind::kInsert
                   : plan.kind == WriteKind::kUpdate ? engine::StatementKind::kUpdate
                                                     : engine::StatementKind::kDelete;
    CANDOR_TRY(plan.kind == WriteKind::kInsert ? insert() : plan.kind == WriteKind::kUpdate ? update() : remove());
    if (plan.kind == WriteKind::kDelete || plan.returning.empty()) return Ok{};
    if (plan.kind == WriteKind::kInsert) CANDOR_TRY(exchange_.settle());  // which gives the keys
    return show_returning();
  }

  // What the statements came to.
  Result<std::vector<Outcome>> finish() {
    CANDOR_TRY(exchange_.settle());
    std::vector<Outcome> outcomes;
    for (Statement& one : statements_) {
      Outcome& outcome = one.outcome;
      outcome.affected = one.keys.size();
      if (one.plan->kind != WriteKind::kDelete && one.plan->returning.empty()) show_keys(one);
      outcome.surface = scope::describe({}, outcome.rows.size(), outcome.rows.size(), "");
      if (one.zero) outcome.warnings.push_back(division_warning(true));
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

  [[nodiscard]] Result<Changes> changes() { return log_.finish(); }

  // What failed of the batch, after `failure` was met: something that was put off before may have failed earlier.
  [[nodiscard]] Diagnostic first_failure(Diagnostic failure, std::size_t& statement) {
    statement = exchange_.failed_statement();
    const Status earlier = exchange_.settle();
    if (earlier.ok()) return failure;
    statement = exchange_.failed_statement();
    return earlier.error();
  }

 private:
  struct Statement {
    const BoundWrite* plan = nullptr;
    std::vector<Value> keys;  // of the rows that it writes; of an INSERT those that were written
    bool zero = false;        // a division by zero was met
    Outcome outcome;
  };

  lower::Lowering lowering() { return lower::Lowering(environment_.storage); }

  Result<Rows> ask(const lower::Lowered& lowered) { return exchange_.ask(lowered); }

  // What the statement asks before it writes: how its rows are, or which of its keys are there.
  lower::Lowered question_of(const BoundWrite& plan) {
    if (plan.kind == WriteKind::kInsert) return lowering().known_keys(*plan.resource, literal_keys(plan));
    return lowering().matched_rows(plan, environment_.contract->rows_per_statement + 1, log_.keeps(*plan.resource),
                                   divisors_of(plan.set));
  }

  // The answer to that, if it came ahead.
  std::optional<Rows> answered_ahead() {
    if (ahead_.empty()) return std::nullopt;
    return std::exchange(ahead_[statements_.size() - 1], std::nullopt);
  }

  void note_others(const Rows& done) {
    if (!done.changed_others) return;
    log_.changed_others();
    changed_others_ = true;
  }

  // The statement must change exactly one row: it was there a moment ago.
  Status change_one(lower::Lowered lowered, std::function<void()> then) {
    return exchange_.later(std::move(lowered),
                           [this, resource = plan_->resource, then = std::move(then)](const Rows& done) -> Status {
                             note_others(done);
                             if (asked_ahead_ && changed_others_) return asked_too_early();
                             if (done.affected != std::uint64_t{1})
                               return not_one(*resource, done.affected.value_or(0));
                             then();
                             return Ok{};
                           });
  }

  // Inside of a transaction no other writer can be the reason.
  static Diagnostic not_one(const contract::Resource& resource, std::uint64_t affected) {
    if (affected == 0) return not_taken(resource);
    return make_error("constraint-violation",
                      std::to_string(affected) + " rows of '" + resource.name + "' have the same " + resource.key +
                          ", which must name one",
                      "candor contract check counts such keys");
  }

  static Diagnostic not_taken(const contract::Resource& resource) {
    return make_error(
        "constraint-violation",
        "the source did not write a row of '" + resource.name + "': a trigger or rule of its own keeps it from that",
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
    CANDOR_ASSIGN(const std::uint64_t rows, exchange_.ask_count(lowering().count_all(*plan_->resource)));
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
    std::optional<Rows> ahead = answered_ahead();
    Result<Rows> found = ahead ? Result<Rows>(*std::move(ahead)) : ask(question_of(*plan_));
    const bool too_long = kept && !found.ok() && found.error().code == "result-too-large";
    if (too_long) found = ask(lowering().matched_rows(*plan_, most + 1, false, divisors));
    if (!found.ok()) return std::move(found).error();
    Rows rows = *std::move(found);
    if (!divisors.empty()) note_zero(rows);
    if (rows.rows.size() <= static_cast<std::size_t>(most)) {
      CANDOR_TRY(remember(rows.rows, kept && !too_long));
      return std::move(rows.rows);
    }
    CANDOR_ASSIGN(const std::uint64_t count, exchange_.ask_count(lowering().matched_count(*plan_)));
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
      now_->zero = now_->zero || row.back().integer != 0;
      row.pop_back();
    }
  }

  // How the rows are, for undoing: read with them, unless they are too long to come at once.
  Status remember(const std::vector<std::vector<Value>>& rows, bool with_kept) {
    for (const std::vector<Value>& row : rows) now_->keys.push_back(row[0]);
    if (!with_kept) return log_.before(*plan_->resource, now_->keys);
    std::vector<std::vector<Value>> kept;
    for (const std::vector<Value>& row : rows) {
      kept.push_back({row[0]});
      kept.back().insert(kept.back().end(), row.begin() + 1 + static_cast<std::ptrdiff_t>(plan_->set.size()),
                         row.end());
    }
    // In its turn, because undoing goes through the changes backwards.
    return exchange_.in_turn(
        [this, resource = plan_->resource, kept = std::move(kept)] { return log_.before(*resource, kept); });
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
      CANDOR_TRY(change_one(lowering().update(*plan_->resource, row[0], values), note_key(row[0], values)));
    }
    return Ok{};
  }

  // An UPDATE may write the key itself.
  std::function<void()> note_key(const Value& before, const std::vector<ColumnValue>& values) {
    const contract::Resource& resource = *plan_->resource;
    const Column* key = resource.find(resource.key);
    const auto written = std::ranges::find(values, key, &ColumnValue::column);
    if (written == values.end()) return [] {};
    return [this, &resource, before, after = written->value] { log_.moved(resource, before, after); };
  }

  Status remove() {
    const contract::Resource& resource = *plan_->resource;
    CANDOR_TRY(matched());
    if (!plan_->returning.empty()) CANDOR_TRY(show_returning());  // as they were
    for (const Value& key : now_->keys) {
      if (resource.soft_delete.empty()) {
        CANDOR_TRY(
            change_one(lowering().remove(resource, key), [this, &resource, key] { log_.removed(resource, key); }));
      } else {
        const std::vector<ColumnValue> values = {{resource.find(resource.soft_delete), now()}};
        CANDOR_TRY(change_one(lowering().update(resource, key, values), [] {}));
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
      // A key that was made here is nobody else's.
      if (values[key_column] && !is_made_here(row, key_column)) given.push_back(*values[key_column]);
      rows.push_back(std::move(values));
    }
    CANDOR_TRY(look_up(given));
    for (const auto& row : rows) CANDOR_TRY(insert_row(row, key_column));
    return Ok{};
  }

  bool is_made_here(const std::vector<bind::BoundPtr>& row, std::size_t key_column) const {
    if (plan_->resource->columns[key_column].generated != Column::Generated::kUuid) return false;
    const auto place = std::ranges::find(plan_->columns, key_column);
    return place == plan_->columns.end() || row[static_cast<std::size_t>(place - plan_->columns.begin())] == nullptr;
  }

  // Which of the keys are there, and whether the caller sees them.
  Status look_up(const std::vector<Value>& given) {
    known_.clear();
    if (given.empty()) return Ok{};
    std::optional<Rows> ahead = answered_ahead();
    Result<Rows> found = ahead ? Result<Rows>(*std::move(ahead)) : ask(lowering().known_keys(*plan_->resource, given));
    if (!found.ok()) return std::move(found).error();
    for (const std::vector<Value>& row : found->rows) known_.emplace_back(row[0], row[1].integer != 0);
    return Ok{};
  }

  static Diagnostic duplicate(const contract::Resource& resource, const Value& key) {
    return make_error("duplicate-key",
                      "a row of '" + resource.name + "' with " + resource.key + " = " + in_sql(key) + " exists already",
                      "use another " + resource.key + ", or write ON CONFLICT (" + resource.key + ") DO NOTHING");
  }

  Status insert_row(const std::vector<std::optional<Value>>& row, std::size_t key_column) {
    const contract::Resource& resource = *plan_->resource;
    if (row[key_column]) {
      const auto known = std::ranges::find_if(known_, [&](const auto& one) { return one.first == *row[key_column]; });
      if (known != known_.end()) {
        // A row that the caller can't see is there all the same: it can be neither passed over nor written.
        if (!plan_->on_conflict || !known->second) return duplicate(resource, *row[key_column]);
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
    if (row[key_column]) known_.emplace_back(*row[key_column], true);
    CANDOR_TRY(exchange_.later(lowering().insert(resource, values),
                               [this, &statement = *now_, given = row[key_column]](const Rows& made) {
                                 return inserted(statement, given, made);
                               }));
    // What the rows behind it do depends on the key that it has now.
    return plan_->on_conflict ? exchange_.settle() : Status(Ok{});
  }

  Status inserted(Statement& statement, const std::optional<Value>& given, const Rows& made) {
    const contract::Resource& resource = *statement.plan->resource;
    if (made.rows.size() != 1) return not_taken(resource);
    const Value& key = made.rows[0][0];
    note_others(made);
    // Questions were asked ahead by the keys that the statements name.
    if (asked_ahead_ && (changed_others_ || (given && key != *given))) return asked_too_early();
    // The source may have made one key of two.
    if (given && std::ranges::find(statement.keys, key) != statement.keys.end()) return duplicate(resource, key);
    if (statement.plan->on_conflict) known_.emplace_back(key, true);
    statement.keys.push_back(key);
    log_.inserted(resource, key);
    return Ok{};
  }

  Status conflicting(const std::vector<std::optional<Value>>& row, const Value& key) {
    const contract::Resource& resource = *plan_->resource;
    if (std::ranges::find(now_->keys, key) != now_->keys.end()) {
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
    CANDOR_TRY(change_one(lowering().update(resource, key, values), note_key(made.rows[0][0], values)));
    now_->keys.push_back(key);
    return exchange_.settle();
  }

  // RETURNING, in the order in which the rows were written.
  Status show_returning() {
    Outcome& outcome = now_->outcome;
    for (const bind::BoundItem& item : plan_->returning)
      outcome.columns.push_back({item.name, type_name(item.expr->type)});
    if (now_->keys.empty()) return Ok{};
    CANDOR_ASSIGN(const Rows rows, ask(lowering().returning(*plan_, now_->keys)));
    for (const Value& key : now_->keys) {
      const auto row = std::ranges::find_if(rows.rows, [&](const std::vector<Value>& one) { return one[0] == key; });
      if (row != rows.rows.end()) outcome.rows.emplace_back(row->begin() + 1, row->end());
    }
    return Ok{};
  }

  static void show_keys(Statement& statement) {
    const contract::Column& key = *statement.plan->resource->find(statement.plan->resource->key);
    statement.outcome.columns = {{key.name, type_name(key.type)}};
    for (const Value& one : statement.keys) statement.outcome.rows.push_back({one});
  }

  const Environment& environment_;
  Exchange exchange_;
  ChangeLog log_;
  std::deque<Statement> statements_;           // what was put off points to them
  Statement* now_ = nullptr;                   // the last of them
  const BoundWrite* plan_ = nullptr;           // its plan
  std::vector<std::pair<Value, bool>> known_;  // keys that are there, for its INSERT; whether the caller sees them
  std::vector<std::optional<Rows>> ahead_;     // by statement, what was answered ahead
  bool asked_ahead_ = false;
  bool changed_others_ = false;
};

// One attempt at a batch, up to the commit.
struct Attempt {
  std::unique_ptr<engine::Transaction> transaction;
  std::optional<Writer> writer;
  std::vector<Outcome> outcomes;
};

Status attempt(const std::vector<bind::BoundStatement>& batch, const Environment& environment,
               const CancelToken& cancel, bool ahead, Attempt& made, std::size_t& failed) {
  failed = 0;
  CANDOR_ASSIGN(made.transaction, environment.engine->begin(environment.wait_ms, cancel));
  Writer& writer = made.writer.emplace(environment, *made.transaction, cancel);
  const auto run_all = [&]() -> Status {
    if (ahead) CANDOR_TRY(writer.ask_ahead(batch));
    for (const bind::BoundStatement& statement : batch) CANDOR_TRY(writer.run_one(*statement.write));
    CANDOR_ASSIGN(made.outcomes, writer.finish());
    return Ok{};
  };
  Status done = run_all();
  if (done.ok()) return done;
  return writer.first_failure(std::move(done).error(), failed);
}

// Whether the same would fail again, whatever was asked when.
bool is_final(const Diagnostic& failure) {
  constexpr std::array<std::string_view, 5> kFinal = {"busy", "cancelled", "concurrent-change", "engine-died",
                                                      "statement-timeout"};
  return std::ranges::find(kFinal, failure.code) != kFinal.end();
}

}  // namespace

Result<Written> write(const std::vector<bind::BoundStatement>& batch, const Environment& environment,
                      const CancelToken& cancel, std::size_t& failed, const BeforeCommit& before_commit) {
  failed = 0;
  std::vector<Outcome> noted(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) warn_division(*batch[i].write, environment, i == 0, cancel, noted[i]);
  // PostgreSQL does not tell of what triggers change.
  const bool ahead = batch.size() > 1 && environment.storage.target != lower::Target::kPostgres &&
                     !(environment.changes_others && *environment.changes_others);
  Attempt made;
  Status done = attempt(batch, environment, cancel, ahead, made, failed);
  if (!done.ok() && made.writer && made.writer->asked_ahead() && !is_final(done.error())) {
    // Rolled back, and then one question at a time: what that says is what is true.
    if (made.writer->changed_others() && environment.changes_others) *environment.changes_others = true;
    made.writer.reset();
    made.transaction.reset();
    done = attempt(batch, environment, cancel, false, made, failed);
  }
  CANDOR_TRY(done);
  Written written;
  written.outcomes = std::move(made.outcomes);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Outcome& outcome = written.outcomes[i];
    if (outcome.warnings.empty()) outcome.warnings = std::move(noted[i].warnings);
    outcome.warnings.insert(outcome.warnings.end(), batch[i].warnings.begin(), batch[i].warnings.end());
  }
  failed = batch.size();
  if (environment.dry_run) return written;
  CANDOR_ASSIGN(written.changes, made.writer->changes());
  if (before_commit) CANDOR_TRY(before_commit(written.changes));
  CANDOR_TRY(made.transaction->commit());
  return written;
}

}  // namespace candor::exec
