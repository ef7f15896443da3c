// Each part of a real tree taken out or replaced, one at a time: the extraction gives a reason or a plan, and never
// a plan that lost a condition in silence where the tree's shape shows it.
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "review/syntax/expression_text.h"
#include "review/syntax/join_extraction.h"
#include "review/syntax/select.h"
#include "support/review_session.h"

namespace candor::review::syntax {
namespace {

using json::Node;

engine::TableFacts facts_of(const std::string& table) {
  engine::TableFacts facts;
  facts.resolved = {"scratch", "main", table};
  facts.exists = facts.base_table = true;
  for (const char* column : {"k", "x", "g"}) facts.columns.push_back({column, "VARCHAR", std::nullopt, false});
  return facts;
}

// The plan's reason, or "plan".
std::string read(const Node& tree) {
  const Result<Select> select = read_select(json::dump(tree));
  if (!select.ok()) return select.error().code;
  if (const Status status = check_measurable(*select); !status.ok()) return status.error().code;
  std::vector<engine::TableFacts> facts;
  for (const TableRef& ref : select->tables) facts.push_back(facts_of(ref.table));
  const Result<JoinPlan> plan = extract_joins(*select, facts, "");
  if (!plan.ok()) return plan.error().code;
  for (const PairPlan& pair : plan->pairs) {
    EXPECT_EQ(pair.left_keys.size(), pair.right_keys.size());
    EXPECT_LT(pair.left, pair.right);
  }
  for (const TablePlan& table : plan->tables) {
    for (const Node& filter : table.filters) (void)sqlite_expression(filter);
  }
  return "plan";
}

// Calls `visit` on each node below `node`, itself included.
void for_each_node(Node& node, const std::function<void(Node&)>& visit) {
  visit(node);
  for (auto& [name, member] : node.members()) for_each_node(member, visit);
  for (Node& item : node.items()) for_each_node(item, visit);
}

TEST(DamagedTree, IsReadWithoutACrash) {
  test::ReviewSession session;
  const auto text = session.engine().syntax_tree(
      "SELECT g AS q, count(*) FROM a JOIN b ON upper(a.k) = b.k AND b.x IN (1, 2.5) NATURAL JOIN c "
      "WHERE (a.x = 'y' OR a.x IS NULL) AND a.x BETWEEN 1 AND CAST('2' AS INTEGER) GROUP BY q, 2");
  ASSERT_TRUE(text.ok());
  auto parsed = json::parse(*text);
  ASSERT_TRUE(parsed.ok());
  Node tree = *std::move(parsed);
  const std::vector<Node> replacements = {
      Node(), Node::boolean(true), Node::number(std::int64_t{-1}), Node::string("q"), Node::array(), Node::object()};
  std::size_t damaged = 0;
  std::size_t refused = 0;
  for_each_node(tree, [&](Node& node) {
    Node whole = std::move(node);
    for (const Node& replacement : replacements) {
      node = replacement;
      ++damaged;
      if (read(tree) != "plan") ++refused;
    }
    node = std::move(whole);
  });
  EXPECT_GT(damaged, 500U);
  EXPECT_GT(refused, damaged / 4);
}

}  // namespace
}  // namespace candor::review::syntax
