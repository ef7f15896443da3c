// Comparing values of ORDER BY without the database, carefully: what is not sure is left to it.
#include "exec/border.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace candor::exec {
namespace {

bool is_real(const Value& value) { return value.kind == CellKind::kReal32 || value.kind == CellKind::kReal64; }

Same told(bool equal) { return equal ? Same::kEqual : Same::kDifferent; }

Same same_value(const Value& a, const Value& b, bool exact_texts) {
  if (a.is_null() || b.is_null()) return told(a.is_null() && b.is_null());
  if (a.kind != b.kind) return Same::kUnknown;
  if (is_real(a)) return std::isnan(a.real) || std::isnan(b.real) ? Same::kUnknown : told(a.real == b.real);
  switch (a.kind) {
    case CellKind::kBoolean:
    case CellKind::kInteger:
      return told(a.integer == b.integer);
    case CellKind::kIntegerText:
    case CellKind::kTemporal:
      return told(a.text == b.text);
    case CellKind::kText:
      return a.text == b.text ? Same::kEqual : exact_texts ? Same::kDifferent : Same::kUnknown;
    default:
      return a == b ? Same::kEqual : Same::kUnknown;
  }
}

// Whether the value, bound as a parameter, is the same one for the database. Reals and decimals are texts on the way to some.
bool binds_exactly(const Value& value) {
  constexpr std::size_t kMicroseconds = std::string_view("2024-02-29T12:00:00.123456").size();
  switch (value.kind) {
    case CellKind::kNull:
    case CellKind::kBoolean:
    case CellKind::kInteger:
    case CellKind::kText:
      return true;
    case CellKind::kTemporal:
      return value.text.size() <= kMicroseconds;
    default:
      return false;
  }
}

}  // namespace

Same Borders::same(const Row& a, const Row& b) const {
  Same all = Same::kEqual;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Same one = same_value(a[i], b[i], exact_texts_);
    if (one == Same::kDifferent) return one;
    if (one == Same::kUnknown) all = one;
  }
  return all;
}

std::vector<std::vector<Value>> Borders::take(std::vector<std::vector<Value>> rows, std::size_t columns) {
  const std::size_t first = begins_inside_ && !rows.empty() ? 1 : 0;
  const std::size_t end = std::min(rows.size(), first + static_cast<std::size_t>(page_.limit));
  if (!keys_.empty()) {
    std::vector<Row> keys;
    for (const std::vector<Value>& row : rows) {
      Row& key = keys.emplace_back();
      for (const std::size_t column : keys_) key.push_back(row[column]);
    }
    look(keys, first, end);
  }
  rows.resize(end);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::vector<Value>& row : rows) row.resize(columns);
  return rows;
}

void Borders::look(const std::vector<Row>& rows, std::size_t first, std::size_t end) {
  if (first == end) return;
  first_ = rows[first];
  last_ = rows[end - 1];
  if (first > 0) before_ = same(rows[first - 1], first_);
  if (end < rows.size()) behind_ = same(last_, rows[end]);
  const auto counted = [&](const Row& border, auto row, const auto& last) -> std::uint64_t {
    std::uint64_t count = 0;
    for (; row != last; ++row, ++count) {
      const Same one = same(border, *row);
      if (one == Same::kUnknown) return 0;
      if (one == Same::kDifferent) break;
    }
    return count;
  };
  const auto begin = rows.begin();
  const auto at = [&](std::size_t place) { return begin + static_cast<std::ptrdiff_t>(place); };
  leading_ = counted(first_, at(first), at(end));
  trailing_ = counted(last_, std::make_reverse_iterator(at(end)), std::make_reverse_iterator(at(first)));
  all_equal_ = leading_ == end - first;
}

std::vector<lower::Lowering::Border> Borders::counted_by() const {
  const bool before = before_ != Same::kDifferent;
  const bool behind = behind_ != Same::kDifferent;
  // One number would be that of both sides together.
  if (before && behind && all_equal_) return {};
  const auto exact = [](const Row& row) { return !row.empty() && std::ranges::all_of(row, binds_exactly); };
  if (before && (before_ == Same::kUnknown || leading_ == 0 || !exact(first_))) return {};
  if (behind && (behind_ == Same::kUnknown || trailing_ == 0 || !exact(last_))) return {};
  std::vector<lower::Lowering::Border> borders;
  if (before) borders.push_back(first_);
  if (behind) borders.push_back(last_);
  return borders;
}

std::optional<Ties> Borders::ties(const std::vector<std::uint64_t>& equal) const {
  Ties ties;
  std::size_t next = 0;
  // A row that ties was seen already: it is among those that are counted.
  const auto outside = [&](std::uint64_t inside, std::uint64_t& count) {
    const std::uint64_t all = equal[next++];
    if (all <= inside) return false;
    count = all - inside;
    return true;
  };
  if (before_ != Same::kDifferent && !outside(leading_, ties.before)) return std::nullopt;
  if (behind_ != Same::kDifferent && !outside(trailing_, ties.behind)) return std::nullopt;
  return ties;
}

}  // namespace candor::exec
