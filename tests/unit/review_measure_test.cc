// What the review measures and says of a query, against a real DuckDB: review::review_query.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "review/checks/check.h"
#include "review/measure.h"
#include "review/review.h"
#include "support/review_session.h"

namespace candor::review {
namespace {

using test::ReviewSession;

constexpr const char* kClinic = R"(
CREATE TABLE patients AS SELECT printf('P-%05d', i * 37) AS patient_id, ['Aberdeen', 'Bergen', 'Cork'][1 + i % 3] AS site,
  1930 + i % 70 AS born FROM range(1, 514) t(i);
CREATE TABLE labs AS SELECT i AS lab_id, CASE WHEN i % 22 = 1 AND i <= 485 THEN printf('P-%05d', i * 37) ELSE 'p' || i END
  AS patient_id, ['HbA1c', 'LDL', 'CRP'][1 + i % 3] AS test, i % 10 + 0.5 AS value FROM range(1, 514) t(i);
CREATE TABLE sites AS SELECT site, 'North' AS region FROM (VALUES ('Aberdeen'), ('Bergen'), ('Cork')) v(site);
)";

class Review : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(session.execute(kClinic), ""); }
  ReviewSession session;
};

std::string counts(const CheckResult& result) {
  std::string text;
  for (const Pair& pair : result.pairs) {
    for (const Side* side : {&pair.left, &pair.right}) {
      text += (text.empty() ? "" : ", ") + side->alias + (side->grouped ? "* " : " ") + std::to_string(side->matched) +
              "/" + std::to_string(side->rows);
    }
  }
  return text;
}

TEST_F(Review, CountsBothSidesOfAJoin) {
  const CheckResult result = session.coverage(
      "SELECT p.site, avg(l.value) FROM patients p JOIN labs l ON p.patient_id = l.patient_id GROUP BY p.site");
  EXPECT_EQ(test::in_words(result), "finding") << result.message;
  EXPECT_EQ(counts(result), "p* 23/513, l 23/513");
  ASSERT_EQ(result.pairs.size(), 1U);
  EXPECT_EQ(result.pairs[0].condition, "p.patient_id = l.patient_id");
  EXPECT_EQ(result.pairs[0].left.full_name, "scratch.main.patients");
  EXPECT_NE(result.message.find("\"23 of 513 patients\""), std::string::npos) << result.message;
  const auto again = count_again(session.engine(), result.pairs[0].counting_sql, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, (Counts{513, 23, 513, 23}));
}

TEST_F(Review, CountsUnderEachSidesOwnFilter) {
  const std::string sql =
      "SELECT p.site, count(*) FROM patients p, labs l WHERE p.patient_id = l.patient_id AND l.test = 'LDL' AND p.born "
      "< 1980 "
      "GROUP BY 1";
  const CheckResult result = session.coverage(sql);
  const auto real = session.query(
      "SELECT count(*), count(*) FILTER (EXISTS (SELECT 1 FROM labs l WHERE l.patient_id = p.patient_id AND l.test = "
      "'LDL')), "
      "count(*) FILTER (EXISTS (SELECT 1 FROM labs l WHERE l.patient_id = p.patient_id)) FROM patients p WHERE p.born "
      "< 1980");
  ASSERT_EQ(result.pairs.size(), 1U) << result.message;
  const Side& side = result.pairs[0].left;
  EXPECT_EQ(real, (std::vector<std::string>{std::to_string(side.rows), std::to_string(side.matched),
                                            std::to_string(side.matched_without_other_filter.value_or(0))}));
  EXPECT_EQ(test::in_words(result), "finding");
}

TEST_F(Review, LeavesAloneWhatAFilterChose) {
  ASSERT_EQ(session.execute(
                "CREATE TABLE sessions AS SELECT i AS id, i % 5 AS device FROM range(900) t(i);"
                "CREATE TABLE events AS SELECT i % 900 AS id, CASE WHEN i % 900 < 250 AND i > 900 THEN 'purchase' "
                "ELSE 'view' END AS kind FROM range(1800) t(i)"),
            "");
  const CheckResult result = session.coverage(
      "SELECT s.device, count(*) FROM sessions s JOIN events e ON s.id = e.id WHERE e.kind = 'purchase' GROUP BY "
      "s.device");
  EXPECT_EQ(test::in_words(result), "clean (selected-by-filter)") << result.message;
  EXPECT_EQ(result.pairs[0].left.rows, 900U);
  EXPECT_LT(result.pairs[0].left.matched, 450U);
  EXPECT_EQ(result.pairs[0].left.matched_without_other_filter, 900U);
}

