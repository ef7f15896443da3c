// Transactions over the border, against made-up engines: what travels, what waits, what a lost or wrong answer means.
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/checked_transaction.h"
#include "engine/worker/codec.h"
#include "engine/worker/frame.h"
#include "engine/worker/worker_engine.h"
#include "support/impostor.h"
#include "support/worker_stage.h"

namespace candor::engine::worker {
namespace {

struct Diary {
  std::mutex mutex;
  std::vector<std::string> lines;
  void write(std::string line) {
    const std::lock_guard lock(mutex);
    lines.push_back(std::move(line));
  }
};

class NotedTransaction final : public CheckedTransaction {
 public:
  NotedTransaction(int number, Stage& stage, Diary& diary) : number_(number), stage_(stage), diary_(diary) {}
  ~NotedTransaction() override { diary_.write("end " + std::to_string(number_)); }
  NotedTransaction(const NotedTransaction&) = delete;
  NotedTransaction& operator=(const NotedTransaction&) = delete;

 protected:
  Result<std::unique_ptr<RowStream>> start(const RunRequest& request, CancelToken cancel) override {
    diary_.write(request.sql + " " + std::to_string(number_));
    return std::unique_ptr<RowStream>(
        std::make_unique<ScriptStream>(stage_.play(request), std::move(cancel), stage_.produced));
  }
  Status finish() override {
    diary_.write("commit " + std::to_string(number_));
    if (number_ == 3) return make_error("concurrent-change", "another was first");
    return Ok{};
  }

 private:
  const int number_;
  Stage& stage_;
  Diary& diary_;
};

class NotedEngine final : public Engine {
 public:
  NotedEngine(Stage& stage, Diary& diary) : inner_(stage), stage_(stage), diary_(diary) {}
  ~NotedEngine() override { diary_.write("closed"); }
  NotedEngine(const NotedEngine&) = delete;
  NotedEngine& operator=(const NotedEngine&) = delete;

  Result<std::unique_ptr<Transaction>> begin(std::int64_t wait_ms, CancelToken cancel) override {
    if (wait_ms == 99) {
      while (!cancel.cancelled()) std::this_thread::sleep_for(1ms);
      return make_error("cancelled", "stopped while it waited");
    }
    if (wait_ms == 0) return make_error("busy", "somebody writes", "try again", "detail");
    return std::unique_ptr<Transaction>(std::make_unique<NotedTransaction>(++begun_, stage_, diary_));
  }
  Result<std::unique_ptr<RowStream>> run(const RunRequest& request, CancelToken cancel) override {
    return inner_.run(request, std::move(cancel));
  }
  Result<Catalog> catalog() override { return inner_.catalog(); }
  Result<std::string> syntax_tree(std::string_view sql) override { return inner_.syntax_tree(sql); }
  Result<std::string> print_tree(std::string_view tree) override { return inner_.print_tree(tree); }
  Result<TableFacts> table_facts(const TableName& name, const std::vector<std::string>& columns) override {
    return inner_.table_facts(name, columns);
  }
  Result<std::vector<FunctionFacts>> function_facts(const std::vector<std::string>& names) override {
    return inner_.function_facts(names);
  }
  Result<std::uint64_t> append(const std::string& table, const std::vector<Column>& columns, bool replace,
                               RowStream& rows, CancelToken cancel) override {
    return inner_.append(table, columns, replace, rows, std::move(cancel));
  }

