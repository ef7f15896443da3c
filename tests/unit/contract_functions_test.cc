// Candor's functions as statements call them, on each engine, and what DuckDB has of its own in their place: one answer.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/sqlite/sqlite_engine.h"
#include "support/contract_source.h"

namespace candor::engine {
namespace {

using test::ContractSource;
using test::Kind;
using test::Ran;
using test::read;

class ContractFunctionsTest : public ::testing::Test {
 protected:
  std::string sqlite(const std::string& expression) { return answer(*sqlite_, expression); }
  std::string duckdb(const std::string& expression) { return answer(*duckdb_, expression); }
  static std::string answer(Engine& engine, const std::string& expression) {
    const Ran ran = read(engine, "SELECT " + expression);
    return ran.error ? ran.code() : ran.all();
  }
  // Both engines, by the same text.
  void both(const std::string& expression, const std::string& expected) {
    EXPECT_EQ(sqlite(expression), expected) << "SQLite: " << expression;
    EXPECT_EQ(duckdb(expression), expected) << "DuckDB: " << expression;
  }
  // Each in its own words.
  void each(const std::string& in_sqlite, const std::string& in_duckdb, const std::string& expected) {
    EXPECT_EQ(sqlite(in_sqlite), expected) << "SQLite: " << in_sqlite;
    EXPECT_EQ(duckdb(in_duckdb), expected) << "DuckDB: " << in_duckdb;
  }

