// Texts made to exhaust the parser are refused, each for its reason; long ones that are meant are taken.
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "bind/binder.h"
#include "contract/contract.h"
#include "dialect/parser.h"
#include "dialect/printer.h"
#include "support/contract_text.h"

namespace candor::dialect {
namespace {

std::string times(std::size_t count, std::string_view text) {
  std::string made;
  made.reserve(count * text.size());
  for (; count > 0; --count) made += text;
  return made;
}

// The code of the only error, "none", or what is wrong.
std::string refusal(const std::string& sql) {
  const Parsed parsed = parse(sql);
  if (parsed.errors.empty()) return parsed.statements.size() == parsed.count ? "none" : "a statement is lost";
  if (parsed.errors.size() > 1) return "several: " + parsed.errors[1].message;
  return parsed.errors.front().code;
}

constexpr std::size_t kMany = 100'000;

TEST(DialectLimits, Texts) {
  EXPECT_EQ(refusal("SELECT '" + times(10'000'000, "x") + "'"), "over-limit");
  EXPECT_EQ(refusal(times(10'000'000, "(")), "over-limit");
  EXPECT_EQ(refusal("SELECT 1" + times(1'000'000, " ")), "none");
  EXPECT_EQ(refusal("SELECT '" + times(1'000'000, "x") + "'"), "none");
  EXPECT_EQ(refusal("SELECT a FROM t" + times(kMany + 1, ", t")), "over-limit");
}

TEST(DialectLimits, SaysTheLimit) {
  const Parsed parsed = parse(times(10'000'000, "x"));
  ASSERT_EQ(parsed.errors.size(), 1U);
  EXPECT_NE(parsed.errors.front().message.find("10000000"), std::string::npos);
  EXPECT_NE(parsed.errors.front().message.find("4000000"), std::string::npos);
}

TEST(DialectLimits, Terms) {
  EXPECT_EQ(refusal("SELECT 1 WHERE a" + times(kMany, " OR a")), "over-limit");
  EXPECT_EQ(refusal("SELECT 1 WHERE a" + times(kMany / 2, " AND a = 1")), "over-limit");
  EXPECT_EQ(refusal("SELECT 1 WHERE a IN (1" + times(kMany / 2, ", 1") + ")"), "over-limit");
  EXPECT_EQ(refusal("SELECT a" + times(kMany / 2, ", a") + " FROM t"), "over-limit");
  EXPECT_EQ(refusal("SELECT a" + times(kMany / 2, ", *")), "over-limit");
  EXPECT_EQ(refusal("INSERT INTO t VALUES (1)" + times(kMany / 4, ", (1)")), "over-limit");
  EXPECT_EQ(refusal("INSERT INTO t VALUES (1)" + times(kMany / 4, ", (DEFAULT)")), "over-limit");
  EXPECT_EQ(refusal("SELECT 1 WHERE a IN (1" + times(10'000, ", 1") + ")"), "none");
  EXPECT_EQ(refusal("SELECT 1 WHERE a" + times(5'000, " OR a")), "none");
}

// The last node of a statement may be one that is made without a word of its own.
TEST(DialectLimits, TheLastTerm) {
  for (std::size_t more = 19'990; more < 20'010; ++more) {
    const std::string list = "SELECT 1" + times(more - 1, ",1");
    const std::string end = refusal(list + " FROM t FETCH FIRST ROW ONLY");
    EXPECT_TRUE(end == "none" || end == "over-limit") << end;
    EXPECT_EQ(end, refusal(list + ",*"));
    EXPECT_EQ(end, refusal(list + ",t.*"));
    EXPECT_EQ(end, more < 20'000 ? "none" : "over-limit") << more;
  }
}

TEST(DialectLimits, Depth) {
  EXPECT_EQ(refusal("SELECT " + times(kMany, "(") + "1" + times(kMany - 1'000, ")")), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT 1 WHERE " + times(kMany, "NOT ") + "a"), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT " + times(kMany, "- ") + "1"), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT " + times(kMany / 2, "f(")), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT " + times(kMany / 2, "CASE WHEN ")), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT " + times(kMany / 2, "ARRAY[")), "predicate-too-deep");
  EXPECT_EQ(refusal(times(kMany / 4, "SELECT (")), "predicate-too-deep");
  EXPECT_EQ(refusal(times(kMany / 4, "SELECT a FROM (")), "predicate-too-deep");
  EXPECT_EQ(refusal(times(kMany / 4, "WITH a AS (")), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT 1 WHERE " + times(kMany / 4, "EXISTS (SELECT 1 WHERE ")), "predicate-too-deep");
  EXPECT_EQ(refusal("SELECT " + times(50, "(") + "1" + times(50, ")")), "none");
}

// A chain makes the tree as high as it is long, without a parenthesis.
TEST(DialectLimits, Chains) {
  for (const std::string_view link : {" + 1", " || 'x'", " * 2", " IS NULL", "::text", " IN (1)", " LIKE 'x'",
                                      " BETWEEN 1 AND 2", " OVERLAP b", " IS DISTINCT FROM 1", " NOT CONTAINS 'a'"}) {
    EXPECT_EQ(refusal("SELECT a" + times(15'000, link)), "over-limit") << link;
    EXPECT_EQ(refusal("SELECT a" + times(400, link)), "none") << link;
  }
  EXPECT_EQ(refusal("SELECT " + times(40, "(") + "a" + times(40, times(100, " + 1") + ")")), "over-limit");
  EXPECT_EQ(refusal("SELECT f(a" + times(300, " + 1") + ")" + times(300, " || 'x'")), "over-limit");
  EXPECT_EQ(refusal("SELECT a" + times(300, " + 1") + ", a" + times(300, " + 1")), "none");
  EXPECT_EQ(refusal("INSERT INTO t VALUES (1)" + times(300, ", (a || b || c || d || e)")), "none");
}

TEST(DialectLimits, NestedCallsAreReadOnce) {
  EXPECT_EQ(refusal("SELECT " + times(60, "SUBSTR(") + "a" + times(60, ", 1)")), "none");
  EXPECT_EQ(refusal("SELECT " + times(60, "SUBSTRING(") + "a" + times(60, " FROM 1)")), "none");
}

TEST(DialectLimits, Batches) {
  EXPECT_EQ(refusal(times(51, "SELECT 1;")), "batch-too-long");
  EXPECT_EQ(refusal(times(kMany / 2, "SELECT 1;")), "batch-too-long");
  EXPECT_EQ(refusal(times(50, "SELECT 1;")), "none");
  EXPECT_EQ(refusal(times(kMany, ";") + "SELECT 1"), "none");
}

TEST(DialectLimits, ErrorsAreCapped) {
  const Parsed parsed = parse(times(50, "SELEC 1;"));
  EXPECT_EQ(parsed.errors.size(), 20U);
  EXPECT_EQ(parsed.count, 50U);
}

// What the parser takes at its limits, binder and printer take as well.
TEST(DialectLimits, TheHighestTreeIsBoundAndPrinted) {
  const Result<contract::Contract> contract = contract::parse(test::kFlashcards, "flashcards.yaml");
  ASSERT_TRUE(contract.ok()) << contract.error().message;
  const std::string high = times(60, "(") + R"("order")" + times(60, times(8, " + 1") + ")");
  for (const std::string& sql : {
           "SELECT " + high + " FROM cards",
           R"(SELECT front_text FROM cards WHERE "order" = 1)" + times(4'000, R"( OR "order" = 1)"),
           R"(SELECT front_text FROM cards WHERE "order" IN (1)" + times(15'000, ", 1") + ")",
           R"(SELECT front_text FROM cards WHERE )" + times(60, "NOT ") + R"("order" IS NULL)",
       }) {
    const Parsed parsed = parse(sql);
    ASSERT_TRUE(parsed.errors.empty()) << parsed.errors.front().message;
    const bind::Bound bound = bind::bind(sql, parsed, {&*contract, "A"});
    EXPECT_TRUE(bound.errors.empty()) << bound.errors.front().message;
    EXPECT_EQ(bound.statements.size(), 1U);
    EXPECT_FALSE(print(parsed.statements.front()).empty());
  }
}

}  // namespace
}  // namespace candor::dialect
