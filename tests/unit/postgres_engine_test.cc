// The PostgreSQL engine: caps and counts, deadlines and cancelling, how errors are told, the catalog, and the server's end.
#include "engine/postgres/postgres_engine.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

#include "support/own_memory.h"
#include "support/postgres_app.h"

namespace candor::test {
namespace {

using engine::RunRequest;
using std::chrono::milliseconds;

class PostgresEngineTest : public PostgresTest {
 protected:
  // The number of statements of others that the server runs now.
  static int running() {
    return std::stoi(
        server().run("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                     " AND state = 'active' AND pid <> pg_backend_pid()"));
  }
  static bool none_runs_soon() {
    for (int i = 0; i < 100; ++i) {
      if (running() == 0) return true;
      std::this_thread::sleep_for(milliseconds(50));
    }
    return false;
  }
  static RunRequest request(const std::string& sql) {
    RunRequest made;
    made.sql = sql;
    return made;
  }
};

// ---- caps, counts, streams ----

TEST_F(PostgresEngineTest, AnswersInTheServersOwnSql) {
  EXPECT_EQ(rows("SELECT name FROM users WHERE age > 29 ORDER BY id;"), R"(["Ann"] ["Cyd"])");
  EXPECT_EQ(rows("  -- a comment\nWITH a AS (SELECT 1 AS x) TABLE a"), "[1]");
  EXPECT_EQ(rows("VALUES (1, 'a'), (2, NULL)"), R"([1,"a"] [2,null])");
  EXPECT_EQ(rows("(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1"), "[1] [2]");
  EXPECT_EQ(rows("SELECT FROM users WHERE id < 3"), "[] []");
  EXPECT_EQ(rows("SELECT max(amount) FROM sales.orders"), R"(["6250.00"])");
}

TEST_F(PostgresEngineTest, RowsPastTheCapAreCountedByTheServer) {
  RunRequest asked = request("SELECT id FROM sales.orders ORDER BY id");
  asked.rows_max = 3;
  const Ran ran = run(engine(), asked);
  EXPECT_EQ(ran.all(), "[1] [2] [3]");
  EXPECT_EQ(ran.end.rows_total, 5000U);
  EXPECT_FALSE(ran.end.cut_by_chars);
  asked.count_budget_ms = 0;
  EXPECT_EQ(run(engine(), asked).end.rows_total, std::nullopt);
  asked.rows_max = 5000;
  const Ran whole = run(engine(), asked);
  EXPECT_EQ(whole.rows.size(), 5000U);
  EXPECT_EQ(whole.end.rows_total, 5000U) << "the cap was not passed, so nothing had to be counted";
}

TEST_F(PostgresEngineTest, CharactersCapTooAndAreSaid) {
  RunRequest asked = request("SELECT repeat('x', 100) FROM generate_series(1, 50)");
  asked.chars_max = 250;
  const Ran ran = run(engine(), asked);
  EXPECT_EQ(ran.rows.size(), 3U);
  EXPECT_TRUE(ran.end.cut_by_chars);
  EXPECT_EQ(ran.end.rows_total, 50U);
}

TEST_F(PostgresEngineTest, ACountThatTakesTooLongIsLeftOut) {
  RunRequest asked = request("SELECT i FROM generate_series(1, 100) AS i WHERE i < 5 OR pg_sleep(0.1) IS NOT NULL");
  asked.rows_max = 2;
  asked.count_budget_ms = 200;
  const Ran ran = run(engine(), asked);
  EXPECT_EQ(ran.all(), "[1] [2]");
  EXPECT_EQ(ran.end.rows, 2U);
  EXPECT_EQ(ran.end.rows_total, std::nullopt);
  EXPECT_EQ(rows("SELECT 1"), "[1]") << "and the next statement runs as if nothing had been";
}

std::uint64_t resident_kb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmRSS:") {
      std::uint64_t kb = 0;
      status >> kb;
      return kb;
    }
  }
  return 0;
}

TEST_F(PostgresEngineTest, AMillionRowsTakeNoMemory) {
  RunRequest asked = request("SELECT i, repeat('x', 200) AS t FROM generate_series(1, 1000000) AS i");
  asked.rows_max = asked.chars_max = std::uint64_t{1} << 62U;
  auto stream = engine().run(asked, {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  const std::uint64_t before = resident_kb();
  std::uint64_t most = before;
  std::uint64_t seen = 0;
  while (true) {
    auto item = (*stream)->next();
    ASSERT_FALSE(std::holds_alternative<Diagnostic>(item)) << std::get<Diagnostic>(item).message;
    if (std::holds_alternative<engine::End>(item)) break;
    seen += std::get<RowBatch>(item).rows;
    most = std::max(most, resident_kb());
  }
  EXPECT_EQ(seen, 1'000'000U);
  if (test::kMemoryIsOwn) {
    EXPECT_LT(most - before, 32'000U) << "of 200 MB";
  }
}

TEST_F(PostgresEngineTest, AnErrorAfterRowsIsAnErrorAndNoShortResult) {
  const Ran ran = ask("SELECT 1 / (3000 - i) FROM generate_series(1, 5000) AS i");
  EXPECT_EQ(ran.code(), "engine-error");
  EXPECT_EQ(ran.error->message, "division by zero");
  EXPECT_EQ(rows("SELECT 1"), "[1]");
}

TEST_F(PostgresEngineTest, AStreamThatIsDroppedStopsItsStatement) {
  {
    auto stream = engine().run(request("SELECT pg_sleep(30)"), {});
    ASSERT_TRUE(stream.ok());
    CancelToken soon;
    auto pulled = engine().run(request("SELECT i, pg_sleep(0.05) FROM generate_series(1, 1000) AS i"), soon);
    ASSERT_TRUE(pulled.ok());
    std::thread stopper([&] {
      std::this_thread::sleep_for(milliseconds(300));
      soon.cancel();
    });
    EXPECT_EQ(pull(**pulled).code(), "cancelled");
    stopper.join();
  }
  EXPECT_TRUE(none_runs_soon());
}

TEST_F(PostgresEngineTest, ParametersAreBoundAndNeverText) {
  RunRequest asked =
      request("SELECT $1::text, $2::int8 + 1, $3::bool, $4::float8, $5::bytea, $6::text[], $7::int[], $8::text");
  Value list;
  list.kind = CellKind::kList;
  list.parts = {text_value("a'b"), text_value("c,\"\\{}"), Value{}, text_value("NULL")};
  Value numbers;
  numbers.kind = CellKind::kList;
  numbers.parts = {integer_value(1), integer_value(-2)};
  Value truth = integer_value(1);
  truth.kind = CellKind::kBoolean;
  Value real;
  real.kind = CellKind::kReal64;
  real.real = 0.1;
  Value blob = text_value(std::string("\0\xff", 2));
  blob.kind = CellKind::kBlob;
  asked.parameters = {
      text_value("'; DROP TABLE users; --"), integer_value(41), truth, real, blob, list, numbers, Value{}};
  EXPECT_EQ(
      run(engine(), asked).all(),
      R"(["'; DROP TABLE users; --",42,true,0.1,{"base64":"AP8=","bytes":2},["a'b","c,\"\\{}",null,"NULL"],[1,-2],null])");
  asked.sql = "SELECT $1::text";
  asked.parameters = {text_value(std::string("a\0b", 3))};
  EXPECT_EQ(run(engine(), asked).code(), "invalid-text");
  EXPECT_EQ(ask("SELECT $1::int").code(), "syntax");
}

// ---- time ----

TEST_F(PostgresEngineTest, TheDeadlineStopsTheServer) {
  RunRequest asked = request("SELECT pg_sleep(60)");
  asked.deadline_ms = 200;
  const Ran ran = run(engine(), asked);
  EXPECT_EQ(ran.code(), "statement-timeout");
  EXPECT_TRUE(none_runs_soon());
  EXPECT_EQ(rows("SELECT 1"), "[1]");
}

TEST_F(PostgresEngineTest, TheDeadlineHoldsOverManyPieces) {
  // No piece takes as long as the deadline, all of them together do.
  RunRequest asked = request("SELECT i, pg_sleep(0.0001) FROM generate_series(1, 1000000) AS i");
  asked.rows_max = asked.chars_max = std::uint64_t{1} << 40U;
  asked.deadline_ms = 1'500;
  EXPECT_EQ(run(engine(), asked).code(), "statement-timeout");
}

TEST_F(PostgresEngineTest, ACancelledStatementEndsAtOnceAndBeforeItBegins) {
  CancelToken token;
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(200));
    token.cancel();
  });
  EXPECT_EQ(run(engine(), request("SELECT pg_sleep(60)"), token).code(), "cancelled");
  stopper.join();
  EXPECT_TRUE(none_runs_soon());
  EXPECT_EQ(run(engine(), request("SELECT 1"), token).code(), "cancelled");
  EXPECT_EQ(rows("SELECT 1"), "[1]");
}