  ContractSource sqlite_source_{Kind::kSqlite};
  ContractSource duckdb_source_{Kind::kDuckdb};
  std::unique_ptr<Engine> sqlite_ = sqlite_source_.open();
  std::unique_ptr<Engine> duckdb_ = duckdb_source_.open();
};

TEST_F(ContractFunctionsTest, TextsByCodePoint) {
  both("candor_fold('ÄßſΣς'), candor_lower('İẞ'), candor_upper('ßǅ')", R"(["äßsσσ","iß","ßǄ"])");
  both("candor_fold(NULL), candor_lower(NULL), candor_upper(NULL)", "[null,null,null]");
  both("candor_substr('äöü', 0, 2), candor_substr('äöü', -1, 9), candor_substr('äöü', 2, 9223372036854775807)",
       R"(["ä","äöü","öü"])");
  EXPECT_EQ(sqlite("candor_substr('äöü', -1), candor_substr('äöü', 2)"), R"(["äöü","öü"])");
  both("candor_substr(NULL, 1, 1), candor_substr('a', NULL, 1), candor_substr('a', 1, NULL)", "[null,null,null]");
  both("candor_left('äöü', 2), candor_left('äöü', 9), candor_right('äöü', 2), candor_right('äöü', 0)",
       R"(["äö","äöü","öü",""])");
  both("candor_left(NULL, 2), candor_left('a', NULL), candor_right('a', NULL)", "[null,null,null]");
  both("candor_left('abc', -1)", "bad-argument");
  both("candor_right('abc', -1)", "bad-argument");
  both("candor_substr('abc', 1, -1)", "bad-argument");
  both("candor_like('a', 'a!', '!')", "bad-argument");
  both("candor_like(NULL, 'a', NULL)", "[null]");
  each("candor_like('äb', '_b', NULL), candor_like('ab', 'A%', NULL), candor_like('a%', 'a!%', '!')",
       "candor_like('äb', '_b', NULL)::INT, candor_like('ab', 'A%', NULL)::INT, candor_like('a%', 'a!%', '!')::INT",
       "[1,0,1]");
  each("candor_length('e\u0301x'), candor_length(''), candor_length('a' || char(0) || 'b'), candor_length(NULL)",
       "length('e\u0301x'), length(''), length('a' || chr(0) || 'b'), length(NULL)", "[3,0,3,null]");
  each(
      "candor_contains('abc', 'bc'), candor_contains('abc', ''), candor_contains('abc', 'B'), candor_contains(NULL, "
      "'a')",
      "contains('abc', 'bc')::INT, contains('abc', '')::INT, contains('abc', 'B')::INT, contains(NULL, 'a')::INT",
      "[1,1,0,null]");
  each("candor_like('ab', 'a_', NULL), candor_like('a\nb', '%b', NULL)",
       "('ab' LIKE 'a_')::INT, ('a\nb' LIKE '%b')::INT", "[1,1]");
}

TEST_F(ContractFunctionsTest, ABlobIsNoText) {
  for (const char* call :
       {"candor_fold(x'41')", "candor_length(x'41')", "candor_contains(x'41', 'A')", "candor_like(x'41', 'A', NULL)",
        "candor_substr(x'41', 1, 1)", "candor_datetime(x'41')", "candor_array_length(x'5b5d')", "candor_add(x'41', 1)",
        "candor_string_agg(x'41', ',', 0)"}) {
    EXPECT_EQ(sqlite(call), "bad-stored-value") << call;
  }
}

TEST_F(ContractFunctionsTest, IntegersOverflowAloud) {
  each("candor_add(1, 2), candor_sub(1, 2), candor_mul(3, -2), candor_neg(4), candor_abs(-5), candor_add(1, NULL)",
       "1 + 2, 1 - 2, 3 * -2, -4, abs(-5), 1 + NULL", "[3,-1,-6,-4,5,null]");
  each("candor_add(9223372036854775807, 1)", "9223372036854775807::BIGINT + 1::BIGINT", "integer-overflow");
  each("candor_sub(-9223372036854775807, 2)", "(-9223372036854775807)::BIGINT - 2::BIGINT", "integer-overflow");
  each("candor_mul(9223372036854775807, 2)", "9223372036854775807::BIGINT * 2::BIGINT", "integer-overflow");
  each("candor_abs(-9223372036854775808)", "abs((-9223372036854775808)::BIGINT)", "integer-overflow");
  each("candor_neg(-9223372036854775808)", "-((-9223372036854775808)::BIGINT)", "integer-overflow");
  each("sum(x) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)",
       "CAST(sum(x) AS BIGINT) FROM (SELECT 9223372036854775807 AS x UNION ALL SELECT 1)", "integer-overflow");
  EXPECT_EQ(sqlite("candor_add(1, 2.0)"), "[3]");
  EXPECT_EQ(sqlite("candor_add(1, 2.5)"), "bad-stored-value");
  EXPECT_EQ(sqlite("candor_add(1, 'x')"), "bad-stored-value");
}

TEST_F(ContractFunctionsTest, DoublesOverflowAloud) {
  each("candor_real_add(1, 0.5), candor_real_sub(1.5, 1), candor_real_mul(0.5, 3), candor_real_div(3, 2.0)",
       "candor_real_add(1, 0.5), candor_real_sub(1.5, 1), candor_real_mul(0.5, 3), candor_real_div(3, 2)",
       "[1.5,0.5,1.5,1.5]");
  both("candor_real_add(NULL, 1e0), candor_real_div(1e0, NULL)", "[null,null]");
  for (const char* call :
       {"candor_real_add(1e308, 1e308)", "candor_real_sub(-1e308, 1e308)", "candor_real_mul(1e308, 10e0)",
        "candor_real_mul(1e-200, 1e-200)", "candor_real_div(1e308, 1e-5)", "candor_real_div(1e-300, 1e300)"}) {
    both(call, "number-overflow");
  }
  EXPECT_EQ(sqlite("candor_real_div(1.5, 0)"), "[null]");
  EXPECT_EQ(sqlite("candor_real_mul('x', 2)"), "bad-stored-value");
  each("candor_sum(x) FROM (SELECT 1e308 AS x UNION ALL SELECT 1e308)",
       "candor_finite(sum(x), bool_or(isinf(x))) FROM (SELECT 1e308 AS x UNION ALL SELECT 1e308)", "number-overflow");
  each("candor_avg(x), candor_sum(x) FROM (SELECT 1.5 AS x UNION ALL SELECT NULL UNION ALL SELECT 2)",
       "avg(x), candor_finite(sum(x::DOUBLE), false) FROM (SELECT 1.5 AS x UNION ALL SELECT NULL UNION ALL SELECT 2)",
       "[1.75,3.5]");
  EXPECT_EQ(sqlite("candor_sum(x) FROM (SELECT 1.5 AS x) WHERE x > 2"), "[null]");
  both("candor_whole(2.5e0), candor_whole(-2.5e0), candor_whole(NULL)", "[3,-3,null]");
  both("candor_whole(1e19)", "integer-overflow");
}

TEST_F(ContractFunctionsTest, DecimalsAreReckonedByTheirDigits) {
  EXPECT_EQ(sqlite("candor_decimal_mul(0.99, 3), candor_decimal_add(0.1, 0.2), candor_decimal_sub(100.1, 100)"),
            "[2.97,0.3,0.1]");
  EXPECT_EQ(sqlite("candor_decimal_add(9007199254740993, 1), candor_decimal_add(NULL, 1)"),
            R"(["9007199254740994",null])");
  EXPECT_EQ(sqlite("candor_decimal_sum(x), candor_decimal_avg(x) FROM (SELECT 1.1 AS x UNION ALL SELECT 2.2 UNION ALL "
                   "SELECT NULL)"),
            "[3.3,1.65]");
  EXPECT_EQ(sqlite("candor_to_decimal('12.50'), candor_to_decimal('1.005', 2), candor_to_decimal(2.675, 2)"),
            "[12.5,1.01,2.68]");
  EXPECT_EQ(sqlite("candor_to_decimal('1234567890.123456')"), "number-overflow");
  EXPECT_EQ(sqlite("candor_to_decimal('x')"), "type-mismatch");
  EXPECT_EQ(sqlite("candor_store_decimal('99.994', 2, 4), candor_store_decimal(NULL, 2, 4)"), "[99.99,null]");
  EXPECT_EQ(sqlite("candor_store_decimal('99.995', 2, 4)"), "number-overflow");
}

TEST_F(ContractFunctionsTest, TextsAreCastAlike) {
  both("candor_to_integer(' +12 '), candor_to_number('1.5e1'), candor_to_integer(NULL)", "[12,15,null]");
  both("candor_to_uuid('A0000000-0000-4000-8000-00000000000B')", R"(["a0000000-0000-4000-8000-00000000000b"])");
  each("candor_to_boolean('Yes'), candor_to_boolean('off')",
       "candor_to_boolean('Yes')::INT, candor_to_boolean('off')::INT", "[1,0]");
  each("candor_to_datetime('2024-02-29T23:59:59.1234567+01:00')",
       "strftime(candor_to_datetime('2024-02-29T23:59:59.1234567+01:00'), '%Y-%m-%dT%H:%M:%S.%f')",
       R"(["2024-02-29T22:59:59.123456"])");
  for (const char* call : {"candor_to_integer('1.5')", "candor_to_integer('')", "candor_to_number('nan')",
                           "candor_to_number('0x1')", "candor_to_boolean('maybe')", "candor_to_uuid('a')",
                           "candor_to_datetime('2024/02/29')", "candor_to_datetime('epoch')"}) {
    both(call, "type-mismatch");
  }
  both("candor_to_integer('9223372036854775808')", "integer-overflow");
  both("candor_to_number('1e400')", "number-overflow");
}

TEST_F(ContractFunctionsTest, RoundingIsThatOfWhatIsWritten) {
  each(
      "candor_round(1.005, 2), candor_round(2.675, 2), candor_round(-2.5, 0), candor_round(1234.5, -2), "
      "candor_round(NULL, 2)",
      "candor_round(1.005::DOUBLE, 2), candor_round(2.675::DOUBLE, 2), candor_round((-2.5)::DOUBLE, 0), "
      "candor_round(1234.5, -2), candor_round(NULL, 2)",
      "[1.01,2.68,-3,1200,null]");
  each("candor_round(15, -1), candor_round(15, 0)", "round(15, -1), round(15, 0)", "[20,15]");
  each("candor_round('2.675', 2), candor_decimal(2.5, 2), candor_decimal(7, 1), candor_decimal('1.005', 2)",
       "round(2.675, 2)::VARCHAR, 2.5::DECIMAL(18,2)::VARCHAR, 7::DECIMAL(18,1)::VARCHAR, round(1.005, 2)::VARCHAR",
       R"(["2.68","2.50","7.0","1.01"])");
}

TEST_F(ContractFunctionsTest, ArraysAreComparedAsSetsOrWhole) {
  each(R"(candor_array_has('["a","b"]', 'b'), candor_array_has('[1,2]', 3), candor_array_has(NULL, 'a'))",
       "list_contains(['a','b'], 'b')::INT, list_contains([1,2], 3)::INT, list_contains(NULL::VARCHAR[], 'a')::INT",
       "[1,0,null]");
  each(
      R"(candor_array_overlap('["a"]', '["b","a"]'), candor_array_overlap('[]', '["a"]'), candor_array_overlap(NULL, '[]'))",
      "list_has_any(['a'], ['b','a'])::INT, list_has_any([]::VARCHAR[], ['a'])::INT, "
      "list_has_any(NULL::VARCHAR[], ['a'])::INT",
      "[1,0,null]");
  each(R"(candor_array_has_all('["a","b"]', '["b","b"]'), candor_array_has_all('["a"]', '[]'))",
       "list_has_all(['a','b'], ['b','b'])::INT, list_has_all(['a'], []::VARCHAR[])::INT", "[1,1]");
  each(R"(candor_array_equal('["b","a","b"]', '["b","b","a"]'), candor_array_equal('["b","a"]', '["b","b","a"]'))",
       "(list_sort(['b','a','b']) = list_sort(['b','b','a']))::INT, (list_sort(['b','a']) = "
       "list_sort(['b','b','a']))::INT",
       "[1,0]");
  each("candor_array_length('[]'), candor_array_length('[1,2]'), candor_array_length(NULL)",
       "len([]), len([1,2]), len(NULL::INT[])", "[0,2,null]");
  EXPECT_EQ(sqlite(R"(candor_array_check('["a", 1]'), candor_array_check(NULL))"), R"(["[\"a\", 1]",null])");
  for (const char* wrong : {"candor_array_check('a,b')", "candor_array_length('')", "candor_array_has('{}', 'a')",
                            "candor_array_overlap('[1]', '[true]')", "candor_array_check(5)"}) {
    EXPECT_EQ(sqlite(wrong), "bad-stored-value") << wrong;
  }
  EXPECT_EQ(answer(*sqlite_, "value FROM json_each('nonsense')"), "bad-stored-value");
}

TEST_F(ContractFunctionsTest, TimesAreReadAndReckonedAlike) {
  each("candor_datetime('2024-03-05 06:07:08.1234567'), candor_datetime('2024-03-05'), candor_datetime(NULL)",
       "'2024-03-05 06:07:08.1234567'::TIMESTAMP, '2024-03-05'::TIMESTAMP, NULL::TIMESTAMP",
       R"(["2024-03-05T06:07:08.123456","2024-03-05T00:00:00",null])");
  each("candor_datetime('2024-03-05 06:07:08+02:00')", "'2024-03-05 06:07:08+02:00'::TIMESTAMPTZ::TIMESTAMP",
       R"(["2024-03-05T04:07:08"])");
  each("candor_date('2024-03-05T23:59:59'), candor_date('2024-03-05')",
       "'2024-03-05T23:59:59'::TIMESTAMP::DATE, '2024-03-05'::DATE", R"(["2024-03-05","2024-03-05"])");
  each("candor_datetime_add('2024-01-31', 1, 0, 0), candor_datetime_add('2024-02-29', 12, 1, 3600000000)",
       "TIMESTAMP '2024-01-31' + INTERVAL '1 month', TIMESTAMP '2024-02-29' + INTERVAL '12 months 1 day 1 hour'",
       R"(["2024-02-29T00:00:00","2025-03-01T01:00:00"])");
  for (const char* unit : {"second", "minute", "hour", "day", "week", "month", "quarter", "year"}) {
    const std::string text = std::string("('") + unit + "', ";
    EXPECT_EQ(sqlite("candor_date_trunc" + text + "'2024-05-15 13:14:15.5')"),
              duckdb("date_trunc" + text + "TIMESTAMP '2024-05-15 13:14:15.5')"))
        << unit;
  }
  for (const char* unit :
       {"year", "month", "day", "hour", "minute", "dow", "isodow", "doy", "week", "quarter", "epoch"}) {
    const std::string text = std::string("('") + unit + "', ";
    EXPECT_EQ(sqlite("candor_extract" + text + "'2024-12-29 13:14:15')"),
              duckdb("date_part" + text + "TIMESTAMP '2024-12-29 13:14:15')"))
        << unit;
  }
  each("candor_extract('second', '2024-12-29 13:14:15.25')",
       "date_part('microseconds', TIMESTAMP '2024-12-29 13:14:15.25') / 1e6", "[15.25]");
  each("candor_strftime('%Y-%m-%d %H:%M:%S.%f %j %w %W %U %u %V %G %y %b %B %a %A %p %I %%', '2024-03-05 16:07:08.5')",
       "strftime(TIMESTAMP '2024-03-05 16:07:08.5', "
       "'%Y-%m-%d %H:%M:%S.%f %j %w %W %U %u %V %G %y %b %B %a %A %p %I %%')",
       R"(["2024-03-05 16:07:08.500000 065 2 10 09 2 10 2024 24 Mar March Tue Tuesday PM 04 %"])");
  each("candor_datetime_diff_seconds('2024-01-02', '2024-01-01 12:00:00.5')",
       "epoch(TIMESTAMP '2024-01-02' - TIMESTAMP '2024-01-01 12:00:00.5')", "[43199.5]");
}

TEST_F(ContractFunctionsTest, WhatIsNoTimeIsSaid) {
  for (const char* wrong : {"candor_datetime('yesterday')", "candor_datetime(1709618828)", "candor_date('2024-02-30')",
                            "candor_extract('year', 'x')", "candor_strftime('%Y', 2024.5)"}) {
    EXPECT_EQ(sqlite(wrong), "bad-stored-value") << wrong;
  }
  for (const char* wrong : {"candor_extract('century', '2024-01-01')", "candor_date_trunc('dow', '2024-01-01')",
                            "candor_strftime('%Q', '2024-01-01')", "candor_datetime_add('9999-12-31', 0, 1, 0)"}) {
    EXPECT_EQ(sqlite(wrong), "bad-argument") << wrong;
  }
  const Ran ran = read(*sqlite_, "SELECT candor_datetime('yesterday')");
  ASSERT_TRUE(ran.error);
  EXPECT_EQ(ran.error->message, "'yesterday' is no date and time");
}

TEST_F(ContractFunctionsTest, TextsAreJoinedInTheOrderThatIsAskedFor) {
  const std::string rows =
      " FROM (SELECT 'b' AS t, 1 AS n UNION ALL SELECT 'B', NULL UNION ALL SELECT 'a', 3"
      " UNION ALL SELECT 'b', 2 UNION ALL SELECT NULL, 4) AS r";
  each("candor_string_agg(t, ', ', 0, n, 0)" + rows, "string_agg(t, ', ' ORDER BY n NULLS LAST)" + rows,
       R"(["b, b, a, B"])");
  each("candor_string_agg(t, ',', 0, n, 3)" + rows, "string_agg(t, ',' ORDER BY n DESC NULLS FIRST)" + rows,
       R"(["B,a,b,b"])");
  each("candor_string_agg(t, ',', 0, t, 1, n, 1)" + rows,
       "string_agg(t, ',' ORDER BY t DESC, n DESC NULLS LAST)" + rows, R"(["b,b,a,B"])");
  each("candor_string_agg(t, ',', 1, t, 0)" + rows, "string_agg(DISTINCT t, ',' ORDER BY t)" + rows, R"(["B,a,b"])");
  each("candor_string_agg(t, ',', 0, t, 0) FILTER (WHERE n > 3)" + rows,
       "string_agg(t, ',' ORDER BY t) FILTER (WHERE n > 3)" + rows, "[null]");
  EXPECT_EQ(sqlite("candor_string_agg(t, ',', 0) FROM (SELECT 'x' AS t) WHERE t = 'y'"), "[null]");
  EXPECT_EQ(sqlite("n, candor_string_agg(t, ',', 0, t, 0) FROM (SELECT 1 AS n, 'x' AS t UNION ALL SELECT 2, 'z' UNION "
                   "ALL SELECT 1, 'a') GROUP BY n ORDER BY n"),
            R"([1,"a,x"] [2,"z"])");
  EXPECT_EQ(sqlite("candor_string_agg('x', ',', 0, 1)"), "bad-argument");
}

TEST_F(ContractFunctionsTest, ASecondRowOfAScalarSubqueryIsSaid) {
  each("(SELECT candor_single(n) FROM app.cards WHERE n = 2)", "(SELECT n FROM app.main.cards WHERE n = 2)", "[2]");
  each("(SELECT candor_single(n) FROM app.cards WHERE n = 9)", "(SELECT n FROM app.main.cards WHERE n = 9)", "[null]");
  each("(SELECT candor_single(n) FROM app.cards)", "(SELECT n FROM app.main.cards)", "subquery-rows");
  each("(SELECT candor_single(note) FROM app.cards WHERE n < 3)", "(SELECT note FROM app.main.cards WHERE n < 3)",
       "subquery-rows");
}

TEST_F(ContractFunctionsTest, NoAgentAndNoSchemaCallsThem) {
  Policy policy = sqlite_source_.policy();
  policy.contract = false;
  auto agents = sqlite::open(policy);
  ASSERT_TRUE(agents.ok());
  EXPECT_EQ(test::run(**agents, "SELECT candor_fold('A')").code(), "unknown-function");
  Policy files = duckdb_source_.policy();
  files.contract = false;
  auto instance = duckdb::DuckdbEngine::open(files);
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ(test::run(**instance, "SELECT candor_fold('A')").code(), "unknown-function");
  // A view that somebody wrote into the file.
  sqlite_source_.write("CREATE VIEW sly AS SELECT candor_fold(note) AS n FROM cards");
  EXPECT_EQ(answer(*sqlite_, "n FROM sly"), "engine-error");
}

TEST_F(ContractFunctionsTest, WorkOnWholeTablesInParallel) {
  EXPECT_EQ(
      duckdb(
          "count(*), sum(length(candor_fold(t))), sum((candor_round(x, 1) * 10)::BIGINT) FROM (SELECT 'Ä' || i AS t, "
          "CASE WHEN i % 2 = 0 THEN NULL ELSE 0.25::DOUBLE END AS x FROM range(100000) AS r(i))"),
      "[100000,588890,150000]");
}

}  // namespace
}  // namespace candor::engine
