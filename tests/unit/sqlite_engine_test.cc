// The SQLite engine: exact values, the caps and the count behind them, what is refused and how it is told, and files
// that are no database, are locked, or vanish.
#include "engine/sqlite/sqlite_engine.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/render_json.h"
#include "engine/sqlite/affinity.h"
#include "engine/sqlite/functions.h"
#include "engine/sqlite/statement.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {
namespace {

namespace fs = std::filesystem;
namespace sql = candor::sqlite;

struct Outcome {
  Header header;
  std::string rows;  // the rows as JSON, joined by commas
  std::uint64_t count = 0;
  std::optional<End> end;
  std::optional<Diagnostic> failure;
  [[nodiscard]] std::string code() const { return failure ? failure->code : "no failure"; }
};

Outcome outcome_of(Engine& engine, const RunRequest& request, const CancelToken& cancel = {}) {
  Outcome outcome;
  auto stream = engine.run(request, cancel);
  if (!stream.ok()) {
    outcome.failure = stream.error();
    return outcome;
  }
  outcome.header = (*stream)->header();
  while (true) {
    RowStream::Item item = (*stream)->next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      CellReader reader(batch->cells);
      for (std::uint32_t i = 0; i < batch->rows; ++i) {
        outcome.rows += outcome.count++ > 0 ? ",[" : "[";
        for (std::size_t c = 0; c < outcome.header.columns.size(); ++c) {
          if (c > 0) outcome.rows += ',';
          append_json(outcome.rows, reader);
        }
        outcome.rows += ']';
      }
      EXPECT_TRUE(reader.at_end());
    } else if (auto* end = std::get_if<End>(&item)) {
      outcome.end = *end;
      return outcome;
    } else {
      outcome.failure = std::get<Diagnostic>(item);
      return outcome;
    }
  }
}

class SqliteEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "candor-sqlite-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/app.db";
    write(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT, tag TEXT COLLATE NOCASE);"
        "INSERT INTO users VALUES (1,'Ann',30,'x'),(2,'Bob',NULL,'y'),(3,'Cyd',41,NULL)");
  }
  void TearDown() override {
    engine_.reset();
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }
  // Runs statements on the file with a connection of our own.
  void write(const std::string& text) {
    auto database = sql::Database::open(path_, {.mode = sql::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    const auto done = database->run(text);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  Policy policy() const {
    Policy policy;
    policy.sources = {{"app", SourceKind::kSqlite, path_, ""}};
    return policy;
  }
  Engine& engine() {
    if (engine_ == nullptr) {
      auto opened = open(policy());
      EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
      engine_ = std::move(*opened);
    }
    return *engine_;
  }
  Outcome ask(const std::string& text) {
    RunRequest request;
    request.sql = text;
    return outcome_of(engine(), request);
  }
  std::string rows(const std::string& text) {
    const Outcome outcome = ask(text);
    return outcome.failure ? outcome.failure->code + ": " + outcome.failure->message : outcome.rows;
  }
  std::string folder_, path_;
  std::unique_ptr<Engine> engine_;
};

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

// ---- attacks ----

TEST_F(SqliteEngineTest, NothingIsWritten) {
  const auto before = fs::last_write_time(path_);
  for (const std::string text :
       {"INSERT INTO users VALUES (9,'x',1,NULL)", "UPDATE users SET age = 1", "DELETE FROM users", "DROP TABLE users",
        "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "REPLACE INTO users VALUES (1,'x',1,NULL)",
        "ALTER TABLE users ADD x", "VACUUM", "REINDEX", "ANALYZE",
        "WITH a AS (SELECT 1) INSERT INTO users SELECT 9,'x',1,NULL", "WITH a AS (SELECT 1) DELETE FROM users",
        "EXPLAIN QUERY PLAN DELETE FROM users", "CREATE VIEW temp.v AS SELECT 1"}) {
    EXPECT_EQ(ask(text).code(), "read-only") << text;
  }
  EXPECT_EQ(fs::last_write_time(path_), before);
  EXPECT_EQ(rows("SELECT count(*), sum(age) FROM users"), "[3,71]");
}

TEST_F(SqliteEngineTest, NothingElseIsReachedOrRun) {
  const std::string outside = folder_ + "/out.db";
  const std::vector<std::string> attacks = {"ATTACH '" + outside + "' AS o",
                                            "ATTACH ':memory:' AS o",
                                            "VACUUM INTO '" + outside + "'",
                                            "DETACH app",
                                            "BEGIN",
                                            "COMMIT",
                                            "SAVEPOINT a",
                                            "PRAGMA query_only=0",
                                            "PRAGMA writable_schema=1",
                                            "PRAGMA journal_mode=DELETE",
                                            "PRAGMA database_list",
                                            "PRAGMA temp_store_directory='/'",
                                            "PRAGMA wal_checkpoint",
                                            "PRAGMA data_version=1; SELECT 1",
                                            "EXPLAIN SELECT 1",
                                            "SELECT load_extension('x')",
                                            "SELECT readfile('/etc/passwd')",
                                            "SELECT writefile('" + outside + "','x')",
                                            "SELECT printf('%*d', 1000000000, 1)",
                                            "SELECT format('%d', 1)",
                                            "SELECT fts3_tokenizer('simple')",
                                            "SELECT * FROM pragma_database_list",
                                            "SELECT * FROM pragma_journal_mode",
                                            "SELECT * FROM sqlite_temp_schema",
                                            "HELLO"};
  for (const std::string& text : attacks) {
    const Outcome outcome = ask(text);
    EXPECT_TRUE(outcome.failure) << text << " gave " << outcome.rows;
    EXPECT_FALSE(outcome.end) << text;
  }
  EXPECT_FALSE(fs::exists(outside));
  EXPECT_EQ(ask("SELECT printf('%d', 1)").code(), "statement-not-allowed");
}

TEST_F(SqliteEngineTest, AViewOfTheFileCanNotCallWhatAStatementCanNot) {
  write(
      "CREATE VIEW bad AS SELECT printf('%d', id) FROM users; CREATE VIEW good AS SELECT upper(name) AS u FROM users");
  EXPECT_EQ(ask("SELECT * FROM bad").code(), "statement-not-allowed");
  EXPECT_EQ(rows("SELECT u FROM good ORDER BY u LIMIT 1"), R"(["ANN"])");
}

TEST_F(SqliteEngineTest, WhatOnlyReadsTheSchemaIsAllowed) {
  EXPECT_EQ(rows("SELECT name FROM sqlite_master"), R"(["users"])");
  EXPECT_EQ(rows("SELECT name, pk FROM pragma_table_info('users') LIMIT 1"), R"(["id",1])");
  const Outcome info = ask("PRAGMA table_info(users)");
  EXPECT_EQ(info.count, 4U);
  EXPECT_EQ(info.header.kind, StatementKind::kDescribe);
  const Outcome plan = ask("EXPLAIN QUERY PLAN SELECT * FROM users");
  EXPECT_EQ(plan.header.kind, StatementKind::kExplain);
  EXPECT_EQ(plan.count, 1U);
}

TEST_F(SqliteEngineTest, FullTextAndRangeTablesAreRead) {
  write(
      "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('red fox'),('blue whale');"
      "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1); INSERT INTO box VALUES (1, 0, 2), (2, 5, 6)");
  EXPECT_EQ(rows("SELECT body FROM notes WHERE notes MATCH 'fox'"), R"(["red fox"])");
  EXPECT_EQ(rows("SELECT highlight(notes, 0, '<', '>') FROM notes WHERE notes MATCH 'whale' ORDER BY rank"),
            R"(["blue <whale>"])");
  EXPECT_EQ(rows("SELECT id FROM box WHERE x0 > 4"), "[2]");
  EXPECT_TRUE(ask("INSERT INTO notes(notes) VALUES ('rebuild')").failure);
}

TEST_F(SqliteEngineTest, VirtualTablesAreReadAfterTheSchemaChanged) {
  write("CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('red fox')");
  EXPECT_EQ(rows("SELECT body FROM notes WHERE notes MATCH 'fox'"), R"(["red fox"])");
  write("CREATE TABLE later(a)");
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_EQ(catalog->tables.size(), 3U);
  EXPECT_TRUE(catalog->warnings.empty());
  write("CREATE TABLE latest(a)");
  EXPECT_EQ(rows("SELECT body FROM notes WHERE notes MATCH 'fox'"), R"(["red fox"])");
}

TEST_F(SqliteEngineTest, JsonFunctionsAndTablesAreRead) {
  EXPECT_EQ(rows("SELECT value FROM json_each('[1,2]')"), "[1],[2]");
  EXPECT_EQ(rows(R"(SELECT '{"a":3}' ->> 'a')"), "[3]");
}

// ---- files ----

TEST_F(SqliteEngineTest, AFileThatIsNoDatabase) {
  engine_.reset();
  std::ofstream(path_, std::ios::trunc)
      << "this is a text, longer than a header of a database has to be, to be read as one.";
  EXPECT_EQ(open(policy()).error().code, "file-error");
  fs::remove(path_);
  EXPECT_EQ(open(policy()).error().code, "file-error");
  EXPECT_FALSE(fs::exists(path_));
  fs::create_directory(path_);
  EXPECT_EQ(open(policy()).error().code, "file-error");
}

TEST_F(SqliteEngineTest, AHalfWrittenFile) {
  write(
      "CREATE TABLE big(t); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) "
      "INSERT INTO big SELECT hex(randomblob(200)) FROM n");
  fs::resize_file(path_, fs::file_size(path_) / 2);
  EXPECT_EQ(open(policy()).error().code, "file-error");
}

TEST_F(SqliteEngineTest, AnEmptyFileIsADatabaseWithoutTables) {
  std::ofstream(path_, std::ios::trunc).close();
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_TRUE(catalog->tables.empty());
}

TEST_F(SqliteEngineTest, AFileThatVanishes) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  fs::remove(path_);
  EXPECT_EQ(ask("SELECT count(*) FROM users").code(), "file-error");
}

TEST_F(SqliteEngineTest, AFileThatIsReplacedIsOpenedAnew) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  const std::string kept = path_;
  path_ = folder_ + "/new.db";
  write("CREATE TABLE users(id); INSERT INTO users VALUES (1)");
  fs::rename(path_, kept);
  path_ = kept;
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[1]");
}

