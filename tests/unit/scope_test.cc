// The record of a result: what truncates, and which scope follows.
#include "scope/scope.h"

#include <gtest/gtest.h>

namespace candor::scope {
namespace {

Ceiling ceiling(LimitSource source, LimitKind kind, std::uint64_t limit, std::uint64_t offset = 0) {
  return {source, kind, limit, offset};
}

TEST(Truncates, ByOffsetOrALimitBelowTheTotal) {
  const auto truncates = [](const Ceiling& declared, std::optional<std::uint64_t> total) {
    return describe(declared, 1, total, "").truncates();
  };
  EXPECT_FALSE(truncates({}, 10)) << "no ceiling, nothing cut";
  EXPECT_FALSE(truncates({}, std::nullopt));
  const Ceiling ten = ceiling(LimitSource::kDefault, LimitKind::kPagination, 10);
  EXPECT_TRUE(truncates(ten, 11));
  EXPECT_FALSE(truncates(ten, 10));
  EXPECT_FALSE(truncates(ten, 0)) << "an empty universe is never cut";
  EXPECT_TRUE(truncates(ten, std::nullopt)) << "unknown counts as cut";
  EXPECT_TRUE(truncates(ceiling(LimitSource::kStatement, LimitKind::kTopK, 10, 1), 5)) << "rows were skipped";
}

TEST(Describe, APage) {
  const AgentSurface surface = describe(ceiling(LimitSource::kDefault, LimitKind::kPagination, 100), 100, 1892, "");
  EXPECT_EQ(surface.universe_total, 1892U);
  EXPECT_EQ(surface.universe_reason, "");
  EXPECT_EQ(surface.filter_scope, FilterScope::kPage);
  EXPECT_EQ(surface.count_scope, CountScope::kPage);
  EXPECT_EQ(surface.input_count, 100U);
  EXPECT_EQ(surface.output_count, 100U);
  EXPECT_TRUE(surface.output_truncated);
  EXPECT_EQ(surface.output_truncated_by, "rows_per_result");
  EXPECT_FALSE(surface.filter_incomplete) << "no predicate was applied";
}

TEST(Describe, TopKIsTopKEvenWhereItCutNothing) {
  const Ceiling best = ceiling(LimitSource::kStatement, LimitKind::kTopK, 10);
  const AgentSurface cut = describe(best, 10, 50, "");
  EXPECT_EQ(cut.filter_scope, FilterScope::kTopK);
  EXPECT_EQ(cut.count_scope, CountScope::kTopK);
  EXPECT_EQ(cut.output_truncated_by, "statement");
  const AgentSurface whole = describe(best, 5, 5, "");
  EXPECT_EQ(whole.filter_scope, FilterScope::kUniverse);
  EXPECT_EQ(whole.count_scope, CountScope::kTopK);
  EXPECT_FALSE(whole.output_truncated);
}

TEST(Describe, PageWinsOverEmittedAndEmittedOverMatched) {
  const AgentSurface page = describe(ceiling(LimitSource::kFlag, LimitKind::kPagination, 5), 3, 9, "");
  EXPECT_EQ(page.count_scope, CountScope::kPage);
  EXPECT_EQ(page.output_truncated_by, "flag");
  const AgentSurface emitted = describe({}, 3, 9, "");
  EXPECT_EQ(emitted.count_scope, CountScope::kEmitted);
  EXPECT_TRUE(emitted.output_truncated);
  EXPECT_EQ(emitted.output_truncated_by, "") << "who cut is for the caller to say";
  EXPECT_EQ(describe({}, 9, 9, "").count_scope, CountScope::kMatched);
}

TEST(Describe, AMissingTotalAlwaysHasAReason) {
  EXPECT_EQ(describe({}, 3, std::nullopt, "count_budget").universe_reason, "count_budget");
  EXPECT_EQ(describe({}, 3, std::nullopt, "").universe_reason, "not counted");
  EXPECT_EQ(describe({}, 3, 3, "ignored").universe_reason, "");
}

}  // namespace
}  // namespace candor::scope
