// Any bytes in place of the engine parser's tree: the review's reading of it must neither crash nor run on. What comes
// out of a damaged tree is an engine's statement only after it was printed, parsed again and compared.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "review/syntax/expression_text.h"
#include "review/syntax/join_extraction.h"
#include "review/syntax/select.h"

namespace {

using namespace candor;
using namespace candor::review::syntax;

engine::TableFacts facts_of(const TableRef& ref) {
  engine::TableFacts facts;
  facts.resolved = {"scratch", "main", ref.table};
  facts.exists = facts.base_table = true;
  for (const char* column : {"k", "x", "g"}) facts.columns.push_back({column, "VARCHAR", std::nullopt, false});
  facts.columns.push_back({ref.alias + "_only", "INTEGER", std::nullopt, false});
  return facts;
}

void read_plan(std::string_view tree) {
  const Result<Select> select = read_select(tree);
  if (!select.ok()) return;
  const Status measurable = check_measurable(*select);
  if (!measurable.ok() && measurable.error().code == "too-many-tables") return;
  std::vector<engine::TableFacts> facts;
  for (const TableRef& ref : select->tables) facts.push_back(facts_of(ref));
  const Result<JoinPlan> plan = extract_joins(*select, facts, tree);
  if (!plan.ok()) return;
  for (const PairPlan& pair : plan->pairs) {
    // Both sides have their keys, or the counting statement would compare what is not there.
    if (pair.left_keys.empty() || pair.left_keys.size() != pair.right_keys.size() || pair.left >= pair.right)
      std::abort();
    for (const json::Node& key : pair.left_keys) (void)sqlite_expression(key);
  }
  for (const TablePlan& table : plan->tables) {
    for (const json::Node& filter : table.filters) {
      (void)sqlite_expression(filter);
      (void)readable_expression(filter);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view tree(reinterpret_cast<const char*>(data), size);
  (void)mentioned_tables(tree);
  read_plan(tree);
  return 0;
}
