// The border to a worker process: what crosses it, how little is under way, and what becomes of a request when the other
// side is late, dies or talks nonsense. Most tests serve a made-up engine over a socket; the last ones start the program.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "engine/worker/codec.h"
#include "engine/worker/frame.h"
#include "engine/worker/rows.h"
#include "engine/worker/serve.h"
#include "engine/worker/worker_engine.h"
#include "sqlite/sqlite.h"

namespace candor::engine::worker {
namespace {

using namespace std::chrono_literals;

Header numbers_header() {
  Header header;
  header.columns = {{"n", "BIGINT"}, {"t", "VARCHAR"}};
  return header;
}

// Gives `rows` rows in batches of `batch`, then what `last` says; waits for a cancellation where `stuck_at` is reached.
struct Script {
  std::uint64_t rows = 0;
  std::uint32_t batch = 100;
  std::string text = "row";
  std::optional<Diagnostic> failure = std::nullopt;
  std::optional<std::uint64_t> stuck_at = std::nullopt;
  bool obeys = true;  // a cancellation ends it
};

class ScriptStream final : public RowStream {
 public:
  ScriptStream(Script script, CancelToken cancel, std::atomic<std::uint64_t>& produced)
      : script_(std::move(script)), cancel_(std::move(cancel)), produced_(produced), header_(numbers_header()) {
    header_.target = script_.text;
  }
  const Header& header() const override { return header_; }
  Item next() override {
    while (script_.stuck_at && given_ >= *script_.stuck_at) {
      if (script_.obeys && cancel_.cancelled()) return make_error("cancelled", "stopped in the engine");
      std::this_thread::sleep_for(1ms);
    }
    if (given_ == script_.rows) {
      if (script_.failure) return *script_.failure;
      End end;
      end.rows = given_;
      end.rows_total = given_ + 7;
      end.cut_by_chars = true;
      return end;
    }
    RowBatch batch;
    CellWriter writer(batch.cells);
    while (batch.rows < script_.batch && given_ < script_.rows) {
      writer.integer(static_cast<std::int64_t>(given_++));
      writer.text(CellKind::kText, script_.text);
      ++batch.rows;
    }
    produced_ = given_;
    return batch;
  }

 private:
  Script script_;
  CancelToken cancel_;
  std::atomic<std::uint64_t>& produced_;
  Header header_;
  std::uint64_t given_ = 0;
};

// What all the made-up engines of one test share.
struct Stage {
  std::function<Script(const RunRequest&)> play = [](const RunRequest&) { return Script(); };
  std::function<Result<std::uint64_t>(RowStream&)> append = [](RowStream&) { return Result<std::uint64_t>(0U); };
  std::atomic<std::uint64_t> produced{0};
  std::atomic<int> engines{0};
  std::atomic<int> closed{0};
  std::mutex mutex;
  Policy policy;
  RunRequest request;
};

class StageEngine final : public Engine {
 public:
  explicit StageEngine(Stage& stage) : stage_(stage) { ++stage_.engines; }
  ~StageEngine() override { ++stage_.closed; }
  StageEngine(const StageEngine&) = delete;
  StageEngine& operator=(const StageEngine&) = delete;

  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    {
      const std::lock_guard lock(stage_.mutex);
      stage_.request = request;
    }
    if (request.sql == "refuse") {
      Diagnostic refused = make_error("unknown-table", "no table", "try", "detail");
      refused.fix = "select 1";
      refused.span = Span{3, 9};
      refused.severity = Severity::kWarning;
      refused.others = {make_error("unknown-column", "no column"), make_error("syntax", "bad")};
      refused.others[0].span = Span{1, 2};
      return refused;
    }
    return std::unique_ptr<RowStream>(std::make_unique<ScriptStream>(stage_.play(request), cancel, stage_.produced));
  }
  Result<Catalog> catalog() override;
  Result<std::string> syntax_tree(std::string_view sql) override { return "tree of " + std::string(sql); }
  Result<std::string> print_tree(std::string_view tree) override { return make_error("syntax", std::string(tree)); }
  Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override {
    TableFacts facts;
    facts.resolved = name;
    facts.exists = facts.shadowed = facts.pending_updates = true;
    facts.rows_estimated = 1U << 31U;
    facts.bytes_max = 77;
    for (const std::string& column : columns) facts.columns.push_back({column, "VARCHAR", 12, true});
    facts.columns.push_back({"unknown width", "VARCHAR", std::nullopt, false});
    return facts;
  }
  Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override {
    std::vector<FunctionFacts> facts;
    for (const std::string& name : names) facts.push_back({name, true, name != "random"});
    return facts;
  }
  Result<std::uint64_t> append(const std::string& table, const std::vector<Column>&, bool, RowStream& rows,
                               CancelToken) override {
    if (table == "taken") return make_error("duplicate-table", "there is one");
    return stage_.append(rows);
  }