TEST_F(PostgresEngineTest, AReaderBehindAChangeOfTheTableIsToldSo) {
  server().run("CREATE TABLE locked (id int); GRANT SELECT ON locked TO reader");
  std::thread holder([] { server().run("BEGIN; LOCK TABLE locked; SELECT pg_sleep(2); COMMIT"); });
  const std::string held =
      "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted"
      " AND relation = 'locked'::regclass";
  for (int i = 0; i < 100 && server().run(held) == "0"; ++i) std::this_thread::sleep_for(milliseconds(20));
  RunRequest asked = request("SELECT * FROM locked");
  asked.deadline_ms = 500;
  EXPECT_EQ(run(engine(), asked).code(), "statement-timeout");
  holder.join();
}

// ---- errors ----

TEST_F(PostgresEngineTest, ErrorsHaveCodesNamesAndPlaces) {
  const auto told = [&](const std::string& sql) {
    const Ran ran = ask(sql);
    return ran.code() + "|" + (ran.error ? ran.error->detail + "|" + under(sql, ran.error->span) : "");
  };
  EXPECT_EQ(told("SELECT * FROM userz"), "unknown-table|userz|userz");
  EXPECT_EQ(told("SELECT '€€', nam FROM users"), "unknown-column|nam|nam");
  EXPECT_EQ(told("SELECT u.nam FROM users u"), "unknown-column|nam|u.nam");
  EXPECT_EQ(told("SELECT x.id FROM users u"), "unknown-table|x|x.id");
  EXPECT_EQ(told("SELECT * FROM nowhere.users"), "unknown-table|users|nowhere.users");
  EXPECT_EQ(told("SELECT * FROM users WHERE name = \"Ann\""), "unknown-column|Ann|\"Ann\"");
  EXPECT_EQ(told("SELECT nosuch(1)"), "unknown-function|nosuch|nosuch");
  EXPECT_EQ(told("SELECT lower(1)"), "type-mismatch||lower");
  EXPECT_EQ(told("SELECT name = 1 FROM users"), "type-mismatch||=");
  EXPECT_EQ(told("SELECT 'x'::int"), "type-mismatch||'x'");
  EXPECT_EQ(told("SELECT FROM WHERE"), "syntax||WHERE");
  EXPECT_EQ(told("SELECT id FROM users u JOIN adults a ON true"), "ambiguous-column||id");
  EXPECT_EQ(told("SELECT name, count(*) FROM users"), "not-grouped||name");
  EXPECT_EQ(told("SELECT (SELECT id FROM users)"), "subquery-rows||no span");
  EXPECT_EQ(told("SELECT 2147483647 + id FROM users"), "integer-overflow||no span");
  EXPECT_EQ(told("SELECT * FROM hidden"), "not-published||no span");
  EXPECT_EQ(told("EXPLAIN SELECT nam FROM users"), "unknown-column|nam|nam");
  EXPECT_EQ(ask("SELECT name FROM users WHERE name = \"Ann\"").error->hint, "write a text in single quotes: 'Ann'");
}

