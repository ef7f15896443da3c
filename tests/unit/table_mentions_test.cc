// Which names of a statement stand where a table can stand.
#include <gtest/gtest.h>
#include <string>

#include "sql/lexer.h"

namespace candor::sql {
namespace {

std::string mentions(std::string_view sql) {
  std::string all;
  for (const TableMention& mention : table_mentions(sql)) {
    if (!all.empty()) all += ' ';
    for (std::size_t i = 0; i < mention.parts.size(); ++i) all += (i > 0 ? "." : "") + mention.parts[i];
  }
  return all;
}

TEST(TableMentions, AfterFromJoinAndCommas) {
  EXPECT_EQ(mentions("SELECT x, y FROM a, b.c AS d, \"E f\" JOIN g USING (id), h ON 1 = 1 WHERE i IN (1, 2)"),
            "a b.c E f g h");
  EXPECT_EQ(mentions("SELECT * FROM a LEFT OUTER JOIN b ON a.x = b.x, c GROUP BY a.x, y ORDER BY p, q LIMIT 5, 6"),
            "a b c");
  EXPECT_EQ(mentions("FROM a SELECT b, c"), "a");
  EXPECT_EQ(mentions("SELECT 1 FROM a . b . c"), "a.b.c");
  EXPECT_EQ(mentions("SELECT 1 FROM a UNION SELECT x, y FROM b"), "a b");
  EXPECT_EQ(mentions("SELECT 1"), "");
}

TEST(TableMentions, InSubqueriesAndParenthesisedJoins) {
  EXPECT_EQ(mentions("SELECT (SELECT max(x) FROM a) FROM (SELECT y, z FROM b) AS s, c WHERE EXISTS (FROM d)"),
            "a b c d");
  EXPECT_EQ(mentions("SELECT * FROM ((a CROSS JOIN b) JOIN c USING (k)), d"), "a b c d");
  EXPECT_EQ(mentions("SELECT * FROM (VALUES ('x', 1), ('y', 2)) v, a"), "a");
  EXPECT_EQ(mentions("SELECT * FROM a, LATERAL (SELECT p, q FROM b) l"), "a b");
}

TEST(TableMentions, OfOtherStatements) {
  EXPECT_EQ(mentions("UPDATE x SET a = 1, b = 2 FROM y WHERE x.k = y.k"), "x y");
  EXPECT_EQ(mentions("UPDATE OR REPLACE x SET a = 1"), "x");
  EXPECT_EQ(mentions("INSERT INTO x (a, b) SELECT c, d FROM y"), "x y");
  EXPECT_EQ(mentions("INSERT INTO x VALUES (1, 'z') ON CONFLICT (a) DO UPDATE SET b = 2"), "x");
  EXPECT_EQ(mentions("DELETE FROM x USING y, z WHERE x.k = y.k RETURNING a, b"), "x y z");
  EXPECT_EQ(mentions("MERGE INTO x USING y ON x.k = y.k WHEN MATCHED THEN UPDATE SET a = 1"), "x y");
  EXPECT_EQ(mentions("CREATE OR REPLACE TABLE IF NOT EXISTS x AS FROM y"), "x y");
  EXPECT_EQ(mentions("CREATE TABLE x (a INT, b INT)"), "x");
  EXPECT_EQ(mentions("CREATE VIEW v AS SELECT view FROM a"), "v a");
  EXPECT_EQ(mentions("DROP TABLE IF EXISTS x"), "x");
  EXPECT_EQ(mentions("TABLE x"), "x");
  EXPECT_EQ(mentions("DESCRIBE x; DESC y; SUMMARIZE z; SHOW w; SHOW TABLES"), "x y z w");
  EXPECT_EQ(mentions("DESCRIBE SELECT * FROM x"), "x");
  EXPECT_EQ(mentions("EXPLAIN ANALYZE SELECT * FROM x"), "x");
  EXPECT_EQ(mentions("PIVOT x ON y, z USING sum(a), b GROUP BY c"), "x");
  EXPECT_EQ(mentions("FROM x PIVOT (sum(a) FOR b IN (1, 2)), y"), "x y");
  EXPECT_EQ(mentions("FROM (SELECT 1 FROM x) UNPIVOT (s FOR m IN (a, b))"), "x");
  EXPECT_EQ(mentions("PRAGMA table_info(x)"), "x");
  EXPECT_EQ(mentions("PRAGMA main.table_info('x')"), "x");
}

TEST(TableMentions, NotWhereFromMeansSomethingElse) {
  EXPECT_EQ(mentions("SELECT EXTRACT(year FROM d), trim(both FROM e), substring(f FROM 2 FOR 3), overlay(g PLACING h "
                     "FROM 1) FROM a"),
            "a");
  EXPECT_EQ(mentions("SELECT EXTRACT(year FROM (SELECT max(d) FROM b)) FROM a"), "b a");
  EXPECT_EQ(mentions("SELECT * FROM a WHERE x IS DISTINCT FROM y AND z IS NOT DISTINCT FROM w"), "a");
  EXPECT_EQ(mentions("SELECT t.from, t.update FROM a t"), "a");
  EXPECT_EQ(mentions("SELECT x FROM a ORDER BY x DESC, y"), "a");
  EXPECT_EQ(mentions("SELECT 'FROM b', \"FROM\" /* FROM c */ FROM a -- FROM d"), "a");
  EXPECT_EQ(mentions("SELECT * FROM a WITH ORDINALITY, b"), "a b");
}

TEST(TableMentions, FunctionsAreNone) {
  EXPECT_EQ(mentions("SELECT * FROM range(1, 5) r, a, unnest([1, 2]) u(x), b"), "a b");
  EXPECT_EQ(mentions("SELECT * FROM pragma_table_info('a')"), "a") << "it reads the table that its text names";
  EXPECT_EQ(mentions("SELECT * FROM query_table(['a', 'b'])"), "a b");
  EXPECT_EQ(mentions("SELECT * FROM query('SELECT * FROM a JOIN query(''FROM b'') ON 1')"), "a b");
}

TEST(TableMentions, CommonTableExpressionsAreLeftOutWhereTheyAreVisible) {
  EXPECT_EQ(mentions("WITH q AS (SELECT * FROM a), r(x) AS NOT MATERIALIZED (SELECT * FROM Q) SELECT * FROM q, R, b"),
            "a b");
  EXPECT_EQ(mentions("WITH a AS (SELECT * FROM a) SELECT * FROM a"), "a") << "inside of itself it is the table";
  EXPECT_EQ(mentions("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t, a) SELECT * FROM t"), "a");
  EXPECT_EQ(mentions("SELECT * FROM (WITH q AS (SELECT 1), r AS (SELECT 2) SELECT * FROM q, r) JOIN q ON 1 = 1"), "q");
  EXPECT_EQ(mentions("WITH q AS (SELECT 1) SELECT * FROM q; SELECT * FROM q"), "q") << "the next statement has no such";
  EXPECT_EQ(mentions("WITH q AS (SELECT 1) SELECT * FROM s.q"), "s.q");
  EXPECT_EQ(mentions("WITH q AS (SELECT 1) DELETE FROM x USING q"), "x");
  EXPECT_EQ(mentions("INSERT INTO x WITH q AS (SELECT 1) SELECT * FROM q"), "x");
}

TEST(TableMentions, InOtherSpellings) {
  EXPECT_EQ(mentions("SELECT * FROM `a b`, [c d], 'e.csv', x: f, y :g"), "a b c d e.csv f g");
  EXPECT_EQ(mentions("SELECT [FROM x] FROM a"), "x a") << "too much is allowed, too little is not";
  EXPECT_EQ(mentions("SELECT * FROM a window, b"), "a b") << "a name in SQLite";
}

TEST(TableMentions, SpansCoverTheName) {
  const std::string_view sql = "SELECT * FROM a, \"b\" . c d";
  const auto found = table_mentions(sql);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(sql.substr(found[1].span.start, found[1].span.end - found[1].span.start), "\"b\" . c");
}

}  // namespace
}  // namespace candor::sql
