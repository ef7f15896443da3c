// Undo: a batch of writes is kept in the ledger before the source commits, and taken back from there.
#include "exec/undo.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/ascii.h"
#include "candor/execution.h"

namespace candor {
namespace {

using json::Node;
using ledger::UndoBatch;
using ledger::UndoState;

constexpr std::int64_t kDayMs = std::int64_t{1000} * 60 * 60 * 24;

std::string time_text(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0 ? "" : text;
}

Diagnostic refused(std::string message, std::string hint = {}, std::string detail = {}) {
  return make_error("undo-refused", std::move(message), std::move(hint), std::move(detail));
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// ---- the record ----

// A table as a batch saw it; what undoing needs of the contract and the source, to tell whether they are still the same.
Node table_node(const contract::Resource& resource, const lower::StoredTable& table) {
  Node node = Node::object();
  node.set("resource", Node::string(resource.name)).set("schema", Node::string(table.schema));
  node.set("table", Node::string(table.name)).set("key", Node::string(resource.find(resource.key)->stored));
  Node columns = Node::array();
  for (const std::string& column : table.kept) columns.push(Node::string(column));
  return std::move(node.set("columns", std::move(columns)));
}

std::vector<ledger::UndoRow> rows_of(const exec::Changes& changes, const lower::Storage& storage, std::string& tables) {
  std::vector<const contract::Resource*> resources;
  std::vector<ledger::UndoRow> rows;
  Node list = Node::array();
  for (const exec::Change& change : changes.rows) {
    auto place = std::ranges::find(resources, change.resource);
    if (place == resources.end()) {
      list.push(table_node(*change.resource, storage.tables.at(change.resource)));
      resources.push_back(change.resource);
      place = resources.end() - 1;
    }
    rows.push_back({static_cast<std::uint64_t>(place - resources.begin()),
                    exec::text_of_row({change.key_before, change.key_after}), change.before, change.after});
  }
  tables = json::dump(list);
  return rows;
}

// What a column list lacks of another, without regard to case.
std::vector<std::string> lacking(const std::vector<std::string>& here, const std::vector<std::string>& there) {
  std::vector<std::string> names;
  for (const std::string& name : there) {
    if (std::ranges::none_of(here, [&](const std::string& one) { return same_name(one, name); })) names.push_back(name);
  }
  return names;
}

// The resource of the contract that still is the record's table.
Result<const contract::Resource*> resource_of(const Node& record, const exec::Environment& environment,
                                              const std::string& batch) {
  const std::string name(record.string_or("resource", ""));
  const std::string hint = "mend the contract first: candor contract check " + environment.contract->file;
  const contract::Resource* resource = environment.contract->find(name);
  if (resource == nullptr || resource->key.empty()) {
    return refused("batch " + batch + " wrote to '" + name + "', and the contract publishes it with a key no more",
                   hint);
  }
  const lower::StoredTable& table = environment.storage.tables.at(resource);
  if (!same_name(table.name, record.string_or("table", "")) ||
      !same_name(table.schema, record.string_or("schema", "")) ||
      !same_name(resource->find(resource->key)->stored, record.string_or("key", ""))) {
    return refused("batch " + batch + " wrote to '" + name + "' when it was another table or had another key", hint);
  }
  std::vector<std::string> columns;
  for (const Node& column : record["columns"].items()) columns.push_back(column.text());
  const std::vector<std::string> gone = lacking(table.kept, columns);
  const std::vector<std::string> come = lacking(columns, table.kept);
  if (gone.empty() && come.empty() && table.kept == columns) return resource;
  std::string how = gone.empty() ? "" : "gone: " + joined(gone);
  if (!come.empty()) how += (how.empty() ? "new: " : "; new: ") + joined(come);
  return refused("the columns of table " + table.name + " are others than when batch " + batch + " was written",
                 "put the rows right by statements of your own", how.empty() ? "their order changed" : how);
}

Result<std::vector<exec::Change>> changes_of(const UndoBatch& batch, const std::vector<ledger::UndoRow>& rows,
                                             const exec::Environment& environment) {
  const Result<Node> tables = json::parse(batch.tables);
  if (!tables.ok() || rows.size() != batch.rows) {
    return make_error("integrity", "the record of batch " + batch.id + " is not whole", "candor doctor");
  }
  std::vector<const contract::Resource*> resources;
  for (const Node& table : tables->items()) {
    CANDOR_ASSIGN(const contract::Resource* resource, resource_of(table, environment, batch.id));
    resources.push_back(resource);
  }
  std::vector<exec::Change> changes;
  for (const ledger::UndoRow& row : rows) {
    CANDOR_ASSIGN(const std::vector<Value> keys, exec::row_of_text(row.keys));
    if (keys.size() != 2 || row.table >= resources.size()) {
      return make_error("integrity", "the record of batch " + batch.id + " is not whole", "candor doctor");
    }
    changes.push_back({resources[row.table], keys[0], keys[1], row.before, row.after});
  }
  return changes;
}

// ---- words ----

std::string plain(const Value& key) {
  std::string cells;
  CellWriter writer(cells);
  write_value(writer, key);
  CellReader reader(cells);
  return shortened(plain_text(reader), 60);
}

Diagnostic rows_changed(const UndoBatch& batch, const std::vector<exec::Change>& changes,
                        const std::vector<std::size_t>& others) {
  constexpr std::size_t kShown = 5;
  std::string keys;
  for (std::size_t i = 0; i < std::min(kShown, others.size()); ++i) {
    const exec::Change& change = changes[others[i]];
    keys += (i == 0 ? "" : ", ") + change.resource->name + " " + change.resource->key + " = " + plain(change.key_after);
  }
  if (others.size() > kShown) keys += ", …";
  return refused(std::to_string(others.size()) + " of the " + std::to_string(changes.size()) + " rows of batch " +
                     batch.id + " changed since: nothing was undone",
                 "put the rows right by statements of your own", keys);
}

std::vector<Undone::Resource> summary(const std::vector<exec::Change>& changes) {
  std::vector<Undone::Resource> all;
  for (const exec::Change& change : changes) {
    auto one = std::ranges::find(all, change.resource->name, &Undone::Resource::name);
    if (one == all.end()) {
      all.push_back({change.resource->name});
      one = all.end() - 1;
    }
    ++(change.before.empty() ? one->removed : change.after.empty() ? one->inserted : one->restored);
  }
  return all;
}

}  // namespace

std::vector<std::string> resource_names(const UndoBatch& batch) {
  std::vector<std::string> names;
  const Result<Node> tables = json::parse(batch.tables);
  if (!tables.ok()) return names;
  for (const Node& table : tables->items()) names.emplace_back(table.string_or("resource", ""));
  return names;
}

// ---- keeping ----

Status Service::write_contract(const Caller& caller, const Prepared& prepared, const Published& published,
                               const std::vector<bind::BoundStatement>& batch, const exec::Environment& environment,
                               const CancelToken& cancel, std::size_t& failed, exec::Written& written,
                               Delivery& delivery) {
  const exec::BeforeCommit keep = [&](const exec::Changes& changes) -> Status {
    const std::int64_t days = configuration_.limit("undo_days");
    if (changes.rows.empty() || days == 0) return Ok{};
    UndoBatch record;
    record.turn = prepared.turn;
    record.surface = caller.surface;
    record.source = published.contract.source;
    record.contract = published.contract.name;
    record.scope_column = environment.storage.scope_column;
    record.scope_value = environment.storage.scope_value;
    record.statements = batch.size();
    record.changed_others = changes.changed_others;
    const std::vector<ledger::UndoRow> rows = rows_of(changes, environment.storage, record.tables);
    CANDOR_ASSIGN(delivery.batch_id, ledger_->keep_undo(record, rows, unix_ms() - days * kDayMs));
    return Ok{};
  };
  Result<exec::Written> done = exec::write(batch, environment, cancel, failed, keep);
  const std::string& id = delivery.batch_id;
  if (done.ok()) {
    // Where the ledger can't say so now, the next undo finds out by itself.
    if (!id.empty() && !ledger_->settle_undo(id, UndoState::kDone).ok()) (void)ledger_->leave_undo(id).ok();
    delivery.not_kept = done->changes.cannot_keep;
    written = *std::move(done);
    return Ok{};
  }
  Diagnostic failure = std::move(done).error();
  if (!id.empty()) {
    const bool unknown = failure.error_class() == ErrorClass::kAmbiguous;
    if (unknown || !ledger_->settle_undo(id, UndoState::kDropped).ok()) (void)ledger_->leave_undo(id).ok();
    if (unknown) failure.hint = "candor undo " + id + " --dry-run tells whether the source has it";
  }
  return failure;
}

// ---- undoing ----

// A batch that this process alone works on, let go of at the end.
class Service::HeldBatch {
 public:
  static Result<HeldBatch> take(ledger::Ledger& ledger, const std::string& id) {
    CANDOR_ASSIGN(UndoBatch batch, ledger.take_undo(id));
    return HeldBatch(ledger, std::move(batch));
  }
  HeldBatch(HeldBatch&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)), batch_(std::move(other.batch_)) {}
  HeldBatch& operator=(HeldBatch&&) = delete;
  ~HeldBatch() {
    if (ledger_ != nullptr) (void)ledger_->leave_undo(batch_.id).ok();
  }
  [[nodiscard]] const UndoBatch& batch() const { return batch_; }
  [[nodiscard]] Status settle(UndoState state) { return ledger_->settle_undo(batch_.id, state); }

