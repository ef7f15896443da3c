// See join_extraction.h.
#include "review/syntax/join_extraction.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "review/syntax/expression_text.h"
#include "review/syntax/names.h"
#include "review/syntax/tree.h"

namespace candor::review::syntax {
namespace {

constexpr std::size_t kKeyColumnsMax = 2;      // a pair
constexpr std::size_t kLiteralDigitsMax = 15;  // a double keeps fifteen digits

// Functions that may stand around a key.
constexpr std::array<std::string_view, 10> kKeyFunctions = {"upper", "lower",  "trim",      "ltrim", "rtrim",
                                                            "btrim", "substr", "substring", "left",  "right"};
// Expressions whose value a filter may depend on.
constexpr std::array<std::string_view, 10> kFilterClasses = {"COLUMN_REF", "CONSTANT", "COMPARISON", "CONJUNCTION",
                                                             "FUNCTION",   "OPERATOR", "CAST",       "BETWEEN",
                                                             "CASE",       "COLLATE"};

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename T>
void add_once(std::vector<T>& items, T item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(std::move(item));
}

// A plain call, without FILTER, DISTINCT or ORDER BY inside.
bool is_plain_call(const json::Node& node) {
  return !node["filter"].is_object() && !node["distinct"].truth() && node["order_bys"]["orders"].items().empty();
}

// A column, or one in wrappers that are measured.
bool is_key(const json::Node& node) {
  bool good = true;
  bool column = false;
  for_each_expression(node, [&](const json::Node& part) {
    const std::string_view kind = class_of(part);
    column = column || kind == "COLUMN_REF";
    good =
        good && (kind == "COLUMN_REF" || kind == "CONSTANT" || kind == "CAST" || type_of(part) == "OPERATOR_COALESCE" ||
                 (kind == "FUNCTION" && is_plain_call(part) &&
                  is_one_of(lower_ascii(part.string_or("function_name", "")), kKeyFunctions)));
  });
  return good && column;
}

bool is_measurable_filter(const json::Node& node) {
  bool good = true;
  for_each_expression(node, [&](const json::Node& part) {
    good = good && is_one_of(class_of(part), kFilterClasses) && (class_of(part) != "FUNCTION" || is_plain_call(part));
  });
  return good;
}

std::size_t digits_of(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == 'e' || c == 'E') break;
    if (c >= '0' && c <= '9') ++digits;
  }
  return digits;
}

// Digits of a number in the text, from the place that the parser gives: a long integer may be a double in the tree.
std::size_t digits_in_text(const json::Node& node, std::string_view sql) {
  const auto place = node["query_location"].integer();
  if (!place || *place < 0 || static_cast<std::size_t>(*place) >= sql.size()) return 0;
  std::string_view rest = sql.substr(static_cast<std::size_t>(*place));
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return digits_of(rest.substr(0, rest.find_first_not_of("0123456789._")));
}

bool has_long_literal(const json::Node& node, std::string_view sql) {
  bool found = false;
  for_each_expression(node, [&](const json::Node& part) {
    if (class_of(part) != "CONSTANT") return;
    const json::Node& value = part["value"]["value"];
    if (value.is_string()) return;
    found = found || value.is_object() || digits_of(value.text()) > kLiteralDigitsMax ||
            digits_in_text(part, sql) > kLiteralDigitsMax;
  });
  return found;
}

json::Node column_node(const std::string& alias, const std::string& column) {
  json::Node node = json::Node::object();
  node.set("class", json::Node::string("COLUMN_REF"));
  node.set("type", json::Node::string("COLUMN_REF"));
  node.set("alias", json::Node::string(""));
  set_column_names(node, {alias, column});
  return node;
}

class Extraction {
 public:
  Extraction(const Select& select, const std::vector<engine::TableFacts>& facts, std::string_view sql)
      : select_(select), names_(select, facts), sql_(sql) {
    for (const TableRef& ref : select.tables) plan_.tables.push_back({ref, {}, {}, {}, false});
  }

  Result<JoinPlan> run() {
    CANDOR_TRY(check_aliases());
    for (const JoinStep& step : select_.joins) CANDOR_TRY(read_step(step));
    for (const json::Node* conjunct : select_.where) CANDOR_TRY(read_conjunct(*conjunct));
    CANDOR_TRY(judge());
    CANDOR_TRY(read_groups());
    note_columns();
    return std::move(plan_);
  }