 private:
  Stage& stage_;
};

Result<Catalog> StageEngine::catalog() {
  Catalog catalog;
  catalog.warnings = {"left out"};
  CatalogTable table;
  table.source = "files";
  table.name = "t";
  table.view = table.temporary = true;
  table.rows_estimated = 5;
  table.columns = {{"a", "VARCHAR", false, true, "comment", "note"}};
  table.file = FileOrigin{"a.csv", "csv", ";", "'", true, "latin-1", 99, 2, {{7, "ragged"}, {9, "wide"}}, "failure"};
  catalog.tables = {table, CatalogTable{}};
  return catalog;
}

// Serves engines of `stage` to every connection that a client opens.
class Theatre {
 public:
  explicit Theatre(Stage& stage) : stage_(stage) {}
  ~Theatre() {
    for (std::thread& thread : threads_) thread.join();
  }
  Theatre(const Theatre&) = delete;
  Theatre& operator=(const Theatre&) = delete;
  Connector connector() {
    return [this]() -> Result<Peer> {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return make_error("internal", "no pair");
      const std::lock_guard lock(mutex_);
      threads_.emplace_back([this, fd = ends[1]] {
        const Opener open = [this](const Policy& policy) -> Result<std::unique_ptr<Engine>> {
          {
            const std::lock_guard stage_lock(stage_.mutex);
            stage_.policy = policy;
          }
          if (policy.scratch_path == "locked") return make_error("file-locked", "held", "close it", "pid 7");
          return std::unique_ptr<Engine>(std::make_unique<StageEngine>(stage_));
        };
        EXPECT_EQ(serve(fd, open, AtHangUp::kReturn), 0);
      });
      return Peer{ends[0], -1};
    };
  }

 private:
  Stage& stage_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

struct Drained {
  Header header;
  std::uint64_t rows = 0;
  std::int64_t sum = 0;
  std::optional<End> end;
  std::optional<Diagnostic> failure;
  [[nodiscard]] std::string code() const { return failure ? failure->code : "no failure"; }
};

Drained drain(Engine& engine, const RunRequest& request, const CancelToken& cancel = {}) {
  Drained drained;
  auto stream = engine.run(request, cancel);
  if (!stream.ok()) {
    drained.failure = stream.error();
    return drained;
  }
  drained.header = (*stream)->header();
  while (true) {
    RowStream::Item item = (*stream)->next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      CellReader reader(batch->cells);
      for (std::uint32_t i = 0; i < batch->rows; ++i) {
        drained.sum += reader.next().integer;
        for (std::size_t c = 1; c < drained.header.columns.size(); ++c) reader.skip();
      }
      EXPECT_TRUE(reader.ok());
      EXPECT_TRUE(reader.at_end());
      drained.rows += batch->rows;
    } else if (auto* end = std::get_if<End>(&item)) {
      drained.end = *end;
      return drained;
    } else {
      drained.failure = std::get<Diagnostic>(item);
      return drained;
    }
  }
}

RunRequest statement(std::string sql) {
  RunRequest request;
  request.sql = std::move(sql);
  return request;
}

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

// A peer that says what a test makes it say, for the client's side alone.
class Impostor {
 public:
  // After the opening was answered, `bytes` are sent for the next request, and the connection stays open.
  explicit Impostor(std::function<std::string(const Frame& request)> reply) : reply_(std::move(reply)) {}
  ~Impostor() {
    for (std::thread& thread : threads_) thread.join();
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  Connector connector() {
    return [this]() -> Result<Peer> {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return make_error("internal", "no pair");
      threads_.emplace_back([this, fd = ends[1]] { play(fd); });
      return Peer{ends[0], -1};
    };
  }

 private:
  void play(int fd) {
    FrameReader frames;
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
      while (const auto frame = frames.feed(bytes)) {
        std::string out;
        if (frame->type == FrameType::kOpen) {
          append_frame(out, FrameType::kDone, frame->id, {});
        } else {
          out = reply_(*frame);
        }
        if (!out.empty()) (void)::send(fd, out.data(), out.size(), MSG_NOSIGNAL);
      }
    }
    ::close(fd);
  }