 private:
  StageEngine inner_;
  Stage& stage_;
  Diary& diary_;
  std::atomic<int> begun_{0};
};

class WorkerTransactionTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }
  Connector connector() {
    return [this]() -> Result<Peer> {
      std::array<int, 2> ends{};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return make_error("internal", "no pair");
      threads_.emplace_back([this, fd = ends[1]] {
        const Opener open = [this](const Policy&) -> Result<std::unique_ptr<Engine>> {
          return std::unique_ptr<Engine>(std::make_unique<NotedEngine>(stage_, diary_));
        };
        EXPECT_EQ(serve(fd, open, AtHangUp::kReturn), 0);
      });
      return Peer{ends[0], -1};
    };
  }
  std::string run(Transaction& transaction, const std::string& sql) {
    auto stream = transaction.run(statement(sql), {});
    if (!stream.ok()) return stream.error().code;
    while (true) {
      const RowStream::Item item = (*stream)->next();
      if (std::holds_alternative<End>(item)) return "";
      if (const auto* failure = std::get_if<Diagnostic>(&item)) return failure->code;
    }
  }
  Stage stage_;
  Diary diary_;
  std::vector<std::thread> threads_;
};

TEST_F(WorkerTransactionTest, TwoAreKeptApart) {
  WorkerEngine engine(connector(), {});
  auto first = engine.begin(1, {});
  auto second = engine.begin(1, {});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(run(**second, "x"), "");
  EXPECT_EQ(run(**first, "y"), "");
  EXPECT_EQ(run(**second, "z"), "");
  first->reset();
  ASSERT_TRUE((*second)->commit().ok());
  second->reset();
  const std::vector<std::string> lines = {"x 2", "y 1", "z 2", "end 1", "commit 2", "end 2"};
  EXPECT_EQ(diary_.lines, lines);
}

TEST_F(WorkerTransactionTest, WhatTheEngineSaysArrives) {
  WorkerEngine engine(connector(), {});
  const auto busy = engine.begin(0, {});
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().code, "busy");
  EXPECT_EQ(busy.error().detail, "detail");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(engine.begin(1, {}).ok());
  auto third = engine.begin(1, {});
  ASSERT_TRUE(third.ok());
  const Status committed = (*third)->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, "concurrent-change") << "an answer that came is no unknown one";
  EXPECT_EQ((*third)->commit().error().code, "engine-error");
  EXPECT_EQ(run(**third, "x"), "engine-error");
}

TEST_F(WorkerTransactionTest, WaitingForOneIsCancelled) {
  WorkerEngine engine(connector(), {});
  CancelToken cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(20ms);
    cancel.cancel();
  });
  EXPECT_EQ(engine.begin(99, cancel).error().code, "cancelled");
  canceller.join();
  EXPECT_EQ(engine.begin(1, cancel).error().code, "cancelled");
  EXPECT_TRUE(engine.close_idle()) << "nothing is held open by what was not begun";
}

