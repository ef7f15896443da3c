// The wrapper over SQLite: exact values, the gates that an engine builds on, codes of failures.
#include "sqlite/sqlite.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace candor::sqlite {
namespace {

class SqliteTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "candor-sqlite-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name = "a.sqlite") const { return folder_ + "/" + name; }
  std::string folder_;
};

Database memory() {
  Result<Database> database = Database::open(":memory:", {.mode = OpenMode::kCreate});
  EXPECT_TRUE(database.ok());
  return std::move(*database);
}

Statement prepared(Database& database, std::string_view sql) {
  Result<Statement> statement = database.prepare(sql);
  EXPECT_TRUE(statement.ok()) << statement.error().message;
  return statement.ok() ? std::move(*statement) : Statement();
}

std::string code_of(const Status& status) { return status.ok() ? "ok" : status.error().code; }

TEST(Sqlite, ValuesComeBackExactly) {
  Database database = memory();
  const std::string odd("a\0\xC3\xA4", 4);
  Value blob;
  blob.kind = CellKind::kBlob;
  blob.text = std::string("\0\xFF", 2);
  Value empty_blob;
  empty_blob.kind = CellKind::kBlob;
  Value real;
  real.kind = CellKind::kReal64;
  real.real = 0.1;
  const std::vector<Value> values = {Value{},   integer_value(INT64_MIN), real, text_value(odd), text_value(""), blob,
                                     empty_blob};
  Statement statement = prepared(database, "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7");
  ASSERT_EQ(statement.parameter_count(), 7);
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(statement.bind(i + 1, values[static_cast<std::size_t>(i)]).ok());
  ASSERT_TRUE(*statement.step());
  std::string cells;
  CellWriter writer(cells);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(statement.append_cell(i, writer));
  CellReader reader(cells);
  for (const Value& value : values) EXPECT_EQ(read_value(reader), value);
  EXPECT_FALSE(*statement.step());
}

TEST(Sqlite, TextThatIsNotUtf8IsToldAndNotAppended) {
  Database database = memory();
  Statement statement = prepared(database, "SELECT CAST(x'61ff' AS TEXT)");
  ASSERT_TRUE(*statement.step());
  std::string cells;
  CellWriter writer(cells);
  EXPECT_FALSE(statement.append_cell(0, writer));
  EXPECT_TRUE(cells.empty());
  EXPECT_EQ(statement.text(0), "a\xFF");
}

TEST(Sqlite, WhatCantBeBoundIsRefused) {
  Database database = memory();
  Statement statement = prepared(database, "SELECT ?1");
  Value list;
  list.kind = CellKind::kList;
  EXPECT_EQ(code_of(statement.bind(1, list)), "invalid-value");
  EXPECT_EQ(code_of(statement.bind(2, integer_value(1))), "storage");
}

TEST(Sqlite, ResetForgetsParameters) {
  Database database = memory();
  Statement statement = prepared(database, "SELECT ?1");
  ASSERT_TRUE(statement.bind(1, integer_value(5)).ok());
  ASSERT_TRUE(*statement.step());
  statement.reset();
  ASSERT_TRUE(*statement.step());
  EXPECT_TRUE(statement.is_null(0));
}

TEST(Sqlite, TailIsTheRestOfTheText) {
  Database database = memory();
  const std::string_view sql = "SELECT 1; SELECT 2 -- end";
  std::size_t tail = 0;
  ASSERT_TRUE(database.prepare(sql, &tail).ok());
  EXPECT_EQ(sql.substr(tail), " SELECT 2 -- end");
  Result<Statement> comment = database.prepare(" -- nothing", &tail);
  ASSERT_TRUE(comment.ok());
  EXPECT_TRUE(comment->empty());
  EXPECT_TRUE(database.prepare("")->empty());
  EXPECT_TRUE(database.prepare(std::string_view())->empty());
}

TEST(Sqlite, ErrorsCarryTheirPlace) {
  Database database = memory();
  const std::string_view sql = "SELECT nosuchcolumn + 1";
  const Result<Statement> statement = database.prepare(sql);
  ASSERT_FALSE(statement.ok());
  ASSERT_TRUE(statement.error().span.has_value());
  const Span span = *statement.error().span;
  EXPECT_EQ(sql.substr(span.start, span.end - span.start), "nosuchcolumn");
  EXPECT_EQ(statement.error().message, "no such column: nosuchcolumn");
  EXPECT_EQ(database.fault(), Fault::kError);
}

TEST(Sqlite, ANulInAStatementIsNotItsEnd) {
  Database database = memory();
  const Result<Statement> statement = database.prepare(std::string_view("SELECT 1\0; DROP TABLE t", 23));
  ASSERT_FALSE(statement.ok());
  EXPECT_EQ(statement.error().code, "invalid-text");
  EXPECT_EQ(statement.error().span->start, 8U);
}

