// Comparing keys, and joining.
#include "engine/functions/string_agg.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace candor::engine::functions {
namespace {

bool is_null(const SortKey& key) { return std::holds_alternative<std::monostate>(key); }

bool is_number(const SortKey& key) {
  return std::holds_alternative<std::int64_t>(key) || std::holds_alternative<double>(key);
}

// Wide enough for every 64-bit integer and every double.
long double number_of(const SortKey& key) {
  if (const auto* integer = std::get_if<std::int64_t>(&key)) return static_cast<long double>(*integer);
  return static_cast<long double>(std::get<double>(key));
}

int sign(bool less, bool greater) { return less ? -1 : static_cast<int>(greater); }

// Neither is NULL.
int compare(const SortKey& a, const SortKey& b) {
  if (is_number(a) && is_number(b)) return sign(number_of(a) < number_of(b), number_of(a) > number_of(b));
  if (is_number(a) || is_number(b)) return is_number(a) ? -1 : 1;
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  if ((left == nullptr) != (right == nullptr)) return left != nullptr ? -1 : 1;
  // The order of UTF-8's bytes is that of the code points.
  return left != nullptr ? left->compare(*right) : std::get<Bytes>(a).value.compare(std::get<Bytes>(b).value);
}

int compare(const SortKey& a, const SortKey& b, SortOrder order) {
  if (is_null(a) || is_null(b)) {
    const int nulls = sign(is_null(a) && !is_null(b), !is_null(a) && is_null(b));
    return order.nulls_first ? nulls : -nulls;
  }
  return order.descending ? -compare(a, b) : compare(a, b);
}

}  // namespace

void StringAgg::add(std::string value, std::vector<SortKey> keys) {
  rows_.push_back({std::move(value), std::move(keys), rows_.size()});
}

std::optional<std::string> StringAgg::join(const std::string& separator, const std::vector<SortOrder>& orders,
                                           bool distinct) {
  if (rows_.empty()) return std::nullopt;
  std::ranges::sort(rows_, [&](const Row& a, const Row& b) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (const int order = compare(a.keys[i], b.keys[i], orders[i]); order != 0) return order < 0;
    }
    return a.place < b.place;
  });
  std::unordered_set<std::string_view> seen;
  std::string out;
  bool first = true;
  for (const Row& row : rows_) {
    if (distinct && !seen.insert(row.value).second) continue;
    if (!first) out += separator;
    first = false;
    out += row.value;
  }
  return out;
}

}  // namespace candor::engine::functions
