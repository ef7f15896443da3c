// What a SQLite file's schema tells, the exact types of copies, and the small parts below the engine.
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "engine/sqlite/affinity.h"
#include "engine/sqlite/functions.h"
#include "engine/sqlite/sqlite_engine.h"
#include "engine/sqlite/statement.h"
#include "support/sqlite_file.h"

namespace candor::engine::sqlite {
namespace {

using SqliteCatalogTest = SqliteEngineTest;

// ---- the catalog ----

TEST_F(SqliteCatalogTest, TheCatalogTellsTablesViewsColumnsAndEstimates) {
  write(
      "CREATE VIEW grown AS SELECT id, name FROM users WHERE age > 35; CREATE VIEW broken AS SELECT * FROM gone;"
      "CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE g(a INT, b AS (a+1));"
      "INSERT INTO users VALUES (100,'Z',1,NULL)");
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  ASSERT_EQ(catalog->tables.size(), 4U);
  EXPECT_EQ(catalog->tables[0].name, "g");
  EXPECT_EQ(catalog->tables[0].columns.size(), 2U);
  EXPECT_EQ(catalog->tables[0].rows_estimated, 0U);
  EXPECT_TRUE(catalog->tables[1].view);
  EXPECT_FALSE(catalog->tables[1].rows_estimated);
  const CatalogTable& users = catalog->tables[2];
  EXPECT_EQ(users.source, "app");
  EXPECT_EQ(users.schema, "main");
  EXPECT_EQ(users.rows_estimated, 100U);
  EXPECT_FALSE(users.rows_exact);
  EXPECT_EQ(users.columns[0].name, "id");
  EXPECT_EQ(users.columns[0].type, "INTEGER");
  EXPECT_TRUE(users.columns[0].primary_key);
  EXPECT_FALSE(users.columns[1].nullable);
  EXPECT_TRUE(users.columns[2].nullable);
  EXPECT_FALSE(catalog->tables[3].rows_estimated);
  ASSERT_EQ(catalog->warnings.size(), 1U);
  EXPECT_NE(catalog->warnings[0].find("broken"), std::string::npos);
}

TEST_F(SqliteCatalogTest, AnalyzedTablesGiveTheirCount) {
  write("CREATE INDEX by_age ON users(age); INSERT INTO users VALUES (1000000,'Z',1,NULL); ANALYZE");
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->tables.size(), 1U);
  EXPECT_EQ(catalog->tables[0].rows_estimated, 4U);
}

TEST_F(SqliteCatalogTest, FactsOfATable) {
  write("CREATE VIEW v AS SELECT 1 AS a");
  const auto facts = engine().table_facts({"", "", "USERS"}, {"id", "name", "tag"});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->resolved, (TableName{"app", "main", "users"}));
  EXPECT_TRUE(facts->exists);
  EXPECT_TRUE(facts->base_table);
  EXPECT_EQ(facts->rows_estimated, 3U);
  EXPECT_EQ(facts->bytes_max, fs::file_size(path_));
  ASSERT_EQ(facts->columns.size(), 4U);
  EXPECT_EQ(facts->columns[0].width_max, 8U);
  EXPECT_FALSE(facts->columns[1].width_max);
  EXPECT_FALSE(facts->columns[2].width_max) << "not asked for";
  EXPECT_FALSE(facts->columns[1].collated);
  EXPECT_TRUE(facts->columns[3].collated);
  EXPECT_FALSE(engine().table_facts({"", "", "v"}, {})->base_table);
  EXPECT_FALSE(engine().table_facts({"", "", "nothing"}, {})->exists);
  EXPECT_FALSE(engine().table_facts({"scratch", "main", "users"}, {})->exists);
}

TEST_F(SqliteCatalogTest, FactsOfFunctions) {
  const auto facts = engine().function_facts({"UPPER", "random", "date", "printf", "my_own", "+"});
  ASSERT_TRUE(facts.ok());
  const auto tell = [&](std::size_t i) { return std::pair((*facts)[i].built_in, (*facts)[i].repeatable); };
  EXPECT_EQ(tell(0), std::pair(true, true));
  EXPECT_EQ(tell(1), std::pair(true, false));
  EXPECT_EQ(tell(2), std::pair(true, false));
  EXPECT_FALSE((*facts)[3].built_in);
  EXPECT_FALSE((*facts)[4].built_in);
  EXPECT_EQ(tell(5), std::pair(true, true));
}

TEST_F(SqliteCatalogTest, NothingCanBeAppended) {
  class None final : public RowStream {
    const Header& header() const override { return header_; }
    Item next() override { return End(); }
    Header header_;
  } none;
  EXPECT_EQ(engine().append("t", {}, true, none, {}).error().code, "read-only");
}