TEST(Sqlite, ColumnsSayWhereTheyComeFrom) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, n TEXT COLLATE NOCASE NOT NULL)").ok());
  Statement statement = prepared(database, "SELECT n AS name, id + 1 FROM t AS other");
  ASSERT_EQ(statement.column_count(), 2);
  EXPECT_EQ(statement.column_name(0), "name");
  EXPECT_EQ(statement.column_declared_type(0), "TEXT");
  EXPECT_EQ(statement.column_database(0), "main");
  EXPECT_EQ(statement.column_table(0), "t");
  EXPECT_EQ(statement.column_origin(0), "n");
  EXPECT_EQ(statement.column_declared_type(1), "");
  EXPECT_EQ(statement.column_table(1), "");
  const Result<ColumnMetadata> metadata = database.column_metadata("main", "t", "n");
  ASSERT_TRUE(metadata.ok());
  EXPECT_EQ(metadata->collation, "NOCASE");
  EXPECT_TRUE(metadata->not_null);
  EXPECT_TRUE(database.column_metadata("", "t", "id")->primary_key);
  EXPECT_FALSE(database.column_metadata("main", "t", "missing").ok());
}

TEST(Sqlite, TheAuthorizerDecides) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (open, secret); INSERT INTO t VALUES (1, 2)").ok());
  database.set_authorizer([](const AccessRequest& request) {
    if (request.action == Action::kRead && request.second == "secret") return Access::kDeny;
    if (request.action == Action::kFunction && request.second == "printf") return Access::kDeny;
    return request.action == Action::kDelete ? Access::kDeny : Access::kAllow;
  });
  EXPECT_TRUE(database.prepare("SELECT open FROM t").ok());
  EXPECT_FALSE(database.prepare("SELECT secret FROM t").ok());
  EXPECT_EQ(database.fault(), Fault::kDenied);
  EXPECT_FALSE(database.prepare("SELECT printf('%d', 1)").ok());
  EXPECT_FALSE(database.prepare("DELETE FROM t").ok());
  database.set_authorizer(nullptr);
  EXPECT_TRUE(database.prepare("SELECT secret FROM t").ok());
}

TEST(Sqlite, AMovedDatabaseKeepsItsCallbacks) {
  Database first = memory();
  bool denying = true;
  first.set_authorizer([&](const AccessRequest&) { return denying ? Access::kDeny : Access::kAllow; });
  Database second = std::move(first);
  EXPECT_FALSE(second.prepare("SELECT 1").ok());
  denying = false;
  EXPECT_TRUE(second.prepare("SELECT 1").ok());
}

constexpr std::string_view kEndless =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

TEST(Sqlite, ProgressStopsAStatement) {
  Database database = memory();
  int calls = 0;
  database.set_progress(1000, [&] { return ++calls > 10; });
  Statement statement = prepared(database, kEndless);
  const Result<bool> row = statement.step();
  ASSERT_FALSE(row.ok());
  EXPECT_EQ(row.error().code, "cancelled");
  EXPECT_EQ(database.fault(), Fault::kInterrupted);
  database.set_progress(1000, nullptr);
  Statement next = prepared(database, "SELECT 1");
  EXPECT_TRUE(*next.step()) << "the connection goes on";
}

TEST(Sqlite, InterruptStopsAStatementFromAnotherThread) {
  Database database = memory();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    database.interrupt();
  });
  Statement statement = prepared(database, kEndless);
  const Result<bool> row = statement.step();
  other.join();
  ASSERT_FALSE(row.ok());
  EXPECT_EQ(row.error().code, "cancelled");
}

TEST(Sqlite, SwitchesAndLimitsHold) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (a)").ok());
  ASSERT_TRUE(database.set(Switch::kDoubleQuotedStringsInDml, true).ok());
  EXPECT_TRUE(database.prepare("SELECT \"nosuch\" FROM t").ok());
  ASSERT_TRUE(database.set(Switch::kDoubleQuotedStringsInDml, false).ok());
  EXPECT_FALSE(database.prepare("SELECT \"nosuch\" FROM t").ok());
  ASSERT_TRUE(database.set(Switch::kDefensive, true).ok());
  EXPECT_FALSE(database.run("PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = ''").ok());
  EXPECT_EQ(database.set_limit(Limit::kAttached, 0), 10);
  EXPECT_FALSE(database.run("ATTACH ':memory:' AS other").ok());
  database.set_limit(Limit::kSqlLength, 100);
  EXPECT_EQ(database.prepare("SELECT " + std::string(200, '1')).error().code, "over-limit");
  database.set_limit(Limit::kExpressionDepth, 10);
  std::string deep = "SELECT 1";
  for (int i = 0; i < 20; ++i) deep += "+1";
  EXPECT_FALSE(database.prepare(deep).ok());
  Database named = memory();
  ASSERT_TRUE(named.set_main_name("shop").ok());
  ASSERT_TRUE(named.run("CREATE TABLE shop.t (a)").ok());
  EXPECT_TRUE(named.prepare("SELECT a FROM shop.t").ok());
}

