// Every attack is refused by the DuckDB engine, on every way in, and what the allow-list lets through still runs.
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "engine/attacks.h"
#include "engine/duckdb/statement_policy.h"
#include "support/duckdb_shop.h"
#include "support/engine_rows.h"

namespace candor::engine {
namespace {

class DuckdbPolicy : public testing::Test {
 protected:
  void SetUp() override { shop_.open(); }
  std::string code(const std::string& sql, bool allow_writes = true) {
    RunRequest request;
    request.sql = sql;
    request.allow_writes = allow_writes;
    return test::run(shop_.engine(), request).code();
  }
  test::DuckdbShop shop_;
};

TEST_F(DuckdbPolicy, RefusesEveryAttack) {
  const std::set<std::string> refusals = {"statement-not-allowed", "not-published", "several-statements", "syntax",
                                          "unknown-function",      "read-only"};
  for (const bool allow_writes : {false, true}) {
    for (const Attack& attack : attacks()) {
      const std::string got = code(std::string(attack.sql), allow_writes);
      EXPECT_EQ(refusals.count(got), 1U) << attack.name << " gave '" << got << "'";
    }
  }
  // Nothing of it left a trace: the engine still answers, and no file and no object is new.
  EXPECT_EQ(test::run(shop_.engine(), "SELECT 1").all(), "[1]");
  EXPECT_EQ(test::run(shop_.engine(), "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'scratch'").all(),
            "[0]");
  EXPECT_EQ(test::run(shop_.engine(), "SELECT count(*) FROM duckdb_databases() WHERE NOT internal").all(), "[3]");
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    EXPECT_EQ(entry.path().filename().string().find("candor-attack"), std::string::npos) << entry.path();
  }
}

TEST_F(DuckdbPolicy, RefusesEveryAttackInsideOfQuery) {
  for (const Attack& attack : attacks()) {
    std::string text;
    for (const char c : attack.sql) text += c == '\'' ? std::string("''") : std::string(1, c);
    EXPECT_NE(code("SELECT * FROM query('" + text + "')"), "") << attack.name;
    EXPECT_NE(code("EXPLAIN ANALYZE " + std::string(attack.sql)), "") << attack.name;
    EXPECT_NE(code("WITH a AS (SELECT 1) " + std::string(attack.sql)), "") << attack.name;
  }
}

TEST_F(DuckdbPolicy, AttackNamesAreUnique) {
  std::set<std::string_view> names;
  for (const Attack& attack : attacks()) EXPECT_TRUE(names.insert(attack.name).second) << attack.name;
}

TEST_F(DuckdbPolicy, ReadsNoPublishedFileByItsPath) {
  const std::string path = shop_.folder().path() + "/shop.duckdb";
  const std::string folder = shop_.folder().path();
  for (const std::string& sql :
       {"FROM '" + path + "'", "SELECT * FROM read_blob('" + path + "')", "FROM \"" + folder + "/shop\".duckdb",
        "FROM $$" + path + "$$", "FROM E'" + folder + "/shop\\x2educkdb'", "FROM '" + folder + "/shop'\n'.duckdb'",
        "FROM a: '" + path + "'", "SELECT * FROM shop.orders, '" + path + "'", "DESCRIBE '" + path + "'",
        "CREATE VIEW v AS FROM '" + path + "'", "FROM '" + folder + "/spill/../shop.duckdb'",
        "FROM '" + folder + "/scratch.duckdb'", "SELECT * FROM read_text('" + folder + "/spill/x')"}) {
    EXPECT_EQ(code(sql), "not-published") << sql;
  }
  // The same text as a value of another meaning is no path of ours.
  EXPECT_EQ(code("SELECT 'shop.duckdb', orders.id FROM shop.orders"), "");
}

TEST_F(DuckdbPolicy, WritesToNoSource) {
  for (const std::string sql :
       {"INSERT INTO shop.orders VALUES (4, 'C1', 1)", "INSERT INTO shop.main.orders VALUES (4, 'C1', 1)",
        "INSERT INTO \"SHOP\".orders VALUES (4, 'C1', 1)", "INSERT INTO orders VALUES (4, 'C1', 1)",
        "UPDATE orders SET amount = 0", "UPDATE shop.orders SET amount = 0", "DELETE FROM orders",
        "DELETE FROM store.stock", "DROP TABLE shop.orders", "DROP TABLE orders", "DROP VIEW big_orders",
        "CREATE TABLE shop.t (a INTEGER)", "CREATE OR REPLACE TABLE shop.orders AS SELECT 1",
        "CREATE VIEW shop.v AS SELECT 1", "CREATE MACRO shop.m(x) AS x", "WITH a AS (SELECT 1) DELETE FROM shop.orders",
        "INSERT OR REPLACE INTO shop.orders VALUES (1, 'C1', 1)"}) {
    EXPECT_EQ(code(sql), "read-only") << sql;
    EXPECT_EQ(test::run(shop_.engine(), "SELECT count(*), sum(amount) FROM shop.orders").all(), "[3,\"35.75\"]");
  }
}

TEST_F(DuckdbPolicy, WritesNothingWithoutPermission) {
  for (const std::string sql :
       {"CREATE TABLE t (a INTEGER)", "CREATE TEMP TABLE t (a INTEGER)", "CREATE VIEW v AS SELECT 1", "DROP TABLE t",
        "INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t", "CREATE MACRO m(x) AS x",
        "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a"}) {
    EXPECT_EQ(code(sql, false), "statement-not-allowed") << sql;
  }
}

TEST_F(DuckdbPolicy, RunsWhatIsAllowed) {
  for (const std::string sql :
       {"SELECT 1;",
        " \t\n-- note\n/* a /* b */ c */ SELECT 1 ; ;",
        "\xEF\xBB\xBF"
        "SELECT 1",
        "((SELECT 1))",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "WITH a AS (SELECT 1) FROM a",
        "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a WHERE x < 3) SELECT * FROM a",
        "WITH a AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (SELECT 2) SELECT * FROM a, b",
        "WITH a AS (SELECT 1) (SELECT * FROM a)",
        "FROM shop.orders",
        "FROM shop.orders SELECT id",
        "VALUES (1), (2)",
        "TABLE shop.orders",
        "DESCRIBE shop.orders",
        "DESC shop.orders",
        "DESCRIBE SELECT 1",
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "SHOW DATABASES",
        "SUMMARIZE shop.orders",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (FORMAT json) SELECT 1",
        "EXPLAIN (SELECT 1)",
        "PIVOT shop.orders ON customer USING sum(amount)",
        "PIVOT shop.orders ON customer IN ('C1') USING sum(amount)",
        "UNPIVOT shop.orders ON id",
        "FROM (PIVOT shop.orders ON customer USING count(*))",
        "SELECT ';' AS \";\"",
        "SELECT 'it''s', E'a\\'b;', $x$;$x$",
        "SELECT * FROM generate_series(1, 3)",
        "SELECT unnest([1, 2])",
        "SELECT * FROM duckdb_columns()",
        "SELECT 1 AS read_csv",
        "SELECT 'read_csv(''x'')'"}) {
    EXPECT_EQ(test::run(shop_.engine(), sql).code(), "") << sql << "\n" << test::run(shop_.engine(), sql).all();
  }
}

TEST_F(DuckdbPolicy, ListsNoBuiltInTableFunctionThatDoesNotExist) {
  // The allow-list names functions of the engine; a name that the engine lost would be dead text here.
  const test::Ran names = test::run(shop_.engine(),
                                    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE internal "
                                    "AND function_type IN ('table', 'table_macro')");
  ASSERT_EQ(names.code(), "");
  std::size_t allowed = 0;
  for (const std::string& row : names.rows) {
    if (duckdb::table_function_allowed(row.substr(2, row.size() - 4))) ++allowed;
  }
  EXPECT_GE(allowed, 25U);
  EXPECT_LT(allowed, names.rows.size());
}

TEST_F(DuckdbPolicy, SpansPointAtTheOffence) {
  const std::string sql = "SELECT * FROM shop.orders, read_csv('/etc/passwd')";
  EXPECT_EQ(test::under(sql, test::run(shop_.engine(), sql).error->span), "read_csv");
  const std::string attach = "  attach ':memory:' AS x";
  EXPECT_EQ(test::under(attach, test::run(shop_.engine(), attach).error->span), "attach");
  const std::string write = "DELETE FROM shop.orders WHERE id = 1";
  EXPECT_EQ(test::under(write, test::run(shop_.engine(), write).error->span), "shop.orders");
}

TEST_F(DuckdbPolicy, AUserMacroMayShadowButIsSeen) {
  EXPECT_EQ(code("CREATE MACRO count(x) AS 42"), "");
  EXPECT_EQ(code("CREATE TEMP MACRO upper(x) AS 'spoofed'"), "");
  const auto facts = shop_.engine().function_facts({"count", "upper", "lower", "+"});
  ASSERT_TRUE(facts.ok());
  EXPECT_FALSE(facts.value()[0].built_in);
  EXPECT_FALSE(facts.value()[1].built_in);
  EXPECT_TRUE(facts.value()[2].built_in);
  EXPECT_TRUE(facts.value()[3].built_in);
  // The review's lane sees none of them.
  RunRequest request;
  request.lane = Lane::kReview;
  request.sql = "SELECT count(id), upper(min(customer)) FROM shop.main.orders";
  EXPECT_EQ(test::run(shop_.engine(), request).all(), "[3,\"C1\"]");
}

}  // namespace
}  // namespace candor::engine