TEST_F(Review, IsSilentWhereTheAnswerStatesIt) {
  const std::string sql = "SELECT p.site, count(*) FROM patients p JOIN labs l USING (patient_id) GROUP BY p.site";
  session.context.basis = "the 23 of the 513 patients whose ids agree";
  CheckResult result = session.coverage(sql);
  EXPECT_EQ(test::in_words(result), "clean");
  EXPECT_EQ(result.stated, "basis");
  session.context.basis = "23 patients";
  EXPECT_EQ(session.verdict(sql), "finding");
  session.context.note = "23/513";
  result = session.coverage(sql);
  EXPECT_EQ(result.stated, "rows.note");
}

TEST_F(Review, LooksAtTheGroupedSide) {
  ASSERT_EQ(session.execute("CREATE TABLE orders AS SELECT i AS id FROM range(300) t(i);"
                            "CREATE TABLE refunds AS SELECT i * 7 AS order_id, i % 3 AS reason FROM range(1, 41) t(i)"),
            "");
  const std::string from = " FROM refunds r JOIN orders o ON o.id = r.order_id ";
  EXPECT_EQ(session.verdict("SELECT r.reason, count(*)" + from + "GROUP BY r.reason"), "clean");
  EXPECT_EQ(session.verdict("SELECT o.id % 2, count(*)" + from + "GROUP BY o.id % 2"), "finding");
  EXPECT_EQ(session.verdict("SELECT count(*)" + from), "finding") << "no GROUP BY: both sides";
  EXPECT_EQ(session.verdict("SELECT 'all', count(*)" + from + "GROUP BY 1"), "finding");
}

TEST_F(Review, MeasuresEachPairOfAChain) {
  const CheckResult result = session.coverage(
      "SELECT s.region, count(*) FROM labs l JOIN patients p ON p.patient_id = l.patient_id JOIN sites s ON s.site = "
      "p.site "
      "GROUP BY s.region");
  EXPECT_EQ(counts(result), "l 23/513, p 23/513, p 513/513, s* 3/3");
  EXPECT_EQ(test::in_words(result), "clean") << "a grouped look-up does not see what was lost two tables away";
  const CheckResult all = session.coverage(
      "SELECT count(*) FROM labs l JOIN patients p ON p.patient_id = l.patient_id JOIN sites s ON s.site = p.site");
  EXPECT_EQ(test::in_words(all), "finding");
}

TEST_F(Review, MeasuresWrappedKeys) {
  const CheckResult result = session.coverage(
      "SELECT p.site, count(*) FROM patients p JOIN labs l ON upper(trim(p.patient_id)) = "
      "coalesce(upper(l.patient_id), '') "
      "AND left(p.patient_id, 1) = CAST(substr(l.patient_id, 1, 1) AS VARCHAR) GROUP BY p.site");
  EXPECT_EQ(counts(result), "p* 23/513, l 23/513") << result.message;
}

TEST_F(Review, NeverRunsTheJoin) {
  ASSERT_EQ(session.execute("CREATE TABLE a AS SELECT 'hot' AS k, i FROM range(20000) t(i);"
                            "CREATE TABLE b AS SELECT 'hot' AS k, i FROM range(20000) t(i)"),
            "");
  const CheckResult result = session.coverage("SELECT count(*) FROM a JOIN b ON a.k = b.k");
  EXPECT_EQ(counts(result), "a* 20000/20000, b* 20000/20000");
}

TEST_F(Review, SaysThatThereIsNoJoin) {
  EXPECT_EQ(session.verdict("SELECT count(DISTINCT site) FROM patients"), "clean");
  EXPECT_EQ(session.verdict("SELECT 1"), "clean");
  ASSERT_EQ(session.execute("CREATE VIEW joined AS SELECT p.site FROM patients p JOIN labs l USING (patient_id)"), "");
  EXPECT_EQ(session.verdict("SELECT count(*) FROM joined"), "undetermined (not-base-table)");
  EXPECT_EQ(session.verdict("SELECT count(*) FROM patients WHERE patient_id IN (SELECT patient_id FROM labs)"),
            "undetermined (subquery)");
}