  std::function<std::string(const Frame&)> reply_;
  std::vector<std::thread> threads_;
};

std::string frame(FrameType type, std::uint32_t id, const std::string& payload) {
  std::string out;
  append_frame(out, type, id, payload);
  return out;
}

TEST(HostileWorkerTest, ACancellationThatIsIgnoredEndsTheWorker) {
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kRun ? frame(FrameType::kHeader, request.id, encode(numbers_header())) : "";
  });
  WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
  CancelToken cancel;
  auto stream = engine.run(statement("q"), cancel);
  ASSERT_TRUE(stream.ok());
  cancel.cancel();
  RowStream::Item item = (*stream)->next();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).code, "cancelled");
  engine.close(0ms);
}

TEST(HostileWorkerTest, AnAbandonedStreamThatDoesNotStopEndsTheWorker) {
  std::atomic<int> opened{0};
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kRun ? frame(FrameType::kHeader, request.id, encode(numbers_header())) : "";
  });
  const Connector connect = impostor.connector();
  WorkerEngine engine(
      [&] {
        ++opened;
        return connect();
      },
      {}, {.grace = 20ms});
  ASSERT_TRUE(engine.run(statement("q"), {}).ok());
  for (int i = 0; i < 1'000 && opened < 2; ++i) {
    (void)engine.run(statement("q"), {}).ok();  // one that is caught by the end fails; a later one is served anew
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_GE(opened, 2);
  engine.close(0ms);
}