TEST_F(SqliteCatalogTest, TheParserIsLent) {
  EXPECT_EQ(engine().syntax_tree("SELECT 1").error().code, "engine-error");
  auto lent =
      open(policy(), {[](std::string_view text) -> Result<std::string> { return "tree of " + std::string(text); },
                      [](std::string_view) -> Result<std::string> { return make_error("syntax", "no"); }});
  ASSERT_TRUE(lent.ok());
  EXPECT_EQ(*(*lent)->syntax_tree("x"), "tree of x");
  EXPECT_EQ((*lent)->print_tree("x").error().code, "syntax");
}

// ---- exact types ----

TEST_F(SqliteCatalogTest, ExactTypesAreThoseOfTheRows) {
  write(
      "CREATE TABLE m(i DECIMAL, r INT, t BLOB, b TEXT, n TEXT, nr REAL, d DATE);"
      "INSERT INTO m VALUES (1, 1.5, 'x', x'00', NULL, NULL, NULL), (2, 3, 'y', NULL, NULL, NULL, NULL)");
  RunRequest request;
  request.sql = "SELECT i, r, t, b, n, nr, d FROM m";
  request.exact_types = true;
  const Outcome outcome = outcome_of(engine(), request);
  ASSERT_FALSE(outcome.failure) << outcome.failure->message;
  std::string types;
  for (const Column& column : outcome.header.columns) types += column.type + " ";
  EXPECT_EQ(types, "BIGINT DOUBLE VARCHAR BLOB VARCHAR DOUBLE VARCHAR ");
  EXPECT_EQ(outcome.rows, R"([1,1.5,"x",{"base64":"AA==","bytes":1},null,null,null],[2,3,"y",null,null,null,null])");
}

TEST_F(SqliteCatalogTest, MixedTypesAreRefusedByName) {
  write("CREATE TABLE m(a, b); INSERT INTO m VALUES (1, 1.5), ('1', 9007199254740993)");
  RunRequest request;
  request.sql = "SELECT a FROM m";
  request.exact_types = true;
  Outcome outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.code(), "mixed-types");
  EXPECT_NE(outcome.failure->message.find("column 1 (a)"), std::string::npos);
  EXPECT_EQ(outcome.failure->detail, "integers, texts");
  request.sql = "SELECT b FROM m";
  outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.code(), "mixed-types");
  EXPECT_EQ(outcome.failure->detail, "integers beyond 2^53, reals");
  request.sql = "SELECT CAST(a AS TEXT) AS a FROM m";
  EXPECT_EQ(outcome_of(engine(), request).rows, R"(["1"],["1"])");
}

TEST_F(SqliteCatalogTest, BothPassesOfExactTypesSeeTheSameRows) {
  ASSERT_NO_FATAL_FAILURE(write("PRAGMA journal_mode=WAL; CREATE TABLE m(a); INSERT INTO m VALUES (1)"));
  RunRequest request;
  request.sql =
      "SELECT a FROM m, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) SELECT i FROM n)";
  request.exact_types = true;
  request.rows_max = 1'000'000;
  auto stream = engine().run(request, {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  write("INSERT INTO m VALUES ('text')");
  std::uint64_t rows = 0;
  RowStream::Item item = (*stream)->next();
  while (auto* batch = std::get_if<RowBatch>(&item)) {
    rows += batch->rows;
    item = (*stream)->next();
  }
  EXPECT_TRUE(std::holds_alternative<End>(item));
  EXPECT_EQ(rows, 3000U);
  stream->reset();
  EXPECT_EQ(outcome_of(engine(), request).code(), "mixed-types");
}

// ---- parts ----

TEST(SqliteClassifyTest, FirstWords) {
  const auto code = [](std::string_view text) {
    const auto kind = classify(text, "app");
    return kind.ok() ? std::string(to_string(*kind)) : kind.error().code;
  };
  EXPECT_EQ(code("sElEcT 1"), "select");
  EXPECT_EQ(code("\xEF\xBB\xBFvalues (1)"), "select");
  EXPECT_EQ(code("/* DROP */ with a as (select 1) select * from a"), "select");
  EXPECT_EQ(code("explain /**/ query\nplan select 1"), "explain");
  EXPECT_EQ(code("explain select 1"), "statement-not-allowed");
  EXPECT_EQ(code("update t set a = 1"), "read-only");
  EXPECT_EQ(code("selecting"), "statement-not-allowed");
  EXPECT_EQ(code("/* never closed"), "syntax");
}

TEST(SqliteAffinityTest, FollowsTheRulesInOrder) {
  EXPECT_EQ(affinity_of("BIGINT"), Affinity::kInteger);
  EXPECT_EQ(affinity_of("CHARINT"), Affinity::kInteger);
  EXPECT_EQ(affinity_of("varchar(10)"), Affinity::kText);
  EXPECT_EQ(affinity_of(""), Affinity::kBlob);
  EXPECT_EQ(affinity_of("double precision"), Affinity::kReal);
  EXPECT_EQ(affinity_of("DECIMAL(10,2)"), Affinity::kNumeric);
}

}  // namespace
}  // namespace candor::engine::sqlite
