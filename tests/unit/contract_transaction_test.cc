// Transactions on the source of a contract: what every engine has to answer alike, in this process and behind a worker.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "base/render_json.h"
#include "engine/worker/worker_engine.h"
#include "support/contract_source.h"

namespace candor::engine {
namespace {

using test::ContractSource;
using test::Kind;
using test::Ran;
using test::read;
using test::run_in;
using test::write_in;
using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

class ContractTransactionTest : public ::testing::TestWithParam<std::tuple<Kind, bool>> {
 protected:
  void SetUp() override {
    if (behind_worker() && std::getenv("CANDOR_WORKER") == nullptr) GTEST_SKIP() << "CANDOR_WORKER names no program";
  }
  [[nodiscard]] static bool behind_worker() { return std::get<1>(GetParam()); }
  [[nodiscard]] std::unique_ptr<Engine> open() const {
    if (!behind_worker()) return source_.open();
    return std::make_unique<worker::WorkerEngine>(std::getenv("CANDOR_WORKER"), source_.policy());
  }
  [[nodiscard]] std::string cards() const { return source_.table(); }
  [[nodiscard]] std::string all(Engine& engine) const {
    return read(engine, "SELECT card_id, n, note FROM " + cards() + " ORDER BY card_id").all();
  }

  ContractSource source_{std::get<0>(GetParam())};
};

std::string name_of(const ::testing::TestParamInfo<std::tuple<Kind, bool>>& info) {
  return std::string(std::get<0>(info.param) == Kind::kSqlite ? "Sqlite" : "Duckdb") +
         (std::get<1>(info.param) ? "BehindAWorker" : "InProcess");
}

INSTANTIATE_TEST_SUITE_P(All, ContractTransactionTest,
                         ::testing::Combine(::testing::Values(Kind::kSqlite, Kind::kDuckdb), ::testing::Bool()),
                         name_of);

constexpr auto kBefore = R"(["a",1,null] ["b",2,"x"] ["c",3,"y"])";

TEST_P(ContractTransactionTest, WhatIsCommittedIsThereWhatIsDroppedIsNot) {
  const auto engine = open();
  {
    auto transaction = engine->begin(1'000, {});
    ASSERT_TRUE(transaction.ok()) << transaction.error().message;
    const Ran inserted = run_in(**transaction, "INSERT INTO " + cards() + " VALUES ($1, $2, $3), ('e', 5, 'z')",
                                {text_value("d"), integer_value(4), Value()});
    ASSERT_FALSE(inserted.error) << inserted.all();
    EXPECT_EQ(inserted.end.affected, 2U);
    EXPECT_EQ(inserted.header.kind, StatementKind::kInsert);
    EXPECT_EQ(all(*engine), kBefore) << "another connection sees nothing of it yet";
    EXPECT_EQ(run_in(**transaction, "SELECT count(*) FROM " + cards()).all(), "[5]");
  }
  EXPECT_EQ(all(*engine), kBefore);
  EXPECT_EQ(write_in(*engine, "UPDATE " + cards() + " SET n = n + 10 WHERE n >= 2"), "");
  EXPECT_EQ(all(*engine), R"(["a",1,null] ["b",12,"x"] ["c",13,"y"])");
}

TEST_P(ContractTransactionTest, SeveralStatementsSeeEachOtherAndEndAtTheFirstFailure) {
  const auto engine = open();
  {
    auto transaction = engine->begin(1'000, {});
    ASSERT_TRUE(transaction.ok()) << transaction.error().message;
    const Answers answers = (*transaction)
                                ->run_all({test::contract_statement("UPDATE " + cards() + " SET n = n + 1"),
                                           test::contract_statement("SELECT sum(n) FROM " + cards()),
                                           test::contract_statement("DELETE FROM " + cards() + " WHERE n = 2")},
                                          {});
    ASSERT_FALSE(answers.failure) << answers.failure->message;
    ASSERT_EQ(answers.done.size(), 3U);
    EXPECT_EQ(answers.done[0].end.affected, 3U);
    ASSERT_EQ(answers.done[1].rows.size(), 1U);
    CellReader cells(answers.done[1].rows[0].cells);
    std::string sum;
    append_json(sum, cells);
    EXPECT_EQ(sum, "9") << "a statement sees what those before it wrote";
    EXPECT_EQ(answers.done[2].end.affected, 1U);
    const Answers failing =
        (*transaction)
            ->run_all({test::contract_statement("INSERT INTO " + cards() + " VALUES ('d', 4, NULL)"),
                       test::contract_statement("INSERT INTO " + cards() + " VALUES ('b', 9, NULL)"),
                       test::contract_statement("DELETE FROM " + cards())},
                      {});
    ASSERT_TRUE(failing.failure);
    EXPECT_EQ(failing.failure->code, "duplicate-key");
    EXPECT_EQ(failing.done.size(), 1U) << "the failure is the second's";
    EXPECT_FALSE((*transaction)->commit().ok()) << "only rolling back is left";
  }
  EXPECT_EQ(all(*engine), kBefore);
}

TEST_P(ContractTransactionTest, ReturningGivesTheRowsAndTheCount) {
  const auto engine = open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  const Ran updated =
      run_in(**transaction, "UPDATE " + cards() + " SET n = 7 WHERE card_id IN ('a', 'b') RETURNING card_id, n");
  EXPECT_EQ(updated.all(), R"(["a",7] ["b",7])");
  EXPECT_EQ(updated.end.affected, 2U);
  RunRequest few = test::contract_statement("DELETE FROM " + cards() + " RETURNING card_id");
  few.rows_max = 1;
  few.count_budget_ms = 0;
  auto stream = (*transaction)->run(few, {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  const Ran deleted = test::pull(**stream);
  EXPECT_EQ(deleted.rows.size(), 1U);
  EXPECT_EQ(deleted.end.affected, 3U) << "rows that are not shown are deleted all the same";
  ASSERT_TRUE((*transaction)->commit().ok());
  EXPECT_EQ(all(*engine), "");
}

TEST_P(ContractTransactionTest, ConstraintsHaveCodesAndColumns) {
  const auto engine = open();
  const auto fails = [&](const std::string& sql) {
    auto transaction = engine->begin(1'000, {});
    EXPECT_TRUE(transaction.ok());
    const Ran ran = run_in(**transaction, sql);
    return ran.error ? ran.error->code + " " + ran.error->detail : "no error";
  };
  EXPECT_EQ(fails("INSERT INTO " + cards() + " VALUES ('a', 9, NULL)"), "duplicate-key card_id");
  EXPECT_EQ(fails("UPDATE " + cards() + " SET card_id = 'b' WHERE card_id = 'a'"), "duplicate-key card_id");
  EXPECT_EQ(fails("INSERT INTO " + cards() + " VALUES ('z', NULL, NULL)"), "null-not-allowed n");
  EXPECT_EQ(fails("UPDATE " + cards() + " SET n = NULL"), "null-not-allowed n");
  EXPECT_EQ(fails("UPDATE " + cards() + " SET n = -1"), "constraint-violation ");
  EXPECT_EQ(fails("INSERT INTO " + source_.table("notes") + " VALUES ('no such card')"), "constraint-violation ");
  EXPECT_EQ(all(*engine), kBefore);
}

TEST_P(ContractTransactionTest, AfterAFailureOnlyRollingBackIsLeft) {
  const auto engine = open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_EQ(run_in(**transaction, "UPDATE " + cards() + " SET n = 50").code(), "");
  EXPECT_EQ(run_in(**transaction, "INSERT INTO " + cards() + " VALUES ('a', 9, NULL)").code(), "duplicate-key");
  EXPECT_EQ(run_in(**transaction, "SELECT 1").code(), "engine-error");
  const Status committed = (*transaction)->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, "engine-error");
  transaction->reset();
  EXPECT_EQ(all(*engine), kBefore);
}

TEST_P(ContractTransactionTest, AStreamLeftEarlyEndsTheTransaction) {
  const auto engine = open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  {
    auto stream =
        (*transaction)->run(test::contract_statement("UPDATE " + cards() + " SET n = 50 RETURNING card_id"), {});
    ASSERT_TRUE(stream.ok());
    EXPECT_EQ(run_in(**transaction, "SELECT 1").code(), "engine-error") << "the statement before is not at its end";
  }
  EXPECT_FALSE((*transaction)->commit().ok());
  transaction->reset();
  EXPECT_EQ(all(*engine), kBefore);
  EXPECT_EQ(write_in(*engine, "DELETE FROM " + cards() + " WHERE card_id = 'a'"), "");
}

TEST_P(ContractTransactionTest, ASecondWriterOfTheSameEngineWaitsOrIsBusy) {
  const auto engine = open();
  auto first = engine->begin(1'000, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(run_in(**first, "UPDATE " + cards() + " SET n = n + 1").code(), "");
  EXPECT_EQ(engine->begin(30, {}).error().code, "busy");
  auto second = std::async(std::launch::async,
                           [&] { return write_in(*engine, "UPDATE " + cards() + " SET n = n + 100", 20'000); });
  std::this_thread::sleep_for(30ms);
  ASSERT_TRUE((*first)->commit().ok());
  first->reset();
  EXPECT_EQ(second.get(), "");
  EXPECT_EQ(all(*engine), R"(["a",102,null] ["b",103,"x"] ["c",104,"y"])");
}

TEST_P(ContractTransactionTest, WritersOfTwoEnginesComeOneAfterTheOther) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP();
  constexpr int kRounds = 15;
  const auto add = [&](Engine& engine) {
    std::string failures;
    for (int i = 0; i < kRounds; ++i) failures += write_in(engine, "UPDATE " + cards() + " SET n = n + 1", 30'000);
    return failures;
  };
  // Two processes on the file: this one or a worker, and another worker.
  const auto one = open();
  worker::WorkerEngine other(program, source_.policy());
  auto adding = std::async(std::launch::async, [&] { return add(other); });
  EXPECT_EQ(add(*one), "");
  EXPECT_EQ(adding.get(), "");
  EXPECT_EQ(read(*one, "SELECT sum(n) FROM " + cards()).all(), "[" + std::to_string(6 + 3 * 2 * kRounds) + "]");
  EXPECT_EQ(read(other, "SELECT sum(n) FROM " + cards()).all(), "[" + std::to_string(6 + 3 * 2 * kRounds) + "]");
}

TEST_P(ContractTransactionTest, AWriterElsewhereMakesItBusyAndNamesTheFile) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP();
  worker::WorkerEngine other(program, source_.policy());
  auto held = other.begin(1'000, {});
  ASSERT_TRUE(held.ok()) << held.error().message;
  const auto engine = open();
  const auto refused = engine->begin(50, {});
  ASSERT_FALSE(refused.ok());
  const bool sqlite = std::get<0>(GetParam()) == Kind::kSqlite;
  EXPECT_EQ(refused.error().code, sqlite ? "busy" : "file-locked");
  EXPECT_NE((refused.error().message + refused.error().detail).find(source_.path()), std::string::npos);
  CancelToken cancel;
  auto waiting = std::async(std::launch::async, [&] { return engine->begin(60'000, cancel).error().code; });
  std::this_thread::sleep_for(20ms);
  cancel.cancel();
  EXPECT_EQ(waiting.get(), "cancelled");
}

TEST_P(ContractTransactionTest, AStatementThatIsLateRollsBackTheWhole) {
  const auto engine = open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_EQ(run_in(**transaction, "UPDATE " + cards() + " SET n = 50").code(), "");
  RunRequest late = test::contract_statement(
      "INSERT INTO " + cards() +
      " WITH RECURSIVE i(x) AS (SELECT 10 UNION ALL SELECT x + 1 FROM i) SELECT CAST(x AS TEXT), x, NULL FROM i");
  late.deadline_ms = 100;
  const auto stopped = (*transaction)->run(late, {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, "statement-timeout");
  EXPECT_FALSE((*transaction)->commit().ok());
  transaction->reset();
  EXPECT_EQ(all(*engine), kBefore);
}

TEST_P(ContractTransactionTest, NoOtherLaneAndNoOtherStatementIsRun) {
  const auto engine = open();
  RunRequest agent = test::contract_statement("SELECT 1");
  agent.lane = Lane::kAgent;
  EXPECT_EQ(test::run(*engine, agent).code(), "statement-not-allowed");
  EXPECT_EQ(read(*engine, "UPDATE " + cards() + " SET n = 9").code(), "read-only");
  EXPECT_EQ(read(*engine, "SELECT 1; SELECT 2").code(), "several-statements");
  const auto in_transaction = [&](const std::string& sql) {
    auto transaction = engine->begin(1'000, {});
    EXPECT_TRUE(transaction.ok());
    return run_in(**transaction, sql).code();
  };
  EXPECT_NE(in_transaction("DROP TABLE " + cards()), "");
  EXPECT_NE(in_transaction("COMMIT"), "");
  EXPECT_NE(in_transaction("CREATE TABLE x(a INT)"), "");
  EXPECT_NE(in_transaction("ATTACH '/tmp/other' AS other"), "");
  EXPECT_NE(in_transaction(""), "");
  EXPECT_EQ(all(*engine), kBefore);
}

TEST_P(ContractTransactionTest, AFileThatIsNotThereIsNotMade) {
  Policy policy = source_.policy();
  policy.sources[0].path = source_.folder().path() + "/nothing";
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP();
  worker::WorkerEngine engine(program, policy);
  const auto begun = engine.begin(100, {});
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().code, "file-error");
  EXPECT_NE(::access(policy.sources[0].path.c_str(), F_OK), 0);
}

TEST_P(ContractTransactionTest, AProcessKilledInTheMiddleLeavesNothingHalfWritten) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr || !behind_worker()) GTEST_SKIP() << "needs a process to kill";
  worker::WorkerEngine engine(program, source_.policy());
  for (int round = 0; round < 3; ++round) {
    auto transaction = engine.begin(5'000, {});
    ASSERT_TRUE(transaction.ok()) << transaction.error().message;
    EXPECT_EQ(run_in(**transaction, "UPDATE " + cards() + " SET n = n + 1").code(), "");
    ASSERT_EQ(::kill(*engine.process(), SIGKILL), 0);
    const Ran after = run_in(**transaction, "SELECT 1");
    EXPECT_EQ(after.code(), "engine-died");
    EXPECT_FALSE((*transaction)->commit().ok());
    transaction->reset();
    EXPECT_EQ(all(engine), kBefore);
  }
}

// Moves one from a card to another, over and over, and is killed at a moment of its own: while it writes, commits, or
// brings its log into the file.
TEST_P(ContractTransactionTest, AProcessKilledAnywhereKeepsWholeTransactions) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr || !behind_worker()) GTEST_SKIP() << "needs a process to kill";
  constexpr int kRounds = 8;
  worker::WorkerEngine engine(program, source_.policy());
  EXPECT_EQ(write_in(engine, "UPDATE " + cards() + " SET n = 1000"), "");
  const auto move_one = [&] {
    auto transaction = engine.begin(10'000, {});
    return transaction.ok() &&
           !run_in(**transaction, "UPDATE " + cards() + " SET n = n - 1 WHERE card_id = 'a'").error &&
           !run_in(**transaction, "UPDATE " + cards() + " SET n = n + 1 WHERE card_id = 'b'").error &&
           (*transaction)->commit().ok();
  };
  int committed = 0;
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_TRUE(move_one());
    ++committed;
    const std::uint64_t generation = engine.generation();
    std::thread killer([pid = *engine.process(), round] {
      std::this_thread::sleep_for(std::chrono::milliseconds(7 * round));
      ::kill(pid, SIGKILL);
    });
    // Killed between two calls it is opened anew, unnoticed.
    while (!engine.reopened_since(generation) && move_one()) ++committed;
    killer.join();
  }
  const Ran left = read(engine, "SELECT sum(n), max(n) - 1000 FROM " + cards());
  ASSERT_EQ(left.rows.size(), 1U) << left.all();
  ASSERT_TRUE(left.rows[0].starts_with("[3000,")) << left.rows[0];
  // Each commit that was answered is there, and of those that were not at most one a round.
  const int moved = std::atoi(left.rows[0].c_str() + 6);
  EXPECT_GE(moved, committed);
  EXPECT_LE(moved, committed + kRounds);
}

// Whether each of its threads has stopped: a signal takes its time.
bool stands_still(pid_t pid) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::ifstream stat(task.path() / "stat");
    std::string line;
    if (std::getline(stat, line) && line[line.rfind(')') + 2] != 'T') return false;
  }
  return true;
}

TEST_P(ContractTransactionTest, ACommitWhoseAnswerIsLostIsUnknown) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr || !behind_worker()) GTEST_SKIP() << "needs a process to stop";
  worker::WorkerEngine engine(program, source_.policy(), {.grace = 50ms, .open = 10s, .answer = 100ms});
  auto transaction = engine.begin(5'000, {});
  ASSERT_TRUE(transaction.ok()) << transaction.error().message;
  EXPECT_EQ(run_in(**transaction, "UPDATE " + cards() + " SET n = 50").code(), "");
  ASSERT_EQ(::kill(*engine.process(), SIGSTOP), 0);
  while (!stands_still(*engine.process())) std::this_thread::sleep_for(1ms);
  const Status committed = (*transaction)->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, "write-unknown");
  EXPECT_EQ(committed.error().error_class(), ErrorClass::kAmbiguous);
}

TEST_P(ContractTransactionTest, AnOpenTransactionKeepsItsProcess) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr || !behind_worker()) GTEST_SKIP() << "needs a process to close";
  worker::WorkerEngine engine(program, source_.policy());
  auto transaction = engine.begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_FALSE(engine.close_idle());
  EXPECT_EQ(run_in(**transaction, "UPDATE " + cards() + " SET n = 50").code(), "");
  ASSERT_TRUE((*transaction)->commit().ok());
  transaction->reset();
  EXPECT_TRUE(engine.close_idle());
  EXPECT_EQ(read(engine, "SELECT min(n) FROM " + cards()).all(), "[50]");
  // One that is open when the engine is closed is rolled back with it.
  auto left = engine.begin(1'000, {});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(run_in(**left, "UPDATE " + cards() + " SET n = 70").code(), "");
  engine.close(2s);
  EXPECT_EQ(run_in(**left, "SELECT 1").code(), "engine-died");
  left->reset();
  EXPECT_EQ(read(engine, "SELECT min(n) FROM " + cards()).all(), "[50]");
}

}  // namespace
}  // namespace candor::engine