 private:
  HeldBatch(ledger::Ledger& ledger, UndoBatch batch) : ledger_(&ledger), batch_(std::move(batch)) {}
  ledger::Ledger* ledger_;
  UndoBatch batch_;
};

namespace {

// The batch's scope has to be the caller's: nobody undoes what was written for another tenant.
Status check_scope(const UndoBatch& batch, const exec::Environment& environment) {
  const bool same =
      batch.scope_column == environment.storage.scope_column && batch.scope_value == environment.storage.scope_value;
  if (same) return Ok{};
  const std::optional<contract::Scope>& scope = environment.contract->scope;
  return refused(
      "batch " + batch.id + " was written in another scope than the caller's",
      scope && !scope->claim.empty() ? "--claim " + scope->claim + "=VALUE of the caller that wrote it" : "");
}

// What is to be done, by what the ledger knows and what the source has.
Result<Undone::Outcome> decide(const UndoBatch& batch, const std::vector<exec::Change>& changes,
                               const exec::Standing& standing) {
  if (standing.as_after.size() == changes.size()) return Undone::Outcome::kUndone;
  const bool as_before = standing.as_before.size() == changes.size();
  if (as_before && batch.state == UndoState::kPending) return Undone::Outcome::kNothing;
  if (as_before && batch.state == UndoState::kUndoing) return Undone::Outcome::kAlready;
  std::vector<std::size_t> others = standing.changed;
  others.insert(others.end(), standing.as_before.begin(), standing.as_before.end());
  std::ranges::sort(others);
  return rows_changed(batch, changes, others);
}

}  // namespace

Result<Undone> Service::undo_held(const Prepared& prepared, HeldBatch& held, bool dry_run, const CancelToken& cancel) {
  const UndoBatch& batch = held.batch();
  if (batch.state == UndoState::kUndone)
    return refused("batch " + batch.id + " was undone at " + time_text(batch.undone_ms), "candor undo --list");
  if (batch.state == UndoState::kExpired) {
    return refused(
        "batch " + batch.id + " was written at " + time_text(batch.kept_ms) + ", and its rows were forgotten since",
        "put the rows right by statements of your own; limits.undo_days says how long rows are kept");
  }
  CANDOR_ASSIGN(const std::shared_ptr<const Published> published, prepared.session->published("", batch.source));
  if (published == nullptr) {
    return make_error("unknown-source",
                      "batch " + batch.id + " was written to source '" + batch.source +
                          "', which is not published through a contract here",
                      "--source " + batch.source + "=FILE --contract FILE");
  }
  CANDOR_ASSIGN(const exec::Environment environment, environment_of(*published, {}));
  CANDOR_TRY(check_scope(batch, environment));
  CANDOR_ASSIGN(const std::vector<ledger::UndoRow> rows, ledger_->undo_rows(batch.id));
  CANDOR_ASSIGN(const std::vector<exec::Change> changes, changes_of(batch, rows, environment));
  CANDOR_ASSIGN(const auto transaction, environment.engine->begin(environment.wait_ms, cancel));
  exec::Undoing undoing(environment, *transaction, changes, cancel);
  CANDOR_ASSIGN(const exec::Standing standing, undoing.look());
  Undone undone;
  undone.batch_id = batch.id;
  undone.source = batch.source;
  undone.dry_run = dry_run;
  CANDOR_ASSIGN(undone.outcome, decide(batch, changes, standing));
  if (undone.outcome == Undone::Outcome::kNothing) return undone;
  undone.rows = changes.size();
  undone.resources = summary(changes);
  if (batch.changed_others) {
    undone.warnings.push_back(
        {"undo-partial",
         "triggers or foreign keys of the source changed further rows with the batch, and the record "
         "does not hold them",
         "look whether rows that belong to these are missing"});
  }
  if (undone.outcome == Undone::Outcome::kAlready) {
    if (!dry_run) CANDOR_TRY(held.settle(UndoState::kUndone));
    return undone;
  }
  if (Status restored = undoing.restore(); !restored.ok()) {
    Diagnostic failure = std::move(restored).error();
    failure.message = "batch " + batch.id + " was not undone: " + failure.message;
    // What the source does not take back, because of rows that came since, will not be taken another time.
    if (failure.error_class() == ErrorClass::kPermanent) {
      failure.detail = failure.code + (failure.detail.empty() ? "" : " " + failure.detail);
      failure.hint = "put the rows right by statements of your own";
      failure.code = "undo-refused";
    }
    return failure;
  }
  if (dry_run) return undone;
  CANDOR_TRY(held.settle(UndoState::kUndoing));
  if (Status committed = transaction->commit(); !committed.ok()) {
    if (committed.error().error_class() != ErrorClass::kAmbiguous) (void)held.settle(UndoState::kDone).ok();
    return std::move(committed).error();
  }
  // The source has it: where the ledger can't say so now, the next undo does.
  (void)held.settle(UndoState::kUndone).ok();
  return undone;
}

Result<Undone> Service::undo(const Caller& caller, const std::string& batch_id, bool dry_run, CancelToken cancel) {
  CANDOR_ASSIGN(const Prepared prepared, prepare(caller));
  CANDOR_ASSIGN(HeldBatch held, HeldBatch::take(*ledger_, batch_id));
  Execution execution;
  execution.begin(prepared);
  execution.query.sql = "candor undo " + batch_id + (dry_run ? " --dry-run" : "");
  execution.query.kind = "undo";
  execution.query.engine = "contract";
  execution.query.source = held.batch().source;
  execution.query.columns = "[]";
  execution.query.rows = "[]";
  execution.query.temporary_objects = "[]";
  execution.query.source_versions = "{}";
  Result<Undone> undone = undo_held(prepared, held, dry_run, cancel);
  execution.query.succeeded = undone.ok();
  if (!undone.ok()) execution.fail(undone.error());
  if (undone.ok()) execution.end.affected_count = dry_run ? 0 : undone->rows;
  const Status recorded = record(caller, prepared, execution);
  if (undone.ok() && recorded.ok()) undone->query_id = execution.query.id;
  return undone;
}

}  // namespace candor