// Each answer to a run breaks the protocol in its own way; the request must end as `engine-died` and nothing else.
TEST(HostileWorkerTest, NonsenseEndsTheConnection) {
  const std::string header = encode(numbers_header());
  std::string cells;
  CellWriter writer(cells);
  writer.integer(1);
  writer.text(CellKind::kText, "a");
  const std::string row = cells + rows_tail(1);
  const std::vector<std::pair<std::string, std::function<std::string(std::uint32_t)>>> cases = {
      {"no frame", [](std::uint32_t) { return std::string(64, '\xFF'); }},
      {"type zero", [](std::uint32_t) { return std::string(kHeadBytes, '\0'); }},
      {"unknown id", [&](std::uint32_t id) { return frame(FrameType::kHeader, id + 1, header); }},
      {"a request", [&](std::uint32_t id) { return frame(FrameType::kRun, id, header); }},
      {"short header", [&](std::uint32_t id) { return frame(FrameType::kHeader, id, header.substr(1)); }},
      {"long header", [&](std::uint32_t id) { return frame(FrameType::kHeader, id, header + "x"); }},
      {"rows first", [&](std::uint32_t id) { return frame(FrameType::kRows, id, row); }},
      {"end first", [&](std::uint32_t id) { return frame(FrameType::kDone, id, encode(End{})); }},
      {"a bad kind",
       [&](std::uint32_t id) {
         std::string bad = header;
         bad[0] = 100;
         return frame(FrameType::kHeader, id, bad);
       }},
      {"a huge count",
       [&](std::uint32_t id) {
         std::string bad = header;
         bad[1] = bad[2] = bad[3] = bad[4] = '\x7F';
         return frame(FrameType::kHeader, id, bad);
       }},
      {"a failure cut off", [&](std::uint32_t id) { return frame(FrameType::kFailed, id, "abc"); }},
      {"too many rows said",
       [&](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, cells + rows_tail(2));
       }},
      {"too few rows said",
       [&](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, cells + cells + rows_tail(1));
       }},
      {"rows without a count",
       [&](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, "ab"); }},
      {"an unknown cell",
       [&](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kRows, id, "\x7Fzz" + rows_tail(1));
       }},
      {"an end cut off",
       [&](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kDone, id, "ab"); }},
      {"a second header",
       [&](std::uint32_t id) { return frame(FrameType::kHeader, id, header) + frame(FrameType::kHeader, id, header); }},
      {"a credit",
       [&](std::uint32_t id) {
         return frame(FrameType::kHeader, id, header) + frame(FrameType::kCredit, id, encode(Credit{1, 1}));
       }},
      {"rows beyond the window",
       [&](std::uint32_t id) {
         std::string out = frame(FrameType::kHeader, id, header);
         for (std::uint32_t i = 0; i < kWindowBatches + 1; ++i) out += frame(FrameType::kRows, id, row);
         return out;
       }},
      {"rows after the end",
       [&](std::uint32_t id) { return frame(FrameType::kDone, id, header) + frame(FrameType::kRows, id, row); }},
  };
  for (const auto& [name, reply] : cases) {
    SCOPED_TRACE(name);
    Impostor impostor([&](const Frame& request) { return request.type == FrameType::kRun ? reply(request.id) : ""; });
    WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
    const Drained got = drain(engine, statement("q"));
    ASSERT_TRUE(got.failure);
    EXPECT_EQ(got.failure->code, "engine-died");
    EXPECT_FALSE(got.end);
    engine.close(0ms);
  }
}

TEST(FrameReaderTest, CutsAStreamAtAnyByte) {
  std::string stream;
  append_frame(stream, FrameType::kRun, 7, "payload");
  append_frame(stream, FrameType::kClose, 8, "");
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      std::string_view bytes = std::string_view(stream).substr(at, step);
      while (auto whole = reader.feed(bytes)) frames.push_back(std::move(*whole));
      ASSERT_TRUE(bytes.empty());
    }
    ASSERT_EQ(frames.size(), 2U) << step;
    EXPECT_EQ(frames[0].payload, "payload");
    EXPECT_EQ(frames[0].id, 7U);
    EXPECT_EQ(frames[1].type, FrameType::kClose);
  }
}

TEST(FrameReaderTest, RefusesAFrameThatIsTooLong) {
  std::string head = frame_head(FrameType::kRows, 1, 0);
  head[3] = '\x7F';
  FrameReader reader;
  std::string_view bytes = head;
  EXPECT_FALSE(reader.feed(bytes));
  EXPECT_TRUE(reader.broken());
}

TEST(CodecTest, EveryTruncationOfAPayloadIsRefused) {
  Diagnostic failure = make_error("syntax", "message", "hint", "detail");
  failure.span = Span{1, 2};
  failure.others = {failure, failure};
  const std::string whole = encode(failure);
  Diagnostic read;
  EXPECT_TRUE(decode(whole, read));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decode(whole.substr(0, size), read)) << size;
}

