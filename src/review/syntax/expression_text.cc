// See expression_text.h.
#include "review/syntax/expression_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/ascii.h"
#include "review/syntax/tree.h"

namespace candor::review::syntax {
namespace {

using Text = std::optional<std::string>;

constexpr std::array<std::string_view, 14> kSqliteFunctions = {"abs",       "instr",   "length",  "lower", "ltrim",
                                                               "nullif",    "replace", "round",   "rtrim", "substr",
                                                               "substring", "trim",    "unicode", "upper"};

constexpr std::pair<std::string_view, std::string_view> kComparisons[] = {
    {"COMPARE_EQUAL", "="},       {"COMPARE_NOTEQUAL", "<>"},
    {"COMPARE_LESSTHAN", "<"},    {"COMPARE_LESSTHANOREQUALTO", "<="},
    {"COMPARE_GREATERTHAN", ">"}, {"COMPARE_GREATERTHANOREQUALTO", ">="}};

constexpr std::array<std::string_view, 16> kPostgresFunctions = {
    "abs",   "btrim", "left",  "length", "lower",     "ltrim", "nullif", "replace",
    "right", "round", "rtrim", "substr", "substring", "trim",  "upper",  "ascii"};

using Renaming = std::pair<std::string_view, std::string_view>;

// DuckDB's names of types that CAST knows in the other engine by the same meaning.
constexpr Renaming kSqliteCasts[] = {
    {"VARCHAR", "TEXT"}, {"INTEGER", "INTEGER"}, {"BIGINT", "INTEGER"}, {"DOUBLE", "REAL"}, {"FLOAT", "REAL"}};
constexpr Renaming kPostgresCasts[] = {
    {"VARCHAR", "text"},        {"INTEGER", "integer"}, {"BIGINT", "bigint"},
    {"SMALLINT", "smallint"},   {"FLOAT", "real"},      {"DATE", "date"},
    {"TIMESTAMP", "timestamp"}, {"BOOLEAN", "boolean"}, {"DOUBLE", "double precision"}};

constexpr Renaming kBinaryFunctions[] = {{"+", "+"}, {"-", "-"}, {"*", "*"}, {"~~", "LIKE"}, {"!~~", "NOT LIKE"}};
constexpr Renaming kPostgresBinaryFunctions[] = {
    {"+", "+"}, {"-", "-"}, {"*", "*"}, {"~~", "LIKE"}, {"!~~", "NOT LIKE"}, {"~~*", "ILIKE"}, {"!~~*", "NOT ILIKE"}};

// What is printed for an engine; everything else is not.
struct Rules {
  std::span<const std::string_view> functions;
  std::span<const Renaming> casts;
  std::span<const Renaming> binary_functions;
};
constexpr Rules kSqlite{kSqliteFunctions, kSqliteCasts, kBinaryFunctions};
constexpr Rules kPostgres{kPostgresFunctions, kPostgresCasts, kPostgresBinaryFunctions};

template <typename Table>
std::string_view look_up(const Table& table, std::string_view name) {
  for (const auto& [from, to] : table) {
    if (from == name) return to;
  }
  return {};
}

std::string quoted_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c;
    if (c == '\'') quoted += c;
  }
  return quoted + "'";
}

// An unscaled DECIMAL as it was written: 150 of scale 2 is 1.50.
Text decimal_text(std::string digits, const json::Node& info) {
  const auto scale = info["scale"].integer();
  if (!scale || *scale < 0 || *scale > 38 || digits.empty()) return std::nullopt;
  const bool negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  const auto places = static_cast<std::size_t>(*scale);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  if (places > 0) digits.insert(digits.size() - places, ".");
  return (negative ? "-" : "") + digits;
}

Text constant_text(const json::Node& node) {
  const json::Node& value = node["value"];
  if (value["is_null"].truth()) return "NULL";
  const std::string_view type = value["type"].string_or("id", "");
  const json::Node& inner = value["value"];
  if (type == "VARCHAR" && inner.is_string()) {
    // A NUL would end the text for SQLite.
    if (inner.text().find('\0') != std::string::npos) return std::nullopt;
    return quoted_text(inner.text());
  }
  if ((type == "INTEGER" || type == "BIGINT") && inner.integer()) return inner.text();
  if (type == "DECIMAL" && inner.integer()) return decimal_text(inner.text(), value["type"]["type_info"]);
  return std::nullopt;
}

class Printer {
 public:
  // With rules an engine's subset; without, everything, with "…" for what is not known.
  explicit Printer(const Rules* rules) : rules_(rules), strict_(rules != nullptr) {}

  Text print(const json::Node& node) const {
    const std::string_view kind = class_of(node);
    Text text;
    if (kind == "COLUMN_REF") text = column(node);
    if (kind == "CONSTANT") text = constant_text(node);
    if (kind == "COMPARISON") text = binary(node["left"], look_up(kComparisons, type_of(node)), node["right"]);
    if (kind == "CONJUNCTION") text = conjunction(node);
    if (kind == "OPERATOR") text = operation(node);
    if (kind == "BETWEEN") text = between(node);
    if (kind == "CAST") text = cast(node);
    if (kind == "FUNCTION") text = function(node);
    if (!text && !strict_) return "…";
    return text;
  }