TEST_F(SqliteEngineTest, ChangesOfAnotherProcessAreSeen) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  write("DELETE FROM users WHERE id = 1");
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[2]");
  write("ALTER TABLE users ADD COLUMN extra DEFAULT 5");
  EXPECT_EQ(rows("SELECT extra FROM users LIMIT 1"), "[5]");
}

TEST_F(SqliteEngineTest, ALockedFileIsToldAsLocked) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  auto writer = sql::Database::open(path_, {.mode = sql::OpenMode::kReadWrite});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->run("BEGIN EXCLUSIVE").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM users").code(), "file-locked");
  EXPECT_EQ(open(policy()).error().code, "file-locked");
  ASSERT_TRUE(writer->run("COMMIT").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
}

TEST_F(SqliteEngineTest, AWriteAheadLogIsReadBesideItsWriter) {
  auto writer = sql::Database::open(path_, {.mode = sql::OpenMode::kReadWrite});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->run("PRAGMA journal_mode=WAL; INSERT INTO users VALUES (7,'G',1,NULL)").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[4]");
  ASSERT_TRUE(writer->run("BEGIN IMMEDIATE; INSERT INTO users VALUES (8,'H',1,NULL)").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[4]");
  ASSERT_TRUE(writer->run("COMMIT").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[5]");
}

TEST_F(SqliteEngineTest, ALogFormatInAFolderThatCanNotBeWritten) {
  write("PRAGMA journal_mode=WAL; INSERT INTO users VALUES (7,'G',1,NULL)");
  // The superuser can write to every folder: somebody else has to look.
  constexpr uid_t kSomebody = 65534;
  const bool superuser = ::geteuid() == 0;
  if (superuser) {
    ASSERT_EQ(::chown(folder_.c_str(), kSomebody, kSomebody), 0);
    ASSERT_EQ(::chown(path_.c_str(), kSomebody, kSomebody), 0);
  }
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
  if (superuser) {
    ASSERT_EQ(::seteuid(kSomebody), 0);
  }
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[4]");
  RunRequest slow;
  slow.sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 5000) SELECT i FROM n";
  slow.rows_max = 1;
  auto stream = engine().run(slow, {});
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  write("INSERT INTO users VALUES (8,'H',1,NULL)");
  if (superuser) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  // What was read beside a writer is not trusted.
  ASSERT_TRUE(stream.ok());
  RowStream::Item item = (*stream)->next();
  while (std::holds_alternative<RowBatch>(item)) item = (*stream)->next();
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(item));
  EXPECT_EQ(std::get<Diagnostic>(item).code, "source-changed");
  stream->reset();
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[5]");
}

// ---- the catalog ----