TEST_F(PostgresEngineTest, TheSourcesNameStandsBeforeATableWhereNothingElseHasIt) {
  EXPECT_EQ(rows("SELECT app.users.name FROM app.users WHERE id = 1"), R"(["Ann"])");
  EXPECT_EQ(rows("SELECT count(*) FROM app.sales.orders"), "[5000]");
  EXPECT_EQ(rows("SELECT app.name FROM users AS app WHERE app.id = 2"), R"(["Bob"])");
  EXPECT_EQ(rows("SELECT 'app.x' FROM APP . users WHERE id = 1"), R"(["app.x"])");
  const std::string wrong = "SELECT nam FROM app.users";
  EXPECT_EQ(under(wrong, ask(wrong).error->span), "nam");
  server().run(
      "CREATE SCHEMA app; CREATE TABLE app.users (id int); GRANT USAGE ON SCHEMA app TO reader;"
      "GRANT SELECT ON app.users TO reader");
  EXPECT_EQ(rows("SELECT count(*) FROM app.users"), "[0]") << "a schema of that name is what the server means";
  server().run("DROP SCHEMA app CASCADE");
}

TEST_F(PostgresEngineTest, AnExplanationIsOfAQueryAndRunsNothing) {
  EXPECT_NE(rows("EXPLAIN SELECT * FROM users WHERE id = 1").find("users"), std::string::npos);
  EXPECT_NE(rows("EXPLAIN (FORMAT JSON, COSTS OFF) SELECT 1").find("Plan"), std::string::npos);
  EXPECT_NE(rows("EXPLAIN VERBOSE (SELECT 1)").find("Output: 1"), std::string::npos);
  for (const char* refused :
       {"EXPLAIN ANALYZE SELECT 1", "EXPLAIN (ANALYZE) SELECT 1", "EXPLAIN (ANALYZE false) SELECT 1",
        "EXPLAIN ANALYSE VERBOSE SELECT 1", "EXPLAIN (COSTS off, BUFFERS) SELECT 1"}) {
    EXPECT_EQ(ask(refused).code(), "statement-not-allowed") << refused;
  }
  EXPECT_EQ(ask("EXPLAIN DELETE FROM users").code(), "read-only");
  EXPECT_EQ(ask("EXPLAIN WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x").code(), "read-only");
}

