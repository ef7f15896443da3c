// From a statement's tree to pairs, keys, filters and grouped sides, or to the reason why not: review/syntax.
#include "review/syntax/join_extraction.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "review/syntax/expression_text.h"
#include "review/syntax/select.h"
#include "review/syntax/sqlite_text.h"
#include "support/review_session.h"

namespace candor::review::syntax {
namespace {

engine::TableFacts table(const std::string& name, const std::vector<std::string>& columns) {
  engine::TableFacts facts;
  facts.resolved = {"scratch", "main", name};
  facts.exists = true;
  facts.base_table = true;
  for (const std::string& column : columns) facts.columns.push_back({column, "VARCHAR", std::nullopt, false});
  return facts;
}

// Tables a(k, x, site, s), b(k, y), c(k, z, site), p(id, ref).
engine::TableFacts facts_of(const std::string& name) {
  if (name == "a") return table("a", {"k", "x", "Site", "s"});
  if (name == "b") return table("b", {"k", "y"});
  if (name == "c") return table("c", {"k", "z", "site"});
  return table("p", {"id", "ref"});
}

// One engine for the whole suite, closed before the program ends.
test::ReviewSession* shared_session = nullptr;

class EngineOfTheProgram : public testing::Environment {
 public:
  void SetUp() override {
    session_ = std::make_unique<test::ReviewSession>();
    shared_session = session_.get();
  }
  void TearDown() override { session_.reset(); }

