// The canonical text of a statement, whatever spelling it came in.
#include <gtest/gtest.h>
#include <string>

#include "dialect/parser.h"
#include "dialect/printer.h"

namespace candor::dialect {
namespace {

std::string printed(std::string_view sql) {
  const Parsed parsed = parse(sql);
  if (!parsed.errors.empty()) return "error: " + parsed.errors.front().message;
  return parsed.statements.size() == 1 ? print(parsed.statements.front()) : "not one statement";
}

std::string where(std::string_view condition) {
  const std::string text = printed("select a from t where " + std::string(condition));
  constexpr std::string_view kBefore = "SELECT a FROM t WHERE ";
  return text.starts_with(kBefore) ? text.substr(kBefore.size()) : text;
}

TEST(DialectPrinter, Keywords) {
  EXPECT_EQ(printed("select  distinct a , B.c as d -- why\n from T b where a>1 group by 1 having count( * )>2 "
                    "order by a desc , b nulls first limit 5 , 10 ;"),
            "SELECT DISTINCT a, B.c AS d FROM T AS b WHERE a > 1 GROUP BY 1 HAVING COUNT(*) > 2 "
            "ORDER BY a DESC, b NULLS FIRST LIMIT 10 OFFSET 5");
  EXPECT_EQ(printed("(select top 3 [a] from `t`)"), "SELECT a FROM t LIMIT 3");
  EXPECT_EQ(printed("with x(a) as (select 1) select x.* from x fetch first row only"),
            "WITH x (a) AS (SELECT 1) SELECT x.* FROM x LIMIT 1");
}

TEST(DialectPrinter, NamesAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(printed(R"(select "order", "plain", "größe", "a b", "a""b", "Interval", "1a", "" from t)"),
            R"(SELECT "order", plain, größe, "a b", "a""b", "Interval", "1a", "" FROM t)");
  EXPECT_EQ(printed("select 1 as 'my name'"), R"(SELECT 1 AS "my name")");
}

TEST(DialectPrinter, Predicates) {
  EXPECT_EQ(where("a=1 or b=2 and not c=3"), "a = 1 OR (b = 2 AND NOT (c = 3))");
  EXPECT_EQ(where("((a=1 or b=2)) and (c)"), "(a = 1 OR b = 2) AND c");
  EXPECT_EQ(where("a=1 and (b=2 and c=3)"), "a = 1 AND (b = 2 AND c = 3)");
  EXPECT_EQ(where("not not a"), "NOT NOT a");
  EXPECT_EQ(where("not exists(select 1)"), "NOT EXISTS (SELECT 1)");
  EXPECT_EQ(where("not (exists(select 1))"), "NOT (EXISTS (SELECT 1))");
  EXPECT_EQ(where("a != 1 and b is not true and c isnull and d is 5"),
            "a <> 1 AND b IS NOT TRUE AND c IS NULL AND d IS NOT DISTINCT FROM 5");
  EXPECT_EQ(where("a not like 'x''%' escape '!' or b not between 1 and 2 or c not in (1,2)"),
            "a NOT LIKE 'x''%' ESCAPE '!' OR b NOT BETWEEN 1 AND 2 OR c NOT IN (1, 2)");
  EXPECT_EQ(where("(a = 1) = b"), "(a = 1) = b");
}

TEST(DialectPrinter, Arrays) {
  EXPECT_EQ(where("tags && array['a','b']"), "tags OVERLAP ('a', 'b')");
  EXPECT_EQ(where("list_has_any(tags, ['a','b'])"), "tags OVERLAP ('a', 'b')");
  EXPECT_EQ(where("array['a','b'] <@ tags"), "tags CONTAINS ('a', 'b')");
  EXPECT_EQ(where("not tags overlap ('a', 'b')"), "tags NOT OVERLAP ('a', 'b')");
  EXPECT_EQ(where("'a' in tags"), "'a' = ANY(tags)");
  EXPECT_EQ(where("list_contains(tags, 'a')"), "'a' = ANY(tags)");
  EXPECT_EQ(where("'a' <> all (tags)"), "'a' <> ALL(tags)");
  EXPECT_EQ(where("tags = array[]"), "tags = ()");
  EXPECT_EQ(where("tags = ('a')"), "tags = ('a')");
  EXPECT_EQ(where("tags = ['a']"), "tags = ARRAY['a']");
  EXPECT_EQ(where("tags = array[a]"), "tags = ARRAY[a]");
}

TEST(DialectPrinter, Operands) {
  EXPECT_EQ(where("a-(b-c)-d > -1"), "a - (b - c) - d > -1");
  EXPECT_EQ(where("a - -1 = - -b"), "a - -1 = - -b");
  EXPECT_EQ(where("(a+b)*c div 2 % 3 = .5"), "(a + b) * c // 2 % 3 = 0.5");
  EXPECT_EQ(where("a::varchar(10)||'x' = 5."), "CAST(a AS varchar(10)) || 'x' = 5.");
  EXPECT_EQ(where("d > date '2024-01-01' + interval 1 day - interval '7' days"),
            "d > DATE '2024-01-01' + INTERVAL '1 day' - INTERVAL '7 days'");
  EXPECT_EQ(where("current_date > now() and trim(both 'x' from a) = substring(a from 2 for 3)"),
            "CURRENT_DATE > NOW() AND TRIM(a, 'x') = SUBSTRING(a, 2, 3)");
  EXPECT_EQ(where("position('a' in b) = case a when 1 then 2 else 3 end"),
            "POSITION('a' IN b) = CASE a WHEN 1 THEN 2 ELSE 3 END");
}

TEST(DialectPrinter, Aggregates) {
  EXPECT_EQ(printed("select group_concat(distinct a order by b separator '; '), count(*) filter (where c) from t"),
            "SELECT GROUP_CONCAT(DISTINCT a, '; ' ORDER BY b), COUNT(*) FILTER (WHERE c) FROM t");
}

TEST(DialectPrinter, Tables) {
  EXPECT_EQ(printed("select 1 from a, b left outer join c using (x, y) natural join d join e on e.x = a.x"),
            "SELECT 1 FROM a CROSS JOIN b LEFT JOIN c USING (x, y) NATURAL JOIN d JOIN e ON e.x = a.x");
  EXPECT_EQ(printed("select tag from cards unnest tags tag"), "SELECT tag FROM cards CROSS JOIN UNNEST(tags) AS tag");
  EXPECT_EQ(printed("select unnest(tags) tag from cards"), "SELECT tag FROM cards CROSS JOIN UNNEST(tags) AS tag");
  EXPECT_EQ(printed("select 1 from cards, lateral unnest(tags) as t(tag), json_each(tags) j"),
            "SELECT 1 FROM cards CROSS JOIN UNNEST(tags) AS t (tag) CROSS JOIN JSON_EACH(tags) AS j");
}

TEST(DialectPrinter, Writes) {
  EXPECT_EQ(printed("insert into t(a,b) values(1,default),('x',()) on conflict(a) do update set b=2 where a>1 "
                    "returning *"),
            "INSERT INTO t (a, b) VALUES (1, DEFAULT), ('x', ()) ON CONFLICT (a) DO UPDATE SET b = 2 WHERE a > 1 "
            "RETURNING *");
  EXPECT_EQ(printed("insert into t default values on conflict do nothing"),
            "INSERT INTO t DEFAULT VALUES ON CONFLICT DO NOTHING");
  EXPECT_EQ(printed("update t x set a=a+1,b=default where c"), "UPDATE t AS x SET a = a + 1, b = DEFAULT WHERE c");
  EXPECT_EQ(printed("delete from t where a in (select b from u) returning a"),
            "DELETE FROM t WHERE a IN (SELECT b FROM u) RETURNING a");
}

TEST(DialectPrinter, Discovery) {
  EXPECT_EQ(printed("show tables like 'a''%'"), "SHOW TABLES LIKE 'a''%'");
  EXPECT_EQ(printed("\\dt"), "SHOW TABLES");
  EXPECT_EQ(printed("\\d cards"), "DESCRIBE cards");
  EXPECT_EQ(printed("pragma table_info('my cards')"), "DESCRIBE \"my cards\"");
  EXPECT_EQ(printed("show columns from cards like 'a%'"), "SHOW COLUMNS FROM cards LIKE 'a%'");
}

}  // namespace
}  // namespace candor::dialect
