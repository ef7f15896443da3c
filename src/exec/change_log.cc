// Following rows through a batch: a row that is written several times is one change, from what it was to what it is.
#include "exec/change_log.h"

#include <algorithm>
#include <utility>

#include "exec/rows.h"

namespace candor::exec {
namespace {

constexpr std::size_t kKeysAtOnce = 200;
constexpr std::size_t kBytesMax = std::size_t{256} << 20U;  // of the rows of a batch, before and after

Diagnostic too_large() {
  return make_error("result-too-large", "the rows are too long to be kept for undoing: nothing was written",
                    "write fewer rows at a time");
}

bool is_cut(const std::vector<Value>& row) {
  return std::ranges::any_of(row, [](const Value& value) { return value.kind == CellKind::kCut; });
}

}  // namespace

Result<std::vector<std::vector<Value>>> kept_rows(const contract::Resource& resource, const std::vector<Value>& keys,
                                                  const Environment& environment, Exchange& exchange) {
  std::vector<std::vector<Value>> all;
  for (std::size_t first = 0; first < keys.size(); first += kKeysAtOnce) {
    const auto from = keys.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<Value> some(from, from + static_cast<std::ptrdiff_t>(std::min(kKeysAtOnce, keys.size() - first)));
    lower::Lowering lowering(environment.storage);
    Result<Rows> rows = exchange.ask(lowering.kept_rows(resource, some));
    if (!rows.ok()) return rows.error().code == "result-too-large" ? too_large() : std::move(rows).error();
    for (std::vector<Value>& row : rows->rows) {
      if (is_cut(row)) return too_large();
      all.push_back(std::move(row));
    }
  }
  return all;
}

// Two resources may publish one table.
std::string ChangeLog::id_of(const contract::Resource& resource, const Value& key) const {
  const lower::StoredTable& table = environment_.storage.tables.at(&resource);
  return text_of_row(
      {text_value(table.schema), text_value(table.name), text_value(resource.find(resource.key)->stored), key});
}

bool ChangeLog::keeps(const contract::Resource& resource) {
  if (cannot_keep_.empty()) cannot_keep_ = lower::Lowering(environment_.storage).cannot_keep(resource);
  return cannot_keep_.empty();
}

ChangeLog::Entry* ChangeLog::find(const contract::Resource& resource, const Value& key) {
  const auto place = places_.find(id_of(resource, key));
  return place == places_.end() ? nullptr : &entries_[place->second];
}

ChangeLog::Entry& ChangeLog::add(const contract::Resource& resource, const Value& key) {
  places_[id_of(resource, key)] = entries_.size();
  return entries_.emplace_back(Entry{{&resource, key, key, {}, {}}, false, ++order_});
}

Status ChangeLog::before(const contract::Resource& resource, const std::vector<Value>& keys) {
  if (!keeps(resource)) return Ok{};
  CANDOR_ASSIGN(const auto rows, kept_rows(resource, keys, environment_, exchange_));
  return before(resource, rows);
}

Status ChangeLog::before(const contract::Resource& resource, const std::vector<std::vector<Value>>& rows) {
  for (const std::vector<Value>& row : rows) {
    if (is_cut(row)) return too_large();
    if (find(resource, row[0]) != nullptr) continue;
    Change& change = add(resource, row[0]).change;
    change.before = text_of_row({row.begin() + 1, row.end()});
    bytes_ += change.before.size();
    if (bytes_ > kBytesMax) return too_large();
  }
  return Ok{};
}

void ChangeLog::inserted(const contract::Resource& resource, const Value& key) {
  if (!keeps(resource)) return;
  if (Entry* known = find(resource, key); known != nullptr) {
    known->removed = false;
  } else {
    (void)add(resource, key);
  }
}

// Undoing goes the other way round, so that what refers to a row is put back after it.
void ChangeLog::removed(const contract::Resource& resource, const Value& key) {
  if (Entry* known = find(resource, key); known != nullptr) {
    known->removed = true;
    known->order = ++order_;
  }
}

void ChangeLog::moved(const contract::Resource& resource, const Value& from, const Value& to) {
  Entry* known = find(resource, from);
  if (known == nullptr || from == to) return;
  const auto place = static_cast<std::size_t>(known - entries_.data());
  known->change.key_after = to;
  places_.erase(id_of(resource, from));
  places_[id_of(resource, to)] = place;
}

Status ChangeLog::look_again() {
  std::map<const contract::Resource*, std::vector<Value>> keys;
  for (const Entry& entry : entries_) {
    if (!entry.removed) keys[entry.change.resource].push_back(entry.change.key_after);
  }
  for (const auto& [resource, some] : keys) {
    CANDOR_ASSIGN(const auto rows, kept_rows(*resource, some, environment_, exchange_));
    for (const std::vector<Value>& row : rows) {
      Entry* known = find(*resource, row[0]);
      if (known == nullptr) continue;
      known->change.after = text_of_row({row.begin() + 1, row.end()});
      bytes_ += known->change.after.size();
      if (bytes_ > kBytesMax) return too_large();
    }
  }
  return Ok{};
}

Result<Changes> ChangeLog::finish() {
  Changes changes;
  changes.cannot_keep = std::move(cannot_keep_);
  changes.changed_others = changed_others_;
  if (!changes.cannot_keep.empty()) return changes;
  CANDOR_TRY(look_again());
  for (const Entry& entry : entries_) {
    if (entry.removed || !entry.change.after.empty()) continue;
    // The source rounded the key that was written, or a trigger took the row away.
    changes.cannot_keep = "a row of '" + entry.change.resource->name + "' was not found again by its key";
    return changes;
  }
  std::ranges::sort(entries_, {}, &Entry::order);
  for (Entry& entry : entries_) {
    if (entry.change.before != entry.change.after) changes.rows.push_back(std::move(entry.change));
  }
  return changes;
}

}  // namespace candor::exec
