// Entities and relations: what a write makes of them, and totals that can't drift.
#include "support/memory_home.h"

namespace candor::memory {
namespace {

using GraphTest = MemoryHome;
using json::Node;

Link link_of(const std::string& from, const std::string& to, std::optional<double> weight = {}) {
  Link link;
  link.from = from;
  link.to = to;
  link.relation = "uses";
  link.weight = weight;
  link.create_missing = true;
  return link;
}

TEST_F(GraphTest, LinkingAgainChangesTheWeight) {
  Memory memory = open();
  EXPECT_EQ(memory.link(link_of("billing", "ledger", 0.4))->string_or("action", ""), "created");
  const Node again = *memory.link(link_of("Billing", "LEDGER", 0.9));
  EXPECT_EQ(again.string_or("action", ""), "already_exists");
  EXPECT_EQ(again["weight"].real(), 0.9);
  EXPECT_EQ(value("SELECT weight FROM relationships"), "0.9");
  EXPECT_EQ((*memory.link(link_of("billing", "ledger")))["weight"].real(), 0.9);  // none given: none changed
}

TEST_F(GraphTest, EndsAreMadeOnlyWhenAsked) {
  Memory memory = open();
  Link link = link_of("東京", "Сергей");
  link.create_missing = false;
  EXPECT_EQ(outcome(memory.link(link)), "not-found");
  link.create_missing = true;
  EXPECT_EQ((*memory.link(link))["created_entities"].items().size(), 2U);
  EXPECT_EQ((*memory.link(link))["created_entities"].items().size(), 0U);
}

// Degrees as the edges have them, and not as the cache does.
constexpr const char* kDrift =
    "SELECT count(*) FROM entities e WHERE degree <> (SELECT count(*) FROM relationships WHERE e.id IN (source_id, "
    "target_id))";

TEST_F(GraphTest, DegreesFollowEveryChange) {
  Memory memory = open();
  for (const auto& [from, to] : {std::pair("a1", "b1"), std::pair("b1", "c1"), std::pair("c1", "c1"),
                                 std::pair("a1", "c1"), std::pair("d1", "a1"), std::pair("d1", "b1")}) {
    ASSERT_EQ(outcome(memory.link(link_of(from, to))), "ok");
  }
  EXPECT_EQ(value(kDrift), "0");
  EXPECT_EQ(value("SELECT degree FROM entities WHERE name = 'c1'"), "3");  // the loop counts once
  MergeEntities merge;
  merge.names = {"b1", "d1"};
  merge.into = "a1";
  const Result<Node> merged = memory.merge_entities(merge);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ((*merged)["entities_removed"].integer(), 2);
  EXPECT_EQ(value(kDrift), "0");
  EXPECT_EQ(value("SELECT count(*) FROM relationships"), "3");  // a-a, a-c, c-c
  ASSERT_EQ(outcome(memory.delete_entity("global", "c1", true)), "ok");
  EXPECT_EQ(value(kDrift), "0");
  EXPECT_EQ(value("SELECT entities FROM entity_counts"), "1");
  run_sql("UPDATE entities SET degree = 7");
  EXPECT_EQ(memory.health({})->string_or("status", ""), "error");
  EXPECT_EQ((*memory.recompute_degree({}, false))["updated"].integer(), 1);
  EXPECT_EQ(memory.health({})->string_or("status", ""), "ok");
}

TEST_F(GraphTest, AMergeKeepsTheHeavierOfTwoEqualRelations) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.link(link_of("one", "hub", 0.2))), "ok");
  ASSERT_EQ(outcome(memory.link(link_of("two", "hub", 0.8))), "ok");
  MergeEntities merge;
  merge.names = {"two"};
  merge.into = "one";
  ASSERT_EQ(outcome(memory.merge_entities(merge)), "ok");
  EXPECT_EQ(value("SELECT count(*) || ' ' || max(weight) FROM relationships"), "1 0.8");
}

TEST_F(GraphTest, UsedEntitiesAreDeletedOnlyWithCascade) {
  Memory memory = open();
  Remember input = note("a");
  input.entities = {{"billing", "tool", "the invoices"}};
  ASSERT_EQ(outcome(memory.remember(input)), "ok");
  EXPECT_EQ(outcome(memory.delete_entity("global", "billing", false)), "usage");
  EXPECT_EQ((*memory.delete_entity("global", "BILLING", true))["bindings_removed"].integer(), 1);
  EXPECT_EQ(outcome(memory.read({.name = "a"}, true)), "ok");
}

TEST_F(GraphTest, RenamingOntoAnotherIsADuplicate) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.link(link_of("one", "two"))), "ok");
  EXPECT_EQ(outcome(memory.rename_entity("global", "one", {}, "TWO")), "duplicate");
  EXPECT_EQ(outcome(memory.rename_entity("global", "one", {}, "One")), "ok");
  EXPECT_EQ(value("SELECT name FROM entities WHERE key = 'one'"), "One");
}

TEST_F(GraphTest, OrphansAreThoseWithoutMemoryAndRelation) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.link(link_of("one", "two"))), "ok");
  Remember input = note("a");
  input.entities = {{"bound", {}, {}}, {"lost", {}, {}}};
  ASSERT_EQ(outcome(memory.remember(input)), "ok");
  Unlink unlink;
  unlink.entity = "lost";
  unlink.memory = "a";
  ASSERT_EQ(outcome(memory.unlink(unlink)), "ok");
  EXPECT_EQ(outcome(memory.unlink(unlink)), "not-found");
  EXPECT_EQ((*memory.cleanup_orphans("global", true))["orphan_count"].integer(), 1);
  EXPECT_EQ((*memory.cleanup_orphans("global", false))["deleted"].integer(), 1);
  EXPECT_EQ(value("SELECT count(*) FROM entities"), "3");
}

TEST_F(GraphTest, NamespacesDoNotMix) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.link(link_of("one", "two"))), "ok");
  Link link = link_of("one", "two");
  link.space = "other";
  link.create_missing = false;
  EXPECT_EQ(outcome(memory.link(link)), "not-found");
  EXPECT_EQ((*memory.graph_stats("other"))["node_count"].integer(), 0);
}

TEST_F(GraphTest, AWriteThatFailsLeavesNoEntities) {
  Memory memory = open();
  Remember input = note("a");
  input.entities = {{"fine", {}, {}}, {"42", {}, {}}};
  EXPECT_EQ(outcome(memory.remember(input)), "invalid-name");
  EXPECT_EQ(value("SELECT (SELECT count(*) FROM entities) + (SELECT count(*) FROM memories)"), "0");
}

}  // namespace
}  // namespace candor::memory
