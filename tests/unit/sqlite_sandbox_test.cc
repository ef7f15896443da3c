// What SQL on a SQLite source can't do, and files that are no database, are locked, are replaced, or vanish.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "engine/sqlite/sqlite_engine.h"
#include "support/sqlite_file.h"

namespace candor::engine::sqlite {
namespace {

using SqliteSandboxTest = SqliteEngineTest;

// ---- attacks ----

TEST_F(SqliteSandboxTest, NothingIsWritten) {
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

TEST_F(SqliteSandboxTest, NothingElseIsReachedOrRun) {
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

TEST_F(SqliteSandboxTest, AViewOfTheFileCanNotCallWhatAStatementCanNot) {
  write(
      "CREATE VIEW bad AS SELECT printf('%d', id) FROM users; CREATE VIEW good AS SELECT upper(name) AS u FROM users");
  EXPECT_EQ(ask("SELECT * FROM bad").code(), "statement-not-allowed");
  EXPECT_EQ(rows("SELECT u FROM good ORDER BY u LIMIT 1"), R"(["ANN"])");
}

TEST_F(SqliteSandboxTest, WhatOnlyReadsTheSchemaIsAllowed) {
  EXPECT_EQ(rows("SELECT name FROM sqlite_master"), R"(["users"])");
  EXPECT_EQ(rows("SELECT name, pk FROM pragma_table_info('users') LIMIT 1"), R"(["id",1])");
  const Outcome info = ask("PRAGMA table_info(users)");
  EXPECT_EQ(info.count, 4U);
  EXPECT_EQ(info.header.kind, StatementKind::kDescribe);
  const Outcome plan = ask("EXPLAIN QUERY PLAN SELECT * FROM users");
  EXPECT_EQ(plan.header.kind, StatementKind::kExplain);
  EXPECT_EQ(plan.count, 1U);
}

TEST_F(SqliteSandboxTest, FullTextAndRangeTablesAreRead) {
  write(
      "CREATE VIRTUAL TABLE notes USING fts5(body); INSERT INTO notes VALUES ('red fox'),('blue whale');"
      "CREATE VIRTUAL TABLE box USING rtree(id, x0, x1); INSERT INTO box VALUES (1, 0, 2), (2, 5, 6)");
  EXPECT_EQ(rows("SELECT body FROM notes WHERE notes MATCH 'fox'"), R"(["red fox"])");
  EXPECT_EQ(rows("SELECT highlight(notes, 0, '<', '>') FROM notes WHERE notes MATCH 'whale' ORDER BY rank"),
            R"(["blue <whale>"])");
  EXPECT_EQ(rows("SELECT id FROM box WHERE x0 > 4"), "[2]");
  EXPECT_TRUE(ask("INSERT INTO notes(notes) VALUES ('rebuild')").failure);
}

TEST_F(SqliteSandboxTest, VirtualTablesAreReadAfterTheSchemaChanged) {
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

TEST_F(SqliteSandboxTest, JsonFunctionsAndTablesAreRead) {
  EXPECT_EQ(rows("SELECT value FROM json_each('[1,2]')"), "[1],[2]");
  EXPECT_EQ(rows(R"(SELECT '{"a":3}' ->> 'a')"), "[3]");
}

// ---- files ----

TEST_F(SqliteSandboxTest, AFileThatIsNoDatabase) {
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

TEST_F(SqliteSandboxTest, AHalfWrittenFile) {
  write(
      "CREATE TABLE big(t); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 2000) "
      "INSERT INTO big SELECT hex(randomblob(200)) FROM n");
  fs::resize_file(path_, fs::file_size(path_) / 2);
  EXPECT_EQ(open(policy()).error().code, "file-error");
}

TEST_F(SqliteSandboxTest, AnEmptyFileIsADatabaseWithoutTables) {
  std::ofstream(path_, std::ios::trunc).close();
  const auto catalog = engine().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_TRUE(catalog->tables.empty());
}

TEST_F(SqliteSandboxTest, AFileThatVanishes) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  fs::remove(path_);
  EXPECT_EQ(ask("SELECT count(*) FROM users").code(), "file-error");
}

TEST_F(SqliteSandboxTest, AFileThatIsReplacedIsOpenedAnew) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  const std::string kept = path_;
  path_ = folder_ + "/new.db";
  write("CREATE TABLE users(id); INSERT INTO users VALUES (1)");
  fs::rename(path_, kept);
  path_ = kept;
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[1]");
}

TEST_F(SqliteSandboxTest, ChangesOfAnotherProcessAreSeen) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  write("DELETE FROM users WHERE id = 1");
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[2]");
  write("ALTER TABLE users ADD COLUMN extra DEFAULT 5");
  EXPECT_EQ(rows("SELECT extra FROM users LIMIT 1"), "[5]");
}

TEST_F(SqliteSandboxTest, ALockedFileIsToldAsLocked) {
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
  auto writer = sql::Database::open(path_, {.mode = sql::OpenMode::kReadWrite});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->run("BEGIN EXCLUSIVE").ok());
  EXPECT_EQ(ask("SELECT count(*) FROM users").code(), "file-locked");
  EXPECT_EQ(open(policy()).error().code, "file-locked");
  ASSERT_TRUE(writer->run("COMMIT").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[3]");
}

TEST_F(SqliteSandboxTest, AWriteAheadLogIsReadBesideItsWriter) {
  auto writer = sql::Database::open(path_, {.mode = sql::OpenMode::kReadWrite});
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE(writer->run("PRAGMA journal_mode=WAL; INSERT INTO users VALUES (7,'G',1,NULL)").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[4]");
  ASSERT_TRUE(writer->run("BEGIN IMMEDIATE; INSERT INTO users VALUES (8,'H',1,NULL)").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[4]");
  ASSERT_TRUE(writer->run("COMMIT").ok());
  EXPECT_EQ(rows("SELECT count(*) FROM users"), "[5]");
}

TEST_F(SqliteSandboxTest, ALogFormatInAFolderThatCanNotBeWritten) {
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

}  // namespace
}  // namespace candor::engine::sqlite
