// Rows under caps, exact counting, errors in mid-stream, cancelling, deadlines, and statements beside each other.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "support/duckdb_shop.h"
#include "support/engine_rows.h"

namespace candor::engine {
namespace {

constexpr const char* kEndless =
    "SELECT count(*) FROM range(100000000000) a, range(1000) b WHERE (a.range * b.range) % 7 = 3";

class DuckdbStream : public testing::Test {
 protected:
  void SetUp() override { shop_.open(); }
  Engine& engine() { return shop_.engine(); }
  static RunRequest request(const std::string& sql) {
    RunRequest made;
    made.sql = sql;
    made.allow_writes = true;
    return made;
  }
  test::DuckdbShop shop_;
};

TEST_F(DuckdbStream, CapsRowsAndCountsTheRest) {
  RunRequest capped = request("SELECT i FROM range(100000) t(i)");
  capped.rows_max = 10;
  capped.count_budget_ms = 60'000;
  const test::Ran ran = test::run(engine(), capped);
  ASSERT_EQ(ran.code(), "");
  EXPECT_EQ(ran.rows.size(), 10U);
  EXPECT_EQ(ran.rows.back(), "[9]");
  EXPECT_EQ(ran.end.rows, 10U);
  EXPECT_EQ(ran.end.rows_total, 100'000U);
  EXPECT_FALSE(ran.end.cut_by_chars);
}

TEST_F(DuckdbStream, CountsExactlyAtAndAroundTheCap) {
  for (const int rows : {0, 1, 9, 10, 11, 2047, 2048, 2049, 4096, 4097}) {
    for (const std::uint64_t cap : {std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{2048}, std::uint64_t{5000}}) {
      RunRequest capped = request("SELECT i FROM range(" + std::to_string(rows) + ") t(i)");
      capped.rows_max = cap;
      capped.count_budget_ms = 60'000;
      const test::Ran ran = test::run(engine(), capped);
      ASSERT_EQ(ran.code(), "");
      EXPECT_EQ(ran.end.rows_total, static_cast<std::uint64_t>(rows)) << rows << " under " << cap;
      EXPECT_EQ(ran.rows.size(), std::min<std::uint64_t>(cap, rows));
      EXPECT_EQ(ran.end.rows, ran.rows.size());
    }
  }
}

TEST_F(DuckdbStream, SaysWhenItDidNotCount) {
  RunRequest capped = request("SELECT a.range FROM range(1000000000) a, range(1000) b");
  capped.rows_max = 3;
  capped.count_budget_ms = 30;
  const test::Ran ran = test::run(engine(), capped);
  ASSERT_EQ(ran.code(), "");
  EXPECT_EQ(ran.rows.size(), 3U);
  EXPECT_FALSE(ran.end.rows_total.has_value());
  // The connection is free and in order again.
  EXPECT_EQ(test::run(engine(), "SELECT 1").all(), "[1]");
}

TEST_F(DuckdbStream, TheBudgetEndsACountThatGivesNoRows) {
  // The first rows come at once, then the engine works for long without giving another.
  RunRequest capped = request("SELECT i FROM range(1000000000000) t(i) WHERE i < 300000");
  capped.rows_max = 1;
  capped.count_budget_ms = 50;
  const test::Ran ran = test::run(engine(), capped);
  ASSERT_EQ(ran.code(), "") << ran.all();
  EXPECT_EQ(ran.rows.size(), 1U);
  EXPECT_FALSE(ran.end.rows_total.has_value());
}

TEST_F(DuckdbStream, CapsCharactersAfterTheRowThatPassesThem) {
  RunRequest capped = request("SELECT 'äbcdefgh' FROM range(100)");
  capped.chars_max = 100;
  capped.count_budget_ms = 60'000;
  const test::Ran ran = test::run(engine(), capped);
  ASSERT_EQ(ran.code(), "");
  EXPECT_TRUE(ran.end.cut_by_chars);
  EXPECT_EQ(ran.rows.size(), 8U);  // 12 characters a row and a comma between: the eighth passes 100
  EXPECT_EQ(ran.end.rows_total, 100U);
}

TEST_F(DuckdbStream, CharactersCutNothingWhenTheLastRowPassesThem) {
  RunRequest capped = request("SELECT repeat('x', 50)");
  capped.chars_max = 10;
  const test::Ran ran = test::run(engine(), capped);
  EXPECT_FALSE(ran.end.cut_by_chars);
  EXPECT_EQ(ran.end.rows, 1U);
  EXPECT_EQ(ran.end.rows_total, 1U);
}

TEST_F(DuckdbStream, CutsLongCellsAndSaysSo) {
  RunRequest capped = request("SELECT repeat('x', 50)");
  capped.cell_chars_max = 3;
  EXPECT_EQ(test::run(engine(), capped).all(), R"([{"cut":true,"chars":50,"text":"xxx"}])");
}

TEST_F(DuckdbStream, ZeroRowsKeepTheirColumns) {
  const test::Ran ran = test::run(engine(), "SELECT id, customer AS id, amount FROM shop.orders WHERE id > 100");
  ASSERT_EQ(ran.code(), "");
  EXPECT_EQ(ran.end.rows_total, 0U);
  ASSERT_EQ(ran.header.columns.size(), 3U);
  EXPECT_EQ(ran.header.columns[1], (Column{"id", "VARCHAR"}));
  EXPECT_EQ(ran.header.columns[2], (Column{"amount", "DECIMAL(10,2)"}));
}

TEST_F(DuckdbStream, ZeroRowsSayHowManyWereScanned) {
  ASSERT_EQ(test::run(engine(), "CREATE TABLE t AS SELECT i FROM range(10000) r(i)").code(), "");
  EXPECT_EQ(test::run(engine(), "SELECT i FROM t WHERE i % 7 = 9").end.rows_scanned, 10'000U);
  EXPECT_EQ(test::run(engine(), "SELECT i FROM t WHERE i % 7 = 3").end.rows_scanned, std::nullopt);
  const test::Ran explained = test::run(engine(), "EXPLAIN ANALYZE SELECT count(*) FROM t WHERE i % 7 = 3");
  EXPECT_NE(explained.all().find("1,429 rows"), std::string::npos) << explained.all();
}

TEST_F(DuckdbStream, AnErrorInMidStreamIsAnError) {
  const std::string sql = "SELECT CASE WHEN i = 1500000 THEN error('x') ELSE i END FROM range(2000000) t(i)";
  RunRequest whole = request(sql);
  whole.rows_max = 10'000'000;
  whole.chars_max = 1'000'000'000;
  const auto stream = engine().run(whole, CancelToken());
  ASSERT_TRUE(stream.ok());
  const test::Ran ran = test::pull(*stream.value());
  EXPECT_EQ(ran.code(), "engine-error");
  EXPECT_GT(ran.rows.size(), 1000U);
  EXPECT_LT(ran.rows.size(), 1'500'000U);
  // Final: the error is given again, not an end.
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(stream.value()->next()));
}

TEST_F(DuckdbStream, AnErrorWhileCountingIsAnError) {
  RunRequest capped = request("SELECT CASE WHEN i = 1500000 THEN error('x') ELSE i END FROM range(2000000) t(i)");
  capped.rows_max = 10;
  capped.count_budget_ms = 60'000;
  EXPECT_EQ(test::run(engine(), capped).code(), "engine-error");
}

TEST_F(DuckdbStream, TheFirstBatchDoesNotWaitForTheLast) {
  RunRequest endless = request("SELECT a.range FROM range(100000000000) a");
  endless.rows_max = 1'000'000'000;
  const auto stream = engine().run(endless, CancelToken());
  ASSERT_TRUE(stream.ok());
  RowStream::Item first = stream.value()->next();
  ASSERT_TRUE(std::holds_alternative<RowBatch>(first));
  EXPECT_GT(std::get<RowBatch>(first).rows, 0U);
}

TEST_F(DuckdbStream, DestroyedEarlyItFreesItsConnection) {
  for (int i = 0; i < 20; ++i) {
    RunRequest endless = request("SELECT a.range FROM range(100000000000) a");
    const auto stream = engine().run(endless, CancelToken());
    ASSERT_TRUE(stream.ok());
    ASSERT_TRUE(std::holds_alternative<RowBatch>(stream.value()->next()));
  }
  EXPECT_EQ(test::run(engine(), "SELECT 1").all(), "[1]");
}

TEST_F(DuckdbStream, TheDeadlineStopsTheStatement) {
  RunRequest late = request(kEndless);
  late.deadline_ms = 50;
  const test::Ran ran = test::run(engine(), late);
  EXPECT_EQ(ran.code(), "statement-timeout");
  EXPECT_NE(ran.error->message.find("50 ms"), std::string::npos);
  EXPECT_EQ(test::run(engine(), "SELECT 1").all(), "[1]");
}

TEST_F(DuckdbStream, TheDeadlineStopsAWriteAndLeavesNothing) {
  RunRequest late = request("CREATE TABLE late AS SELECT a.range FROM range(100000000) a, range(1000) b");
  late.deadline_ms = 50;
  EXPECT_EQ(test::run(engine(), late).code(), "statement-timeout");
  EXPECT_EQ(test::run(engine(), "FROM late").code(), "unknown-table");
}

TEST_F(DuckdbStream, CancellingStopsTheStatement) {
  CancelToken cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel.cancel();
  });
  const test::Ran ran = test::run(engine(), request(kEndless), cancel);
  canceller.join();
  EXPECT_EQ(ran.code(), "cancelled");
  CancelToken before;
  before.cancel();
  EXPECT_EQ(test::run(engine(), request("SELECT 1"), before).code(), "cancelled");
  EXPECT_EQ(test::run(engine(), "SELECT 1").all(), "[1]");
}

TEST_F(DuckdbStream, ALongStatementBlocksNoOther) {
  RunRequest endless = request("SELECT a.range FROM range(100000000000) a");
  endless.rows_max = 1'000'000'000;
  const auto first = engine().run(endless, CancelToken());
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(std::holds_alternative<RowBatch>(first.value()->next()));
  // Unqualified names mean the same on the other connection; writes work beside it too.
  EXPECT_EQ(test::run(engine(), "SELECT count(*) FROM orders").all(), "[3]");
  EXPECT_EQ(test::run(engine(), "CREATE TABLE beside AS SELECT 1 AS a").code(), "");
  EXPECT_EQ(test::run(engine(), "FROM beside").all(), "[1]");
  ASSERT_TRUE(std::holds_alternative<RowBatch>(first.value()->next()));
}

TEST_F(DuckdbStream, TemporaryObjectsAreNeverSeenByHalf) {
  ASSERT_EQ(test::run(engine(), "CREATE TEMP TABLE mine AS SELECT 7 AS a").code(), "");
  const test::Ran seen = test::run(engine(), "FROM mine");
  EXPECT_EQ(seen.all(), "[7]");
  EXPECT_EQ(seen.header.temporary_objects, std::vector<std::string>{"mine"});
  RunRequest endless = request("SELECT a.range FROM range(100000000000) a");
  endless.rows_max = 1'000'000'000;
  auto first = engine().run(endless, CancelToken());
  ASSERT_TRUE(first.ok());
  // The main connection is busy and the session has a temporary table: the next one waits, and says so in the end.
  RunRequest waiting = request("FROM mine");
  waiting.deadline_ms = 100;
  EXPECT_EQ(test::run(engine(), waiting).code(), "statement-timeout");
  first.value().reset();
  EXPECT_EQ(test::run(engine(), "FROM mine").all(), "[7]");
  ASSERT_EQ(test::run(engine(), "DROP TABLE mine").code(), "");
  EXPECT_TRUE(test::run(engine(), "SELECT 1").header.temporary_objects.empty());
  // Nothing binds the session to its main connection any more.
  first = engine().run(endless, CancelToken());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(test::run(engine(), "SELECT 2").all(), "[2]");
}

TEST_F(DuckdbStream, ManyAtOnceGiveWhatEachOfThemGivesAlone) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 5; ++k) {
        const std::string sql = "SELECT sum(r) + " + std::to_string(i) + " FROM range(100000) t(r)";
        if (test::run(engine(), sql).all() != "[\"" + std::to_string(4999950000LL + i) + "\"]" &&
            test::run(engine(), sql).all() != "[" + std::to_string(4999950000LL + i) + "]") {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(DuckdbStream, BindsParameters) {
  RunRequest bound = request("SELECT $1, $2, $3, typeof($4), $5, $6 IS NULL, $7");
  Value real;
  real.kind = CellKind::kReal64;
  real.real = 0.5;
  Value wide;
  wide.kind = CellKind::kIntegerText;
  wide.text = "-170141183460469231731687303715884105";
  Value blob;
  blob.kind = CellKind::kBlob;
  blob.text = std::string("\0\xFF", 2);
  bound.parameters = {integer_value(7), text_value("it's; -- \xC3\xA9"), real, wide, blob, Value{}, wide};
  EXPECT_EQ(test::run(engine(), bound).all(),
            "[7,\"it's; -- é\",0.5,\"HUGEINT\",{\"base64\":\"AP8=\",\"bytes\":2},true,"
            "\"-170141183460469231731687303715884105\"]");
  bound.parameters.pop_back();
  EXPECT_EQ(test::run(engine(), bound).code(), "bad-request");
  RunRequest none = request("SELECT 1");
  none.parameters = {integer_value(1)};
  EXPECT_EQ(test::run(engine(), none).code(), "bad-request");
}

TEST_F(DuckdbStream, RunsOutOfMemoryWithAName) {
  Policy policy = shop_.policy();
  policy.memory_bytes = std::uint64_t{64} << 20U;
  policy.temp_directory = "";
  shop_.open(policy);
  const test::Ran ran = test::run(engine(), "SELECT list(i) FROM range(50000000) t(i)");
  EXPECT_EQ(ran.code(), "over-limit");
  EXPECT_NE(ran.error->message.find("memory_mb"), std::string::npos);
}

TEST_F(DuckdbStream, SpillsIntoItsTemporaryFolder) {
  Policy policy = shop_.policy();
  policy.memory_bytes = std::uint64_t{64} << 20U;
  shop_.open(policy);
  RunRequest sort = request("SELECT i FROM (SELECT i, hash(i) AS h FROM range(8000000) t(i)) ORDER BY h");
  sort.rows_max = 1;
  sort.count_budget_ms = 0;
  EXPECT_EQ(test::run(engine(), sort).rows.size(), 1U) << test::run(engine(), sort).all();
}

}  // namespace
}  // namespace candor::engine