 private:
  Status check_aliases() {
    for (std::size_t i = 0; i < select_.tables.size(); ++i) {
      for (std::size_t j = i + 1; j < select_.tables.size(); ++j) {
        if (same_name(select_.tables[i].alias, select_.tables[j].alias)) {
          return make_error("column-not-resolved", "two tables go by the name " + select_.tables[i].alias);
        }
      }
    }
    return Ok{};
  }

  // ---- join steps ----

  Status read_step(const JoinStep& step) {
    if (step.kind == JoinKind::kOn) {
      std::vector<const json::Node*> conjuncts;
      flatten_and(*step.condition, conjuncts);
      for (const json::Node* conjunct : conjuncts) CANDOR_TRY(read_conjunct(*conjunct));
    }
    if (step.kind == JoinKind::kUsing) {
      for (const std::string& column : step.using_columns) CANDOR_TRY(merge(step, column));
    }
    if (step.kind == JoinKind::kNatural) {
      const std::vector<std::string> shared = shared_columns(step);
      if (shared.empty()) return make_error("no-equality", "NATURAL finds no column that both sides have");
      for (const std::string& column : shared) CANDOR_TRY(merge(step, column));
    }
    return Ok{};
  }

  // The one table of `tables` that has the column; of a merged column the leading one.
  Result<std::size_t> owner(const std::vector<std::size_t>& tables, const std::string& column) const {
    if (const MergedColumn* merged = names_.merged(column)) {
      for (const std::size_t table : merged->tables) {
        if (std::find(tables.begin(), tables.end(), table) != tables.end()) return table;
      }
    }
    std::optional<std::size_t> found;
    for (const std::size_t table : tables) {
      if (!names_.column_of(table, column)) continue;
      if (found) return make_error("column-not-resolved", "the column " + column + " could be of two tables");
      found = table;
    }
    if (!found) return make_error("column-not-resolved", "no table has the column " + column);
    return *found;
  }

  Status merge(const JoinStep& step, const std::string& column) {
    CANDOR_ASSIGN(const std::size_t left, owner(step.left, column));
    CANDOR_ASSIGN(const std::size_t right, owner(step.right, column));
    const auto key = [&](std::size_t table) {
      return column_node(select_.tables[table].alias, names_.column_of(table, column).value_or(column));
    };
    add_key(left, key(left), right, key(right));
    names_.merge(column, {left, right});
    return Ok{};
  }

  std::vector<std::string> shared_columns(const JoinStep& step) const {
    std::vector<std::string> shared;
    for (const std::size_t table : step.left) {
      for (const engine::ColumnFacts& column : names_.columns(table)) {
        const bool on_right = std::any_of(step.right.begin(), step.right.end(), [&](std::size_t other) {
          return names_.column_of(other, column.name).has_value();
        });
        const bool known = std::any_of(shared.begin(), shared.end(),
                                       [&](const std::string& name) { return same_name(name, column.name); });
        if (on_right && !known) shared.push_back(column.name);
      }
    }
    return shared;
  }

  // ---- conjuncts ----

  Status read_conjunct(const json::Node& conjunct) {
    if (!is_measurable_filter(conjunct)) {
      return make_error("unsupported-syntax", "a condition has a part that is not measured");
    }
    if (has_long_literal(conjunct, sql_)) long_literal_ = true;
    CANDOR_ASSIGN(const std::vector<std::size_t> tables, names_.tables_read(conjunct));
    if (tables.empty()) {
      constant_filter_ = true;
      return Ok{};
    }
    if (tables.size() == 1) {
      collect_functions(conjunct);
      plan_.tables[tables[0]].filters.push_back(names_.qualified(conjunct));
      plan_.nodes += count_expressions(conjunct);
      return Ok{};
    }
    return read_cross(conjunct);
  }

