// Which texts of PostgreSQL the review gives to DuckDB's parser, and as what.
#include <gtest/gtest.h>
#include <string>

#include "engine/postgres/review_text.h"

namespace candor::engine::postgres {
namespace {

std::string read(const std::string& sql) {
  const auto text = text_for_parser(sql);
  if (!text.ok()) return text.error().code;
  EXPECT_EQ(text->size(), sql.size()) << sql;
  return *text;
}

TEST(PostgresReviewText, FoldsNamesAndKeepsPlaces) {
  EXPECT_EQ(read("SELECT Name, \"Name\", 'Name' FROM Users"), "select name, \"Name\", 'Name' from users");
  EXPECT_EQ(read("SELECT 1 /* A */, 2 -- B\n, 3"), "select 1        , 2      , 3");
  EXPECT_EQ(read("SELECT 1 /* Aé */ + 2"), "select 1           + 2");
}

TEST(PostgresReviewText, TakesWhatBothReadAlike) {
  for (const char* sql :
       {"SELECT a.x, count(*) FROM a JOIN b ON a.k = b.k AND a.l = b.l WHERE a.x > 1 AND NOT b.y = 2 GROUP BY a.x",
        "SELECT x FROM a WHERE x BETWEEN 1 AND 2 AND y NOT BETWEEN 3 AND 4 OR z IN (1, 2)",
        "SELECT x::numeric(10, 2), CAST(y AS double precision), z::int FROM a",
        "SELECT x IS NULL, y IS NOT DISTINCT FROM z FROM a", "SELECT CASE WHEN x = 1 THEN y = 2 ELSE z > 3 END FROM a",
        "SELECT (a = b) = (c = d) FROM t", "SELECT 'a' || 'b' / 2, -x FROM a LIMIT 5 OFFSET 1;"}) {
    EXPECT_NE(read(sql), "unsupported-syntax") << sql;
  }
}

TEST(PostgresReviewText, LeavesOutWhatTheyReadDifferently) {
  for (const char* sql : {"SELECT a = b IS NULL FROM t",
                          "SELECT a < b = c FROM t",
                          "SELECT a BETWEEN 1 AND 2 = true FROM t",
                          "SELECT a LIKE b = c FROM t",
                          "SELECT a IS DISTINCT FROM b = c FROM t",
                          "SELECT a IN (1) = b FROM t",
                          "SELECT x ~ 'a' FROM t",
                          "SELECT x -> 'a' FROM t",
                          "SELECT x[1] FROM t",
                          "SELECT x && y FROM t",
                          "SELECT x || - y FROM t WHERE x @> y",
                          "SELECT x::char FROM t",
                          "SELECT x::varchar(2) FROM t",
                          "SELECT x::varchar FROM t",
                          "SELECT x::name FROM t",
                          "SELECT x::float FROM t",
                          "SELECT x::timestamp with time zone FROM t",
                          "SELECT x::public.mine FROM t",
                          "SELECT CAST(x AS char(3)) FROM t",
                          "SELECT CAST(x AS int4range) FROM t",
                          "SELECT E'a' FROM t",
                          "SELECT $$a$$ FROM t",
                          "SELECT X'41' FROM t",
                          "SELECT 0x1F FROM t",
                          "SELECT 1_000 FROM t",
                          "SELECT $1 FROM t",
                          "SELECT x IS TRUE FROM t",
                          "SELECT x = ANY (y) FROM t",
                          "SELECT * FROM a semi JOIN b ON a.x = b.x",
                          "SELECT * FROM ONLY a",
                          "SELECT x FROM a qualify",
                          "SELECT x COLLATE \"C\" FROM t",
                          "SELECT x AT TIME ZONE 'UTC' FROM t",
                          "SELECT x ISNULL FROM t",
                          "SELECT \u00e4 FROM t",
                          "SELECT a$b FROM t",
                          "SELECT 'a'\n'b'",
                          "SELECT x LIKE 'a' ESCAPE 'b' FROM t",
                          "SELECT x SIMILAR TO 'a' FROM t"}) {
    EXPECT_EQ(read(sql), "unsupported-syntax") << sql;
  }
}

}  // namespace
}  // namespace candor::engine::postgres