TEST_F(Review, StopsAtTheGates) {
  const std::string join = "SELECT count(*) FROM patients p JOIN labs l ON p.patient_id = l.patient_id";
  session.context.settings.statement_ms = 4'999;
  EXPECT_EQ(session.verdict(join), "undetermined (timeout-too-short)");
  session.context.settings.statement_ms = 5'000;
  EXPECT_EQ(session.verdict(join), "finding");
  session.context.settings.enabled = false;
  EXPECT_EQ(session.verdict(join), "undetermined (off)");
  session.context.settings = {};
  session.context.temporary_objects = {"LABS"};
  EXPECT_EQ(session.verdict(join), "undetermined (shadowed-table)");
  EXPECT_EQ(session.verdict("SELECT count(*) FROM patients p JOIN scratch.main.labs l ON p.patient_id = l.patient_id"),
            "finding");
  session.context.temporary_objects = {};
  session.context.settings.key_width_max = 6;
  EXPECT_EQ(session.verdict(join), "undetermined (key-too-wide)");
  session.context.settings = {};
  session.context.settings.key_chars_max = 513;
  EXPECT_EQ(session.verdict(join), "undetermined (key-volume)");
  session.context.settings = {};
  session.context.settings.conjuncts_max = 1;
  EXPECT_EQ(session.verdict(join + " WHERE p.born > 1 AND p.born > 2"), "undetermined (too-many-conjuncts)");
  EXPECT_EQ(session.verdict(join + " WHERE p.born > 1 AND l.value > 2"), "finding");
  session.context.settings = {};
  session.context.settings.nodes_max = 5;
  EXPECT_EQ(session.verdict(join + " WHERE p.born > 1"), "finding");
  EXPECT_EQ(session.verdict(join + " WHERE p.born + 0 > 1"), "undetermined (too-many-nodes)");
}

TEST_F(Review, StopsAtFunctionsOfTheUser) {
  const std::string join = "SELECT count(*) FROM patients p JOIN labs l ON trim(p.patient_id) = trim(l.patient_id)";
  EXPECT_EQ(session.verdict(join), "finding");
  EXPECT_EQ(session.verdict(join + " WHERE p.born > random()"), "undetermined (volatile-function)");
  ASSERT_EQ(session.execute("CREATE MACRO shout(x) AS upper(x)"), "");
  EXPECT_EQ(session.verdict(join + " WHERE shout(p.site) = 'CORK'"), "undetermined (user-function)");
  EXPECT_EQ(session.verdict("SELECT shout('a'), count(*) FROM patients p JOIN labs l ON p.patient_id = l.patient_id"),
            "finding");
  ASSERT_EQ(session.execute("CREATE MACRO trim(x) AS rtrim(x)"), "");
  EXPECT_EQ(session.verdict(join), "undetermined (user-function)");
}

