// DuckDB's values as JSON: each type with its edges, nested values, cuts, and the names of types, from the real engine.
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "base/render_json.h"
#include "base/strict_json.h"
#include "engine/duckdb/value_scalars.h"
#include "engine/duckdb/values.h"
#include "support/duckdb_session.h"
#include "support/temp_folder.h"

namespace candor {
namespace {

using test::DuckdbSession;
using test::EncodedRows;

struct ValueCase {
  std::string sql;   // an expression
  std::string json;  // what append_json gives for it
};

void check(const std::vector<ValueCase>& cases) {
  DuckdbSession session;
  session.execute("SET TimeZone = 'America/New_York'");
  for (const ValueCase& one : cases) EXPECT_EQ(session.cell("SELECT " + one.sql), one.json) << one.sql;
}

TEST(DuckdbValues, Integers) {
  check({
      {"NULL", "null"},
      {"true", "true"},
      {"false", "false"},
      {"(-128)::TINYINT", "-128"},
      {"127::TINYINT", "127"},
      {"255::UTINYINT", "255"},
      {"(-32768)::SMALLINT", "-32768"},
      {"65535::USMALLINT", "65535"},
      {"(-2147483648)::INTEGER", "-2147483648"},
      {"2147483647::INTEGER", "2147483647"},
      {"4294967295::UINTEGER", "4294967295"},
      {"9007199254740991::BIGINT", "9007199254740991"},
      {"9007199254740992::BIGINT", R"("9007199254740992")"},
      {"9007199254740993::BIGINT", R"("9007199254740993")"},
      {"(-9007199254740991)::BIGINT", "-9007199254740991"},
      {"(-9007199254740992)::BIGINT", R"("-9007199254740992")"},
      {"9223372036854775807::BIGINT", R"("9223372036854775807")"},
      {"'-9223372036854775808'::BIGINT", R"("-9223372036854775808")"},
      {"18446744073709551615::UBIGINT", R"("18446744073709551615")"},
      {"12::UBIGINT", "12"},
      {"'-170141183460469231731687303715884105728'::HUGEINT", R"("-170141183460469231731687303715884105728")"},
      {"170141183460469231731687303715884105727::HUGEINT", R"("170141183460469231731687303715884105727")"},
      {"(-1)::HUGEINT", "-1"},
      {"'9223372036854775808'::HUGEINT", R"("9223372036854775808")"},
      {"'340282366920938463463374607431768211455'::UHUGEINT", R"("340282366920938463463374607431768211455")"},
      {"'10000000000000000000'::UHUGEINT", R"("10000000000000000000")"},
      {"0::BIGNUM", "0"},
      {"(-256)::BIGNUM", "-256"},
      {"('-' || repeat('9', 60))::BIGNUM", '"' + ("-" + std::string(60, '9')) + '"'},
      {"('1' || repeat('0', 40))::BIGNUM", '"' + ("1" + std::string(40, '0')) + '"'},
  });
}

TEST(DuckdbValues, Reals) {
  check({
      {"0.1::FLOAT", "0.1"},
      {"0.1::DOUBLE", "0.1"},
      {"16777217::FLOAT", "16777216"},
      {"'-0.0'::DOUBLE", "-0"},
      {"'nan'::DOUBLE", R"("NaN")"},
      {"'inf'::FLOAT", R"("Infinity")"},
      {"'-inf'::DOUBLE", R"("-Infinity")"},
      {"5e-324::DOUBLE", "5e-324"},
      {"1e-45::FLOAT", "1e-45"},
      {"1.7976931348623157e308::DOUBLE", "1.7976931348623157e+308"},
      {"1e20::DOUBLE", "1e+20"},
      {"3::DOUBLE", "3"},
  });
}

TEST(DuckdbValues, Decimals) {
  check({
      {"12.50::DECIMAL(4,2)", R"("12.50")"},
      {"(-0.05)::DECIMAL(4,2)", R"("-0.05")"},
      {"0.1234::DECIMAL(4,4)", R"("0.1234")"},
      {"0::DECIMAL(4,4)", R"("0.0000")"},
      {"7::DECIMAL(4,0)", R"("7")"},
      {"(-1234567.89)::DECIMAL(9,2)", R"("-1234567.89")"},
      {"1234567890123456.78::DECIMAL(18,2)", R"("1234567890123456.78")"},
      {"'9999999999999999999999999999.9999999999'::DECIMAL(38,10)", R"("9999999999999999999999999999.9999999999")"},
      {"'-0.0000000001'::DECIMAL(38,10)", R"("-0.0000000001")"},
      {"('-' || repeat('9', 38))::DECIMAL(38,0)", '"' + ("-" + std::string(38, '9')) + '"'},
  });
}

TEST(DuckdbValues, Texts) {
  check({
      {"''", R"("")"},
      {"'NULL'", R"("NULL")"},
      {"'exactly12byt'", R"("exactly12byt")"},
      {"'a\"b\\c'", R"("a\"b\\c")"},
      {"'a' || chr(0) || 'b'", R"("a\u0000b")"},
      {"'tab' || chr(9) || chr(10) || chr(13) || chr(31)", R"("tab\t\n\r\u001f")"},
      {"'über 🦆 东京'", R"("über 🦆 东京")"},
      {"'\\x00\\xFFab'::BLOB", R"({"base64":"AP9hYg==","bytes":4})"},
      {"''::BLOB", R"({"base64":"","bytes":0})"},
      {"'0101'::BIT", R"("0101")"},
      {"'000000001'::BIT", R"("000000001")"},
      {"'11111111'::BIT", R"("11111111")"},
      {"'00000000-0000-0000-0000-000000000000'::UUID", R"("00000000-0000-0000-0000-000000000000")"},
      {"'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID", R"("ffffffff-ffff-ffff-ffff-ffffffffffff")"},
      {"'7f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b'::UUID", R"("7f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b")"},
      {"'it''s \"q\"'::ENUM('a', 'it''s \"q\"')", R"("it's \"q\"")"},
  });
}

TEST(DuckdbValues, Dates) {
  check({
      {"DATE '2024-03-07'", R"("2024-03-07")"},
      {"DATE '2024-02-29'", R"("2024-02-29")"},
      {"DATE '1969-12-31'", R"("1969-12-31")"},
      {"DATE '0001-01-01'", R"("0001-01-01")"},
      {"DATE '0044-03-15 (BC)'", R"j("0044-03-15 (BC)")j"},
      {"DATE '5877642-06-25 (BC)'", R"j("5877642-06-25 (BC)")j"},
      {"DATE '5881580-07-10'", R"("5881580-07-10")"},
      {"DATE 'infinity'", R"("infinity")"},
      {"DATE '-infinity'", R"("-infinity")"},
      {"TIME '12:30:00'", R"("12:30:00")"},
      {"TIME '00:00:00.000001'", R"("00:00:00.000001")"},
      {"TIME '24:00:00'", R"("24:00:00")"},
      {"'23:59:59.123456789'::TIME_NS", R"("23:59:59.123456789")"},
      {"'23:59:59.1+15:59:59'::TIMETZ", R"("23:59:59.1+15:59:59")"},
      {"'00:00:00-05:30'::TIMETZ", R"("00:00:00-05:30")"},
      {"'01:02:03+00'::TIMETZ", R"("01:02:03+00:00")"},
  });
}

TEST(DuckdbValues, Timestamps) {
  check({
      {"TIMESTAMP '2024-03-07 12:30:00.123456'", R"("2024-03-07T12:30:00.123456")"},
      {"TIMESTAMP '2024-03-07 12:30:00.120'", R"("2024-03-07T12:30:00.12")"},
      {"TIMESTAMP '2024-03-07'", R"("2024-03-07T00:00:00")"},
      {"TIMESTAMP '1969-12-31 23:59:59.999999'", R"("1969-12-31T23:59:59.999999")"},
      {"TIMESTAMP '290309-12-22 (BC) 00:00:00'", R"("290309-12-22 (BC) 00:00:00")"},
      {"TIMESTAMP '294247-01-10 04:00:54.775806'", R"("294247-01-10T04:00:54.775806")"},
      {"TIMESTAMP 'infinity'", R"("infinity")"},
      {"'2024-03-07 12:30:00'::TIMESTAMP_S", R"("2024-03-07T12:30:00")"},
      {"'-infinity'::TIMESTAMP_S", R"("-infinity")"},
      {"'2024-03-07 12:30:00.5'::TIMESTAMP_MS", R"("2024-03-07T12:30:00.5")"},
      {"'1960-03-07 12:30:00.000000001'::TIMESTAMP_NS", R"("1960-03-07T12:30:00.000000001")"},
      {"'infinity'::TIMESTAMP_NS", R"("infinity")"},
      {"'2024-03-07 12:30:00.5+02'::TIMESTAMPTZ", R"("2024-03-07T10:30:00.5+00:00")"},
      {"'2024-07-01 00:00:00'::TIMESTAMPTZ", R"("2024-07-01T04:00:00+00:00")"},  // New York's midnight
      {"'infinity'::TIMESTAMPTZ", R"("infinity")"},
  });
}

TEST(DuckdbValues, Intervals) {
  check({
      {"INTERVAL 0 DAY", R"("00:00:00")"},
      {"INTERVAL '1 year 14 months 3 days 04:05:06.789'", R"("2 years 2 months 3 days 04:05:06.789")"},
      {"INTERVAL '-13 months 1 day'", R"("-1 year -1 month 1 day")"},
      {"INTERVAL '1 day -1 second'", R"("1 day -00:00:01")"},
      {"INTERVAL 100 HOURS", R"("100:00:00")"},
      {"to_microseconds('-9223372036854775808'::BIGINT)", R"("-2562047788:00:54.775808")"},
  });
}

TEST(DuckdbValues, Json) {
  check({
      {R"('{"a": 1.50, "b": [1e400, 12345678901234567890]}'::JSON)",
       R"({"a": 1.50, "b": [1e400, 12345678901234567890]})"},
      {"'null'::JSON", "null"},
      {R"(('{"a":' || chr(10) || '1}')::JSON)", R"({"a": 1})"},  // a line break would end a message
      {R"('{"a":1,"a":2}'::JSON)", R"("{\"a\":1,\"a\":2}")"},    // one of the two would be lost
      {R"('{"a":1,"\u0061":2}'::JSON)", R"("{\"a\":1,\"\\u0061\":2}")"},
      {R"('{"a\n":1,"b":"\ud83e\udd86"}'::JSON)", R"({"a\n":1,"b":"\ud83e\udd86"})"},
      {R"(['{"x":1.10}'::JSON, NULL])", R"([{"x":1.10},null])"},
      {"(repeat('[', 300) || repeat(']', 300))::JSON", '"' + std::string(300, '[') + std::string(300, ']') + '"'},
  });
}

TEST(DuckdbValues, Nested) {
  check({
      {"[1, NULL, 3]", "[1,null,3]"},
      {"[]", "[]"},
      {"[[1], [], NULL, [NULL]]", "[[1],[],null,[null]]"},
      {"[1, 2, 3]::INTEGER[3]", "[1,2,3]"},
      {"[[1, 2], NULL]::INTEGER[2][2]", "[[1,2],null]"},
      {"{'a': 1, 'B c': 'x'}", R"({"a":1,"B c":"x"})"},
      {"row(1, 'a')", R"([1,"a"])"},
      {"[{'a': 1, 'b': NULL}, NULL, {'a': NULL, 'b': [1.50]}]", R"([{"a":1,"b":null},null,{"a":null,"b":["1.50"]}])"},
      {"MAP {'k': 1, 'l': NULL}", R"({"k":1,"l":null})"},
      {"MAP {1: 'a', -2: 'b'}", R"({"1":"a","-2":"b"})"},
      {"MAP {9007199254740993: 1}", R"({"9007199254740993":1})"},
      {"MAP {[1]: 'a'}", R"({"[1]":"a"})"},
      {"MAP {['x']: 'a'}", R"({"[\"x\"]":"a"})"},
      {"MAP {'nan'::DOUBLE: 1, 0.5::DOUBLE: 2}", R"({"NaN":1,"0.5":2})"},
      {"MAP {true: 1}", R"({"true":1})"},
      {"MAP {'\\x01'::BLOB: 1}", R"({"{\"base64\":\"AQ==\",\"bytes\":1}":1})"},
      {"MAP {}", "{}"},
      {"union_value(num := 1)", R"({"num":1})"},
      {"[union_value(num := 1)::UNION(num INTEGER, str VARCHAR), 'x'::UNION(num INTEGER, str VARCHAR), NULL]",
       R"([{"num":1},{"str":"x"},null])"},
      {"{'d': DATE '2024-03-07', 't': ['2024-01-01'::TIMESTAMPTZ], 'u': {'e': 'a'::ENUM('a')}}",
       R"({"d":"2024-03-07","t":["2024-01-01T05:00:00+00:00"],"u":{"e":"a"}})"},
  });
}

TEST(DuckdbValues, Variants) {
  check({
      {"NULL::VARIANT", "null"},
      {"1::VARIANT", "1"},
      {"true::VARIANT", "true"},
      {"(-1.50)::DECIMAL(38,2)::VARIANT", R"("-1.50")"},
      {"12.5::DECIMAL(4,1)::VARIANT", R"("12.5")"},
      {"1234567.25::DECIMAL(9,2)::VARIANT", R"("1234567.25")"},
      {"1.25::DECIMAL(18,2)::VARIANT", R"("1.25")"},
      {"18446744073709551615::UBIGINT::VARIANT", R"("18446744073709551615")"},
      {"'-170141183460469231731687303715884105728'::HUGEINT::VARIANT", R"("-170141183460469231731687303715884105728")"},
      {"repeat('9', 40)::BIGNUM::VARIANT", '"' + std::string(40, '9') + '"'},
      {"0.1::FLOAT::VARIANT", "0.1"},
      {"repeat('x', 300)::VARIANT", '"' + std::string(300, 'x') + '"'},
      {"'\\x01'::BLOB::VARIANT", R"({"base64":"AQ==","bytes":1})"},
      {"'011'::BIT::VARIANT", R"("011")"},
      {"'7f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b'::UUID::VARIANT", R"("7f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b")"},
      {"DATE '2024-03-07'::VARIANT", R"("2024-03-07")"},
      {"TIME '12:30:00.5'::VARIANT", R"("12:30:00.5")"},
      {"'12:30:00.5+01'::TIMETZ::VARIANT", R"("12:30:00.5+01:00")"},
      {"TIMESTAMP '2024-03-07 12:30:00.5'::VARIANT", R"("2024-03-07T12:30:00.5")"},
      {"'2024-03-07 12:30:00'::TIMESTAMP_S::VARIANT", R"("2024-03-07T12:30:00")"},
      {"'2024-03-07 12:30:00.123'::TIMESTAMP_MS::VARIANT", R"("2024-03-07T12:30:00.123")"},
      {"'2024-03-07 12:30:00.123456789'::TIMESTAMP_NS::VARIANT", R"("2024-03-07T12:30:00.123456789")"},
      {"'2024-03-07 12:30:00+00'::TIMESTAMPTZ::VARIANT", R"("2024-03-07T12:30:00+00:00")"},
      {"INTERVAL 1 MONTH::VARIANT", R"("1 month")"},
      {"[]::INTEGER[]::VARIANT", "[]"},
      {"[1, NULL, 3]::VARIANT", "[1,null,3]"},
      {"{'b': {'c': [1, 2]}, 'a': 'x'}::VARIANT", R"({"b":{"c":[1,2]},"a":"x"})"},
      {"[{'a': 1}::VARIANT, 'x'::VARIANT, NULL]", R"([{"a":1},"x",null])"},
  });
}

TEST(DuckdbValues, Geometries) {
  check({
      {"'POINT(1.5 -2e30)'::GEOMETRY", R"j("POINT (1.5 -2e+30)")j"},
      {"'POINT EMPTY'::GEOMETRY", R"("POINT EMPTY")"},
      {"'POINT ZM(1 2 3 4)'::GEOMETRY", R"j("POINT ZM (1 2 3 4)")j"},
      {"'MULTIPOINT(EMPTY, (1 2))'::GEOMETRY", R"j("MULTIPOINT (EMPTY, 1 2)")j"},
      {"'GEOMETRYCOLLECTION(POINT(1 2), POLYGON EMPTY, MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0))))'::GEOMETRY",
       R"j("GEOMETRYCOLLECTION (POINT (1 2), POLYGON EMPTY, MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0))))")j"},
      {"['MULTILINESTRING M((1 2 3, 4 5 6))'::GEOMETRY]", R"j(["MULTILINESTRING M ((1 2 3, 4 5 6))"])j"},
  });
}

// The texts that are "as the engine prints": compared with what it prints, over many values.
TEST(DuckdbValues, PrintsAsTheEngineDoes) {
  DuckdbSession session;
  const std::vector<std::string> expressions = {
      "to_months((hash(i) % 2000)::INTEGER - 1000) + to_days((hash(i + 1) % 99)::INTEGER - 50) + "
      "to_microseconds((hash(i + 2) % 2000000000000)::BIGINT - 1000000000000)",
      "(hash(i)::VARCHAR || hash(i + 1)::VARCHAR || hash(i + 2)::VARCHAR)::BIGNUM",
      "(-hash(i)::HUGEINT * (hash(i + 1) // 3))",
      "(hash(i) // 2)::BIGINT::BIT",
      "DATE '0001-01-01' + ((hash(i) % 2000000)::INTEGER - 1000000)",
      "('POINT(' || (hash(i)::DOUBLE / 1e7)::VARCHAR || ' ' || (1 / hash(i))::VARCHAR || ')')::GEOMETRY",
      "md5(i::VARCHAR)::UUID",
      "(hash(i)::HUGEINT * (hash(i + 1) % 100000))::DECIMAL(38,7)",
      "'2000-01-01'::TIMESTAMP_NS::TIME_NS",
  };
  for (const std::string& expression : expressions) {
    const EncodedRows encoded =
        session.encode("SELECT v, v::VARCHAR FROM (SELECT " + expression + " AS v FROM range(1, 3001) t(i))");
    ASSERT_EQ(encoded.error, "") << expression;
    ASSERT_EQ(encoded.rows.size(), 3000U);
    EXPECT_EQ(encoded.chars_counted, encoded.chars_rendered) << expression;
    for (const std::string& row : encoded.rows) {
      const std::size_t middle = row.size() / 2;
      ASSERT_EQ(row.substr(1, middle - 1), row.substr(middle + 1, row.size() - middle - 2))
          << expression << ": " << row;
    }
  }
}

// Vectors that the engine keeps constant, as a dictionary, compressed or shredded reach the encoder flat, also inside
// others.
TEST(DuckdbValues, EveryFormOfVector) {
  const test::TempFolder folder;
  DuckdbSession session;
  session.execute("ATTACH '" + folder.path() + "/forms.duckdb' AS forms (STORAGE_VERSION 'latest')");
  session.execute("USE forms");
  session.execute(
      "CREATE TABLE t AS SELECT i, 'name' || (i % 3) AS s, {'c': 7, 'i': i, 's': 'v' || i % 2} AS st, "
      "[i, i + 1] AS l, {'a': i, 'b': ['x' || i % 2]}::VARIANT AS v FROM range(200000) r(i)");
  ASSERT_EQ(session.execute("CHECKPOINT"), "");
  const std::vector<ValueCase> cases = {
      {"SELECT s, 5, {'k': 1, 's': s}, [s, 'c'] FROM t WHERE i % 1000 = 3",
       R"(["name0",5,{"k":1,"s":"name0"},["name0","c"]])"},
      {"SELECT st, list_transform(l, x -> {'one': 1, 'x': x}) FROM t WHERE i % 1000 = 3",
       R"([{"c":7,"i":3,"s":"v1"},[{"one":1,"x":3},{"one":1,"x":4}]])"},
      {"SELECT v, v.b FROM t WHERE i % 1000 = 3", R"([{"a":3,"b":["x1"]},["x1"]])"},
      {"SELECT a.s, b.st FROM t a JOIN t b ON a.i = b.i WHERE a.i % 1000 = 3 ORDER BY a.i",
       R"(["name0",{"c":7,"i":3,"s":"v1"}])"},
      {"SELECT CASE WHEN i < 2000 THEN {'p': 1, 'q': l} END FROM t WHERE i % 1000 = 3", R"([{"p":1,"q":[3,4]}])"},
      {"SELECT unnest([{'a': s, 'b': 1}, NULL]) FROM t WHERE i % 1000 = 3", R"([{"a":"name0","b":1}])"},
      {"SELECT array_agg({'s': s, 'n': NULL::INTEGER} ORDER BY i) FROM t WHERE i < 2",
       R"([[{"s":"name0","n":null},{"s":"name1","n":null}]])"},
  };
  for (const ValueCase& one : cases) {
    const EncodedRows encoded = session.encode(one.sql);
    ASSERT_EQ(encoded.error, "") << one.sql;
    ASSERT_FALSE(encoded.rows.empty()) << one.sql;
    EXPECT_EQ(encoded.rows.front(), one.json) << one.sql;
    EXPECT_EQ(encoded.chars_counted, encoded.chars_rendered) << one.sql;
  }
}

TEST(DuckdbValues, NullsAreWhereTheyAre) {
  DuckdbSession session;
  const EncodedRows encoded =
      session.encode("SELECT CASE WHEN i % 3 = 0 THEN i END, CASE WHEN i % 2 = 0 THEN [i] END FROM range(5000) t(i)");
  ASSERT_EQ(encoded.rows.size(), 5000U);
  EXPECT_EQ(encoded.rows[4995], "[4995,null]");
  EXPECT_EQ(encoded.rows[4996], "[null,[4996]]");
  EXPECT_EQ(encoded.rows[4998], "[4998,[4998]]");
  EXPECT_EQ(encoded.chars_counted, encoded.chars_rendered);
}

TEST(DuckdbValues, LongCellsAreCut) {
  DuckdbSession session;
  const std::string shown(8000, 'x');
  EXPECT_EQ(session.cell("SELECT repeat('x', 8000)"), '"' + shown + '"');
  EXPECT_EQ(session.cell("SELECT repeat('x', 8001)"), R"({"cut":true,"chars":8001,"text":")" + shown + "\"}");
  // Characters and not bytes; quotes and escapes of the JSON do not count for a text.
  EXPECT_EQ(session.cell("SELECT repeat('🦆', 5)", 5), R"("🦆🦆🦆🦆🦆")");
  EXPECT_EQ(session.cell("SELECT repeat('🦆', 6)", 5), R"({"cut":true,"chars":6,"text":"🦆🦆🦆🦆🦆"})");
  EXPECT_EQ(session.cell(R"(SELECT '"""""')", 5), R"("\"\"\"\"\"")");
  // What has parts is cut as the text of its JSON.
  EXPECT_EQ(session.cell("SELECT [1, 2, 3]", 6), R"({"cut":true,"chars":7,"text":"[1,2,3"})");
  EXPECT_EQ(session.cell("SELECT [1, 2, 3]", 7), "[1,2,3]");
  EXPECT_EQ(session.cell("SELECT {'a': 'bc'}", 5), R"({"cut":true,"chars":10,"text":"{\"a\":"})");
  EXPECT_EQ(session.cell("SELECT '[1, 2]'::JSON", 5), R"({"cut":true,"chars":6,"text":"[1, 2"})");
  EXPECT_EQ(session.cell("SELECT 'abcdef'::BLOB", 12), R"({"cut":true,"chars":31,"text":"{\"base64\":\"Y"})");
  // A number is never cut.
  EXPECT_EQ(session.cell("SELECT 123456", 5), "123456");
  EXPECT_TRUE(session.encode("SELECT repeat('x', 6)", 5).any_cell_cut);
  EXPECT_FALSE(session.encode("SELECT repeat('x', 5)", 5).any_cell_cut);
}

TEST(DuckdbValues, TypesThatCannotBeShownAreErrors) {
  DuckdbSession session;
  EXPECT_EQ(session.cell("SELECT get_type(1)"),
            "ERROR invalid-value: column 1 (get_type(1)): a column has a type whose values can't be shown exactly");
  EXPECT_TRUE(session.cell("SELECT sum(1) EXPORT_STATE").starts_with("ERROR invalid-value"));
  std::string deep = "1";
  for (int i = 0; i < 201; ++i) deep = "[" + deep + "]";
  EXPECT_TRUE(session.cell("SELECT " + deep).starts_with("ERROR invalid-value"));
}

TEST(DuckdbValues, DeepButAllowedNestingIsWhole) {
  DuckdbSession session;
  std::string deep = "1";
  for (int i = 0; i < 150; ++i) deep = "[" + deep + "]";
  EXPECT_EQ(session.cell("SELECT " + deep), deep);
}

TEST(DuckdbValues, StopsAfterTheRowThatPassesTheLimit) {
  DuckdbSession session;
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  duckdb_result result;
  ASSERT_EQ(duckdb_query(connection, "SELECT i + 10, 'é' FROM range(50) t(i)", &result), DuckDBSuccess);
  auto encoder = engine::duckdb::ChunkEncoder::make(&result, 8000);
  ASSERT_TRUE(encoder.ok());
  duckdb_data_chunk chunk = duckdb_fetch_chunk(result);
  RowBatch batch;
  // [10,"é"] has 8 characters; three rows and two commas 26.
  auto done = encoder->encode(chunk, 0, 50, 25, batch);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->rows, 3U);
  EXPECT_EQ(done->chars, 26U);
  done = encoder->encode(chunk, 48, 2, 1000, batch);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->rows, 2U);
  EXPECT_EQ(batch.rows, 5U);
  CellReader reader(batch.cells);
  for (int i = 0; i < 6; ++i) reader.skip();
  EXPECT_EQ(reader.next().integer, 58);
  duckdb_destroy_data_chunk(&chunk);
  duckdb_destroy_result(&result);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

TEST(DuckdbValues, TypeNamesAreTheEngines) {
  DuckdbSession session;
  session.execute("CREATE TYPE mood AS ENUM ('sad', 'it''s')");
  const std::vector<std::string> expressions = {
      "1::TINYINT",
      "1::UHUGEINT",
      "1::BIGNUM",
      "1::DECIMAL(10,2)",
      "'x'",
      "'{}'::JSON",
      "['{}'::JSON]",
      "'1'::BIT",
      "'\\x01'::BLOB",
      "now()",
      "'1:00'::TIME",
      "'01:00:00'::TIME_NS",
      "'01:00:00+00'::TIMETZ",
      "'2024-01-01'::TIMESTAMP_S",
      "'2024-01-01'::TIMESTAMP_MS",
      "'2024-01-01'::TIMESTAMP_NS",
      "uuid()",
      "INTERVAL 1 DAY",
      "'sad'::mood",
      "true",
      "{'a': 1, 'b c': ['x'], 'select': 2, 'A1': 3, '1a': 4, 'é': 5, 'q\"': 6, 'Value': 7}",
      "row(1, 'a')",
      "MAP {'a': {'x': 1}}",
      "[1, 2]::INTEGER[2]",
      "[[1], [2]]",
      "union_value(\"a b\" := 1)",
      "1::VARIANT",
      "'POINT(1 2)'::GEOMETRY",
      "'POINT(1 2)'::GEOMETRY('OGC:CRS84')",
      "[{'g': 'POINT(1 2)'::GEOMETRY}]"};
  for (const std::string& expression : expressions) {
    const EncodedRows encoded = session.encode("SELECT " + expression + ", typeof(" + expression + ")");
    ASSERT_EQ(encoded.error, "") << expression;
    std::string expected;
    append_json_string(expected, encoded.columns[0].type);
    EXPECT_TRUE(encoded.rows[0].ends_with("," + expected + "]")) << expected << " in " << encoded.rows[0];
  }
}

// A member that is a keyword is quoted in the type's name; the list of keywords is the engine's.
TEST(DuckdbValues, KeywordsInTypeNames) {
  DuckdbSession session;
  const EncodedRows names = session.encode("SELECT DISTINCT keyword_name FROM duckdb_keywords() ORDER BY 1");
  ASSERT_GT(names.rows.size(), 400U);
  std::string members;
  for (const std::string& row : names.rows) {
    members += (members.empty() ? "'" : ", '") + row.substr(2, row.size() - 4) + "': 1";
  }
  const EncodedRows encoded = session.encode("SELECT s, typeof(s) FROM (SELECT {" + members + "} AS s)", 100'000);
  ASSERT_EQ(encoded.error, "");
  std::string expected;
  append_json_string(expected, encoded.columns[0].type);
  EXPECT_TRUE(encoded.rows[0].ends_with("," + expected + "]"));
}

// Bytes that the engine should never give, but a damaged file might: an error or the bytes themselves, never a guess.
TEST(DuckdbValues, BytesInNoKnownForm) {
  using namespace engine::duckdb::internal;  // NOLINT(google-build-using-namespace)
  std::string out;
  Sink sink(out);
  EXPECT_EQ(put_varchar(sink, "a\xFF"), 27U);
  CellReader reader(out);
  std::string json;
  append_json(json, reader);
  EXPECT_EQ(json, R"({"base64":"Yf8=","bytes":2})");
  EXPECT_FALSE(sink.failure.has_value());
  for (auto* put : {put_bignum, put_bits, put_geometry}) {
    std::string cells;
    Sink failing(cells);
    put(failing, "\x09");
    ASSERT_TRUE(failing.failure.has_value());
    EXPECT_EQ(failing.failure->code, "invalid-value");
    EXPECT_EQ(cells, "");
  }
  EXPECT_FALSE(format_geometry(std::string_view("\1\1\0\0\0\0\0", 7)).has_value());
}

TEST(DuckdbValues, StrictJson) {
  for (const char* good :
       {"0", "-1.5e+3", R"("\u00e9")", R"( [ 1 , {"a":[]} ] )", "true", R"({"a":1,"b\n":{"a":2}})"}) {
    EXPECT_TRUE(is_strict_json(good)) << good;
  }
  for (const char* bad :
       {"", "01", "1.", "-", "+1", "NaN", "[1,]", "{\"a\"}", R"("\ud800")", R"("\udc00")", "\"\n\"", "1 2",
        R"({"a":1,"b":2,"a":3})", R"({"\n":1,"\u000a":2})", "\"\xFF\"", "[", "'a'", "\"\\x\"", "tru"}) {
    EXPECT_FALSE(is_strict_json(bad)) << bad;
  }
}

TEST(DuckdbValues, NamesMayRepeat) {
  DuckdbSession session;
  const EncodedRows encoded = session.encode("SELECT 1 AS a, 2 AS a");
  EXPECT_EQ(encoded.columns, (std::vector<Column>{{"a", "INTEGER"}, {"a", "INTEGER"}}));
  EXPECT_EQ(encoded.rows, (std::vector<std::string>{"[1,2]"}));
}

}  // namespace
}  // namespace candor