 private:
  std::unique_ptr<test::ReviewSession> session_;
};

const auto* const kEnvironment = testing::AddGlobalTestEnvironment(new EngineOfTheProgram);

test::ReviewSession& session() { return *shared_session; }

Result<JoinPlan> plan_of(const std::string& sql) {
  CANDOR_ASSIGN(const std::string tree, session().engine().syntax_tree(sql));
  CANDOR_ASSIGN(const Select select, read_select(tree));
  CANDOR_TRY(check_measurable(select));
  std::vector<engine::TableFacts> facts;
  for (const TableRef& ref : select.tables) facts.push_back(facts_of(ref.table));
  return extract_joins(select, facts, sql);
}

// "a.k = b.k; a: x > 1 *; b:" where * marks a grouped side, or the reason.
std::string read(const std::string& sql) {
  const Result<JoinPlan> plan = plan_of(sql);
  if (!plan.ok()) return plan.error().code;
  std::string text;
  for (const PairPlan& pair : plan->pairs) text += pair.condition + "; ";
  for (const TablePlan& table : plan->tables) {
    text += table.ref.alias + (table.grouped ? "*" : "");
    for (const json::Node& filter : table.filters) text += " [" + readable_expression(filter) + "]";
    text += &table == &plan->tables.back() ? "" : " ";
  }
  return text;
}

// A join of a and b with something more.
std::string join(const std::string& rest) { return read("SELECT count(*) FROM a JOIN b ON a.k = b.k " + rest); }

TEST(JoinExtraction, ReadsEveryWayToWriteAnInnerJoin) {
  const std::string both = "a.k = b.k; a* b*";
  EXPECT_EQ(read("SELECT count(*) FROM a JOIN b ON a.k = b.k"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a INNER JOIN b ON b.k = a.k"), "b.k = a.k; a* b*");
  EXPECT_EQ(read("SELECT count(*) FROM a JOIN b USING (k)"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a NATURAL JOIN b"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a, b WHERE a.k = b.k"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a CROSS JOIN b WHERE a.k = b.k"), both);
  EXPECT_EQ(read("FROM a JOIN b ON A.K = B.K SELECT count(*)"), both);
  EXPECT_EQ(read("SELECT count(*) FROM scratch.main.a JOIN main.b ON scratch.main.a.k = main.b.k"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a JOIN b ON a.k = b.k ORDER BY 1 LIMIT 5"), both);
  EXPECT_EQ(read("SELECT count(*) FROM a JOIN b ON a.k = b.k HAVING count(*) > 1"), both);
}

TEST(JoinExtraction, GivesEachConditionToItsSide) {
  EXPECT_EQ(join("WHERE a.x > 1 AND y = 'q'"), "a.k = b.k; a* [a.x > 1] b* [b.y = 'q']");
  EXPECT_EQ(join("AND a.x > 1 AND b.y < 2"), "a.k = b.k; a* [a.x > 1] b* [b.y < 2]") << "in ON too";
  EXPECT_EQ(join("WHERE (a.x = 1 OR a.Site = 'z') AND (a.x <> 2 AND b.y IS NULL)"),
            "a.k = b.k; a* [(a.x = 1 OR a.Site = 'z')] [a.x <> 2] b* [b.y IS NULL]");
  EXPECT_EQ(join("WHERE a.x = a.site"), "a.k = b.k; a* [a.x = a.Site] b*");
  EXPECT_EQ(join("WHERE a.x IN (1, 2) AND NOT a.x LIKE 'q%' AND a.x BETWEEN 1 AND 2"),
            "a.k = b.k; a* [a.x IN (1, 2)] [NOT a.x LIKE 'q%'] [a.x BETWEEN 1 AND 2] b*");
  EXPECT_EQ(join("WHERE a.s.field = 1"), "a.k = b.k; a* [a.s.field = 1] b*") << "a field of a struct";
  EXPECT_EQ(join("WHERE a.k = 'one'"), "a.k = b.k; a* [a.k = 'one'] b*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b USING (k) WHERE k > 'q'"), "a.k = b.k; a* [a.k > 'q'] b*")
      << "a merged column is the left one";
}

TEST(JoinExtraction, TakesTwoKeysAndWrappers) {
  EXPECT_EQ(read("SELECT 1 FROM a JOIN c ON a.k = c.k AND a.site = c.site"), "a.k = c.k AND a.Site = c.site; a* c*");
  EXPECT_EQ(read("SELECT 1 FROM a NATURAL JOIN c"), "a.k = c.k AND a.Site = c.site; a* c*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k AND b.k = a.k"), "a.k = b.k; a* b*") << "twice the same";
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON upper(trim(a.k)) = lower(ltrim(rtrim(b.k)))"),
            "upper(trim(a.k)) = lower(ltrim(rtrim(b.k))); a* b*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON substring(a.k, 1, 2) = left(b.k, 2)"),
            "substr(a.k, 1, 2) = left(b.k, 2); a* b*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON CAST(a.k AS INTEGER) = coalesce(b.k, b.y, 0)"),
            "CAST(a.k AS INTEGER) = coalesce(b.k, b.y, 0); a* b*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON TRY_CAST(a.k AS INTEGER) = b.k"), "TRY_CAST(a.k AS INTEGER) = b.k; a* b*");
}

TEST(JoinExtraction, ReadsChainsAndSelfJoins) {
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k JOIN c ON c.site = a.site"),
            "a.k = b.k; c.site = a.Site; a* b* c*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN (b JOIN c ON b.k = c.k) ON a.k = b.k"), "b.k = c.k; a.k = b.k; a* b* c*");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b USING (k) JOIN c USING (k)"), "a.k = b.k; a.k = c.k; a* b* c*");
  EXPECT_EQ(read("SELECT 1 FROM p JOIN p AS q ON p.ref = q.id GROUP BY q.id"), "p.ref = q.id; p q*");
  EXPECT_EQ(read("SELECT 1 FROM a, b, c WHERE a.k = b.k AND b.k = c.k AND a.k = c.k"),
            "a.k = b.k; b.k = c.k; a.k = c.k; a* b* c*");
}