// ---- the catalog ----

TEST_F(PostgresEngineTest, TheCatalogHasWhatTheRoleMayRead) {
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  std::string names;
  for (const engine::CatalogTable& table : catalog->tables) {
    names += table.schema + "." + table.name + (table.view ? "(view) " : " ");
    if (table.name != "users") continue;
    EXPECT_EQ(table.comment, "Who signed up");
    EXPECT_EQ(table.rows_estimated, 3U);
    ASSERT_EQ(table.columns.size(), 4U);
    EXPECT_TRUE(table.columns[0].primary_key);
    EXPECT_FALSE(table.columns[1].nullable);
    EXPECT_EQ(table.columns[2].type, "smallint");
    EXPECT_EQ(table.columns[2].comment, "In years");
  }
  EXPECT_NE(names.find("public.adults(view) "), std::string::npos) << names;
  EXPECT_NE(names.find("sales.orders "), std::string::npos) << names;
  EXPECT_EQ(names.find("hidden"), std::string::npos) << names;
  EXPECT_TRUE(catalog->warnings.empty()) << catalog->warnings.front();
}

TEST_F(PostgresEngineTest, FactsOfTablesAndFunctions) {
  const auto facts = engine().table_facts({"", "", "users"}, {"name", "age"});
  ASSERT_TRUE(facts.ok()) << facts.error().message;
  EXPECT_TRUE(facts->exists && facts->base_table);
  EXPECT_EQ(facts->resolved, (engine::TableName{"app", "public", "users"}));
  EXPECT_EQ(facts->rows_estimated, 3U);
  EXPECT_GT(facts->bytes_max.value_or(0), 0U);
  EXPECT_EQ(facts->columns[1].width_max, std::nullopt);
  EXPECT_EQ(facts->columns[2].width_max, 2U);
  EXPECT_FALSE(engine().table_facts({"", "", "nothing"}, {})->exists);
  EXPECT_FALSE(engine().table_facts({"", "sales", "users"}, {})->exists);
  EXPECT_TRUE(engine().table_facts({"app", "sales", "orders"}, {})->exists);
  EXPECT_FALSE(engine().table_facts({"", "sales", "Orders"}, {})->exists) << "a quoted name keeps its case";
  const auto functions = engine().function_facts({"lower", "now", "nosuch", "+", "trim", "count_star", "nullif"});
  ASSERT_TRUE(functions.ok()) << functions.error().message;
  for (const engine::FunctionFacts& fact : *functions) {
    EXPECT_EQ(fact.built_in, fact.name != "nosuch") << fact.name;
    EXPECT_EQ(fact.repeatable, fact.name != "now" && fact.name != "nosuch") << fact.name;
  }
}

