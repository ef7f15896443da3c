// The SQLite engine: exact values, the caps and the count behind them, deadlines, and how errors are told.
#include "engine/sqlite/sqlite_engine.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/sqlite_file.h"

namespace candor::engine::sqlite {
namespace {

// ---- values ----

TEST_F(SqliteEngineTest, ValuesAreExact) {
  EXPECT_EQ(
      rows("SELECT 1, -9223372036854775808, 9223372036854775807, 0.1, 1e308*10, NULL, 'a''b', x'00ff'"),
      R"([1,"-9223372036854775808","9223372036854775807",0.1,"Infinity",null,"a'b",{"base64":"AP8=","bytes":2}])");
  EXPECT_EQ(rows("SELECT 'a' || char(0) || 'b', '', x'', 2e0, '€'"),
            R"(["a\u0000b","",{"base64":"","bytes":0},2,"€"])");
}

TEST_F(SqliteEngineTest, IntegersBeyondInt64BecomeRealsAsSqliteSays) {
  EXPECT_EQ(rows("SELECT typeof(9223372036854775807 + 1), typeof(sum(9007199254740993)) FROM users"),
            R"(["real","integer"])");
  EXPECT_EQ(rows("SELECT sum(9223372036854775807) FROM users"), "engine-error: integer overflow");
}

TEST_F(SqliteEngineTest, TextThatIsNotUtf8IsAnErrorThatNamesTheColumn) {
  write("INSERT INTO users VALUES (4, CAST(x'41ff' AS TEXT), 1, NULL)");
  const Outcome outcome = ask("SELECT id, name FROM users ORDER BY id");
  EXPECT_EQ(outcome.code(), "invalid-value");
  EXPECT_NE(outcome.failure->message.find("column 2 (name)"), std::string::npos) << outcome.failure->message;
  EXPECT_EQ(outcome.failure->detail, "row 4");
  EXPECT_EQ(rows("SELECT CAST(name AS BLOB) FROM users WHERE id = 4"), R"([{"base64":"Qf8=","bytes":2}])");
}

TEST_F(SqliteEngineTest, NamesMayRepeatAndTypesAreDeclaredOrSeen) {
  const Outcome outcome = ask("SELECT id, id, age, count(*), max(name), avg(age), NULL, x'00' FROM users");
  const std::vector<Column> columns = {{"id", "INTEGER"},       {"id", "INTEGER"},     {"age", "INT"},
                                       {"count(*)", "INTEGER"}, {"max(name)", "TEXT"}, {"avg(age)", "REAL"},
                                       {"NULL", "ANY"},         {"x'00'", "BLOB"}};
  EXPECT_EQ(outcome.header.columns, columns);
}

TEST_F(SqliteEngineTest, ALongCellIsCutAndSaysSo) {
  RunRequest request;
  request.sql = "SELECT '€€€€€€', x'000000000000000000', 'short'";
  request.cell_chars_max = 5;
  EXPECT_EQ(outcome_of(engine(), request).rows,
            R"([{"cut":true,"chars":6,"text":"€€€€€"},{"cut":true,"chars":12,"text":"AAAA"},"short"])");
}

// ---- caps and counts ----

TEST_F(SqliteEngineTest, RowsPastTheCapAreCounted) {
  RunRequest request;
  request.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000) SELECT i FROM n";
  request.rows_max = 10;
  const Outcome outcome = outcome_of(engine(), request);
  ASSERT_TRUE(outcome.end);
  EXPECT_EQ(outcome.count, 10U);
  EXPECT_EQ(outcome.end->rows, 10U);
  EXPECT_EQ(outcome.end->rows_total, 5000U);
  EXPECT_FALSE(outcome.end->cut_by_chars);
}

TEST_F(SqliteEngineTest, ACountThatTakesTooLongIsNotTold) {
  RunRequest request;
  request.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n";
  request.rows_max = 3;
  request.count_budget_ms = 30;
  const Outcome outcome = outcome_of(engine(), request);
  ASSERT_TRUE(outcome.end) << outcome.code();
  EXPECT_EQ(outcome.rows, "[1],[2],[3]");
  EXPECT_FALSE(outcome.end->rows_total);
}

TEST_F(SqliteEngineTest, NoRowIsHandedOverOnceTheCharactersArePassed) {
  RunRequest request;
  request.sql = "SELECT name FROM users";  // ["Ann"] has seven characters
  request.chars_max = 7;
  Outcome outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.rows, R"(["Ann"],["Bob"])");  // passed by the second
  EXPECT_TRUE(outcome.end->cut_by_chars);
  EXPECT_EQ(outcome.end->rows_total, 3U);
  request.chars_max = 6;
  outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.rows, R"(["Ann"])");
  request.chars_max = 22;
  outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.count, 3U);
  EXPECT_FALSE(outcome.end->cut_by_chars);
}