TEST(HostileWorkerTest, AWriteWhoseProcessEndedMayHaveTakenEffect) {
  Impostor impostor(
      [](const Frame& request) { return request.type == FrameType::kRun ? std::string(64, '\xFF') : ""; });
  WorkerEngine engine(impostor.connector(), {}, {.grace = 50ms});
  RunRequest write = statement("insert into t values (1)");
  write.allow_writes = true;
  const Drained got = drain(engine, write);
  EXPECT_EQ(got.code(), "write-unknown");
  EXPECT_EQ(got.failure->error_class(), ErrorClass::kAmbiguous);
  write.sql = "select 1";
  EXPECT_EQ(drain(engine, write).code(), "engine-died");
  engine.close(0ms);
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
    stream = std::move(*engine.run(statement("q"), {}));
  }
  RowStream::Item item = stream->next();
  while (std::holds_alternative<RowBatch>(item)) item = stream->next();
  EXPECT_TRUE(std::holds_alternative<Diagnostic>(item));
}

// ---- the program ----

namespace fs = std::filesystem;

class WorkerProcessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* program = std::getenv("CANDOR_WORKER");
    if (program == nullptr || !fs::exists(program)) GTEST_SKIP() << "CANDOR_WORKER names no program";
    program_ = program;
    std::string pattern = (fs::temp_directory_path() / "candor-worker-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto database = candor::sqlite::Database::open(folder_ + "/app.db", {.mode = candor::sqlite::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->run("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2)").ok());
    policy_.sources = {{"app", SourceKind::kSqlite, folder_ + "/app.db", ""}};
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string program_, folder_;
  Policy policy_;
};

constexpr auto kEndless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i, 'x' FROM n";
// One call that takes minutes and never looks at the time.
constexpr auto kDeaf = "SELECT instr(hex(zeroblob(3000000)), hex(zeroblob(1500000)) || '1'), 'x'";

// Its files are closed when the last of its threads is gone, not when the first is.
bool runs(pid_t pid) {
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task", gone)) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    if (std::getline(stat, line) && line[line.rfind(')') + 2] != 'Z') return true;
  }
  return false;
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 1'000 && runs(pid); ++i) std::this_thread::sleep_for(5ms);
  return !runs(pid);
}

TEST_F(WorkerProcessTest, AnswersFromAProcessOfItsOwn) {
  WorkerEngine engine(program_, policy_);
  EXPECT_FALSE(engine.process());
  const Drained got = drain(engine, statement("SELECT a FROM app.t"));
  EXPECT_EQ(got.sum, 3);
  ASSERT_TRUE(engine.process());
  EXPECT_EQ(::getsid(*engine.process()), *engine.process()) << "Ctrl-C must not reach it";
  EXPECT_EQ(drain(engine, statement("DROP TABLE t")).code(), "read-only");
}

TEST_F(WorkerProcessTest, KnowsNothingOfOurSecrets) {
  ::setenv("CANDOR_TEST_SECRET", "hush", 1);
  const int leaked = ::open("/dev/zero", O_RDONLY);
  ASSERT_GE(leaked, 0);
  WorkerEngine engine(program_, policy_);
  ASSERT_TRUE(engine.catalog().ok());
  const std::string process = "/proc/" + std::to_string(*engine.process());
  std::ifstream file(process + "/environ", std::ios::binary);
  const std::string environment((std::istreambuf_iterator<char>(file)), {});
  EXPECT_NE(environment.find("LC_ALL="), std::string::npos);
  EXPECT_EQ(environment.find("hush"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(process + "/fd")) {
    std::error_code ignored;
    EXPECT_NE(fs::read_symlink(entry, ignored).string(), "/dev/zero");
  }
  ::close(leaked);
  ::unsetenv("CANDOR_TEST_SECRET");
}

TEST_F(WorkerProcessTest, AStatementThatHearsNothingIsEndedAtItsDeadline) {
  WorkerEngine engine(program_, policy_, {.grace = 100ms});
  RunRequest late = statement(kDeaf);
  late.deadline_ms = 100;
  EXPECT_EQ(drain(engine, late).code(), "statement-timeout");
  EXPECT_FALSE(engine.process());
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
  EXPECT_EQ(engine.generation(), 2U);
}

TEST_F(WorkerProcessTest, AStatementThatHearsIsStoppedAndItsProcessKept) {
  WorkerEngine engine(program_, policy_);
  RunRequest late = statement("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n");
  late.deadline_ms = 50;
  EXPECT_EQ(drain(engine, late).code(), "statement-timeout");
  EXPECT_EQ(engine.generation(), 1U);
  EXPECT_TRUE(engine.process());
}

TEST_F(WorkerProcessTest, ADeathIsToldWithItsSignalAndTheRowsAreNoResult) {
  WorkerEngine engine(program_, policy_);
  RunRequest endless = statement(kEndless);
  endless.rows_max = ~std::uint64_t{0};
  endless.chars_max = ~std::uint64_t{0};
  auto stream = engine.run(endless, {});
  ASSERT_TRUE(stream.ok());
  ASSERT_TRUE(std::holds_alternative<RowBatch>((*stream)->next()));
  ASSERT_EQ(::kill(*engine.process(), SIGKILL), 0);
  RowStream::Item item = (*stream)->next();
  while (std::holds_alternative<RowBatch>(item)) item = (*stream)->next();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).code, "engine-died");
  EXPECT_EQ(std::get<Diagnostic>(item).error_class(), ErrorClass::kTransient);
  EXPECT_NE(std::get<Diagnostic>(item).detail.find("signal 9"), std::string::npos) << std::get<Diagnostic>(item).detail;
}