// ---- the way to the server ----

TEST_F(PostgresEngineTest, ServersThatCannotBeReachedAreToldWithoutThePassword) {
  const auto failure = [](const std::string& url) {
    engine::Policy policy = PostgresTest::policy("reader");
    policy.sources[0].path = url;
    const auto opened = engine::postgres::open(policy);
    EXPECT_FALSE(opened.ok()) << url;
    return opened.ok() ? Diagnostic{} : opened.error();
  };
  const std::string good = server().url("reader");
  std::string wrong = good;
  wrong.replace(wrong.find("reader-secret"), 13, "wrong-h1dden");
  std::string port = good;
  port.replace(port.rfind(':'), std::string::npos, ":1/app");
  const std::string no_base = good.substr(0, good.rfind('/')) + "/nowhere";
  for (const std::string& url :
       {wrong, port, no_base, std::string("postgresql://u:h1dden@ret@127.0.0.1/app"),
        std::string("postgresql://u:h1dden/ret@127.0.0.1/app"),
        std::string("postgresql://u:h1dden#ret@nowhere.invalid/app"), good + "?nosuch=h1dden"}) {
    const Diagnostic told = failure(url);
    EXPECT_EQ(told.code, "source-error") << url;
    const std::string all = told.message + told.hint + told.detail;
    EXPECT_EQ(all.find("h1dden"), std::string::npos) << all;
    EXPECT_EQ(all.find("ret@"), std::string::npos) << all;
  }
  EXPECT_NE(failure(no_base).message.find("nowhere"), std::string::npos);
}

TEST_F(PostgresEngineTest, WhatTheUrlLeavesOutComesFromTheEnvironment) {
  engine::Policy policy = PostgresTest::policy("reader");
  const std::string url = policy.sources[0].path;
  const std::string place = url.substr(url.find('@') + 1);
  policy.sources[0].path = "postgresql://" + place;
  policy.sources[0].environment = {"PGUSER=reader", "PGPASSWORD=reader-secret", "PGDATABASE=nowhere"};
  const auto engine = open(policy);
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(run(*engine, "SELECT current_user, current_database()").all(), R"(["reader","app"])");
  policy.sources[0].environment = {"PGUSER=reader"};
  const auto refused = engine::postgres::open(policy);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().hint.find("PGPASSWORD"), std::string::npos) << refused.error().message;
}

TEST_F(PostgresEngineTest, AServerThatVanishesEndsTheStatementAndIsFoundAgain) {
  PostgresServer own;
  engine::Policy policy;
  policy.sources = {own.spec("reader")};
  const auto engine = open(policy);
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(run(*engine, "SELECT 1").all(), "[1]");
  std::thread killer([&] {
    std::this_thread::sleep_for(milliseconds(300));
    own.stop();
  });
  EXPECT_EQ(run(*engine, "SELECT pg_sleep(30)").code(), "engine-died");
  killer.join();
  EXPECT_EQ(run(*engine, "SELECT 1").code(), "source-error");
  own.start();
  EXPECT_EQ(run(*engine, "SELECT 1").all(), "[1]");
  // An idle connection that the server closed meanwhile is nobody's error.
  own.stop();
  own.start();
  EXPECT_EQ(run(*engine, "SELECT 2").all(), "[2]");
}

TEST_F(PostgresEngineTest, ManyStatementsAtOnceHaveAConnectionEach) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  auto& shared = engine();
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        if (run(shared, "SELECT " + std::to_string(i) + ", pg_sleep(0.01)").rows ==
            std::vector<std::string>{"[" + std::to_string(i) + R"(,""])"}) {
          ++right;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 60);
}

}  // namespace
}  // namespace candor::test