TEST(Sqlite, ReadonlyIsToldOfStatements) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (a)").ok());
  EXPECT_TRUE(prepared(database, "SELECT * FROM t").readonly());
  EXPECT_FALSE(prepared(database, "INSERT INTO t VALUES (1)").readonly());
  EXPECT_TRUE(prepared(database, "EXPLAIN SELECT 1").explain());
  EXPECT_FALSE(prepared(database, "SELECT 1").explain());
}

TEST_F(SqliteTest, OpeningWhatIsNotThereIsNotFound) {
  EXPECT_EQ(Database::open(path(), {}).error().code, "not-found");
  EXPECT_EQ(Database::open(path(), {.mode = OpenMode::kReadWrite}).error().code, "not-found");
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(Database::open(std::string("a\0b", 3), {}).error().code, "not-found");
  EXPECT_EQ(Database::open(folder_, {}).error().code, "storage");
  EXPECT_TRUE(Database::open(path(), {.mode = OpenMode::kCreate}).ok());
}

TEST_F(SqliteTest, ReadOnlyIsReadOnly) {
  ASSERT_TRUE(Database::open(path(), {.mode = OpenMode::kCreate})->run("CREATE TABLE t (a)").ok());
  Result<Database> database = Database::open(path(), {});
  ASSERT_TRUE(database.ok());
  EXPECT_TRUE(database->is_readonly());
  EXPECT_EQ(code_of(database->run("INSERT INTO t VALUES (1)")), "storage");
  EXPECT_EQ(database->fault(), Fault::kReadOnly);
}

TEST_F(SqliteTest, DamageIsIntegrity) {
  std::ofstream(path(), std::ios::binary) << std::string(4096, 'x');
  Result<Database> database = Database::open(path(), {});
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(code_of(database->run("SELECT * FROM sqlite_schema")), "integrity");
  EXPECT_EQ(database->fault(), Fault::kNotADatabase);
}

TEST_F(SqliteTest, ALockThatStaysIsBusy) {
  Result<Database> one = Database::open(path(), {.mode = OpenMode::kCreate});
  ASSERT_TRUE(one->run("CREATE TABLE t (a); BEGIN EXCLUSIVE").ok());
  Result<Database> two = Database::open(path(), {.mode = OpenMode::kReadWrite, .busy_timeout_ms = 10});
  EXPECT_EQ(code_of(two->run("SELECT * FROM t")), "busy");
  EXPECT_EQ(two->fault(), Fault::kBusy);
  ASSERT_TRUE(one->run("COMMIT").ok());
  EXPECT_EQ(code_of(two->run("SELECT * FROM t")), "ok");
}

TEST_F(SqliteTest, AFullDatabaseIsDiskFull) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (a); PRAGMA max_page_count = 5").ok());
  EXPECT_EQ(code_of(database.run("INSERT INTO t VALUES (zeroblob(100000))")), "disk-full");
  EXPECT_EQ(database.fault(), Fault::kDiskFull);
}

TEST(Sqlite, ATransactionIsUndoneUnlessItCommits) {
  Database database = memory();
  ASSERT_TRUE(database.run("CREATE TABLE t (a)").ok());
  {
    Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(database.run("INSERT INTO t VALUES (1)").ok());
    EXPECT_TRUE(database.in_transaction());
  }
  EXPECT_FALSE(database.in_transaction());
  {
    Result<Transaction> transaction = Transaction::begin(database);
    ASSERT_TRUE(database.run("INSERT INTO t VALUES (2)").ok());
    ASSERT_TRUE(transaction->commit().ok());
  }
  Statement statement = prepared(database, "SELECT group_concat(a) FROM t");
  ASSERT_TRUE(*statement.step());
  EXPECT_EQ(statement.text(0), "2");
}

TEST(Sqlite, AStatementMayOutliveItsDatabase) {
  Statement statement;
  {
    Database database = memory();
    database.set_authorizer([](const AccessRequest&) { return Access::kAllow; });
    statement = prepared(database, "SELECT 1");
  }
}

TEST(Sqlite, NamesAndTextsAreQuoted) {
  EXPECT_EQ(quote_identifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_text("it's"), "'it''s'");
  EXPECT_EQ(version().substr(0, 2), "3.");
}

}  // namespace
}  // namespace candor::sqlite