TEST_F(Review, SamplesOverTheRowGate) {
  ASSERT_EQ(session.execute("CREATE TABLE big AS SELECT i AS k, i % 4 AS g FROM range(300000) t(i);"
                            "CREATE TABLE part AS SELECT i * 4 AS k FROM range(75000) t(i)"),
            "");
  const std::string sql = "SELECT g, count(*) FROM big JOIN part ON big.k = part.k GROUP BY g";
  const CheckResult exact = session.coverage(sql);
  EXPECT_EQ(counts(exact), "big* 75000/300000, part 75000/75000");
  EXPECT_FALSE(exact.pairs[0].sample);
  session.context.settings.rows_max = 100'000;
  const CheckResult sampled = session.coverage(sql);
  EXPECT_EQ(test::in_words(sampled), "finding") << sampled.message;
  ASSERT_EQ(sampled.pairs.size(), 1U);
  const Side& side = sampled.pairs[0].left;
  EXPECT_TRUE(sampled.pairs[0].sample);
  EXPECT_EQ(side.one_in, 6U);
  EXPECT_GT(side.rows, 40'000U);
  EXPECT_LT(side.rows, 60'000U);
  const double share = static_cast<double>(side.matched) / static_cast<double>(side.rows);
  EXPECT_NEAR(share, 0.25, 3 * sampled.pairs[0].error);
  EXPECT_LT(sampled.pairs[0].error, 0.01);
  EXPECT_EQ(sampled.pairs[0].right.matched, 75'000U) << "what a sample may meet is not sampled";
  const auto again = count_again(session.engine(), sampled.pairs[0].counting_sql, {});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->left_matched, side.matched) << "a sample is the same one when it is drawn again";
}

TEST_F(Review, KeepsOneFrequentKeyInProportion) {
  ASSERT_EQ(session.execute(
                "CREATE TABLE cold AS SELECT CASE WHEN i % 5 < 2 THEN 'hot' ELSE 'cold-' || i END AS k, i % 4 AS g "
                "FROM range(200000) t(i); CREATE TABLE clicks AS SELECT 'hot' AS k FROM range(2000) t(i)"),
            "");
  session.context.settings.rows_max = 100'000;
  const CheckResult result =
      session.coverage("SELECT c.g, count(*) FROM cold c JOIN clicks k ON c.k = k.k GROUP BY c.g");
  EXPECT_EQ(test::in_words(result), "finding") << result.message;
  const Side& side = result.pairs[0].left;
  EXPECT_NEAR(static_cast<double>(side.matched) / static_cast<double>(side.rows), 0.4, 3 * side.error);
}

TEST(Share, ComparesWithOneHalf) {
  EXPECT_EQ(share_of(9, 20, 0), Share::kLow);
  EXPECT_EQ(share_of(10, 20, 0), Share::kEnough);
  EXPECT_EQ(share_of(10, 21, 0), Share::kLow);
  EXPECT_EQ(share_of(0, 0, 0), Share::kEnough);
  EXPECT_EQ(share_of(45, 100, 0.04), Share::kLow);
  EXPECT_EQ(share_of(45, 100, 0.06), Share::kUncertain);
  EXPECT_EQ(share_of(55, 100, 0.04), Share::kEnough);
  EXPECT_GT(sample_error(0, 100), 0.01) << "no match in a hundred rows is not none at all";
  EXPECT_NEAR(sample_error(5000, 10000), 0.0098, 0.0002);
}

Verdict verdict_of_sample(std::uint64_t rows, std::uint64_t matched, std::uint64_t one_in) {
  JoinEvidence evidence;
  evidence.joined = true;
  Pair pair;
  pair.left.grouped = true;
  pair.left.rows = rows;
  pair.left.matched = matched;
  pair.left.one_in = one_in;
  pair.left.error = one_in > 1 ? sample_error(matched, rows) : 0;
  pair.right = pair.left;
  pair.right.grouped = false;
  evidence.pairs.push_back(pair);
  for (const Check* check : all_checks()) {
    if (check->name == "join-coverage") return check->judge_joins(evidence, Context{}).verdict;
  }
  return Verdict::kClean;
}

TEST(JoinCoverage, ASampleWithFewRowsIsNotATableWithFewRows) {
  EXPECT_EQ(verdict_of_sample(19, 0, 1), Verdict::kClean);
  EXPECT_EQ(verdict_of_sample(20, 0, 1), Verdict::kFinding);
  EXPECT_EQ(verdict_of_sample(0, 0, 24), Verdict::kUndetermined) << "up to some seventy rows may be there";
  EXPECT_EQ(verdict_of_sample(5, 0, 2), Verdict::kUndetermined);
  EXPECT_EQ(verdict_of_sample(500, 0, 24), Verdict::kFinding);
  EXPECT_EQ(verdict_of_sample(500, 500, 24), Verdict::kClean);
}

TEST(StatesMOfN, TakesTheUsualSpellings) {
  for (const char* text : {"23 of 513", "23/513", "23 / 513", "23 out of 513", "23 of the 513 patients",
                           "Covers 23 of 513.", "(23 of 513)", "only 23 patients of 513", "23 patients out of the 513",
                           "23 (4 %) of 513", "23 OF ALL 513", "23\nof\n513", "23 out of a total of 513",
                           "in 2024 23 of 513", "23 of 513\u00a0patients", "23 of 513 millet fields"}) {
    EXPECT_TRUE(states_m_of_n(text, 23, 513)) << text;
  }
  for (const char* text : {"23 patients",
                           "513 of 23",
                           "123 of 513",
                           "23 of 5130",
                           "23 of 1513",
                           "23 of 513,000",
                           "23 of 513.5",
                           "1.23 of 513",
                           "1,023 of 513",
                           "x23 of 513",
                           "23 and 513",
                           "23 of 512",
                           "",
                           "23 of",
                           "23%/513",
                           "23 sites, average of 513",
                           "1/23/513",
                           "23/513/2024",
                           "23 of 513 000",
                           "23 of 513k",
                           "23 of 513th",
                           "23 of 513 million",
                           "23 of 513 %",
                           "23 of 513 Percent"}) {
    EXPECT_FALSE(states_m_of_n(text, 23, 513)) << text;
  }
  for (const char* text : {"1234 of 20000", "1,234 of 20,000", "1.234/20.000", "1'234 of 20'000", "1 234 of 20 000",
                           "1\u00a0234 of 20\u00a0000", "1\u202f234 out of 20\u202f000"}) {
    EXPECT_TRUE(states_m_of_n(text, 1234, 20000)) << text;
  }
  EXPECT_FALSE(states_m_of_n("1,2,34 of 20000", 1234, 20000));
  EXPECT_TRUE(states_m_of_n("0 of 513", 0, 513));
}

}  // namespace
}  // namespace candor::review
