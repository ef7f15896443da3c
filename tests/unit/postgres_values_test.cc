// Values of PostgreSQL, exactly as they are: every type that a result can have, and what DuckDB type holds it.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/postgres_app.h"

namespace candor::test {
namespace {

class PostgresValues : public PostgresTest {
 protected:
  std::string exact_types(const std::string& sql) {
    engine::RunRequest request;
    request.sql = sql;
    request.exact_types = true;
    const Ran ran = run(engine(), request);
    if (ran.error) return ran.error->code + ": " + ran.error->message;
    std::string types;
    for (const Column& column : ran.header.columns) types += (types.empty() ? "" : "; ") + column.type;
    return types;
  }
};

TEST_F(PostgresValues, Numbers) {
  EXPECT_EQ(rows("SELECT 1::int2, -2147483648, 9223372036854775807, (-9223372036854775808)::int8, 4294967295::oid"),
            R"([1,-2147483648,"9223372036854775807","-9223372036854775808",4294967295])");
  EXPECT_EQ(
      rows("SELECT 12.50::numeric(10,2), 0.10, 1e-20::numeric, 'NaN'::numeric, '-Infinity'::numeric, 1e30::numeric"),
      R"(["12.50","0.10","0.00000000000000000001","NaN","-Infinity","1000000000000000000000000000000"])");
  EXPECT_EQ(
      rows("SELECT 0.1::float4, 0.1::float8, 1e300, 'NaN'::float8, 'Infinity'::float4, '-Infinity'::float8, -0.0"),
      R"([0.1,0.1,"1)" + std::string(300, '0') + R"(","NaN","Infinity","-Infinity","0.0"])");
  EXPECT_EQ(rows("SELECT 16777217::float4, 123456789.123456789::float8"), "[16777216,123456789.12345679]");
}

TEST_F(PostgresValues, TextsAndBytes) {
  EXPECT_EQ(rows("SELECT 'a''b', '', '€\t', NULL::text, 'ab'::char(4), true, false, NULL::bool"),
            R"(["a'b","","€\t",null,"ab  ",true,false,null])");
  EXPECT_EQ(rows(R"(SELECT '\x00ff'::bytea, ''::bytea)"), R"([{"base64":"AP8=","bytes":2},{"base64":"","bytes":0}])");
}

TEST_F(PostgresValues, Times) {
  EXPECT_EQ(rows("SELECT '2024-01-02'::date, '24:00'::time, '03:04:05.123456'::time, '03:04:05+05:30'::timetz,"
                 " '03:04+02'::timetz"),
            R"(["2024-01-02","24:00:00","03:04:05.123456","03:04:05+05:30","03:04:00+02:00"])");
  EXPECT_EQ(rows("SELECT '2024-01-02 03:04:05.000006'::timestamp, '2024-01-02 03:04:05+02'::timestamptz,"
                 " 'infinity'::timestamptz, '-infinity'::date"),
            R"(["2024-01-02T03:04:05.000006","2024-01-02T01:04:05+00:00","infinity","-infinity"])");
  EXPECT_EQ(rows("SELECT '0044-03-15 BC'::date, '0044-03-15 12:30 BC'::timestamp, '0044-03-15 12:30 BC'::timestamptz,"
                 " '12024-01-02'::date"),
            R"J(["0044-03-15 (BC)","0044-03-15 (BC) 12:30:00","0044-03-15 (BC) 12:30:00+00:00","12024-01-02"])J");
  EXPECT_EQ(rows("SELECT '1 year 2 mons -3 days 04:05:06.7'::interval, '0'::interval"),
            R"(["1 year 2 mons -3 days +04:05:06.7","00:00:00"])");
}

TEST_F(PostgresValues, OtherTypesAreTextsAsTheServerPrintsThem) {
  server().run(
      "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE pair AS (a int, b text);"
      "CREATE DOMAIN cents AS integer");
  EXPECT_EQ(
      rows("SELECT 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, B'0101', B'1'::varbit, 'happy'::mood,"
           " ROW(1, 'x y')::pair, '10.0.0.1/8'::inet, int4range(1, 5), 12.5::money, '(1,2)'::point"),
      R"J(["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","0101","1","happy","(1,\"x y\")","10.0.0.1/8","[1,5)","$12.50","(1,2)"])J");
  EXPECT_EQ(rows("SELECT 5::cents, ARRAY[5::cents], ARRAY['sad'::mood], ROW(1, 2)"), R"J([5,[5],["sad"],"(1,2)"])J");
}

TEST_F(PostgresValues, JsonIsKeptToTheLetter) {
  EXPECT_EQ(rows(R"(SELECT '{"a": 1.50, "b": [1e2, null]}'::json, '{"b":1.50,"a":12345678901234567890}'::jsonb)"),
            R"([{"a": 1.50, "b": [1e2, null]},{"a": 12345678901234567890, "b": 1.50}])");
  // What others would read in another way, or not at all, stays a text.
  EXPECT_EQ(rows(R"(SELECT '{"a":1,"a":2}'::json)"), R"(["{\"a\":1,\"a\":2}"])");
}

TEST_F(PostgresValues, ArraysAreLists) {
  EXPECT_EQ(
      rows("SELECT ARRAY[1,NULL,3], '{}'::int[], ARRAY[[1,2],[3,4]], '[0:1]={7,8}'::int8[], ARRAY[1.50::numeric]"),
      R"([[1,null,3],[],[[1,2],[3,4]],[7,8],["1.50"]])");
  EXPECT_EQ(rows(R"(SELECT ARRAY['a,b', 'c"d', 'e\f', 'NULL', '', '{x}', ' y ', NULL, '€'])"),
            R"([["a,b","c\"d","e\\f","NULL","","{x}"," y ",null,"€"]])");
  EXPECT_EQ(rows(R"(SELECT ARRAY[true,false], ARRAY['2024-01-02 03:04:05+00'::timestamptz], ARRAY['{"a":1}'::jsonb],)"
                 R"( ARRAY['\x00'::bytea], ARRAY['(1,2),(0,0)'::box, '(3,4),(0,0)'::box])"),
            R"([[true,false],["2024-01-02T03:04:05+00:00"],[{"a": 1}],[{"base64":"AA==","bytes":1}],)"
            R"J(["(1,2),(0,0)","(3,4),(0,0)"]])J");
}

TEST_F(PostgresValues, ColumnsHaveTheServersTypes) {
  const Ran ran = ask("SELECT 1 AS a, 1.5::numeric(6,2) AS a, 'x'::varchar(20), ARRAY[1], now(), count(*) FROM users");
  const std::vector<Column> columns = {{"a", "integer"},
                                       {"a", "numeric(6,2)"},
                                       {"varchar", "character varying(20)"},
                                       {"array", "integer[]"},
                                       {"now", "timestamp with time zone"},
                                       {"count", "bigint"}};
  EXPECT_EQ(ran.header.columns, columns);
}

TEST_F(PostgresValues, TypesOfDuckdbThatHoldEveryValue) {
  EXPECT_EQ(
      exact_types("SELECT 1::int2, 1, 1::int8, 1::oid, 1::float4, 1::float8, 1.5::numeric(10,2), 'x', true, now(),"
                  " now()::timestamp, now()::date, '1 day'::interval, '\\x00'::bytea, '{}'::jsonb, ARRAY['a'],"
                  " gen_random_uuid(), '10.0.0.1'::inet"),
      "SMALLINT; INTEGER; BIGINT; UINTEGER; FLOAT; DOUBLE; DECIMAL(10,2); VARCHAR; BOOLEAN;"
      " TIMESTAMP WITH TIME ZONE; TIMESTAMP; DATE; INTERVAL; BLOB; JSON; VARCHAR[]; UUID; VARCHAR");
  EXPECT_EQ(exact_types("SELECT * FROM (VALUES (1.5::numeric, 0.001, 0.5), (100, -20, NULL)) AS v(a, b, c)"),
            "DECIMAL(4,1); DECIMAL(5,3); DECIMAL(1,1)");
  EXPECT_EQ(exact_types("SELECT sum(amount), avg(amount), NULL::numeric FROM sales.orders"),
            "DECIMAL(10,2); DECIMAL(20,16); DECIMAL(1,0)");
}

TEST_F(PostgresValues, WhatNoDecimalHoldsIsAnErrorWithACast) {
  EXPECT_EQ(exact_types("SELECT 'NaN'::numeric AS x"),
            "type-mismatch: column 1 (x) holds NaN or an infinity, which no DECIMAL can");
  EXPECT_EQ(exact_types("SELECT 1e38::numeric AS x"),
            "type-mismatch: column 1 (x) holds numbers of 39 digits, a DECIMAL holds 38");
  EXPECT_EQ(exact_types("SELECT 'NaN'::numeric(5,2) AS x"), "type-mismatch: column 1 (x) holds NaN");
  EXPECT_EQ(exact_types("SELECT ARRAY[1.5] AS x"),
            "type-mismatch: column 1 (x) holds lists of numeric without a scale");
}

TEST_F(PostgresValues, LongCellsAreCutAndSaySo) {
  engine::RunRequest request;
  request.sql = "SELECT '€€€€€€', 'short', ARRAY['aaa','bbb'], '\\x000000000000'::bytea";
  request.cell_chars_max = 5;
  EXPECT_EQ(run(engine(), request).all(),
            R"([{"cut":true,"chars":6,"text":"€€€€€"},"short",{"cut":true,"chars":13,"text":"[\"aaa"},)"
            R"({"cut":true,"chars":31,"text":"{\"bas"}])");
}

}  // namespace
}  // namespace candor::test
