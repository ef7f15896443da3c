// What the engine tells the review of tables and functions, and what it must not claim to know.
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "support/duckdb_shop.h"
#include "support/engine_rows.h"

namespace candor::engine {
namespace {

class DuckdbFacts : public testing::Test {
 protected:
  void SetUp() override { shop_.open(); }
  Engine& engine() { return shop_.engine(); }
  void make(const std::string& sql) {
    const test::Ran ran = test::run(engine(), sql);
    if (ran.error) throw std::runtime_error(sql + ": " + ran.all());
  }
  TableFacts facts(const TableName& name, const std::vector<std::string>& columns = {}) {
    const Result<TableFacts> result = engine().table_facts(name, columns);
    if (!result.ok()) throw std::runtime_error(result.error().message);
    return result.value();
  }
  std::optional<std::uint64_t> width(const std::string& table, const std::string& column) {
    for (const ColumnFacts& fact : facts({"", "", table}, {column}).columns) {
      if (fact.name == column) return fact.width_max;
    }
    ADD_FAILURE() << "no column " << column;
    return std::nullopt;
  }
  test::DuckdbShop shop_;
};

TEST_F(DuckdbFacts, ResolvesNamesLikeTheAgent) {
  EXPECT_EQ(facts({"", "", "orders"}).resolved, (TableName{"shop", "main", "orders"}));
  EXPECT_EQ(facts({"", "", "ORDERS"}).resolved, (TableName{"shop", "main", "orders"}));
  EXPECT_EQ(facts({"", "shop", "customers"}).resolved, (TableName{"shop", "main", "customers"}));
  EXPECT_EQ(facts({"store", "main", "customers"}).resolved, (TableName{"store", "main", "customers"}));
  EXPECT_TRUE(facts({"", "", "orders"}).exists);
  EXPECT_TRUE(facts({"", "", "orders"}).base_table);
  EXPECT_EQ(facts({"", "", "orders"}).rows_estimated, 3U);
  EXPECT_FALSE(facts({"", "", "customers"}).exists);  // of two sources
  EXPECT_FALSE(facts({"", "", "nosuch"}).exists);
  EXPECT_FALSE(facts({"shop", "", "nosuch"}).exists);
  EXPECT_FALSE(facts({"nosuch", "", "orders"}).exists);
  EXPECT_FALSE(facts({"", "", "it's \"odd\""}).exists);
  make("CREATE TABLE customers AS SELECT 1 AS a");
  EXPECT_EQ(facts({"", "", "customers"}).resolved, (TableName{"scratch", "main", "customers"}));
}

TEST_F(DuckdbFacts, SeesViewsAndShadows) {
  EXPECT_TRUE(facts({"", "", "big_orders"}).exists);
  EXPECT_FALSE(facts({"", "", "big_orders"}).base_table);
  EXPECT_FALSE(facts({"shop", "main", "orders"}).shadowed);
  make("CREATE TEMP TABLE Orders AS SELECT 1 AS id");
  EXPECT_TRUE(facts({"shop", "main", "orders"}).shadowed);
  make("DROP TABLE temp.orders");
  EXPECT_FALSE(facts({"shop", "main", "orders"}).shadowed);
  make("CREATE VIEW orders AS SELECT 1 AS id");
  EXPECT_TRUE(facts({"shop", "main", "orders"}).shadowed);
  EXPECT_FALSE(facts({"", "", "orders"}).base_table);
}

TEST_F(DuckdbFacts, KnowsTheWidthOfFixedTypes) {
  make(
      "CREATE TABLE f (b BOOLEAN, i INTEGER, l BIGINT, h HUGEINT, d DECIMAL(38, 2), day DATE, moment TIMESTAMP, "
      "zone TIMESTAMPTZ, u UUID, e ENUM('a', 'four'), x DOUBLE, v INTERVAL, list INTEGER[], s STRUCT(a INTEGER), blob "
      "BLOB)");
  const TableFacts known = facts({"", "", "f"}, {"b", "i", "l", "h", "d", "day", "moment", "zone", "u", "e", "x", "v"});
  for (const ColumnFacts& column : known.columns) {
    const bool asked = column.name != "list" && column.name != "s" && column.name != "blob";
    EXPECT_EQ(column.width_max.has_value(), asked) << column.name << " " << column.type;
  }
  EXPECT_EQ(width("f", "e"), 4U);
  EXPECT_EQ(width("f", "list"), std::nullopt);
  EXPECT_EQ(width("f", "s"), std::nullopt);
  EXPECT_EQ(width("f", "blob"), std::nullopt);
  EXPECT_EQ(facts({"", "", "f"}, {"i"}).columns[0].width_max, std::nullopt);  // not asked for
}

TEST_F(DuckdbFacts, ReadsTheLongestTextFromEverySegment) {
  EXPECT_EQ(width("orders", "customer"), 2U);
  make("CREATE TABLE t AS SELECT 'abc' || i AS k FROM range(300000) r(i)");
  EXPECT_EQ(width("t", "k"), 9U);
  // In bytes; rows that are not checkpointed count too.
  make("INSERT INTO t VALUES ('ééééééééééé')");
  EXPECT_EQ(width("t", "k"), 22U);
  make("CREATE TABLE nulls AS SELECT NULL::VARCHAR AS k FROM range(10)");
  EXPECT_EQ(width("nulls", "k"), 0U);
  make("CREATE TABLE none (k VARCHAR)");
  EXPECT_EQ(width("none", "k"), 0U);
  make("CREATE TABLE odd AS SELECT 'xy' AS \"it's \"\"odd\"\"\"");
  EXPECT_EQ(width("odd", "it's \"odd\""), 2U);
  make("CREATE TABLE \"it's. odd\" AS SELECT 'xyz' AS k");
  EXPECT_EQ(width("it's. odd", "k"), 3U);
  // The engine can't be asked for this one: it would answer for the other.
  make("CREATE TABLE \"o\"\"dd\" AS SELECT 'xyzxyz' AS k");
  make("CREATE TABLE \"odd2\" AS SELECT 'x' AS k");
  EXPECT_EQ(width("o\"dd", "k"), std::nullopt);
}

TEST_F(DuckdbFacts, UpdatesAreCheckpointedOrPending) {
  make("CREATE TABLE t AS SELECT 'a' AS k FROM range(10)");
  make("UPDATE t SET k = 'much longer'");
  const TableFacts after = facts({"", "", "t"}, {"k"});
  EXPECT_FALSE(after.pending_updates);
  EXPECT_EQ(after.columns[0].width_max, 11U);
}

TEST_F(DuckdbFacts, NeverTellsAWidthThatIsTooSmall) {
  // Whatever was done to the table, a width that is given must hold for every row.
  make("CREATE TABLE t AS SELECT i, CASE WHEN i % 3 = 0 THEN NULL ELSE 'k' || i END AS k FROM range(200000) r(i)");
  const char* steps[] = {"UPDATE t SET k = repeat('x', 40) WHERE i = 77777",
                         "INSERT INTO t SELECT 1, repeat('y', 60)",
                         "DELETE FROM t WHERE i < 130000",
                         "INSERT INTO t SELECT i, repeat('z', i::INTEGER % 100) FROM range(5000) r(i)",
                         "UPDATE t SET k = repeat('w', 120) WHERE i = 150000",
                         "DELETE FROM t WHERE length(k) > 50",
                         "UPDATE t SET k = 'ü' || k WHERE i % 2 = 0"};
  for (const char* step : steps) {
    make(step);
    const TableFacts known = facts({"", "", "t"}, {"k"});
    const std::string longest = test::run(engine(), "SELECT coalesce(max(strlen(k)), 0) FROM t").all();
    const std::uint64_t real = std::stoull(longest.substr(1));
    if (known.columns[1].width_max) {
      EXPECT_GE(*known.columns[1].width_max, real) << step;
    } else {
      ADD_FAILURE() << "the width is not known after " << step << (known.pending_updates ? " (pending)" : "");
    }
  }
}

TEST_F(DuckdbFacts, AnOpenTransactionKeepsUpdatesPending) {
  make("CREATE TABLE t AS SELECT 'a' AS k FROM range(10)");
  make("CREATE TABLE other (a INTEGER)");
  // An open stream reads an older state; the checkpoint may be refused or not, but no stale width may come of it.
  RunRequest endless;
  endless.sql = "SELECT a.range, k FROM range(1000000000) a, t";
  endless.rows_max = 1'000'000'000;
  const auto stream = engine().run(endless, CancelToken());
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(std::holds_alternative<RowBatch>(stream.value()->next()));
  make("UPDATE t SET k = 'much longer'");
  const TableFacts known = facts({"", "", "t"}, {"k"});
  if (known.columns[0].width_max) {
    EXPECT_GE(*known.columns[0].width_max, 11U);
  } else {
    EXPECT_TRUE(known.pending_updates);
  }
}

TEST_F(DuckdbFacts, SeesCollations) {
  make(
      "CREATE TABLE c (a VARCHAR COLLATE NOCASE, b VARCHAR, \"x y\" VARCHAR COLLATE NOACCENT DEFAULT 'q', d INTEGER, "
      "CHECK (b <> 'COLLATE'))");
  const TableFacts known = facts({"", "", "c"}, {"a", "b"});
  ASSERT_EQ(known.columns.size(), 4U);
  EXPECT_TRUE(known.columns[0].collated);
  EXPECT_FALSE(known.columns[1].collated);
  EXPECT_TRUE(known.columns[2].collated);
  EXPECT_FALSE(known.columns[3].collated);
}

TEST_F(DuckdbFacts, TellsFunctionsApart) {
  make("CREATE MACRO mine(x) AS x");
  const auto known = engine().function_facts(
      {"upper", "UPPER", "+", "~~", "||", "random", "now", "uuid", "sum", "count_star", "mine", "nosuch", "nextval"});
  ASSERT_TRUE(known.ok());
  const auto told = [&](std::size_t i) {
    return std::string(known.value()[i].built_in ? "built-in" : "not") +
           (known.value()[i].repeatable ? " repeatable" : "");
  };
  for (const std::size_t i : {0, 1, 2, 3, 4, 6, 8, 9})
    EXPECT_EQ(told(i), "built-in repeatable") << known.value()[i].name;
  for (const std::size_t i : {5, 7, 12}) EXPECT_EQ(told(i), "built-in") << known.value()[i].name;
  for (const std::size_t i : {10, 11}) EXPECT_EQ(told(i), "not") << known.value()[i].name;
  make("CREATE OR REPLACE TEMP MACRO \"+\"(a, b) AS 7");
  EXPECT_FALSE(engine().function_facts({"+"}).value()[0].built_in);
}

TEST_F(DuckdbFacts, CanBeAskedWhileStatementsRun) {
  make("CREATE TABLE t AS SELECT 'abc' AS k FROM range(1000)");
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(test::run(engine(), "INSERT INTO t SELECT 'abcd' FROM range(100)").code(), "");
    }
    done = true;
  });
  while (!done) {
    const TableFacts known = facts({"", "", "t"}, {"k"});
    EXPECT_TRUE(known.exists);
    if (known.columns[0].width_max) {
      EXPECT_LE(*known.columns[0].width_max, 4U);
    }
  }
  writer.join();
}

}  // namespace
}  // namespace candor::engine
