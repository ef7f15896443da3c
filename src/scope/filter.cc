// Reading filters, and judging rows by them.
#include "scope/filter.h"

#include <algorithm>

#include "base/render_json.h"
#include "scope/characters.h"

namespace candor::scope {
namespace {

struct Spelling {
  std::string_view text;
  Operator op;
};

// Longer ones first, where one begins with another.
constexpr Spelling kSpellings[] = {
    {"!=", Operator::kNotEqual}, {"<=", Operator::kAtMost}, {">=", Operator::kAtLeast}, {"=", Operator::kEqual},
    {"~", Operator::kContains},  {"<", Operator::kLess},    {">", Operator::kGreater},
};

Diagnostic malformed(std::string_view text, std::string_view why) {
  constexpr std::size_t kShown = 80;
  const std::string shown = is_utf8(text) ? "'" + shortened(text, kShown) + "' " : "";
  return make_error("malformed-filter", "the filter " + shown + std::string(why),
                    "write KEY=VALUE, KEY!=VALUE, KEY~PART, KEY<VALUE, KEY<=VALUE, KEY>VALUE or KEY>=VALUE");
}

bool is_ordering(Operator op) {
  return op == Operator::kLess || op == Operator::kAtMost || op == Operator::kGreater || op == Operator::kAtLeast;
}

bool in_order(const Filter& filter, std::string_view text) {
  const Comparable value = Comparable::of(text);
  if (value.kind() == Comparable::Kind::kNone || value.kind() != filter.order.kind()) return false;
  const int order = Comparable::compare(value, filter.order);
  switch (filter.op) {
    case Operator::kLess:
      return order < 0;
    case Operator::kAtMost:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

}  // namespace

Result<Filter> parse_filter(std::string_view text) {
  if (!is_utf8(text)) return malformed(text, "is not valid UTF-8");
  for (std::size_t at = text.find_first_of("=!<>~"); at != std::string_view::npos;
       at = text.find_first_of("=!<>~", at + 1)) {
    const auto* found =
        std::ranges::find_if(kSpellings, [&](const Spelling& one) { return text.substr(at).starts_with(one.text); });
    if (found == std::end(kSpellings)) continue;  // an exclamation mark by itself
    if (at == 0) return malformed(text, "has no key before its operator");
    Filter filter;
    filter.key = std::string(text.substr(0, at));
    filter.op = found->op;
    filter.value = std::string(text.substr(at + found->text.size()));
    filter.text = std::string(text);
    if (filter.op == Operator::kContains) filter.folded = case_folded(filter.value);
    if (is_ordering(filter.op)) filter.order = Comparable::of(filter.value);
    return filter;
  }
  return malformed(text, text.empty() ? "is empty" : "has no operator");
}

const json::Node* value_at(const json::Node& row, std::string_view key) {
  if (!row.is_object()) return nullptr;
  if (const json::Node* whole = row.find(key)) return whole;
  for (std::size_t dot = key.rfind('.'); dot != std::string_view::npos && dot > 0; dot = key.rfind('.', dot - 1)) {
    const json::Node* outer = row.find(key.substr(0, dot));
    if (outer == nullptr) continue;
    if (const json::Node* inner = value_at(*outer, key.substr(dot + 1))) return inner;
  }
  return nullptr;
}

std::string_view text_of(const json::Node& value) {
  if (value.is_string() || value.is_number()) return value.text();
  if (value.is_boolean()) return value.truth() ? "true" : "false";
  return {};
}

bool passes(const Filter& filter, const json::Node* value) {
  if (value == nullptr || value->is_array() || value->is_object()) return filter.op == Operator::kNotEqual;
  const std::string_view text = text_of(*value);
  switch (filter.op) {
    case Operator::kEqual:
      return text == filter.value;
    case Operator::kNotEqual:
      return text != filter.value;
    case Operator::kContains:
      return case_folded(text).find(filter.folded) != std::string::npos;
    default:
      return in_order(filter, text);
  }
}

bool Predicate::matches(const json::Node& row) const {
  return std::ranges::all_of(filters_, [&](const Filter& one) { return passes(one, value_at(row, one.key)); });
}

}  // namespace candor::scope