TEST(JoinExtraction, FindsTheGroupedSides) {
  EXPECT_EQ(join("GROUP BY a.x"), "a.k = b.k; a* b");
  EXPECT_EQ(join("GROUP BY y"), "a.k = b.k; a b*");
  EXPECT_EQ(join("GROUP BY a.x, b.y"), "a.k = b.k; a* b*");
  EXPECT_EQ(join("GROUP BY upper(a.x) || b.y"), "a.k = b.k; a* b*");
  EXPECT_EQ(join("GROUP BY ()"), "a.k = b.k; a* b*");
  EXPECT_EQ(join("GROUP BY ROLLUP (a.x)"), "a.k = b.k; a* b");
  EXPECT_EQ(read("SELECT b.y, count(*) FROM a JOIN b ON a.k = b.k GROUP BY 1"), "a.k = b.k; a b*");
  EXPECT_EQ(read("SELECT lower(a.x) AS low, count(*) FROM a JOIN b ON a.k = b.k GROUP BY low"), "a.k = b.k; a* b");
  EXPECT_EQ(read("SELECT a.x AS x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY x"), "a.k = b.k; a* b")
      << "alias and column are the same";
  EXPECT_EQ(read("SELECT k, count(*) FROM a JOIN b USING (k) GROUP BY k"), "a.k = b.k; a* b*") << "a column of both";
  EXPECT_EQ(read("SELECT 'all', count(*) FROM a JOIN b ON a.k = b.k GROUP BY 1"), "a.k = b.k; a* b*");
}

TEST(JoinExtraction, AbstainsOnAmbiguousGroups) {
  EXPECT_EQ(read("SELECT upper(a.x) AS x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY x"), "ambiguous-group");
  EXPECT_EQ(read("SELECT b.y AS x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY x"), "ambiguous-group");
  EXPECT_EQ(read("SELECT b.y AS x, count(*) FROM a JOIN b ON a.k = b.k GROUP BY upper(x)"), "ambiguous-group");
  EXPECT_EQ(read("SELECT * FROM a JOIN b ON a.k = b.k GROUP BY 1"), "ambiguous-group");
  EXPECT_EQ(join("GROUP BY 7"), "ambiguous-group");
}

TEST(JoinExtraction, NamesTheReasonOfOtherShapes) {
  EXPECT_EQ(read("SELECT 1 FROM a LEFT JOIN b ON a.k = b.k"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a FULL JOIN b USING (k)"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a SEMI JOIN b ON a.k = b.k"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a ANTI JOIN b ON a.k = b.k"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a ASOF JOIN b ON a.k >= b.k"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a POSITIONAL JOIN b"), "outer-join");
  EXPECT_EQ(read("SELECT 1 FROM a, LATERAL (SELECT a.k) t"), "subquery");
  EXPECT_EQ(read("WITH t AS (SELECT 1) SELECT 1 FROM a JOIN b ON a.k = b.k"), "cte");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN (SELECT * FROM b) t ON a.k = t.k"), "subquery");
  EXPECT_EQ(join("WHERE a.x IN (SELECT y FROM b)"), "subquery");
  EXPECT_EQ(read("SELECT (SELECT 1) FROM a JOIN b ON a.k = b.k"), "subquery");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN range(5) r ON a.k = r.range"), "table-function");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k UNION ALL SELECT 2"), "set-operation");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k JOIN c ON c.k = b.k JOIN p ON p.id = a.k"), "too-many-tables");
  EXPECT_EQ(read("SELECT DISTINCT a.x FROM a JOIN b ON a.k = b.k"), "select-distinct");
  EXPECT_EQ(read("SELECT a.x FROM a JOIN b ON a.k = b.k GROUP BY ALL"), "group-by-all");
  EXPECT_EQ(read("SELECT sum(a.x) OVER () FROM a JOIN b ON a.k = b.k"), "window");
  EXPECT_EQ(read("SELECT a.x FROM a JOIN b ON a.k = b.k QUALIFY row_number() OVER () = 1"), "window");
  EXPECT_EQ(join("USING SAMPLE 10%"), "unsupported-syntax");
  EXPECT_EQ(read("SELECT 1 FROM a TABLESAMPLE 10% JOIN b ON a.k = b.k"), "unsupported-syntax");
  EXPECT_EQ(read("SELECT 1 FROM a t(k, q) JOIN b ON t.k = b.k"), "unsupported-syntax");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k; SELECT 2"), "unsupported-syntax");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k WHERE a.x = ?"), "unsupported-syntax");
  EXPECT_EQ(read("DESCRIBE a"), "statement-kind");
}

