// One SELECT as the review reads it: its tables, join steps, conditions and groups, or the reason why it is not measured.
// Only the text is looked at here; names are bound in join_extraction.h.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json.h"

namespace candor::review::syntax {

struct TableRef {
  std::string catalog, schema, table;  // as written; parts that were left out are empty
  std::string alias;                   // the table's name where none was given
  bool has_alias = false;
};

enum class JoinKind : std::uint8_t { kOn, kUsing, kNatural, kCross };

// One JOIN or comma: which tables stand on its left and right, as positions in Select::tables.
struct JoinStep {
  JoinKind kind = JoinKind::kCross;
  std::vector<std::size_t> left, right;
  const json::Node* condition = nullptr;  // of kOn
  std::vector<std::string> using_columns;
};

struct Select {
  std::unique_ptr<json::Node> document;  // owns every node below
  const json::Node* node = nullptr;      // the SELECT_NODE
  std::vector<TableRef> tables;          // from left to right; empty: no FROM
  std::vector<JoinStep> joins;           // innermost first
  std::vector<const json::Node*> where;  // conjuncts

  [[nodiscard]] bool joined() const { return tables.size() > 1; }
};

// Reads the JSON that Engine::syntax_tree gave. Fails with a reason of codes.h: cte, set-operation, subquery,
// table-function, outer-join, statement-kind, unsupported-syntax.
[[nodiscard]] Result<Select> read_select(std::string_view tree);

// What keeps a join's rows from being counted: too-many-tables, select-distinct, group-by-all, window,
// unsupported-syntax (QUALIFY, SAMPLE).
[[nodiscard]] Status check_measurable(const Select& select);

// Every table that the tree mentions, also in subqueries. Names of common table expressions are among them: one may have
// the name of a table that it reads.
[[nodiscard]] std::vector<TableRef> mentioned_tables(std::string_view tree);

// Whether a join of two tables, or a subquery that reads one, stands anywhere in the tree.
[[nodiscard]] bool joins_tables(std::string_view tree);

}  // namespace candor::review::syntax
