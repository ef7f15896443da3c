// The binder tells all errors of a text at once, each with its place, and a repair only where it is certain.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/dialect_contract.h"
#include "support/engine_rows.h"

namespace candor::test {
namespace {

using Codes = std::vector<std::string>;

Codes codes_of(const std::string& sql) {
  Codes codes;
  for (const Diagnostic& error : bind_text(sql).errors) codes.push_back(error.code);
  return codes;
}

Codes warnings_of(const std::string& sql) {
  const bind::Bound bound = bind_text(sql);
  Codes codes;
  for (const bind::BoundStatement& statement : bound.statements) {
    for (const bind::BoundWarning& warning : statement.warnings) codes.push_back(warning.code);
  }
  if (!bound.errors.empty()) codes.push_back("error: " + bound.errors.front().message);
  return codes;
}

TEST(BindErrors, AllOfAStatementAtOnce) {
  const std::string sql =
      "SELECT card_n, LOWR(front_text) FROM cards WHERE tags LIKE '%a%' AND due_at < 'soon' AND code = NULL "
      "ORDER BY review_state";
  const bind::Bound bound = bind_text(sql);
  std::vector<std::string> places;
  Codes codes;
  for (const Diagnostic& error : bound.errors) {
    codes.push_back(error.code);
    places.push_back(under(sql, error.span));
  }
  EXPECT_EQ(codes, (Codes{"text-function-on-array", "bad-literal-type", "null-comparison", "unknown-column",
                          "unknown-function", "not-sortable"}));
  EXPECT_EQ(places, (Codes{"tags LIKE '%a%'", "'soon'", "code = NULL", "card_n", "LOWR", "review_state"}));
  EXPECT_TRUE(bound.statements.empty());
}

TEST(BindErrors, OfEachStatementOfABatch) {
  EXPECT_EQ(codes_of("SELECT a FROM cards; SELECT card_no FROM card; SELECT reps FROM cards WHERE reps = 'x'"),
            (Codes{"unknown-column", "unknown-resource", "bad-literal-type"}));
}

TEST(BindErrors, OfAWrite) {
  EXPECT_EQ(codes_of("UPDATE cards SET reps = 1, card_type = 'basik', front_text = NULL, tag = 'x' WHERE card_no = 1"),
            (Codes{"read-only-column", "bad-literal-type", "null-not-allowed", "unknown-column"}));
  EXPECT_EQ(codes_of("INSERT INTO bookmarks (bookmark_id, card_no, label, done) VALUES (1, 'x', NULL, 2), (1, 2)"),
            (Codes{"bad-literal-type", "null-not-allowed", "bad-literal-type", "value-count-mismatch"}));
  EXPECT_EQ(codes_of("DELETE FROM review_events WHERE event_id = 1"), Codes{"read-only-resource"});
}

// Without its FROM every column would be unknown: that would only hide the one error.
TEST(BindErrors, AnUnknownResourceAlone) {
  EXPECT_EQ(codes_of("SELECT a, b, c FROM nowhere WHERE d = 1 ORDER BY e"), Codes{"unknown-resource"});
}

TEST(BindErrors, AreCapped) {
  std::string sql = "SELECT x";
  for (int i = 0; i < 200; ++i) sql += ", nothing" + std::to_string(i);
  EXPECT_EQ(codes_of(sql + " FROM cards").size(), 40U);
}

// What is no longer told is an error all the same: nothing of it is gone on with.
TEST(BindErrors, BeyondTheCapNothingIsBound) {
  std::string many = "SELECT x";
  for (int i = 0; i < 60; ++i) many += ", nothing" + std::to_string(i);
  many += " FROM cards";
  for (const std::string more :
       {"; SELECT COUNT(*), nothing FROM cards", "; SELECT n FROM (SELECT nothing AS n FROM cards GROUP BY nothing) s",
        "; SELECT DISTINCT nothing FROM cards ORDER BY nothing", "; SELECT 1 WHERE 1 IN (SELECT nothing FROM cards)",
        "; SELECT LENGTH((SELECT nothing FROM cards)) AS a FROM cards ORDER BY a", "; SELECT card_no FROM cards",
        "; SELECT card_no FROM cards WHERE card_type = 'basik' OR LOWR(code) = 'a' OR NOT nothing"}) {
    const bind::Bound bound = bind_text(many + more);
    EXPECT_EQ(bound.errors.size(), 40U) << more;
    EXPECT_EQ(bound.statements.size(), more == "; SELECT card_no FROM cards" ? 1U : 0U) << more;
    for (const Diagnostic& error : bound.errors) EXPECT_EQ(error.fix, "");
  }
  std::string stars = "SELECT *";
  for (int i = 0; i < 3'000; ++i) stars += ", *";
  const bind::Bound spent = bind_text(stars + " FROM cards; SELECT COUNT(*), card_type FROM cards GROUP BY card_type");
  ASSERT_EQ(spent.errors.size(), 1U);
  EXPECT_EQ(spent.errors.front().code, "over-limit");
}

// The number of rows is told with the error that it belongs to.
TEST(BindErrors, UnboundedWritesAreCountedOnce) {
  std::string many;
  for (int i = 0; i < 50; ++i) many += "DELETE FROM bookmarks WHERE nothing" + std::to_string(i) + " = 1;";
  const bind::Bound bound = bind_text(many + "DELETE FROM bookmarks");
  EXPECT_TRUE(bound.unbounded_writes.empty());
  const bind::Bound one = bind_text("DELETE FROM bookmarks WHERE nothing = 1; DELETE FROM bookmarks");
  ASSERT_EQ(one.unbounded_writes.size(), 1U);
  EXPECT_EQ(one.errors[one.unbounded_writes[0].first].code, "write-without-where");
}

TEST(BindErrors, TheFixOfAStatementRepairsAllOfIt) {
  const bind::Bound bound = bind_text("SELECT card_n FROM card WHERE code = NULL");
  ASSERT_EQ(bound.errors.size(), 1U);
  EXPECT_EQ(bound.errors.front().fix, "SELECT card_n FROM cards WHERE code = NULL");
  const bind::Bound both = bind_text("SELECT card_n FROM cards WHERE code = NULL");
  ASSERT_EQ(both.errors.size(), 2U);
  for (const Diagnostic& error : both.errors) EXPECT_EQ(error.fix, "SELECT card_no FROM cards WHERE code IS NULL");
}

TEST(BindErrors, NoFixWhereOneErrorHasNone) {
  const bind::Bound bound = bind_text("SELECT card_n FROM cards WHERE due_at < 'soon'");
  ASSERT_EQ(bound.errors.size(), 2U);
  for (const Diagnostic& error : bound.errors) EXPECT_EQ(error.fix, "");
}

// What the contract keeps from filters is kept on every way to it.
TEST(BindErrors, AColumnThatIsNotFilterable) {
  for (const std::string sql : {
           "SELECT card_no FROM cards WHERE internal_note = 'x'",
           "SELECT card_no FROM cards WHERE LOWER(internal_note) = 'x'",
           "SELECT internal_note FROM cards GROUP BY internal_note",
           "SELECT COUNT(internal_note) FROM cards",
           "SELECT MAX(internal_note) FROM cards",
           "SELECT DISTINCT internal_note FROM cards",
           "SELECT COUNT(*) FROM cards HAVING MIN(internal_note) = 'x'",
           "SELECT COUNT(*) FILTER (WHERE internal_note = 'x') FROM cards",
           "SELECT a.card_no FROM cards a JOIN cards b ON a.internal_note = b.internal_note",
           "SELECT card_no FROM cards WHERE CASE WHEN internal_note = 'x' THEN TRUE ELSE FALSE END",
           "SELECT card_no FROM cards WHERE 'x' IN (SELECT internal_note FROM cards)",
           "SELECT card_no FROM (SELECT card_no, internal_note AS n FROM cards) s WHERE n = 'x'",
           "WITH c AS (SELECT internal_note AS n FROM cards) SELECT COUNT(*) FROM c WHERE n = 'x'",
           "UPDATE cards SET front_text = 'x' WHERE internal_note = 'x'",
           "SELECT card_no FROM cards WHERE MATCH(internal_note, 'x')",
       }) {
    const Codes codes = codes_of(sql);
    EXPECT_NE(std::ranges::find(codes, "not-filterable"), codes.end()) << sql;
  }
}

TEST(BindErrors, AConditionThatIsAlwaysTrueIsNone) {
  for (const std::string condition :
       {"TRUE", "1 = 1", "card_no = card_no", "label IS NOT NULL", "label LIKE '%'", "card_no = 1 OR TRUE",
        "NOT (1 = 2)", "NOT (card_no BETWEEN 5 AND 1)", "card_no <> 1 OR card_no <> 2", "card_no < 5 OR card_no >= 5",
        "NOT (card_no = 1 AND card_no = 2)", "(label IS NULL) IS FALSE"}) {
    EXPECT_EQ(codes_of("DELETE FROM bookmarks WHERE " + condition), Codes{"write-without-where"}) << condition;
  }
  for (const std::string condition : {"card_no = 1 OR card_no = 2", "card_no < 5 OR card_no > 5", "done", "card_no > 0",
                                      "card_no <> 1 AND card_no <> 2", "label LIKE '%a%'"}) {
    EXPECT_EQ(codes_of("DELETE FROM bookmarks WHERE " + condition), Codes{}) << condition;
  }
}

TEST(BindWarnings, ConditionsThatSayNothing) {
  for (const std::string condition :
       {"1 = 1", "reps = reps", "reps BETWEEN 5 AND 1", "front_text LIKE '%'", "reps = 1 AND reps = 2",
        "reps = 1 AND reps > 1", "reps > 5 AND reps <= 5", "5 < reps AND reps < 5", "reps <> 1 OR reps <> 2",
        "LOWER(front_text) = 'A'", "UPPER(front_text) = 'a'", "LOWER(front_text) LIKE '%A%'",
        "reps > 1 AND (reps = 3 OR 1 = 2)", "due_at < '2024-01-01' AND due_at > '2024-02-01'", "NOT 1 = 1"}) {
    EXPECT_EQ(warnings_of("SELECT card_no FROM cards WHERE " + condition), Codes{"constant-predicate"}) << condition;
  }
  for (const std::string condition :
       {"reps = 1 OR reps = 2", "reps >= 5 AND reps <= 5", "reps <> 1 AND reps <> 2", "reps > 1 AND lapses < 1",
        "LOWER(front_text) = 'a1'", "front_text LIKE '%A%'", "code LIKE 'a'", "reps BETWEEN 1 AND 1",
        "reps = 1 AND card_no = 2", "code IS NULL", "reps < 5 OR reps > 5", "due_at = due_at + INTERVAL '1 day'"}) {
    EXPECT_EQ(warnings_of("SELECT card_no FROM cards WHERE " + condition), Codes{}) << condition;
  }
}

TEST(BindWarnings, InHavingAndSubqueries) {
  EXPECT_EQ(warnings_of("SELECT card_type FROM cards GROUP BY card_type HAVING 1 = 2"), Codes{"constant-predicate"});
  EXPECT_EQ(warnings_of("SELECT name FROM decks WHERE EXISTS (SELECT 1 FROM cards WHERE reps = reps)"),
            Codes{"constant-predicate"});
}

TEST(BindWarnings, AreCapped) {
  std::string sql = "SELECT card_no FROM cards WHERE reps > 0";
  for (int i = 0; i < 100; ++i) sql += " AND " + std::to_string(i) + " = " + std::to_string(i);
  EXPECT_EQ(warnings_of(sql).size(), 20U);
}

// Two decimals that only their last digits part are not taken for equal.
TEST(BindWarnings, DecimalsThatDoublesDoNotPart) {
  EXPECT_EQ(
      warnings_of("SELECT name FROM decks WHERE price > 0.10000000000000000001 AND price < 0.10000000000000000002"),
      Codes{});
}

}  // namespace
}  // namespace candor::test
