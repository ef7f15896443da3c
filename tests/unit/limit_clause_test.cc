// The LIMIT that a query ends with: where it stands, what it says, what it is ordered by.
#include <gtest/gtest.h>
#include <string>

#include "sql/lexer.h"

namespace candor::sql {
namespace {

// "limit/offset [item|item] <text of the clause>", "-" for what is no plain number, "none" without a clause.
std::string clause(std::string_view sql) {
  const auto found = limit_clause(sql);
  if (!found) return "none";
  std::string text = (found->limit ? std::to_string(*found->limit) : "-") + "/" +
                     (found->offset ? std::to_string(*found->offset) : "-");
  text += " [";
  for (std::size_t i = 0; i < found->order.size(); ++i) text += (i > 0 ? "|" : "") + std::string(found->order[i]);
  text += "] ";
  text += sql.substr(found->span.start, found->span.end - found->span.start);
  return text;
}

TEST(LimitClause, OfAQuery) {
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 10"), "10/0 [] LIMIT 10");
  EXPECT_EQ(clause("select * from t limit 10 offset 5;"), "10/5 [] limit 10 offset 5");
  EXPECT_EQ(clause("SELECT * FROM t OFFSET 5 LIMIT 10"), "10/5 [] OFFSET 5 LIMIT 10");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 5, 10 -- c"), "10/5 [] LIMIT 5, 10");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 10 OFFSET 5 ROWS"), "10/5 [] LIMIT 10 OFFSET 5 ROWS");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 1_000"), "1000/0 [] LIMIT 1_000");
  EXPECT_EQ(clause("FROM t LIMIT 1"), "1/0 [] LIMIT 1");
  EXPECT_EQ(clause("VALUES (1), (2) LIMIT 1"), "1/0 [] LIMIT 1");
  EXPECT_EQ(clause("SELECT * FROM t OFFSET 5"), "-/5 [] OFFSET 5");
}

TEST(LimitClause, OnlyTheOutermost) {
  EXPECT_EQ(clause("SELECT * FROM (SELECT * FROM t LIMIT 3)"), "none");
  EXPECT_EQ(clause("WITH q AS (SELECT 1 LIMIT 3) SELECT * FROM q"), "none");
  EXPECT_EQ(clause("WITH q AS (SELECT 1 LIMIT 3), r(x) AS (SELECT 2) SELECT * FROM q LIMIT 4"), "4/0 [] LIMIT 4");
  EXPECT_EQ(clause("SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 1"), "1/0 [1] LIMIT 1");
  EXPECT_EQ(clause("(SELECT 1 LIMIT 9) UNION (SELECT 2 LIMIT 8) LIMIT 7"), "7/0 [] LIMIT 7");
  EXPECT_EQ(clause("(SELECT 1 LIMIT 9) UNION (SELECT 2 LIMIT 8)"), "none");
  EXPECT_EQ(clause("((SELECT a FROM t ORDER BY a LIMIT 9))"), "9/0 [a] LIMIT 9") << "parentheses around the whole";
  EXPECT_EQ(clause("SELECT * FROM t WHERE x IN (SELECT y FROM u ORDER BY y LIMIT 2) ORDER BY z LIMIT 3"),
            "3/0 [z] LIMIT 3");
}

TEST(LimitClause, OfNothingElse) {
  EXPECT_EQ(clause("SELECT * FROM t"), "none");
  EXPECT_EQ(clause("INSERT INTO x SELECT * FROM t LIMIT 5"), "none");
  EXPECT_EQ(clause("CREATE TABLE x AS SELECT * FROM t LIMIT 5"), "none");
  EXPECT_EQ(clause("WITH q AS (SELECT 1) DELETE FROM x WHERE a IN (SELECT 1) LIMIT 5"), "none");
  EXPECT_EQ(clause("SELECT 1 LIMIT 1; SELECT 2 LIMIT 2"), "none") << "two statements";
  EXPECT_EQ(clause("SELECT 'LIMIT 5' AS limit, t.limit FROM t"), "none");
  EXPECT_EQ(clause("SELECT offset FROM t WHERE offset > 5 ORDER BY offset"), "none") << "a plain name in SQLite";
  EXPECT_EQ(clause("SELECT a offset FROM t ORDER BY a, offset DESC LIMIT 2"), "2/0 [a|offset DESC] LIMIT 2");
  EXPECT_EQ(clause(""), "none");
  EXPECT_EQ(clause("EXPLAIN SELECT 1 LIMIT 1"), "none");
}

TEST(LimitClause, SaysWhatIsNoPlainNumber) {
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 10%"), "-/0 [] LIMIT 10%");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 10 PERCENT"), "-/0 [] LIMIT 10 PERCENT");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT ?"), "-/0 [] LIMIT ?");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT :n OFFSET $1"), "-/- [] LIMIT :n OFFSET $1");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 5 + 5"), "-/0 [] LIMIT 5 + 5");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT (SELECT 5)"), "-/0 [] LIMIT (SELECT 5)");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 1e1"), "-/0 [] LIMIT 1e1");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT -1"), "-/0 [] LIMIT -1");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT ALL"), "-/0 [] LIMIT ALL");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 99999999999999999999"), "-/0 [] LIMIT 99999999999999999999");
  EXPECT_EQ(clause("SELECT * FROM t LIMIT 1 + 1, 5"), "-/- [] LIMIT 1 + 1, 5");
  EXPECT_EQ(clause("SELECT * FROM t ORDER BY a OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY"),
            "-/2 [a] OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY");
}

TEST(LimitClause, GivesTheOrder) {
  EXPECT_EQ(clause("SELECT * FROM t ORDER BY a, b DESC NULLS LAST, f(c, d) LIMIT 5"),
            "5/0 [a|b DESC NULLS LAST|f(c, d)] LIMIT 5");
  EXPECT_EQ(clause("SELECT row_number() OVER (ORDER BY x) FROM t LIMIT 5"), "5/0 [] LIMIT 5");
  EXPECT_EQ(clause("SELECT * FROM t ORDER BY ALL LIMIT 5"), "5/0 [ALL] LIMIT 5");
  EXPECT_EQ(clause("SELECT * FROM t ORDER BY a -- c, d\n, b LIMIT 5"), "5/0 [a|b] LIMIT 5");
}

TEST(IsOrdered, ByTheOutermostOrderAlone) {
  EXPECT_TRUE(is_ordered("SELECT * FROM t ORDER BY a"));
  EXPECT_TRUE(is_ordered("(SELECT 1 UNION SELECT 2 ORDER BY 1 LIMIT 3);"));
  EXPECT_FALSE(is_ordered("SELECT * FROM (SELECT * FROM t ORDER BY a)"));
  EXPECT_FALSE(is_ordered("SELECT rank() OVER (ORDER BY a), string_agg(b ORDER BY c) FROM t"));
  EXPECT_FALSE(is_ordered("CREATE TABLE x AS SELECT * FROM t ORDER BY a"));
}

}  // namespace
}  // namespace candor::sql