TEST_F(SqliteEngineTest, TheCatalogTellsTablesViewsColumnsAndEstimates) {
  write(
      "CREATE VIEW grown AS SELECT id, name FROM users WHERE age > 35; CREATE VIEW broken AS SELECT * FROM gone;"
      "CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE g(a INT, b AS (a+1));"
      "INSERT INTO users VALUES (100,'Z',1,NULL)");
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  ASSERT_EQ(catalog->tables.size(), 4U);
  EXPECT_EQ(catalog->tables[0].name, "g");
  EXPECT_EQ(catalog->tables[0].columns.size(), 2U);
  EXPECT_EQ(catalog->tables[0].rows_estimated, 0U);
  EXPECT_TRUE(catalog->tables[1].view);
  EXPECT_FALSE(catalog->tables[1].rows_estimated);
  const CatalogTable& users = catalog->tables[2];
  EXPECT_EQ(users.source, "app");
  EXPECT_EQ(users.schema, "main");
  EXPECT_EQ(users.rows_estimated, 100U);
  EXPECT_FALSE(users.rows_exact);
  EXPECT_EQ(users.columns[0].name, "id");
  EXPECT_EQ(users.columns[0].type, "INTEGER");
  EXPECT_TRUE(users.columns[0].primary_key);
  EXPECT_FALSE(users.columns[1].nullable);
  EXPECT_TRUE(users.columns[2].nullable);
  EXPECT_FALSE(catalog->tables[3].rows_estimated);
  ASSERT_EQ(catalog->warnings.size(), 1U);
  EXPECT_NE(catalog->warnings[0].find("broken"), std::string::npos);
}

TEST_F(SqliteEngineTest, AnalyzedTablesGiveTheirCount) {
  write("CREATE INDEX by_age ON users(age); INSERT INTO users VALUES (1000000,'Z',1,NULL); ANALYZE");
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  ASSERT_EQ(catalog->tables.size(), 1U);
  EXPECT_EQ(catalog->tables[0].rows_estimated, 4U);
}

TEST_F(SqliteEngineTest, FactsOfATable) {
  write("CREATE VIEW v AS SELECT 1 AS a");
  const auto facts = engine().table_facts({"", "", "USERS"}, {"id", "name", "tag"});
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->resolved, (TableName{"app", "main", "users"}));
  EXPECT_TRUE(facts->exists);
  EXPECT_TRUE(facts->base_table);
  EXPECT_EQ(facts->rows_estimated, 3U);
  EXPECT_EQ(facts->bytes_max, fs::file_size(path_));
  ASSERT_EQ(facts->columns.size(), 4U);
  EXPECT_EQ(facts->columns[0].width_max, 8U);
  EXPECT_FALSE(facts->columns[1].width_max);
  EXPECT_FALSE(facts->columns[2].width_max) << "not asked for";
  EXPECT_FALSE(facts->columns[1].collated);
  EXPECT_TRUE(facts->columns[3].collated);
  EXPECT_FALSE(engine().table_facts({"", "", "v"}, {})->base_table);
  EXPECT_FALSE(engine().table_facts({"", "", "nothing"}, {})->exists);
  EXPECT_FALSE(engine().table_facts({"scratch", "main", "users"}, {})->exists);
}

TEST_F(SqliteEngineTest, FactsOfFunctions) {
  const auto facts = engine().function_facts({"UPPER", "random", "date", "printf", "my_own", "+"});
  ASSERT_TRUE(facts.ok());
  const auto tell = [&](std::size_t i) { return std::pair((*facts)[i].built_in, (*facts)[i].repeatable); };
  EXPECT_EQ(tell(0), std::pair(true, true));
  EXPECT_EQ(tell(1), std::pair(true, false));
  EXPECT_EQ(tell(2), std::pair(true, false));
  EXPECT_FALSE((*facts)[3].built_in);
  EXPECT_FALSE((*facts)[4].built_in);
  EXPECT_EQ(tell(5), std::pair(true, true));
}

TEST_F(SqliteEngineTest, NothingCanBeAppended) {
  class None final : public RowStream {
    const Header& header() const override { return header_; }
    Item next() override { return End(); }
    Header header_;
  } none;
  EXPECT_EQ(engine().append("t", {}, true, none, {}).error().code, "read-only");
}

TEST_F(SqliteEngineTest, TheParserIsLent) {
  EXPECT_EQ(engine().syntax_tree("SELECT 1").error().code, "engine-error");
  auto lent =
      open(policy(), {[](std::string_view text) -> Result<std::string> { return "tree of " + std::string(text); },
                      [](std::string_view) -> Result<std::string> { return make_error("syntax", "no"); }});
  ASSERT_TRUE(lent.ok());
  EXPECT_EQ(*(*lent)->syntax_tree("x"), "tree of x");
  EXPECT_EQ((*lent)->print_tree("x").error().code, "syntax");
}

// ---- exact types ----

