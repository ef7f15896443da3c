// From one SELECT to what is measured of it: the keys of each pair of tables and each table's own filter.
// Which shapes are taken and which are not: docs/review.md, "Which joins".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "json/json.h"
#include "review/syntax/select.h"

namespace candor::review::syntax {

struct TablePlan {
  TableRef ref;
  std::vector<json::Node> filters;          // its conjuncts, columns written as alias.column
  std::vector<std::string> key_columns;     // catalog's spelling, without repeats
  std::vector<std::string> filter_columns;  // likewise
  bool grouped = false;                     // the rule looks at it
};

struct PairPlan {
  std::size_t left = 0, right = 0;                // positions in JoinPlan::tables, left < right
  std::vector<json::Node> left_keys, right_keys;  // each on columns of one table, written as alias.column
  std::string condition;                          // for people: "p.patient_id = l.patient_id"
};

struct JoinPlan {
  std::vector<TablePlan> tables;
  std::vector<PairPlan> pairs;
  std::size_t nodes = 0;               // expressions in keys and filters
  std::vector<std::string> functions;  // functions and operators called in keys, filters and groups, without repeats
  bool foreign_function = false;       // one of them is called in a schema of its own
};

// `facts` in the order of the tables; `sql` is the text that the tree was made from. Fails with a reason of codes.h:
// column-not-resolved, not-distinct-from, key-function, no-equality, too-many-key-columns, cross-side-filter,
// constant-filter, long-literal, ambiguous-group, unsupported-syntax.
[[nodiscard]] Result<JoinPlan> extract_joins(const Select& select, const std::vector<engine::TableFacts>& facts,
                                             std::string_view sql);

}  // namespace candor::review::syntax
