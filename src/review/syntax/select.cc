// See select.h.
#include "review/syntax/select.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "review/syntax/tree.h"

namespace candor::review::syntax {
namespace {

constexpr std::size_t kTablesMax = 3;

Diagnostic unsupported(std::string what) { return make_error("unsupported-syntax", std::move(what)); }

bool is_filled(const json::Node& node) {
  return node.is_object() || (node.is_array() && !node.items().empty()) || (node.is_string() && !node.text().empty());
}

TableRef table_ref(const json::Node& node) {
  TableRef ref;
  ref.catalog = node.string_or("catalog_name", "");
  ref.schema = node.string_or("schema_name", "");
  ref.table = node.string_or("table_name", "");
  ref.alias = node.string_or("alias", "");
  ref.has_alias = !ref.alias.empty();
  if (!ref.has_alias) ref.alias = ref.table;
  return ref;
}

// Reads a FROM clause into `select`. Returns the positions of the tables below `node`.
class FromReader {
 public:
  explicit FromReader(Select& select) : select_(select) {}

  Result<std::vector<std::size_t>> read(const json::Node& node) {
    const std::string_view type = type_of(node);
    if (type == "JOIN") return read_join(node);
    if (type == "BASE_TABLE") return read_table(node);
    if (type == "SUBQUERY") return make_error("subquery", "the FROM clause has a subquery");
    if (type == "TABLE_FUNCTION") return make_error("table-function", "the FROM clause has a table function");
    if (type == "SHOW_REF") return make_error("statement-kind", "the statement shows or describes");
    if (type == "EMPTY") return std::vector<std::size_t>{};
    return unsupported("the FROM clause has a part of another kind than tables and joins");
  }

 private:
  Result<std::vector<std::size_t>> read_table(const json::Node& node) {
    if (is_filled(node["sample"])) return unsupported("a table is sampled");
    if (is_filled(node["at_clause"])) return unsupported("a table is read as of a version");
    if (is_filled(node["column_name_alias"])) return unsupported("the columns of a table are renamed in FROM");
    select_.tables.push_back(table_ref(node));
    return std::vector<std::size_t>{select_.tables.size() - 1};
  }

  Result<std::vector<std::size_t>> read_join(const json::Node& node) {
    const std::string_view kind = node.string_or("ref_type", "");
    if (node.string_or("join_type", "") != "INNER" || (kind != "REGULAR" && kind != "NATURAL" && kind != "CROSS")) {
      return make_error("outer-join", "the FROM clause has another join than inner joins");
    }
    if (is_filled(node["alias"]) || is_filled(node["sample"])) return unsupported("a join is named or sampled");
    JoinStep step;
    CANDOR_ASSIGN(step.left, read(node["left"]));
    CANDOR_ASSIGN(step.right, read(node["right"]));
    for (const json::Node& column : node["using_columns"].items()) step.using_columns.push_back(column.text());
    if (kind == "NATURAL") {
      step.kind = JoinKind::kNatural;
    } else if (!step.using_columns.empty()) {
      step.kind = JoinKind::kUsing;
    } else if (node["condition"].is_object()) {
      step.kind = JoinKind::kOn;
      step.condition = node.find("condition");
    }
    std::vector<std::size_t> below = step.left;
    below.insert(below.end(), step.right.begin(), step.right.end());
    select_.joins.push_back(std::move(step));
    return below;
  }

  Select& select_;
};

// The SELECT_NODE of the only statement.
Result<const json::Node*> only_select(const json::Node& document) {
  if (document["error"].truth()) {
    const bool other_kind = document.string_or("error_type", "") == "not implemented";
    return make_error(other_kind ? "statement-kind" : "unsupported-syntax", "the statement can't be read as a SELECT");
  }
  const json::Node* statements = document.find("statements");
  if (statements == nullptr || statements->items().size() != 1)
    return unsupported("there is not exactly one statement");
  const json::Node& node = statements->items().front()["node"];
  if (!node["cte_map"]["map"].items().empty() || type_of(node) == "CTE_NODE" || type_of(node) == "RECURSIVE_CTE_NODE") {
    return make_error("cte", "the query has a common table expression");
  }
  if (type_of(node) == "SET_OPERATION_NODE") return make_error("set-operation", "the query is a set operation");
  if (type_of(node) != "SELECT_NODE") return unsupported("the statement is of another kind than SELECT");
  return &node;
}

void collect_tables(const json::Node& node, std::vector<TableRef>& tables) {
  if (node.is_object()) {
    if (type_of(node) == "BASE_TABLE") tables.push_back(table_ref(node));
    for (const auto& [name, member] : node.members()) collect_tables(member, tables);
  } else if (node.is_array()) {
    for (const json::Node& item : node.items()) collect_tables(item, tables);
  }
}

bool holds_join(const json::Node& node) {
  if (node.is_array()) return std::ranges::any_of(node.items(), holds_join);
  if (!node.is_object()) return false;
  if (type_of(node) == "JOIN" || class_of(node) == "SUBQUERY") {
    std::vector<TableRef> tables;
    collect_tables(node, tables);
    if (tables.size() >= (type_of(node) == "JOIN" ? 2U : 1U)) return true;
  }
  return std::ranges::any_of(node.members(), [](const auto& member) { return holds_join(member.second); });
}

}  // namespace

Result<Select> read_select(std::string_view tree) {
  Result<json::Node> document = json::parse(tree);
  if (!document.ok()) return unsupported("the parser's tree can't be read");
  Select select;
  select.document = std::make_unique<json::Node>(*std::move(document));
  CANDOR_ASSIGN(select.node, only_select(*select.document));
  CANDOR_TRY(FromReader(select).read((*select.node)["from_table"]));
  if (has_class(*select.node, "SUBQUERY")) return make_error("subquery", "the query has a subquery");
  flatten_and((*select.node)["where_clause"], select.where);
  return select;
}

Status check_measurable(const Select& select) {
  const json::Node& node = *select.node;
  if (select.tables.size() > kTablesMax) {
    return make_error("too-many-tables", "the query joins " + std::to_string(select.tables.size()) + " tables");
  }
  for (const json::Node& modifier : node["modifiers"].items()) {
    if (type_of(modifier) == "DISTINCT_MODIFIER")
      return make_error("select-distinct", "the query is a SELECT DISTINCT");
  }
  if (node.string_or("aggregate_handling", "") == "FORCE_AGGREGATES") {
    return make_error("group-by-all", "the query groups by ALL");
  }
  if (has_class(node, "WINDOW")) return make_error("window", "the query has a window function");
  if (is_filled(node["qualify"])) return make_error("window", "the query has a QUALIFY clause");
  if (is_filled(node["sample"])) return unsupported("the query is sampled");
  return Ok{};
}

std::vector<TableRef> mentioned_tables(std::string_view tree) {
  const Result<json::Node> document = json::parse(tree);
  std::vector<TableRef> tables;
  if (!document.ok()) return tables;
  collect_tables(*document, tables);
  return tables;
}

bool joins_tables(std::string_view tree) {
  const Result<json::Node> document = json::parse(tree);
  return document.ok() && holds_join(*document);
}

}  // namespace candor::review::syntax
