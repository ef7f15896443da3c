// What the parser refuses: each construct by its name and with what to write instead, all mistakes of a batch, where they are.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/parser.h"

namespace candor::dialect {
namespace {

std::string at(std::string_view sql, const Diagnostic& error) {
  return error.span ? std::string(sql.substr(error.span->start, error.span->end - error.span->start)) : "nowhere";
}

struct Refused {
  std::string_view sql;
  std::string_view part;     // in the message
  std::string_view instead;  // in the hint
  std::string_view where;    // what the span covers
};

void expect_refused(const std::vector<Refused>& rows) {
  for (const Refused& row : rows) {
    const Parsed parsed = parse(row.sql);
    ASSERT_FALSE(parsed.errors.empty()) << row.sql;
    const Diagnostic& error = parsed.errors.front();
    EXPECT_EQ(parsed.errors.size(), 1U) << row.sql << "\n" << parsed.errors.back().message;
    EXPECT_EQ(error.code, "unsupported-construct") << row.sql << "\n" << error.message;
    EXPECT_NE(error.message.find(row.part), std::string::npos) << row.sql << "\n" << error.message;
    EXPECT_NE(error.hint.find(row.instead), std::string::npos) << row.sql << "\n" << error.hint;
    EXPECT_EQ(at(row.sql, error), row.where) << row.sql;
    EXPECT_TRUE(parsed.statements.empty()) << row.sql;
  }
}

TEST(DialectUnsupported, InSelect) {
  expect_refused({
      {"SELECT a FROM t UNION SELECT b FROM u", "UNION", "separated by ';'", "UNION"},
      {"SELECT a FROM t INTERSECT SELECT b FROM u", "INTERSECT", "a statement of its own", "INTERSECT"},
      {"SELECT a FROM t EXCEPT SELECT b FROM u", "EXCEPT", "a statement of its own", "EXCEPT"},
      {"SELECT a FROM (SELECT b FROM t UNION ALL SELECT 1) x", "UNION", "a statement of its own", "UNION"},
      {"WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r", "WITH RECURSIVE", "joins", "RECURSIVE"},
      {"WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", "a write inside of WITH", "of its own", "DELETE"},
      {"SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t", "a window function", "GROUP BY", "OVER"},
      {"SELECT a FROM t QUALIFY x = 1", "a window", "subquery", "QUALIFY"},
      {"SELECT DISTINCT ON (a) b FROM t", "DISTINCT ON", "group by", "ON"},
      {"SELECT * EXCLUDE (a) FROM t", "EXCLUDE", "list the columns", "EXCLUDE"},
      {"SELECT a FROM t FOR UPDATE", "FOR UPDATE", "leave it out", "FOR"},
      {"SELECT a INTO b FROM t", "INTO", "SELECT", "INTO"},
      {"SELECT a FROM t GROUP BY ROLLUP(a)", "GROUP BY ROLLUP", "list the columns", "ROLLUP"},
      {"SELECT TOP 5 PERCENT a FROM t", "TOP with PERCENT", "LIMIT n", "PERCENT"},
      {"SELECT a FROM t FETCH FIRST 2 ROWS WITH TIES", "WITH TIES", "LIMIT n", "WITH"},
  });
}

TEST(DialectUnsupported, InFrom) {
  expect_refused({
      {"SELECT a FROM t RIGHT JOIN u ON x = y", "RIGHT JOIN", "LEFT JOIN", "RIGHT"},
      {"SELECT a FROM t FULL OUTER JOIN u ON x = y", "FULL JOIN", "LEFT JOIN", "FULL"},
      {"SELECT a FROM t SEMI JOIN u ON x = y", "this join", "EXISTS", "SEMI"},
      {"SELECT a FROM t ANTI JOIN u ON x = y", "this join", "NOT EXISTS", "ANTI"},
      {"SELECT a FROM t LEFT ANTI JOIN u ON x = y", "this join", "NOT EXISTS", "ANTI"},
      {"SELECT a FROM t ASOF JOIN u ON x = y", "this join", "EXISTS", "ASOF"},
      {"SELECT a FROM t CROSS APPLY f(x)", "CROSS APPLY", "UNNEST", "APPLY"},
      {"SELECT a FROM t LATERAL VIEW explode(x) y", "LATERAL", "UNNEST", "LATERAL"},
      {"SELECT a FROM t TABLESAMPLE (10)", "TABLESAMPLE", "ORDER BY RANDOM()", "TABLESAMPLE"},
      {"SELECT a FROM t PIVOT (COUNT(a))", "PIVOT", "FILTER (WHERE", "PIVOT"},
      {"SELECT a FROM read_csv('x')", "read_csv", "SHOW TABLES", "read_csv"},
      {"SELECT a FROM 'x.csv'", "a file", "SHOW TABLES", "'x.csv'"},
      {"SELECT a FROM (t JOIN u ON x = y)", "parentheses", "one after the other", "("},
      {"SELECT a FROM t, UNNEST(x) WITH ORDINALITY", "WITH ORDINALITY", "places", "WITH"},
      {"SELECT a FROM t, UNNEST(x, y)", "several arrays", "one UNNEST", ","},
  });
}

TEST(DialectUnsupported, InExpressions) {
  expect_refused({
      {"SELECT a FROM t WHERE a ~ 'x'", "a regular expression", "LIKE", "~"},
      {"SELECT a FROM t WHERE a NOT SIMILAR TO 'x'", "a regular expression", "MATCH", "NOT"},
      {"SELECT a FROM t WHERE a REGEXP 'x'", "a regular expression", "MATCH", "REGEXP"},
      {"SELECT a FROM t WHERE a LIKE ANY ('x', 'y')", "LIKE ANY", "OR", "ANY"},
      {"SELECT a FROM t WHERE a > ANY (SELECT b FROM u)", "ANY", "MAX", "ANY"},
      {"SELECT a FROM t WHERE ANY(tags) = 'a'", "ANY on the left", "'a' = ANY(array)", "ANY"},
      {"SELECT a FROM t WHERE a BETWEEN SYMMETRIC 1 AND 2", "BETWEEN SYMMETRIC", "lower end first", "SYMMETRIC"},
      {"SELECT a FROM t WHERE a < b < c", "a chain of comparisons", "AND", "<"},
      {"SELECT a COLLATE nocase FROM t", "COLLATE", "LOWER", "COLLATE"},
      {"SELECT a -> 'b' FROM t", "JSON", "whole", "->"},
      {"SELECT a[1] FROM t", "an element of an array", "UNNEST", "["},
      {"SELECT a AT TIME ZONE 'UTC' FROM t", "AT TIME ZONE", "INTERVAL", "AT"},
      {"SELECT a FROM t WHERE a = $1", "a parameter", "the value itself", "$1"},
      {"SELECT a FROM t WHERE a = ?", "a parameter", "the value itself", "?"},
      {"SELECT E'a'", "this form of a text", "single quotes", "E'a'"},
      {"SELECT $$a$$", "this form of a text", "single quotes", "$$a$$"},
      {"SELECT 0x1F", "this form of a number", "decimal digits", "0x1F"},
      {"SELECT INTERVAL '1 day 2 hours'", "this INTERVAL", "INTERVAL '7 days'", "INTERVAL '1 day 2 hours'"},
      {"SELECT LAST(a) IGNORE NULLS FROM t", "IGNORE NULLS", "FILTER", "IGNORE"},
      {"SELECT list_contains(a) FROM t", "list_contains", "ANY(array)", "list_contains(a)"},
      {"SELECT list_contains(DISTINCT a, 'b') FROM t", "list_contains", "ANY(array)", "list_contains(DISTINCT a, 'b')"},
  });
}

TEST(DialectUnsupported, InWrites) {
  expect_refused({
      {"INSERT INTO t SELECT a FROM u", "INSERT … SELECT", "VALUES", "SELECT"},
      {"INSERT INTO t (a) (SELECT a FROM u)", "INSERT … SELECT", "VALUES", "("},
      {"INSERT OR REPLACE INTO t VALUES (1)", "INSERT OR …", "ON CONFLICT", "OR"},
      {"INSERT IGNORE INTO t VALUES (1)", "INSERT IGNORE", "DO NOTHING", "IGNORE"},
      {"INSERT INTO t SET a = 1", "INSERT … SET", "VALUES", "SET"},
      {"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", "ON DUPLICATE KEY", "ON CONFLICT", "DUPLICATE"},
      {"UPDATE t SET a = 1 FROM u WHERE b", "UPDATE … FROM", "WHERE key IN (SELECT …)", "FROM"},
      {"UPDATE t SET (a, b) = (1, 2) WHERE c", "several columns at once", "SET a = 1, b = 2", "("},
      {"UPDATE t SET a = 1 WHERE b LIMIT 5", "UPDATE … LIMIT", "WHERE key IN (…)", "LIMIT"},
      {"UPDATE OR IGNORE t SET a = 1", "UPDATE OR …", "leave it out", "OR"},
      {"DELETE FROM t USING u WHERE a = b", "DELETE … USING", "WHERE key IN (SELECT …)", "USING"},
      {"DELETE FROM t WHERE a LIMIT 5", "DELETE … LIMIT", "WHERE key IN (…)", "LIMIT"},
      {"DELETE FROM t WHERE CURRENT OF c", "WHERE CURRENT OF", "key", "CURRENT"},
      {"REPLACE INTO t VALUES (1)", "REPLACE", "ON CONFLICT", "REPLACE"},
      {"MERGE INTO t USING u ON a = b", "MERGE", "ON CONFLICT", "MERGE"},
  });
}

TEST(DialectUnsupported, Statements) {
  expect_refused({
      {"DROP TABLE t", "DROP", "SHOW TABLES", "DROP"},
      {"create table t (a int)", "CREATE", "SHOW TABLES", "create"},
      {"TRUNCATE t", "TRUNCATE", "DELETE FROM", "TRUNCATE"},
      {"BEGIN", "BEGIN", "one transaction", "BEGIN"},
      {"EXPLAIN SELECT 1", "EXPLAIN", "normalized_sql", "EXPLAIN"},
      {"VALUES (1)", "VALUES", "SELECT", "VALUES"},
      {"SHOW INDEXES", "SHOW INDEXES", "DESCRIBE", "INDEXES"},
      {"PRAGMA journal_mode", "PRAGMA", "DESCRIBE", "journal_mode"},
      {"DESCRIBE SELECT 1", "DESCRIBE of a query", "LIMIT 1", "SELECT"},
      {"\\x", "own shell", "SHOW TABLES", "\\x"},
  });
}

struct Wrong {
  std::string_view sql;
  std::string_view message;
  std::string_view where;
};

TEST(DialectSyntax, SaysWhatIsExpectedAndWhere) {
  for (const Wrong& row : std::vector<Wrong>{
           {"SELECT a FROM t WHERE", "expected a value, a column or '('", ""},
           {"SELECT (a FROM t", "expected ')'", "FROM"},
           {"SELECT a FROM t WHERE b = )", "there is ')'", ")"},
           {"SELECT a b c FROM t", "expected the end of the statement", "c"},
           {"SELECT order FROM t", "'order' is a keyword", "order"},
           {"SELECT a FROM t WHERE select (1)", "'select' is a keyword", "select"},
           {"SELECT 'a", "unclosed text", "'a"},
           {"SELECT 1 /* a", "unclosed comment", "/* a"},
           {"SELECT \"a", "unclosed name", "\"a"},
           {"SELECT a FROM t LIMIT 1 LIMIT 2", "one LIMIT", "2"},
           {"SELECT a FROM t LIMIT 1 FETCH FIRST 2 ROWS ONLY", "one LIMIT", "FETCH"},
           {"SELECT a FROM t OFFSET 1 LIMIT 2, 3", "one OFFSET", "3"},
           {"SELECT CAST(a AS b) FILTER (WHERE c) FROM t", "the end of the statement", "FILTER"},
           {"SELECT CAST(a AS numeric(1 2))", "expected ')'", "2"},
           {"SELECT a FROM t LEFT JOIN u", "expected ON", ""},
           {"UPDATE t WHERE a", "expected SET", "WHERE"},
           {"DELETE t WHERE a", "expected FROM", "t"},
           {"INSERT t VALUES (1)", "expected INTO", "t"},
           {"SELEC 1", "expected SELECT, INSERT", "SELEC"},
       }) {
    const Parsed parsed = parse(row.sql);
    ASSERT_FALSE(parsed.errors.empty()) << row.sql;
    const Diagnostic& error = parsed.errors.front();
    EXPECT_EQ(error.code, "syntax-error") << row.sql;
    EXPECT_NE(error.message.find(row.message), std::string::npos) << row.sql << "\n" << error.message;
    EXPECT_EQ(at(row.sql, error), row.where) << row.sql << "\n" << error.message;
    EXPECT_TRUE(parsed.statements.empty()) << row.sql;
  }
}

std::vector<std::string> all_errors(std::string_view sql) {
  std::vector<std::string> told;
  for (const Diagnostic& error : parse(sql).errors) told.push_back(error.code + " at " + at(sql, error));
  return told;
}

TEST(DialectSyntax, AllMistakesOfABatchAreTold) {
  EXPECT_EQ(all_errors("SELECT a FROM t WHERE ); SELECT 1; DROP TABLE t; UPDATE u SET a = 1 FROM v; SELEC 2"),
            (std::vector<std::string>{"syntax-error at )", "unsupported-construct at DROP",
                                      "unsupported-construct at FROM", "syntax-error at SELEC"}));
  const Parsed parsed = parse("SELECT 1; DROP TABLE t; SELECT 2");
  EXPECT_EQ(parsed.count, 3U);
  ASSERT_EQ(parsed.statements.size(), 2U);
  EXPECT_EQ(parsed.statements[1].span.start, 24U);
}

TEST(DialectSyntax, AMistakeInTheListDoesNotHideOneInWhere) {
  EXPECT_EQ(all_errors("SELECT a + FROM t WHERE b ~ 'x'"),
            (std::vector<std::string>{"syntax-error at FROM", "unsupported-construct at ~"}));
}

TEST(DialectSyntax, EmptyStatementsAreSkipped) {
  EXPECT_EQ(parse(";;SELECT 1;;-- nothing\n;").count, 1U);
  EXPECT_EQ(all_errors(" ; -- nothing"), (std::vector<std::string>{"syntax-error at nowhere"}));
}

TEST(DialectSpans, CoverWhatStoodThere) {
  const std::string_view sql = " SELECT a.b AS x, LOWER( c ) FROM t WHERE NOT (d = 1) AND e IN (1, 2) ORDER BY f ; ";
  const Parsed parsed = parse(sql);
  ASSERT_EQ(parsed.statements.size(), 1U);
  const auto text = [&](Span span) { return sql.substr(span.start, span.end - span.start); };
  const Statement& statement = parsed.statements.front();
  const Select& select = *statement.select;
  EXPECT_EQ(text(statement.span), sql.substr(1, sql.size() - 4));
  EXPECT_EQ(text(select.items[0].expr->span), "a.b");
  EXPECT_EQ(text(select.items[0].expr->names[1].span), "b");
  EXPECT_EQ(text(select.items[0].alias->span), "x");
  EXPECT_EQ(text(select.items[1].expr->span), "LOWER( c )");
  EXPECT_EQ(text(select.from[0].span), "t");
  ASSERT_EQ(select.where->children.size(), 2U);
  EXPECT_EQ(text(select.where->children[1]->span), "e IN (1, 2)");
  EXPECT_EQ(text(select.order_by[0].expr->span), "f");
}

TEST(DialectSpans, OfSpellingsThatWereRepaired) {
  const std::string_view sql = "SELECT `a b`, [c] FROM t";
  const Parsed parsed = parse(sql);
  ASSERT_TRUE(parsed.errors.empty());
  ASSERT_EQ(parsed.read_as.size(), 2U);
  EXPECT_EQ(parsed.read_as[0].written, "`a b`");
  EXPECT_EQ(parsed.read_as[0].read, "\"a b\"");
  EXPECT_EQ(parsed.read_as[1].written, "[c]");
  EXPECT_EQ(parsed.read_as[1].span.start, 14U);
}

}  // namespace
}  // namespace candor::dialect
