// The predicates of --filter. What each operator means: docs/scope.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "scope/comparable.h"

namespace candor::scope {

enum class Operator : std::uint8_t { kEqual, kNotEqual, kContains, kLess, kAtMost, kGreater, kAtLeast };

// "type=skill", "metadata.priority>=3", "description~amber". Made by parse_filter.
struct Filter {
  std::string key;
  Operator op = Operator::kEqual;
  std::string value;
  std::string text;    // as it was written
  std::string folded;  // of kContains: the value without the difference of case
  Comparable order;    // of < <= > >=: the value as a number or a moment
};

// The first operator in the text parts key from value; of two that begin there the longer one. Fails with
// `malformed-filter` where there is none, or nothing before it, and for bytes that are no UTF-8.
[[nodiscard]] Result<Filter> parse_filter(std::string_view text);

// The value under a dotted key; a key that itself holds the dot wins over the nested reading, the longer one first. Null
// pointer: the row has no such key.
[[nodiscard]] const json::Node* value_at(const json::Node& row, std::string_view key);

// A value as = and ~ read it: JSON null is the empty text, a number its digits. An array or object has none: empty.
[[nodiscard]] std::string_view text_of(const json::Node& value);

// `value` null pointer: the key is missing, which only != lets pass, as it does an array or object. JSON null is the empty
// text. = and != compare texts, ~ folds case, < <= > >= compare numbers with numbers and ISO times with ISO times.
[[nodiscard]] bool passes(const Filter& filter, const json::Node* value);

// All filters of a command: a row passes when each of them lets it.
class Predicate {
 public:
  Predicate() = default;
  explicit Predicate(std::vector<Filter> filters) : filters_(std::move(filters)) {}
  [[nodiscard]] bool empty() const { return filters_.empty(); }
  [[nodiscard]] const std::vector<Filter>& filters() const { return filters_; }
  [[nodiscard]] bool matches(const json::Node& row) const;

 private:
  std::vector<Filter> filters_;
};

}  // namespace candor::scope