TEST_F(SqliteEngineTest, ZeroRowsKeepTheirColumnsAndTellWhatWasScanned) {
  const Outcome outcome = ask("SELECT id, name FROM users WHERE age > 100");
  ASSERT_TRUE(outcome.end);
  EXPECT_EQ(outcome.header.columns.size(), 2U);
  EXPECT_EQ(outcome.end->rows_total, 0U);
  EXPECT_EQ(outcome.end->rows_scanned, 3U);
  EXPECT_FALSE(ask("SELECT id FROM users WHERE id = 99").end->rows_scanned);
  EXPECT_FALSE(ask("SELECT 1 FROM users a, users b WHERE a.age + b.age > 500").end->rows_scanned);
}

TEST_F(SqliteEngineTest, AnErrorAmidTheRowsIsAnError) {
  const Outcome outcome =
      ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 900) "
          "SELECT CASE WHEN i = 800 THEN abs(-9223372036854775808) ELSE i END FROM n");
  EXPECT_EQ(outcome.code(), "engine-error");
  EXPECT_GT(outcome.count, 0U);
  RunRequest request;
  request.sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 900) "
      "SELECT CASE WHEN i = 800 THEN abs(-9223372036854775808) ELSE i END FROM n";
  request.rows_max = 2;  // also in the rows that are only counted
  EXPECT_EQ(outcome_of(engine(), request).code(), "engine-error");
}

// ---- time ----

TEST_F(SqliteEngineTest, AStatementStopsAtItsDeadline) {
  RunRequest request;
  request.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n";
  request.deadline_ms = 30;
  EXPECT_EQ(outcome_of(engine(), request).code(), "statement-timeout");
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
}

TEST_F(SqliteEngineTest, AStatementStopsWhenItIsCancelled) {
  RunRequest request;
  request.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n";
  CancelToken cancel;
  std::thread canceller([cancel]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel.cancel();
  });
  EXPECT_EQ(outcome_of(engine(), request, cancel).code(), "cancelled");
  canceller.join();
}

TEST_F(SqliteEngineTest, StatementsRunBesideEachOther) {
  RunRequest endless;
  endless.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n";
  std::vector<std::unique_ptr<RowStream>> open;
  for (int i = 0; i < 6; ++i) {
    auto stream = engine().run(endless, {});
    ASSERT_TRUE(stream.ok());
    open.push_back(std::move(*stream));
  }
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  for (auto& stream : open) EXPECT_TRUE(std::holds_alternative<RowBatch>(stream->next()));
}

// ---- names and syntax ----

TEST_F(SqliteEngineTest, TheSourcesNameIsTheDatabasesName) {
  EXPECT_EQ(rows("SELECT count(*) FROM app.users"), "[3]");
  EXPECT_EQ(rows("SELECT count(*) FROM main.users"), "[3]");
  EXPECT_EQ(ask("SELECT 1 FROM other.users").code(), "unknown-table");
}