 private:
  Text column(const json::Node& node) const {
    const std::vector<std::string> parts = column_names(node);
    if (strict_ && parts.size() != 2) return std::nullopt;
    std::string text;
    for (const std::string& part : parts) {
      text += (text.empty() ? "" : ".") + (strict_ ? always_quoted(part) : quoted_name(part));
    }
    return text;
  }

  [[nodiscard]] std::string grouped(const std::string& text) const { return strict_ ? "(" + text + ")" : text; }

  Text binary(const json::Node& left, std::string_view sign, const json::Node& right) const {
    const Text a = print(left);
    const Text b = print(right);
    if (sign.empty() || !a || !b) return std::nullopt;
    return grouped(*a + " " + std::string(sign) + " " + *b);
  }

  Text list(const std::vector<json::Node>& items, std::size_t from, std::string_view separator) const {
    std::string text;
    for (std::size_t i = from; i < items.size(); ++i) {
      const Text item = print(items[i]);
      if (!item) return std::nullopt;
      text += (i > from ? std::string(separator) : "") + *item;
    }
    return text;
  }

  Text conjunction(const json::Node& node) const {
    const bool is_and = type_of(node) == "CONJUNCTION_AND";
    if (!is_and && type_of(node) != "CONJUNCTION_OR") return std::nullopt;
    const Text text = list(node["children"].items(), 0, is_and ? " AND " : " OR ");
    if (!text || node["children"].items().empty()) return std::nullopt;
    return "(" + *text + ")";
  }

  Text operation(const json::Node& node) const {
    const std::string_view type = type_of(node);
    const std::vector<json::Node>& children = node["children"].items();
    if (children.empty()) return std::nullopt;
    const Text first = print(children[0]);
    if (!first) return std::nullopt;
    if (type == "OPERATOR_IS_NULL") return grouped(*first + " IS NULL");
    if (type == "OPERATOR_IS_NOT_NULL") return grouped(*first + " IS NOT NULL");
    if (type == "OPERATOR_NOT") return grouped("NOT " + *first);
    if (type == "COMPARE_IN" || type == "COMPARE_NOT_IN") {
      const Text values = list(children, 1, ", ");
      if (!values || children.size() < 2) return std::nullopt;
      return grouped(*first + (type == "COMPARE_IN" ? " IN (" : " NOT IN (") + *values + ")");
    }
    // SQLite's coalesce takes two arguments at least.
    if (type == "OPERATOR_COALESCE" && children.size() > 1) {
      const Text values = list(children, 0, ", ");
      return values ? Text("coalesce(" + *values + ")") : std::nullopt;
    }
    return std::nullopt;
  }

  Text between(const json::Node& node) const {
    const Text input = print(node["input"]);
    const Text lower = print(node["lower"]);
    const Text upper = print(node["upper"]);
    if (!input || !lower || !upper) return std::nullopt;
    return grouped(*input + " BETWEEN " + *lower + " AND " + *upper);
  }

  Text cast(const json::Node& node) const {
    const std::string_view id = node["cast_type"].string_or("id", "");
    const Text child = print(node["child"]);
    if (!child) return std::nullopt;
    if (strict_) {
      const std::string_view type = look_up(rules_->casts, id);
      if (type.empty() || node["try_cast"].truth()) return std::nullopt;
      return "CAST(" + *child + " AS " + std::string(type) + ")";
    }
    return (node["try_cast"].truth() ? "TRY_CAST(" : "CAST(") + *child + " AS " + std::string(id) + ")";
  }

  Text function(const json::Node& node) const {
    const std::string name = lower_ascii(node.string_or("function_name", ""));
    const std::vector<json::Node>& children = node["children"].items();
    const std::span<const Renaming> signs = strict_ ? rules_->binary_functions : std::span(kBinaryFunctions);
    if (const std::string_view sign = look_up(signs, name); !sign.empty() && children.size() == 2) {
      return binary(children[0], sign, children[1]);
    }
    if (strict_ && std::ranges::find(rules_->functions, name) == rules_->functions.end()) return std::nullopt;
    const Text arguments = list(children, 0, ", ");
    if (!arguments || children.empty()) return std::nullopt;
    // Older SQLite has no `substring`.
    return (name == "substring" && rules_ != &kPostgres ? "substr" : name) + "(" + *arguments + ")";
  }

  const Rules* rules_;
  bool strict_;
};

}  // namespace

std::string always_quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string quoted_name(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool bare = !name.empty() && plain(name.front()) &&
                    std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || digit(c); });
  return bare ? std::string(name) : always_quoted(name);
}

std::optional<std::string> sqlite_expression(const json::Node& node) { return Printer(&kSqlite).print(node); }
std::optional<std::string> postgres_expression(const json::Node& node) { return Printer(&kPostgres).print(node); }

bool is_sqlite_function(std::string_view lower_name) {
  return std::find(kSqliteFunctions.begin(), kSqliteFunctions.end(), lower_name) != kSqliteFunctions.end();
}

std::string readable_expression(const json::Node& node) { return Printer(nullptr).print(node).value_or("…"); }

}  // namespace candor::review::syntax