  // A condition over two tables or more.
  Status read_cross(const json::Node& conjunct) {
    const json::Node& left = conjunct["left"];
    const json::Node& right = conjunct["right"];
    CANDOR_ASSIGN(const std::vector<std::size_t> of_left, names_.tables_read(left));
    CANDOR_ASSIGN(const std::vector<std::size_t> of_right, names_.tables_read(right));
    const bool one_to_one = of_left.size() == 1 && of_right.size() == 1;
    if (one_to_one && type_of(conjunct) == "COMPARE_NOT_DISTINCT_FROM") {
      not_distinct_from_ = true;
    } else if (one_to_one && type_of(conjunct) == "COMPARE_EQUAL") {
      if (!is_key(left) || !is_key(right)) {
        key_function_ = true;
        return Ok{};
      }
      collect_functions(left);
      collect_functions(right);
      add_key(of_left[0], names_.qualified(left), of_right[0], names_.qualified(right));
    } else {
      cross_side_filter_ = true;
    }
    return Ok{};
  }

  void add_key(std::size_t left, json::Node left_key, std::size_t right, json::Node right_key) {
    // For people, in the order of the text.
    const std::string equality = readable_expression(left_key) + " = " + readable_expression(right_key);
    if (left > right) {
      std::swap(left, right);
      std::swap(left_key, right_key);
    }
    strip_locations(left_key);
    strip_locations(right_key);
    PairPlan& pair = pair_of(left, right);
    for (std::size_t i = 0; i < pair.left_keys.size(); ++i) {
      if (pair.left_keys[i] == left_key && pair.right_keys[i] == right_key) return;
    }
    plan_.nodes += count_expressions(left_key) + count_expressions(right_key);
    pair.condition += (pair.condition.empty() ? "" : " AND ") + equality;
    pair.left_keys.push_back(std::move(left_key));
    pair.right_keys.push_back(std::move(right_key));
  }

  PairPlan& pair_of(std::size_t left, std::size_t right) {
    for (PairPlan& pair : plan_.pairs) {
      if (pair.left == left && pair.right == right) return pair;
    }
    plan_.pairs.push_back({left, right, {}, {}, ""});
    return plan_.pairs.back();
  }

  void collect_functions(const json::Node& node) {
    for_each_expression(node, [this](const json::Node& part) {
      if (class_of(part) != "FUNCTION") return;
      const std::string_view schema = part.string_or("schema", "");
      const std::string_view catalog = part.string_or("catalog", "");
      if (catalog != "system" && (!catalog.empty() || (!schema.empty() && schema != "main")))
        plan_.foreign_function = true;
      add_once(plan_.functions, lower_ascii(part.string_or("function_name", "")));
    });
  }

  // ---- judgement ----