TEST(JoinExtraction, NamesTheReasonOfOtherConditions) {
  EXPECT_EQ(read("SELECT 1 FROM a, b"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k > b.k"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k, c"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a NATURAL JOIN p"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k = b.k OR a.x = b.y"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON (a.k = b.k) = true"), "no-equality");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON a.k IS NOT DISTINCT FROM b.k"), "not-distinct-from");
  EXPECT_EQ(join("AND a.x IS NOT DISTINCT FROM b.y"), "not-distinct-from");
  for (const char* key :
       {"lpad(a.k, 5, '0')", "concat(a.k, '')", "a.k || ''", "regexp_replace(a.k, 'x', '')", "a.k + 1",
        "CASE WHEN a.k = '1' THEN a.k END", "upper(lpad(a.k, 2, '0'))", "a.k COLLATE NOCASE"}) {
    EXPECT_EQ(read("SELECT 1 FROM a JOIN b ON " + std::string(key) + " = b.k"), "key-function") << key;
  }
  EXPECT_EQ(join("WHERE a.x > b.y"), "cross-side-filter");
  EXPECT_EQ(join("AND (a.x = 1 OR b.y = 2)"), "cross-side-filter");
  EXPECT_EQ(join("AND a.x = coalesce(b.y, a.site)"), "cross-side-filter");
  EXPECT_EQ(read("SELECT 1 FROM a JOIN c ON a.k = c.k AND a.site = c.site AND a.x = c.z"), "too-many-key-columns");
  EXPECT_EQ(join("WHERE 1 = 1"), "constant-filter");
  EXPECT_EQ(join("AND true"), "constant-filter");
  EXPECT_EQ(join("WHERE nope = 1"), "column-not-resolved");
  EXPECT_EQ(join("WHERE k = 1"), "column-not-resolved") << "of two tables";
  EXPECT_EQ(join("WHERE a.rowid = 1"), "column-not-resolved");
  EXPECT_EQ(join("WHERE a.x = current_date"), "column-not-resolved");
  EXPECT_EQ(read("SELECT 1 FROM p JOIN p ON p.id = p.ref"), "column-not-resolved");
}

TEST(JoinExtraction, RefusesLongLiterals) {
  EXPECT_EQ(join("WHERE a.x = 999999999999999"), "a.k = b.k; a* [a.x = 999999999999999] b*");
  for (const char* literal :
       {"1000000000000000", "-1000000000000000", "123456789012345678901234567890", "1234567890.123456",
        "100000000000000000000000000000000000000000", "1234567890123456e1"}) {
    EXPECT_EQ(join("WHERE a.x = " + std::string(literal)), "long-literal") << literal;
  }
  EXPECT_EQ(join("WHERE a.x = '1000000000000000'"), "a.k = b.k; a* [a.x = '1000000000000000'] b*") << "a text";
}

TEST(JoinExtraction, CountsPartsAndNotesFunctionsAndColumns) {
  const Result<JoinPlan> plan =
      plan_of("SELECT 1 FROM a JOIN b ON upper(a.k) = b.k WHERE a.x + 1 > 2 AND b.y LIKE 'q' GROUP BY lower(a.site)");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->nodes, 3U + 5U + 3U) << "without the join's equality and the AND";
  EXPECT_EQ(plan->functions, (std::vector<std::string>{"upper", "+", "~~", "lower"}));
  EXPECT_FALSE(plan->foreign_function);
  EXPECT_EQ(plan->tables[0].key_columns, std::vector<std::string>{"k"});
  EXPECT_EQ(plan->tables[0].filter_columns, std::vector<std::string>{"x"});
  const Result<JoinPlan> foreign = plan_of("SELECT 1 FROM a JOIN b ON a.k = b.k WHERE other.f(a.x) = 1");
  ASSERT_TRUE(foreign.ok());
  EXPECT_TRUE(foreign->foreign_function);
}

