// The border to a worker: what crosses it, how little is under way, and what becomes of a request when the other side is
// late or closes. All against a made-up engine; the program itself is worker_process_test.cc.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/worker/codec.h"
#include "engine/worker/rows.h"
#include "engine/worker/worker_engine.h"
#include "support/worker_stage.h"

namespace candor::engine::worker {
namespace {

class WorkerTest : public ::testing::Test {
 protected:
  WorkerEngine client(Policy policy = {}, Timing timing = {}) {
    return {theatre_.connector(), std::move(policy), timing};
  }
  Stage stage_;
  Theatre theatre_{stage_};
};

TEST_F(WorkerTest, NothingIsOpenedBeforeTheFirstCall) {
  WorkerEngine engine = client();
  EXPECT_EQ(engine.generation(), 0U);
  EXPECT_EQ(stage_.engines, 0);
  EXPECT_TRUE(engine.catalog().ok());
  EXPECT_EQ(engine.generation(), 1U);
  EXPECT_EQ(stage_.engines, 1);
}

TEST_F(WorkerTest, PolicyAndRequestArriveWhole) {
  Policy policy;
  policy.sources = {{"app", SourceKind::kSqlite, "/data/app.db", "latin-1"}, {"f", SourceKind::kFiles, "/data", ""}};
  policy.scratch_path = "s";
  policy.temp_directory = "t";
  policy.cache_directory = "c";
  policy.memory_bytes = 12345678901;
  policy.import_bytes_max = 23456789012;
  policy.threads = 3;
  WorkerEngine engine = client(policy);
  RunRequest request = statement("select $1");
  Value list;
  list.kind = CellKind::kList;
  list.parts = {integer_value(1), text_value(std::string("a\0b", 3))};
  request.parameters = {integer_value(-5), list, Value()};
  request.lane = Lane::kReview;
  request.allow_writes = request.exact_types = true;
  request.rows_max = 1;
  request.chars_max = 2;
  request.cell_chars_max = 3;
  request.deadline_ms = 4000;
  request.count_budget_ms = 5;
  EXPECT_FALSE(drain(engine, request).failure);
  EXPECT_EQ(encode(stage_.policy), encode(policy));
  EXPECT_EQ(encode(stage_.request), encode(request));
  EXPECT_EQ(stage_.request.parameters, request.parameters);
}

TEST_F(WorkerTest, RowsHeaderAndEndArriveWhole) {
  stage_.play = [](const RunRequest&) { return Script{.rows = 2'500, .text = std::string("nul\0€", 7)}; };
  WorkerEngine engine = client();
  const Drained got = drain(engine, statement("q"));
  ASSERT_TRUE(got.end);
  EXPECT_EQ(got.rows, 2'500U);
  EXPECT_EQ(got.sum, 2'499 * 2'500 / 2);
  EXPECT_EQ(got.end->rows_total, 2'507U);
  EXPECT_TRUE(got.end->cut_by_chars);
  EXPECT_FALSE(got.end->affected);
  EXPECT_EQ(got.header.columns, numbers_header().columns);
  EXPECT_EQ(got.header.target, std::string("nul\0€", 7));
}

TEST_F(WorkerTest, CatalogTreesAndFactsArriveWhole) {
  WorkerEngine engine = client();
  StageEngine direct(stage_);
  const auto catalog = engine.catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(encode(*catalog), encode(*direct.catalog()));
  EXPECT_EQ(*engine.syntax_tree("x"), "tree of x");
  EXPECT_EQ(engine.print_tree("oops").error().message, "oops");
  const auto facts = engine.table_facts({"a", "b", "c"}, {"x", "y"});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(encode(*facts), encode(*direct.table_facts({"a", "b", "c"}, {"x", "y"})));
  const auto functions = engine.function_facts({"lower", "random"});
  ASSERT_TRUE(functions.ok());
  EXPECT_TRUE((*functions)[0].repeatable);
  EXPECT_FALSE((*functions)[1].repeatable);
}

TEST_F(WorkerTest, ADiagnosticArrivesWholeWithTheOthers) {
  WorkerEngine engine = client();
  StageEngine direct(stage_);
  const Drained got = drain(engine, statement("refuse"));
  ASSERT_TRUE(got.failure);
  EXPECT_EQ(encode(*got.failure), encode(direct.run(statement("refuse"), {}).error()));
  EXPECT_EQ(got.failure->others.size(), 2U);
}

TEST_F(WorkerTest, AnErrorAmidTheRowsIsNoEnd) {
  stage_.play = [](const RunRequest&) { return Script{.rows = 300, .failure = make_error("engine-error", "late")}; };
  WorkerEngine engine = client();
  const Drained got = drain(engine, statement("q"));
  EXPECT_EQ(got.rows, 300U);
  ASSERT_TRUE(got.failure);
  EXPECT_EQ(got.failure->message, "late");
  EXPECT_FALSE(got.end);
}

TEST_F(WorkerTest, AFailedOpeningIsToldAndTriedAgain) {
  Policy policy;
  policy.scratch_path = "locked";
  WorkerEngine engine = client(policy);
  for (int i = 0; i < 2; ++i) {
    const auto failed = engine.catalog();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().code, "file-locked");
    EXPECT_EQ(failed.error().detail, "pid 7");
  }
  EXPECT_EQ(engine.generation(), 0U);
}

TEST_F(WorkerTest, ASlowReaderHoldsTheProducerBack) {
  stage_.play = [](const RunRequest&) {
    return Script{.rows = 100'000'000, .batch = 2'000, .text = std::string(40, 'x')};
  };
  WorkerEngine engine = client();
  auto stream = engine.run(statement("q"), {});
  ASSERT_TRUE(stream.ok());
  std::this_thread::sleep_for(50ms);
  EXPECT_LE(stage_.produced, 2'000U * (kWindowBatches + 2));
  std::uint64_t rows = 0;
  for (int i = 0; i < 100; ++i) {
    RowStream::Item item = (*stream)->next();
    ASSERT_TRUE(std::holds_alternative<RowBatch>(item));
    rows += std::get<RowBatch>(item).rows;
  }
  EXPECT_EQ(rows, 200'000U);
  EXPECT_LE(stage_.produced, rows + 2'000U * (kWindowBatches + 2));
}

TEST_F(WorkerTest, AHugeBatchIsSplit) {
  stage_.play = [](const RunRequest&) {
    return Script{.rows = 1'000, .batch = 1'000, .text = std::string(5'000, 'y')};
  };
  WorkerEngine engine = client();
  auto stream = engine.run(statement("q"), {});
  ASSERT_TRUE(stream.ok());
  std::uint64_t rows = 0;
  std::size_t largest = 0;
  while (true) {
    RowStream::Item item = (*stream)->next();
    if (!std::holds_alternative<RowBatch>(item)) break;
    rows += std::get<RowBatch>(item).rows;
    largest = std::max(largest, std::get<RowBatch>(item).cells.size());
  }
  EXPECT_EQ(rows, 1'000U);
  EXPECT_LE(largest, kBatchBytes + 6'000);
}

TEST_F(WorkerTest, DestroyingAStreamStopsItInTheEngine) {
  stage_.play = [](const RunRequest& request) {
    return request.sql == "endless" ? Script{.rows = ~std::uint64_t{0}} : Script{.rows = 1};
  };
  WorkerEngine engine = client();
  {
    auto stream = engine.run(statement("endless"), {});
    ASSERT_TRUE(stream.ok());
    ASSERT_TRUE(std::holds_alternative<RowBatch>((*stream)->next()));
  }
  EXPECT_EQ(drain(engine, statement("q")).rows, 1U);
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerTest, ACancellationReachesTheEngine) {
  stage_.play = [](const RunRequest&) { return Script{.rows = 200, .stuck_at = 100}; };
  WorkerEngine engine = client();
  CancelToken cancel;
  auto stream = engine.run(statement("q"), cancel);
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(std::holds_alternative<RowBatch>((*stream)->next()));
  std::thread canceller([cancel]() mutable {
    std::this_thread::sleep_for(10ms);
    cancel.cancel();
  });
  RowStream::Item item = (*stream)->next();
  canceller.join();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).message, "stopped in the engine");
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerTest, ACancelledTokenStartsNothing) {
  WorkerEngine engine = client();
  CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(drain(engine, statement("q"), cancel).code(), "cancelled");
  EXPECT_EQ(stage_.engines, 0);
}

TEST_F(WorkerTest, ManyRequestsAtOnceDoNotMixOrWait) {
  stage_.play = [](const RunRequest& request) {
    return Script{.rows = std::stoull(request.sql), .batch = 7, .text = request.sql};
  };
  WorkerEngine engine = client();
  auto idle = engine.run(statement("1000000"), {});  // nobody reads it: it must not hold up the others
  ASSERT_TRUE(idle.ok());
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (std::uint64_t t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 50; ++i) {
        const std::uint64_t rows = t * 100 + i;
        const Drained got = drain(engine, statement(std::to_string(rows)));
        if (got.end && got.rows == rows && got.header.target == std::to_string(rows)) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerTest, MoreRequestsThanThreadsAreQueued) {
  stage_.play = [](const RunRequest& request) {
    return request.sql == "wait" ? Script{.rows = 1, .stuck_at = 0} : Script{.rows = 1};
  };
  WorkerEngine engine = client();
  CancelToken cancel;
  std::vector<std::future<std::string>> waiting;
  for (int i = 0; i < 40; ++i) {
    waiting.push_back(std::async(std::launch::async, [&] { return drain(engine, statement("wait"), cancel).code(); }));
  }
  auto last = std::async(std::launch::async, [&] { return drain(engine, statement("q")).rows; });
  std::this_thread::sleep_for(20ms);
  cancel.cancel();
  for (auto& one : waiting) EXPECT_EQ(one.get(), "cancelled");
  EXPECT_EQ(last.get(), 1U);
}

// ---- append ----

// Rows that a test pushes through append.
class LocalRows final : public RowStream {
 public:
  LocalRows(std::uint64_t rows, std::optional<Diagnostic> failure)
      : stream_(Script{.rows = rows, .batch = 1'000, .failure = std::move(failure)}, {}, produced_) {}
  const Header& header() const override { return stream_.header(); }
  Item next() override { return stream_.next(); }
  std::atomic<std::uint64_t> produced_{0};

 private:
  ScriptStream stream_;
};

Result<std::uint64_t> count_rows(RowStream& rows) {
  std::uint64_t count = 0;
  while (true) {
    RowStream::Item item = rows.next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      count += batch->rows;
    } else if (std::holds_alternative<End>(item)) {
      return count;
    } else {
      return std::get<Diagnostic>(item);
    }
  }
}

TEST_F(WorkerTest, AppendCarriesAllRows) {
  stage_.append = count_rows;
  WorkerEngine engine = client();
  LocalRows rows(123'456, std::nullopt);
  const auto appended = engine.append("t", numbers_header().columns, false, rows, {});
  ASSERT_TRUE(appended.ok());
  EXPECT_EQ(*appended, 123'456U);
}

TEST_F(WorkerTest, AppendFailsWithItsSourcesError) {
  stage_.append = count_rows;
  WorkerEngine engine = client();
  LocalRows rows(5'000, make_error("mixed-types", "column n"));
  EXPECT_EQ(engine.append("t", {}, false, rows, {}).error().code, "mixed-types");
  EXPECT_TRUE(engine.catalog().ok());
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerTest, AppendThatIsRefusedStopsItsSource) {
  WorkerEngine engine = client();
  LocalRows rows(100'000'000, std::nullopt);
  EXPECT_EQ(engine.append("taken", {}, false, rows, {}).error().code, "duplicate-table");
  EXPECT_LE(rows.produced_, 1'000U * (kWindowBatches + 2));
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerTest, AppendIsCancelled) {
  stage_.append = count_rows;
  WorkerEngine engine = client();
  LocalRows rows(~std::uint64_t{0}, std::nullopt);
  CancelToken cancel;
  std::thread canceller([cancel]() mutable {
    std::this_thread::sleep_for(20ms);
    cancel.cancel();
  });
  EXPECT_EQ(engine.append("t", {}, false, rows, cancel).error().code, "cancelled");
  canceller.join();
  EXPECT_EQ(engine.generation(), 1U);
}

// ---- deadlines and ends ----

TEST_F(WorkerTest, AnEngineThatIgnoresItsDeadlineIsEndedAndOpenedAnew) {
  stage_.play = [](const RunRequest& request) {
    return request.sql == "deaf" ? Script{.rows = 1, .stuck_at = 0} : Script{.rows = 1};
  };
  WorkerEngine engine = client({}, {.grace = 100ms});
  RunRequest late = statement("deaf");
  late.deadline_ms = 50;
  auto other = std::async(std::launch::async, [&] { return drain(engine, statement("deaf")); });
  const Drained got = drain(engine, late);
  ASSERT_TRUE(got.failure);
  EXPECT_EQ(got.failure->code, "statement-timeout");
  const Drained beside = other.get();
  ASSERT_TRUE(beside.failure);
  EXPECT_TRUE(beside.failure->code == "engine-died") << beside.failure->code;
  const std::uint64_t before = engine.generation();
  EXPECT_EQ(drain(engine, statement("q")).rows, 1U);
  EXPECT_TRUE(engine.reopened_since(before));
}

TEST_F(WorkerTest, ClosingWhenIdleAsksTheEngineToClose) {
  WorkerEngine engine = client();
  EXPECT_TRUE(engine.close_idle());
  EXPECT_TRUE(engine.catalog().ok());
  EXPECT_TRUE(engine.close_idle());
  EXPECT_EQ(stage_.closed, 1);
  EXPECT_TRUE(engine.catalog().ok());
  EXPECT_EQ(engine.generation(), 2U);
}

TEST_F(WorkerTest, ClosingWhenIdleLeavesARunningStatementAlone) {
  stage_.play = [](const RunRequest&) { return Script{.rows = ~std::uint64_t{0}}; };
  WorkerEngine engine = client();
  auto stream = engine.run(statement("q"), {});
  ASSERT_TRUE(stream.ok());
  EXPECT_FALSE(engine.close_idle());
  EXPECT_TRUE(std::holds_alternative<RowBatch>((*stream)->next()));
}

TEST_F(WorkerTest, AStreamOutlivesItsEngineAsAnError) {
  stage_.play = [](const RunRequest&) { return Script{.rows = ~std::uint64_t{0}}; };
  std::unique_ptr<RowStream> stream;
  {
    WorkerEngine engine = client();
    Result<std::unique_ptr<RowStream>> run = engine.run(statement("q"), {});
    ASSERT_TRUE(run.ok());
    stream = *std::move(run);
  }
  RowStream::Item item = stream->next();
  while (std::holds_alternative<RowBatch>(item)) item = stream->next();
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(item));
}

}  // namespace
}  // namespace candor::engine::worker