TEST_F(WorkerTransactionTest, AStatementLeftEarlyIsStoppedBeforeTheRollback) {
  stage_.play = [](const RunRequest&) { return Script{.rows = 1'000'000}; };
  WorkerEngine engine(connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  {
    auto stream = (*transaction)->run(statement("long"), {});
    ASSERT_TRUE(stream.ok());
  }
  EXPECT_EQ((*transaction)->commit().error().code, "engine-error");
  transaction->reset();
  const std::vector<std::string> lines = {"long 1", "end 1"};
  EXPECT_EQ(diary_.lines, lines);
  EXPECT_LT(stage_.produced, 1'000'000U);
}

TEST_F(WorkerTransactionTest, SeveralStatementsAreOneRequest) {
  stage_.play = [](const RunRequest& request) {
    return Script{.rows = request.sql == "many" ? 100'000U : 3U, .text = request.sql};
  };
  WorkerEngine engine(connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_TRUE((*transaction)->run_all({}, {}).done.empty());
  std::vector<RunRequest> requests = {statement("a"), statement("many"), statement("b")};
  // More than may be under way without a credit.
  for (int i = 0; i < 200; ++i) requests.push_back(statement("c"));
  const Answers answers = (*transaction)->run_all(requests, {});
  ASSERT_FALSE(answers.failure) << answers.failure->message;
  ASSERT_EQ(answers.done.size(), requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(answers.done[i].header.target, requests[i].sql);
    EXPECT_EQ(answers.done[i].end.rows, i == 1 ? 100'000U : 3U);
    std::uint64_t rows = 0;
    for (const RowBatch& batch : answers.done[i].rows) rows += batch.rows;
    EXPECT_EQ(rows, answers.done[i].end.rows);
  }
  EXPECT_EQ(run(**transaction, "x"), "");
  EXPECT_TRUE((*transaction)->commit().ok());
}

TEST_F(WorkerTransactionTest, NothingRunsBehindTheFirstThatFails) {
  stage_.play = [](const RunRequest& request) {
    Script script{.rows = 2};
    if (request.sql == "bad") script.failure = make_error("constraint-violation", "no");
    return script;
  };
  WorkerEngine engine(connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  const Answers answers =
      (*transaction)->run_all({statement("a"), statement("b"), statement("bad"), statement("c")}, {});
  ASSERT_TRUE(answers.failure);
  EXPECT_EQ(answers.failure->code, "constraint-violation");
  EXPECT_EQ(answers.done.size(), 2U) << "the failure is the third's";
  EXPECT_EQ((*transaction)->run_all({statement("d")}, {}).failure->code, "engine-error");
  EXPECT_EQ(run(**transaction, "e"), "engine-error");
  EXPECT_EQ((*transaction)->commit().error().code, "engine-error") << "only rolling back is left";
  transaction->reset();
  const std::vector<std::string> lines = {"a 1", "b 1", "bad 1", "end 1"};
  EXPECT_EQ(diary_.lines, lines);
}

TEST_F(WorkerTransactionTest, SeveralStatementsAreCancelledAsOne) {
  stage_.play = [](const RunRequest& request) {
    return Script{.rows = 10, .stuck_at = request.sql == "stuck" ? std::optional<std::uint64_t>(5) : std::nullopt};
  };
  WorkerEngine engine(connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  CancelToken cancel;
  std::thread canceller([&] {
    std::this_thread::sleep_for(20ms);
    cancel.cancel();
  });
  const Answers answers = (*transaction)->run_all({statement("a"), statement("stuck"), statement("b")}, cancel);
  canceller.join();
  ASSERT_TRUE(answers.failure);
  EXPECT_EQ(answers.failure->code, "cancelled");
  EXPECT_EQ(answers.done.size(), 1U);
}

TEST_F(WorkerTransactionTest, ThoseLeftOpenEndBeforeTheirEngine) {
  WorkerEngine engine(connector(), {});
  auto first = engine.begin(1, {});
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(engine.close_idle());
  engine.close(2s);
  const std::vector<std::string> lines = {"end 1", "closed"};
  EXPECT_EQ(diary_.lines, lines);
  EXPECT_EQ(run(**first, "x"), "engine-died");
  EXPECT_FALSE((*first)->commit().ok());
}

// ---- a peer that is no good worker ----

TEST(ImpostorTransactionTest, ACommitThatIsNotAnsweredIsUnknown) {
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kBegin ? frame(FrameType::kDone, request.id, encode(std::uint32_t{7}))
                                             : std::string(kHangUp);
  });
  WorkerEngine engine(impostor.connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  const Status committed = (*transaction)->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, "write-unknown");
  EXPECT_EQ(committed.error().error_class(), ErrorClass::kAmbiguous);
}

TEST(ImpostorTransactionTest, AStatementThatIsNotAnsweredIsNot) {
  Impostor impostor([](const Frame& request) {
    return request.type == FrameType::kBegin ? frame(FrameType::kDone, request.id, encode(std::uint32_t{7}))
                                             : std::string(kHangUp);
  });
  WorkerEngine engine(impostor.connector(), {});
  auto transaction = engine.begin(1, {});
  ASSERT_TRUE(transaction.ok());
  RunRequest write = statement("INSERT INTO t VALUES (1)");
  write.allow_writes = true;
  EXPECT_EQ((*transaction)->run(write, {}).error().code, "engine-died") << "what was not committed did not happen";
}

TEST(ImpostorTransactionTest, FewerOrMoreAnswersThanWereAskedForAreNone) {
  for (const bool fewer : {true, false}) {
    Impostor impostor([fewer](const Frame& request) {
      if (request.type == FrameType::kBegin) return frame(FrameType::kDone, request.id, encode(std::uint32_t{7}));
      std::string out = frame(FrameType::kHeader, request.id, encode(Header()));
      if (fewer) return out + frame(FrameType::kDone, request.id, encode(End()));
      out += frame(FrameType::kNext, request.id, encode(End()));
      return out + out + out;
    });
    WorkerEngine engine(impostor.connector(), {});
    auto transaction = engine.begin(1, {});
    ASSERT_TRUE(transaction.ok());
    const Answers answers = (*transaction)->run_all({statement("a"), statement("b")}, {});
    ASSERT_TRUE(answers.failure);
    EXPECT_EQ(answers.failure->code, "engine-died");
  }
}

TEST(ImpostorTransactionTest, AnAnswerThatIsNoneEndsTheWorker) {
  for (const FrameType wrong : {FrameType::kBegin, FrameType::kCommit, FrameType::kRollback}) {
    Impostor impostor([wrong](const Frame& request) {
      if (request.type == wrong) return frame(FrameType::kDone, request.id, "nonsense");
      return frame(FrameType::kDone, request.id,
                   request.type == FrameType::kBegin ? encode(std::uint32_t{7}) : std::string());
    });
    WorkerEngine engine(impostor.connector(), {});
    auto transaction = engine.begin(1, {});
    if (wrong == FrameType::kBegin) {
      ASSERT_FALSE(transaction.ok());
      EXPECT_EQ(transaction.error().code, "engine-died");
      continue;
    }
    ASSERT_TRUE(transaction.ok());
    if (wrong == FrameType::kCommit) {
      EXPECT_EQ((*transaction)->commit().error().code, "write-unknown");
    }
    transaction->reset();
  }
}

TEST(ImpostorTransactionTest, AWorkerIsAskedForNothingItDoesNotHold) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  Stage stage;
  std::thread server([&] {
    const Opener open = [&](const Policy&) -> Result<std::unique_ptr<Engine>> {
      return std::unique_ptr<Engine>(std::make_unique<StageEngine>(stage));
    };
    EXPECT_EQ(serve(ends[1], open, AtHangUp::kReturn), 0);
  });
  std::string out;
  append_frame(out, FrameType::kOpen, 1, encode(Policy()));
  ASSERT_EQ(::send(ends[0], out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
  FrameReader frames;
  const auto next = [&]() -> Frame {
    std::array<char, 4096> buffer{};
    while (true) {
      const ssize_t got = ::recv(ends[0], buffer.data(), 1, 0);
      if (got <= 0) return {};
      std::string_view bytes(buffer.data(), 1);
      if (auto frame = frames.feed(bytes)) return *frame;
    }
  };
  EXPECT_EQ(next().type, FrameType::kDone);
  std::uint32_t id = 2;
  for (const FrameType type :
       {FrameType::kBegin, FrameType::kRunIn, FrameType::kRunAllIn, FrameType::kCommit, FrameType::kRollback}) {
    for (const std::string& payload :
         {std::string("x"), encode(std::uint32_t{5}), encode(std::uint32_t{5}, statement("q")),
          encode(std::uint32_t{5}, std::vector<RunRequest>{statement("q")})}) {
      out.clear();
      append_frame(out, type, id++, payload);
      ASSERT_EQ(::send(ends[0], out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
      EXPECT_EQ(next().type, FrameType::kFailed);
    }
  }
  ::shutdown(ends[0], SHUT_RDWR);
  server.join();
  ::close(ends[0]);
}

}  // namespace
}  // namespace candor::engine::worker
