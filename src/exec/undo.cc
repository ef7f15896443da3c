// The rows of the source are compared with the record's in the form in which the record has them, inside the transaction
// that puts them back; then they are looked at once more, since a trigger or a default may have had a say.
#include "exec/undo.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <utility>

#include "exec/change_log.h"
#include "exec/rows.h"

namespace candor::exec {
namespace {

// What the source holds of one resource's rows.
struct Present {
  std::map<std::string, std::string> rows;  // by key, of the caller's scope
  std::set<std::string> taken;              // keys that are there in any scope
};

std::string key_text(const Value& key) { return text_of_row({key}); }

// The keys of a resource that the batch touched, each once.
std::map<const contract::Resource*, std::vector<Value>> keys_of(const std::vector<Change>& rows) {
  std::map<const contract::Resource*, std::vector<Value>> keys;
  std::map<const contract::Resource*, std::set<std::string>> seen;
  for (const Change& row : rows) {
    for (const Value* key : {&row.key_before, &row.key_after}) {
      if (seen[row.resource].insert(key_text(*key)).second) keys[row.resource].push_back(*key);
    }
  }
  return keys;
}

// Whether the row with the key is as `text` says; empty: there is none, in no scope.
bool stands(const Present& present, const Value& key, const std::string& text) {
  const std::string name = key_text(key);
  if (text.empty()) return !present.taken.contains(name);
  const auto found = present.rows.find(name);
  return found != present.rows.end() && found->second == text;
}

}  // namespace

Result<Standing> Undoing::look() {
  constexpr std::size_t kKeysAtOnce = 200;
  std::map<const contract::Resource*, Present> present;
  for (const auto& [resource, keys] : keys_of(rows_)) {
    Present& here = present[resource];
    CANDOR_ASSIGN(const auto rows, kept_rows(*resource, keys, environment_, exchange_));
    for (const std::vector<Value>& row : rows) here.rows[key_text(row[0])] = text_of_row({row.begin() + 1, row.end()});
    for (std::size_t first = 0; first < keys.size(); first += kKeysAtOnce) {
      const auto from = keys.begin() + static_cast<std::ptrdiff_t>(first);
      const std::vector<Value> some(from,
                                    from + static_cast<std::ptrdiff_t>(std::min(kKeysAtOnce, keys.size() - first)));
      lower::Lowering lowering(environment_.storage);
      CANDOR_ASSIGN(const Rows known, exchange_.ask(lowering.known_keys(*resource, some)));
      for (const std::vector<Value>& row : known.rows) here.taken.insert(key_text(row[0]));
    }
  }
  // A key that the batch took away from one row and gave to another is taken by its own doing.
  std::map<const contract::Resource*, std::set<std::string>> given;
  std::map<const contract::Resource*, std::set<std::string>> had;
  for (const Change& row : rows_) {
    if (!row.after.empty()) given[row.resource].insert(key_text(row.key_after));
    if (!row.before.empty()) had[row.resource].insert(key_text(row.key_before));
  }
  Standing standing;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Change& row = rows_[i];
    const Present& here = present[row.resource];
    const bool after = stands(here, row.key_after, row.after) ||
                       (row.after.empty() && given[row.resource].contains(key_text(row.key_after)));
    const bool before = stands(here, row.key_before, row.before) ||
                        (row.before.empty() && had[row.resource].contains(key_text(row.key_before)));
    (after ? standing.as_after : before ? standing.as_before : standing.changed).push_back(i);
  }
  return standing;
}

Result<std::vector<lower::Lowering::KeptValue>> Undoing::differing(const Change& change) const {
  CANDOR_ASSIGN(std::vector<Value> before, row_of_text(change.before));
  CANDOR_ASSIGN(const std::vector<Value> after, row_of_text(change.after));
  std::vector<lower::Lowering::KeptValue> values;
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
    if (text_of_row({before[i]}) != text_of_row({after[i]})) values.push_back({i, std::move(before[i])});
  }
  return values;
}

Status Undoing::restore_one(const Change& change) {
  lower::Lowering lowering(environment_.storage);
  lower::Lowered lowered;
  if (change.before.empty()) {
    lowered = lowering.take_away(*change.resource, change.key_after);
  } else if (change.after.empty()) {
    CANDOR_ASSIGN(const std::vector<Value> row, row_of_text(change.before));
    lowered = lowering.put_back(*change.resource, row);
  } else {
    CANDOR_ASSIGN(const auto values, differing(change));
    lowered = lowering.put_back(*change.resource, change.key_after, values);
  }
  return exchange_.later(std::move(lowered), [name = change.resource->name](const Rows& done) -> Status {
    if (done.affected == std::uint64_t{1}) return Ok{};
    return make_error("undo-refused", "the source did not take a row of '" + name + "' back",
                      "look whether a trigger of the source keeps it from being written");
  });
}

Status Undoing::restore() {
  for (const Change& change : std::views::reverse(rows_)) CANDOR_TRY(restore_one(change));
  CANDOR_TRY(exchange_.settle());
  CANDOR_ASSIGN(const Standing standing, look());
  if (standing.as_before.size() == rows_.size()) return Ok{};
  const std::size_t other = rows_.size() - standing.as_before.size();
  return make_error(
      "undo-refused",
      std::to_string(other) + " of " + std::to_string(rows_.size()) +
          " rows would not be as they were before the batch: the source writes something else than what it "
          "is given",
      "look whether a trigger of the source changes rows that are written");
}

}  // namespace candor::exec