  // Are all tables tied together by the pairs?
  [[nodiscard]] bool connected() const {
    std::vector<std::size_t> group(plan_.tables.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    for (const PairPlan& pair : plan_.pairs) {
      std::replace(group.begin(), group.end(), std::size_t{group[pair.right]}, std::size_t{group[pair.left]});
    }
    return std::all_of(group.begin(), group.end(), [&](std::size_t g) { return g == group[0]; });
  }

  // The most telling of the reasons that were met.
  Status judge() const {
    if (not_distinct_from_) return make_error("not-distinct-from", "a join compares with IS NOT DISTINCT FROM");
    if (key_function_) return make_error("key-function", "a key is wrapped in a function that is not measured");
    if (!connected()) return make_error("no-equality", "not every table is joined by an equality of columns");
    for (const PairPlan& pair : plan_.pairs) {
      if (pair.left_keys.size() > kKeyColumnsMax) {
        return make_error("too-many-key-columns",
                          "a join compares " + std::to_string(pair.left_keys.size()) + " columns");
      }
    }
    if (cross_side_filter_) return make_error("cross-side-filter", "a condition reads both sides of the join");
    if (constant_filter_) return make_error("constant-filter", "a condition reads no column");
    if (long_literal_) return make_error("long-literal", "a literal has sixteen digits or more");
    return Ok{};
  }

  // ---- groups ----

  Status read_groups() {
    std::vector<std::size_t> grouped;
    for (const json::Node& group : (*select_.node)["group_expressions"].items()) {
      CANDOR_ASSIGN(const std::vector<std::size_t> tables, tables_of_group(group));
      for (const std::size_t table : tables) add_once(grouped, table);
    }
    for (std::size_t i = 0; i < plan_.tables.size(); ++i) {
      plan_.tables[i].grouped = grouped.empty() || std::find(grouped.begin(), grouped.end(), i) != grouped.end();
    }
    return Ok{};
  }

  Result<std::vector<std::size_t>> tables_of_group(const json::Node& group) {
    if (class_of(group) == "CONSTANT") {
      const auto position = group["value"]["value"].integer();
      if (!position) return std::vector<std::size_t>{};
      CANDOR_ASSIGN(const json::Node* item, selected_at(*position));
      collect_functions(*item);
      return names_.tables_referenced(*item);
    }
    collect_functions(group);
    std::vector<std::size_t> tables;
    std::optional<Diagnostic> failure;
    for_each_expression(group, [&](const json::Node& part) {
      if (!is_column(part) || failure) return;
      const Result<std::vector<std::size_t>> read = tables_of_group_column(part);
      if (!read.ok()) {
        failure = read.error();
        return;
      }
      for (const std::size_t table : *read) add_once(tables, table);
    });
    if (failure) return *std::move(failure);
    return tables;
  }

  // GROUP BY 2.
  Result<const json::Node*> selected_at(std::int64_t position) const {
    const std::vector<json::Node>& items = (*select_.node)["select_list"].items();
    if (position < 1 || static_cast<std::size_t>(position) > items.size()) {
      return make_error("ambiguous-group", "GROUP BY names a position that the select list does not have");
    }
    for (std::int64_t i = 0; i < position; ++i) {
      if (class_of(items[static_cast<std::size_t>(i)]) == "STAR") {
        return make_error("ambiguous-group", "GROUP BY names a position behind a star");
      }
    }
    return &items[static_cast<std::size_t>(position - 1)];
  }

  // A name in GROUP BY: a column, or the alias of a selected expression, but not possibly either.
  Result<std::vector<std::size_t>> tables_of_group_column(const json::Node& column) {
    const std::vector<std::string> parts = column_names(column);
    const json::Node* aliased = parts.size() == 1 ? selected_as(parts[0]) : nullptr;
    if (aliased == nullptr) return names_.tables_referenced(column);
    if (!names_.has_column(parts[0])) {
      collect_functions(*aliased);
      return names_.tables_referenced(*aliased);
    }
    // `p.site AS site` grouped by site is the same column whichever is meant.
    if (is_column(*aliased)) {
      const Result<BoundColumn> one = names_.bind(parts);
      const Result<BoundColumn> other = names_.bind(column_names(*aliased));
      if (one.ok() && other.ok() && one->table == other->table && one->column == other->column &&
          other->fields.empty()) {
        return names_.tables_referenced(column);
      }
    }
    return make_error("ambiguous-group", "GROUP BY " + parts[0] + " could mean the column or the alias");
  }

  [[nodiscard]] const json::Node* selected_as(std::string_view alias) const {
    for (const json::Node& item : (*select_.node)["select_list"].items()) {
      const std::string_view name = item.string_or("alias", "");
      if (!name.empty() && same_name(name, alias)) return &item;
    }
    return nullptr;
  }

  // ---- columns ----

  void note_columns() {
    const auto note = [](const json::Node& node, std::vector<std::string>& columns) {
      for_each_expression(node, [&](const json::Node& part) {
        const std::vector<std::string> parts = column_names(part);
        if (parts.size() > 1) add_once(columns, parts[1]);
      });
    };
    for (const PairPlan& pair : plan_.pairs) {
      for (const json::Node& key : pair.left_keys) note(key, plan_.tables[pair.left].key_columns);
      for (const json::Node& key : pair.right_keys) note(key, plan_.tables[pair.right].key_columns);
    }
    for (TablePlan& table : plan_.tables) {
      for (const json::Node& filter : table.filters) note(filter, table.filter_columns);
    }
  }

  const Select& select_;
  Names names_;
  std::string_view sql_;
  JoinPlan plan_;
  bool not_distinct_from_ = false;
  bool key_function_ = false;
  bool cross_side_filter_ = false;
  bool constant_filter_ = false;
  bool long_literal_ = false;
};

}  // namespace

Result<JoinPlan> extract_joins(const Select& select, const std::vector<engine::TableFacts>& facts,
                               std::string_view sql) {
  if (facts.size() != select.tables.size()) return make_error("internal", "facts of some tables are missing");
  return Extraction(select, facts, sql).run();
}

}  // namespace candor::review::syntax
