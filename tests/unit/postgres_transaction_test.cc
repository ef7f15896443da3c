// Writing transactions of a contract on PostgreSQL: what they give back, how they fail, and what two of them do to each
// other.
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>

#include "engine/postgres/postgres_engine.h"
#include "support/postgres_app.h"

namespace candor::test {
namespace {

using engine::RunRequest;
using engine::Transaction;
using std::chrono::milliseconds;

class PostgresTransactionTest : public PostgresTest {
 protected:
  void SetUp() override {
    server().run(
        "TRUNCATE cards; INSERT INTO cards (id, front, tags, amount) VALUES (1,'one','{a}',1),(2,'two','{a,b}',2),"
        "(3,'three','{}',3)");
    engine_ = open(policy("writer", true));
    ASSERT_NE(engine_, nullptr);
  }

  std::unique_ptr<Transaction> begin(std::int64_t wait_ms = 2'000) {
    auto begun = engine_->begin(wait_ms, {});
    EXPECT_TRUE(begun.ok()) << begun.error().message;
    return begun.ok() ? *std::move(begun) : nullptr;
  }

  static RunRequest request(const std::string& sql, std::vector<Value> parameters = {}) {
    RunRequest made;
    made.sql = sql;
    made.parameters = std::move(parameters);
    made.lane = engine::Lane::kContract;
    made.allow_writes = true;
    return made;
  }

  static Ran run_in(Transaction& transaction, const RunRequest& request, const CancelToken& cancel = {}) {
    auto stream = transaction.run(request, cancel);
    if (stream.ok()) return pull(**stream);
    Ran ran;
    ran.error = stream.error();
    return ran;
  }
  static Ran run_in(Transaction& transaction, const std::string& sql) { return run_in(transaction, request(sql)); }

  // What others see.
  static std::string cards() { return server().run("SELECT string_agg(id || front, ',' ORDER BY id) FROM cards"); }

  std::unique_ptr<engine::Engine> engine_;
};

TEST_F(PostgresTransactionTest, WritesAreCountedReturnedAndKeptWithTheCommit) {
  auto transaction = begin();
  Value tags;
  tags.kind = CellKind::kList;
  tags.parts = {text_value("x"), text_value("y,\"z")};
  const Ran inserted =
      run_in(*transaction, request("INSERT INTO public.cards (id, front, tags, payload) VALUES ($1::integer, $2::text,"
                                   " $3::text[], $4::jsonb) RETURNING id, front, tags, payload, seen",
                                   {integer_value(4), text_value("four"), tags, text_value("{\"a\": 1.50}")}));
  EXPECT_EQ(inserted.all(), R"([4,"four",["x","y,\"z"],{"a": 1.50},null])");
  EXPECT_EQ(inserted.header.kind, engine::StatementKind::kInsert);
  EXPECT_EQ(inserted.header.target, "cards");
  EXPECT_EQ(inserted.end.affected, 1U);
  const Ran updated =
      run_in(*transaction, request("UPDATE public.cards SET front = front || '!' WHERE id = ANY ($1::integer[])", {[] {
                                     Value ids;
                                     ids.kind = CellKind::kList;
                                     ids.parts = {integer_value(1), integer_value(2)};
                                     return ids;
                                   }()}));
  EXPECT_EQ(updated.end.affected, 2U);
  EXPECT_TRUE(updated.rows.empty());
  EXPECT_EQ(updated.header.kind, engine::StatementKind::kUpdate);
  const Ran deleted = run_in(
      *transaction, "WITH gone AS (SELECT 3 AS id) DELETE FROM ONLY public.cards AS c USING gone WHERE c.id = gone.id");
  EXPECT_EQ(deleted.header.kind, engine::StatementKind::kDelete);
  EXPECT_EQ(deleted.header.target, "cards");
  EXPECT_EQ(deleted.end.affected, 1U);
  EXPECT_EQ(run_in(*transaction, "SELECT id, front FROM public.cards ORDER BY id").all(),
            R"([1,"one!"] [2,"two!"] [4,"four"])");
  EXPECT_EQ(cards(), "1one,2two,3three") << "nothing is to be seen before the commit";
  ASSERT_TRUE(transaction->commit().ok());
  EXPECT_EQ(cards(), "1one!,2two!,4four");
  EXPECT_FALSE(transaction->commit().ok());
}

TEST_F(PostgresTransactionTest, WhatIsNotCommittedIsUndone) {
  {
    auto transaction = begin();
    EXPECT_EQ(run_in(*transaction, "DELETE FROM public.cards").end.affected, 3U);
  }
  EXPECT_EQ(cards(), "1one,2two,3three");
  // The connection goes on to the next statement.
  EXPECT_EQ(run(*engine_, request("SELECT count(*) FROM public.cards")).all(), "[3]");
}