TEST_F(SqliteEngineTest, WhatIsMissingIsNamedAndLocated) {
  Outcome outcome = ask("SELECT 1 FROM app.usres");
  EXPECT_EQ(outcome.code(), "unknown-table");
  EXPECT_EQ(outcome.failure->detail, "usres");
  EXPECT_EQ(outcome.failure->span, (Span{18, 23}));
  outcome = ask("SELECT u.nmae FROM users u");
  EXPECT_EQ(outcome.code(), "unknown-column");
  EXPECT_EQ(outcome.failure->detail, "nmae");
  ASSERT_TRUE(outcome.failure->span);
  outcome = ask("SELECT lenght(name) FROM users");
  EXPECT_EQ(outcome.code(), "unknown-function");
  EXPECT_EQ(outcome.failure->detail, "lenght");
}

TEST_F(SqliteEngineTest, DoubleQuotesAreNoText) {
  const Outcome outcome = ask("SELECT id FROM users WHERE name = \"Ann\"");
  EXPECT_EQ(outcome.code(), "unknown-column");
  EXPECT_EQ(outcome.failure->hint, "write a text in single quotes: 'Ann'");
}

TEST_F(SqliteEngineTest, SyntaxErrorsAreLocated) {
  const Outcome outcome = ask("  SELECT id FRM users WHERE");
  EXPECT_EQ(outcome.code(), "syntax");
  ASSERT_TRUE(outcome.failure->span);
  EXPECT_GE(outcome.failure->span->start, 12U);
  EXPECT_EQ(ask("").code(), "syntax");
  EXPECT_EQ(ask(" -- nothing\n;").code(), "syntax");
  EXPECT_EQ(ask("(SELECT 1)").code(), "syntax");
  EXPECT_EQ(ask("SELECT 'open").code(), "syntax");
}

TEST_F(SqliteEngineTest, OneStatementOnly) {
  EXPECT_EQ(rows(";;/* c */ SELECT 1; -- end"), "[1]");
  const Outcome outcome = ask("SELECT 1; DROP TABLE users");
  EXPECT_EQ(outcome.code(), "several-statements");
  EXPECT_EQ(outcome.failure->span, (Span{10, 26}));
}

TEST_F(SqliteEngineTest, ParametersNeedValues) {
  RunRequest request;
  request.parameters = {text_value("a"), integer_value(7)};
  request.sql = "SELECT ?2, ?1, ?1";
  EXPECT_EQ(outcome_of(engine(), request).rows, R"([7,"a","a"])");
  request.sql = "SELECT $1, $2, $1";
  EXPECT_EQ(outcome_of(engine(), request).rows, R"(["a",7,"a"])");
  request.sql = "SELECT $2, ?1";  // for SQLite these are one parameter
  EXPECT_EQ(outcome_of(engine(), request).code(), "syntax");
  request.sql = "SELECT ?3";
  EXPECT_EQ(outcome_of(engine(), request).code(), "syntax");
  EXPECT_EQ(ask("SELECT count(*) FROM users WHERE id = ?").code(), "syntax");
  EXPECT_EQ(ask("SELECT :name").code(), "syntax");
}

TEST_F(SqliteEngineTest, BadTextIsRefusedBeforeTheEngineSeesIt) {
  EXPECT_EQ(ask(std::string("SELECT 1\0; DROP", 15)).code(), "invalid-text");
  EXPECT_EQ(ask("SELECT '\xFF'").code(), "invalid-text");
}

TEST_F(SqliteEngineTest, MonstrousStatementsAreRefused) {
  std::string ors = "SELECT 1 WHERE 1=0";
  for (int i = 0; i < 100'000; ++i) ors += " OR 1=0";
  EXPECT_EQ(ask(ors).code(), "over-limit");
  EXPECT_EQ(ask("SELECT " + std::string(10'000, '(') + "1" + std::string(10'000, ')')).code(), "over-limit");
  EXPECT_EQ(ask("SELECT '" + std::string(20'000'000, 'x') + "'").code(), "over-limit");
  EXPECT_EQ(ask("SELECT length('" + std::string(10'000'000, 'x') + "')").rows, "[10000000]");
  std::string unions = "SELECT 1";
  for (int i = 0; i < 1'000; ++i) unions += " UNION ALL SELECT 1";
  EXPECT_EQ(ask(unions).code(), "over-limit");
}

}  // namespace
}  // namespace candor::engine::sqlite
