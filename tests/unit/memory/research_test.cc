// deep-research against a clock that stops it anywhere.
#include "memory/search/deep_research.h"
#include "support/memory_home.h"

namespace candor::memory {
namespace {

class ResearchTest : public MemoryHome {
 protected:
  // What the stats say of a research that is stopped when its deadline was asked for so often.
  json::Node stopped_after(Memory& memory, int asked_max) {
    ResearchQuery query;
    query.search.text = "the kiln and the clay";
    query.sub_queries = decompose(query.search.text, 7);
    query.ceiling.kind = scope::LimitKind::kTopK;
    query.ceiling.limit = 50;
    query.deadline = Deadline(std::function<bool()>([asked = 0, asked_max]() mutable { return ++asked > asked_max; }));
    const std::vector<std::optional<Vector>> none(query.sub_queries.size());
    Result<Research> research = deep_research(memory.store(), query, none);
    EXPECT_TRUE(research.ok()) << research.error().message;
    if (!research.ok()) return json::Node::object();
    json::Node stats = research->document["stats"];
    stats.set("timed_out", json::Node::boolean(research->timed_out));
    return stats;
  }
};

TEST_F(ResearchTest, GivesWhatWasReadyInTimeAndCountsTheRest) {
  Memory memory = open();
  for (int i = 0; i < 20; ++i) {
    Remember input = note("n" + std::to_string(i), i % 2 == 0 ? "The kiln." : "The clay.");
    const std::string thing = "thing " + std::to_string(i);
    input.relations = {{.source = thing, .target = "hub", .relation = "uses", .weight = 0.9, .description = {}}};
    ASSERT_EQ(outcome(memory.remember(input)), "ok");
  }
  const std::int64_t never = 100'000'000;
  std::int64_t found = 0;
  bool some = false;
  for (const std::int64_t asked :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{5}, std::int64_t{10}, std::int64_t{20}, std::int64_t{40},
        std::int64_t{80}, std::int64_t{160}, std::int64_t{320}, never}) {
    const json::Node stats = stopped_after(memory, static_cast<int>(asked));
    const std::int64_t late = stats["sub_queries_timed_out"].integer().value_or(-1);
    EXPECT_EQ(stats["sub_queries_completed"].integer().value_or(-1) + late, 3) << asked;
    EXPECT_EQ(stats["timed_out"].truth(), late > 0 || stats.string_or("ranked_by", "") == "hits") << asked;
    const std::int64_t now = stats["unique_memories_found"].integer().value_or(-1);
    EXPECT_GE(now, found) << asked;
    found = now;
    some |= late > 0 && late < 3;
    if (asked == 0) {
      EXPECT_EQ(late, 3);
    } else if (asked == never) {
      EXPECT_EQ(late, 0);
    }
  }
  EXPECT_EQ(found, 20);
  EXPECT_TRUE(some) << "no deadline came between two sub-queries";
}

}  // namespace
}  // namespace candor::memory