TEST_F(SqliteEngineTest, ExactTypesAreThoseOfTheRows) {
  write(
      "CREATE TABLE m(i DECIMAL, r INT, t BLOB, b TEXT, n TEXT, nr REAL, d DATE);"
      "INSERT INTO m VALUES (1, 1.5, 'x', x'00', NULL, NULL, NULL), (2, 3, 'y', NULL, NULL, NULL, NULL)");
  RunRequest request;
  request.sql = "SELECT i, r, t, b, n, nr, d FROM m";
  request.exact_types = true;
  const Outcome outcome = outcome_of(engine(), request);
  ASSERT_FALSE(outcome.failure) << outcome.failure->message;
  std::string types;
  for (const Column& column : outcome.header.columns) types += column.type + " ";
  EXPECT_EQ(types, "BIGINT DOUBLE VARCHAR BLOB VARCHAR DOUBLE VARCHAR ");
  EXPECT_EQ(outcome.rows, R"([1,1.5,"x",{"base64":"AA==","bytes":1},null,null,null],[2,3,"y",null,null,null,null])");
}

TEST_F(SqliteEngineTest, MixedTypesAreRefusedByName) {
  write("CREATE TABLE m(a, b); INSERT INTO m VALUES (1, 1.5), ('1', 9007199254740993)");
  RunRequest request;
  request.sql = "SELECT a FROM m";
  request.exact_types = true;
  Outcome outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.code(), "mixed-types");
  EXPECT_NE(outcome.failure->message.find("column 1 (a)"), std::string::npos);
  EXPECT_EQ(outcome.failure->detail, "integers, texts");
  request.sql = "SELECT b FROM m";
  outcome = outcome_of(engine(), request);
  EXPECT_EQ(outcome.code(), "mixed-types");
  EXPECT_EQ(outcome.failure->detail, "integers beyond 2^53, reals");
  request.sql = "SELECT CAST(a AS TEXT) AS a FROM m";
  EXPECT_EQ(outcome_of(engine(), request).rows, R"(["1"],["1"])");
}

TEST_F(SqliteEngineTest, BothPassesOfExactTypesSeeTheSameRows) {
  ASSERT_NO_FATAL_FAILURE(write("PRAGMA journal_mode=WAL; CREATE TABLE m(a); INSERT INTO m VALUES (1)"));
  RunRequest request;
  request.sql =
      "SELECT a FROM m, (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000) SELECT i FROM n)";
  request.exact_types = true;
  request.rows_max = 1'000'000;
  auto stream = engine().run(request, {});
  ASSERT_TRUE(stream.ok()) << stream.error().message;
  write("INSERT INTO m VALUES ('text')");
  std::uint64_t rows = 0;
  RowStream::Item item = (*stream)->next();
  while (auto* batch = std::get_if<RowBatch>(&item)) {
    rows += batch->rows;
    item = (*stream)->next();
  }
  EXPECT_TRUE(std::holds_alternative<End>(item));
  EXPECT_EQ(rows, 3000U);
  stream->reset();
  EXPECT_EQ(outcome_of(engine(), request).code(), "mixed-types");
}

// ---- parts ----

TEST(SqliteClassifyTest, FirstWords) {
  const auto code = [](std::string_view text) {
    const auto kind = classify(text, "app");
    return kind.ok() ? std::string(to_string(*kind)) : kind.error().code;
  };
  EXPECT_EQ(code("sElEcT 1"), "select");
  EXPECT_EQ(code("\xEF\xBB\xBFvalues (1)"), "select");
  EXPECT_EQ(code("/* DROP */ with a as (select 1) select * from a"), "select");
  EXPECT_EQ(code("explain /**/ query\nplan select 1"), "explain");
  EXPECT_EQ(code("explain select 1"), "statement-not-allowed");
  EXPECT_EQ(code("update t set a = 1"), "read-only");
  EXPECT_EQ(code("selecting"), "statement-not-allowed");
  EXPECT_EQ(code("/* never closed"), "syntax");
}

TEST(SqliteAffinityTest, FollowsTheRulesInOrder) {
  EXPECT_EQ(affinity_of("BIGINT"), Affinity::kInteger);
  EXPECT_EQ(affinity_of("CHARINT"), Affinity::kInteger);
  EXPECT_EQ(affinity_of("varchar(10)"), Affinity::kText);
  EXPECT_EQ(affinity_of(""), Affinity::kBlob);
  EXPECT_EQ(affinity_of("double precision"), Affinity::kReal);
  EXPECT_EQ(affinity_of("DECIMAL(10,2)"), Affinity::kNumeric);
}

}  // namespace
}  // namespace candor::engine::sqlite