TEST(MentionedTables, AreAllThatTheTextNames) {
  const auto tree = session().engine().syntax_tree(
      "WITH t AS (SELECT * FROM one) SELECT (SELECT max(x) FROM s.main.two) FROM t JOIN main.three USING (x) UNION "
      "SELECT 1 FROM four");
  ASSERT_TRUE(tree.ok());
  std::string names;
  for (const TableRef& ref : mentioned_tables(*tree)) names += ref.catalog + "." + ref.schema + "." + ref.table + " ";
  EXPECT_EQ(names, "..one s.main.two ..t .main.three ..four ");
}

TEST(SqliteText, LetsThroughWhatBothReadAlike) {
  for (const char* sql : {"SELECT count(*) FROM a JOIN b ON a.k = b.k WHERE a.x <> 'it''s' AND b.y IS NOT NULL",
                          "SELECT \"a\".\"k\" FROM a -- a comment\n WHERE x IN (1, 2) AND NOT x BETWEEN 1 AND 2;",
                          "SELECT a.x || 'q', a.x / 2, a.x % 2 FROM a, b WHERE a.k = b.k AND a.x >= 1.5e3",
                          "SELECT CAST(a.k AS INTEGER), CAST(trim(a.x) AS text) FROM a",
                          "SELECT 1 WHERE x != 3 /* ok */", "SELECT x FROM a WHERE a.k IS DISTINCT FROM 3"}) {
    const Status status = check_sqlite_text(sql);
    EXPECT_TRUE(status.ok()) << sql << ": " << (status.ok() ? "" : status.error().message);
  }
}

TEST(SqliteText, StopsWhatTheOtherParserReadsDifferently) {
  for (const char* sql : {"SELECT `k` FROM a",
                          "SELECT [k] FROM a",
                          "SELECT x'41' FROM a",
                          "SELECT k FROM a WHERE k IN b",
                          "SELECT k FROM a WHERE k == 1",
                          "SELECT k -> 'x' FROM a",
                          "SELECT k FROM a WHERE k GLOB 'x*'",
                          "SELECT k FROM a WHERE k REGEXP 'x'",
                          "SELECT k FROM a WHERE k MATCH 'x'",
                          "SELECT k FROM a WHERE k ISNULL",
                          "SELECT k FROM a WHERE k NOTNULL",
                          "SELECT k FROM a WHERE k NOT NULL",
                          "SELECT k FROM a WHERE k IS 3",
                          "SELECT k FROM a WHERE k IS NOT 3",
                          "SELECT k FROM a WHERE k = ?",
                          "SELECT k FROM a WHERE k = :p",
                          "SELECT 0x1F FROM a",
                          "SELECT ~k FROM a",
                          "SELECT k & 1 FROM a",
                          "SELECT k << 1 FROM a",
                          "SELECT CAST(k AS STRING) FROM a",
                          "SELECT CAST(k AS DOUBLE PRECISION) FROM a",
                          "SELECT CAST(k AS DECIMAL(10,2)) FROM a",
                          "SELECT k FROM a INDEXED BY i",
                          "SELECT k COLLATE NOCASE FROM a",
                          "SELECT k FROM a WHERE k LIKE 'x' ESCAPE '!'",
                          "SELECT 'unclosed FROM a",
                          "SELECT k::INT FROM a",
                          "SELECT k FROM a /* /* */ WHERE x = 1 /* */ */",
                          "SELECT E'a' FROM a",
                          "SELECT k FROM a -- x\r WHERE k = 1",
                          "SELECT k FROM\u00a0a"}) {
    EXPECT_FALSE(check_sqlite_text(sql).ok()) << sql;
  }
}

}  // namespace
}  // namespace candor::review::syntax