TEST_F(WorkerProcessTest, AProcessThatDiedWhileIdleIsOpenedAnewUnnoticed) {
  WorkerEngine engine(program_, policy_);
  for (std::uint64_t round = 1; round <= 3; ++round) {
    EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
    EXPECT_EQ(engine.generation(), round);
    const pid_t pid = *engine.process();
    ASSERT_EQ(::kill(pid, SIGKILL), 0);
    ASSERT_TRUE(ends_soon(pid));
  }
}

TEST_F(WorkerProcessTest, ItEndsWithItsParent) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    WorkerEngine engine(program_, policy_);
    auto stream = engine.run(statement(kEndless), {});
    const pid_t pid = engine.process().value_or(-1);
    (void)!::write(pipe[1], &pid, sizeof pid);
    ::raise(SIGKILL);
  }
  pid_t worker = -1;
  ASSERT_EQ(::read(pipe[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_GT(worker, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(ends_soon(worker));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(WorkerProcessTest, ClosingEndsItWhateverRuns) {
  WorkerEngine engine(program_, policy_);
  auto stream = engine.run(statement(kEndless), {});
  ASSERT_TRUE(stream.ok());
  const pid_t pid = *engine.process();
  engine.close(2s);
  EXPECT_FALSE(runs(pid));
  auto deaf = std::async(std::launch::async, [&] { return drain(engine, statement(kDeaf)).failure; });
  while (!engine.process()) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);
  engine.close(50ms);
  EXPECT_TRUE(deaf.get());
  EXPECT_FALSE(engine.process());
}

TEST_F(WorkerProcessTest, ClosingWhenIdleEndsTheProcess) {
  WorkerEngine engine(program_, policy_);
  ASSERT_TRUE(engine.catalog().ok());
  const pid_t pid = *engine.process();
  EXPECT_TRUE(engine.close_idle());
  EXPECT_FALSE(runs(pid));
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
}

TEST_F(WorkerProcessTest, AThreadThatOpenedItMayEnd) {
  WorkerEngine engine(program_, policy_);
  std::thread([&] { EXPECT_TRUE(engine.catalog().ok()); }).join();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(drain(engine, statement("SELECT a FROM t")).sum, 3);
  EXPECT_EQ(engine.generation(), 1U);
}

TEST_F(WorkerProcessTest, AProgramThatIsMissingOrIsNoWorker) {
  WorkerEngine missing(folder_ + "/nothing", policy_);
  const auto failed = missing.catalog();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, "engine-error");
  WorkerEngine other("/bin/true", policy_);
  EXPECT_EQ(other.catalog().error().code, "engine-died");
}

}  // namespace
}  // namespace candor::engine::worker