TEST_F(PostgresTransactionTest, FailuresHaveCodesAndEndTheTransaction) {
  const std::pair<const char*, const char*> failures[] = {
      {"INSERT INTO public.cards (id, front) VALUES (1, 'again')", "duplicate-key"},
      {"INSERT INTO public.cards (id, front) VALUES (5, NULL)", "null-not-allowed"},
      {"UPDATE public.cards SET amount = -1", "constraint-violation"},
      {"UPDATE public.cards SET id = id + 2147483647", "integer-overflow"},
      {"UPDATE public.cards SET amount = amount / (id - 1)", "engine-error"},
      {"UPDATE public.cards SET nothing = 1", "source-changed"},
      {"INSERT INTO public.nowhere VALUES (1)", "source-changed"},
      {"DELETE FROM public.users", "not-published"},
      {"SELECT FROM WHERE", "internal"},
  };
  for (const auto& [sql, code] : failures) {
    auto transaction = begin();
    ASSERT_EQ(run_in(*transaction, "UPDATE public.cards SET front = 'lost' WHERE id = 2").end.affected, 1U);
    const Ran failed = run_in(*transaction, sql);
    EXPECT_EQ(failed.code(), code) << sql << (failed.error ? ": " + failed.error->message : "");
    EXPECT_EQ(run_in(*transaction, "SELECT 1").code(), "internal") << sql;
    EXPECT_FALSE(transaction->commit().ok()) << sql;
  }
  EXPECT_EQ(cards(), "1one,2two,3three");
  auto transaction = begin();
  const Ran null = run_in(*transaction, "INSERT INTO public.cards (id, front) VALUES (5, NULL)");
  EXPECT_EQ(null.error->detail, "front");
  EXPECT_EQ(null.error->message.find('5'), std::string::npos)
      << "values of a row are nobody's affair: " << null.error->message;
}

TEST_F(PostgresTransactionTest, TwoWritersOfOneRowAreARaceThatOneLoses) {
  auto first = begin();
  auto second = begin();
  ASSERT_EQ(run_in(*first, "SELECT count(*) FROM public.cards").all(), "[3]");
  ASSERT_EQ(run_in(*second, "SELECT count(*) FROM public.cards").all(), "[3]");
  ASSERT_EQ(run_in(*first, "UPDATE public.cards SET front = 'first' WHERE id = 1").end.affected, 1U);
  ASSERT_TRUE(first->commit().ok());
  EXPECT_EQ(run_in(*second, "SELECT front FROM public.cards WHERE id = 1").all(), R"(["one"])")
      << "one state from its start on";
  EXPECT_EQ(run_in(*second, "UPDATE public.cards SET front = 'second' WHERE id = 1").code(), "concurrent-change");
  second.reset();
  EXPECT_EQ(cards(), "1first,2two,3three");
}

TEST_F(PostgresTransactionTest, AWriterWaitsForAnotherNoLongerThanItSaid) {
  auto first = begin();
  ASSERT_EQ(run_in(*first, "UPDATE public.cards SET front = 'first' WHERE id = 1").end.affected, 1U);
  auto second = begin(200);
  EXPECT_EQ(run_in(*second, "UPDATE public.cards SET front = 'second' WHERE id = 1").code(), "busy");
  second.reset();
  ASSERT_TRUE(first->commit().ok());
}

TEST_F(PostgresTransactionTest, ADeadlineAndACancelledTokenEndAStatementAndItsTransaction) {
  auto timed = begin();
  RunRequest slow = request("UPDATE public.cards SET front = 'slow' WHERE pg_sleep(30) IS NOT NULL");
  slow.deadline_ms = 200;
  EXPECT_EQ(run_in(*timed, slow).code(), "statement-timeout");
  EXPECT_FALSE(timed->commit().ok());
  auto cancelled = begin();
  CancelToken token;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    token.cancel();
  });
  slow.deadline_ms = 30'000;
  EXPECT_EQ(run_in(*cancelled, slow, token).code(), "cancelled");
  stopper.join();
  cancelled.reset();
  EXPECT_EQ(cards(), "1one,2two,3three");
}

TEST_F(PostgresTransactionTest, AStreamMustBeReadToItsEnd) {
  auto transaction = begin();
  auto stream = transaction->run(request("SELECT * FROM public.cards"), {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  EXPECT_EQ(run_in(*transaction, "SELECT 1").code(), "internal");
  EXPECT_EQ(pull(**stream).rows.size(), 3U);
  EXPECT_EQ(run_in(*transaction, "SELECT 1").all(), "[1]");
  auto dropped = transaction->run(request("SELECT * FROM generate_series(1, 1000000)"), {});
  ASSERT_TRUE(dropped.ok());
  dropped->reset();
  EXPECT_FALSE(transaction->commit().ok()) << "what was dropped half-way is not known to have been done";
}

TEST_F(PostgresTransactionTest, RowsPastTheCapAreCounted) {
  auto transaction = begin();
  RunRequest asked = request("DELETE FROM public.cards RETURNING id");
  asked.rows_max = 2;
  const Ran ran = run_in(*transaction, asked);
  EXPECT_EQ(ran.rows.size(), 2U);
  EXPECT_EQ(ran.end.rows_total, 3U);
  EXPECT_EQ(ran.end.affected, 3U);
}

TEST_F(PostgresTransactionTest, ASourceWithoutAContractTakesNone) {
  const auto engine = open(policy("writer"));
  const auto begun = engine->begin(100, {});
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().code, "read-only");
}

TEST_F(PostgresTransactionTest, ACommitWhoseAnswerIsLostIsUnknown) {
  PostgresServer own;
  own.run("CREATE TABLE t (a int); GRANT ALL ON t TO writer");
  engine::Policy policy;
  policy.sources = {own.spec("writer")};
  policy.contract = true;
  const auto engine = open(policy);
  auto begun = engine->begin(1'000, {});
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  ASSERT_EQ(run_in(**begun, "INSERT INTO public.t VALUES (1)").end.affected, 1U);
  own.stop();
  const auto committed = (*begun)->commit();
  ASSERT_FALSE(committed.ok());
  EXPECT_EQ(committed.error().code, "write-unknown");
}

TEST_F(PostgresTransactionTest, ReadsOfTheContractsLaneMayCallAnything) {
  EXPECT_EQ(run(*engine_, request("SELECT set_config('work_mem', '2MB', true)")).all(), R"(["2MB"])");
  EXPECT_EQ(run(*engine_, request("DELETE FROM public.cards")).code(), "read-only") << "but only a transaction writes";
}

}  // namespace
}  // namespace candor::test
