// What a contract on SQLite adds: names of tables, the application's triggers and foreign keys, a full disk, locks that a
// closed file must not drop.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/sqlite/sqlite_engine.h"
#include "engine/worker/worker_engine.h"
#include "sqlite/sqlite.h"
#include "support/contract_source.h"

namespace candor::engine {
namespace {

using test::Kind;
using test::Ran;
using test::read;
using test::run_in;
using test::write_in;

class ContractSqliteTest : public ::testing::Test {
 protected:
  test::ContractSource source_{Kind::kSqlite};
};

TEST_F(ContractSqliteTest, ATableIsNamedByMainAndByTheSource) {
  const auto engine = source_.open();
  for (const char* name : {R"("main"."cards")", R"("app"."cards")", "cards"}) {
    EXPECT_EQ(read(*engine, std::string("SELECT max(n) FROM ") + name).all(), "[3]") << name;
    EXPECT_EQ(write_in(*engine, std::string("UPDATE ") + name + " SET n = n WHERE card_id = 'a'"), "") << name;
  }
  EXPECT_EQ(read(*engine, R"(SELECT "app"."cards".n FROM "main"."cards" LIMIT 1)").all(), "[1]");
}

// The connection that writes is kept with its statements; what others do to the file meanwhile has to be seen all the same.
TEST_F(ContractSqliteTest, AWriterThatIsUsedAgainSeesWhatOthersDid) {
  const auto engine = source_.open();
  const auto set = [&](const std::string& key, std::int64_t number) {
    auto transaction = engine->begin(1'000, {});
    EXPECT_TRUE(transaction.ok());
    std::string said;
    for (std::int64_t i = 0; i < 3; ++i) {
      const Ran ran = run_in(**transaction, "UPDATE cards SET n = $1 WHERE card_id = $2",
                             {integer_value(number + i), text_value(i == 1 ? "none" : key)});
      said += ran.error ? ran.error->code : std::to_string(ran.end.affected.value_or(99));
    }
    EXPECT_TRUE((*transaction)->commit().ok());
    return said;
  };
  EXPECT_EQ(set("a", 10), "101");
  EXPECT_EQ(set("b", 20), "101");
  // Others may write now: no lock is left. Then the schema is another one, with a trigger that a statement prepared before
  // does not know.
  source_.write(
      "BEGIN EXCLUSIVE; CREATE TABLE log(text TEXT); CREATE VIRTUAL TABLE words USING fts5(note);"
      "CREATE TRIGGER touched AFTER UPDATE ON cards BEGIN INSERT INTO log VALUES (new.n); "
      "INSERT INTO words VALUES ('lamp'); END; COMMIT");
  EXPECT_EQ(set("c", 30), "101");
  EXPECT_EQ(read(*engine, "SELECT text FROM log ORDER BY text").all(), R"(["30"] ["32"])");
  EXPECT_EQ(read(*engine, "SELECT card_id, n FROM cards ORDER BY card_id").all(), R"(["a",12] ["b",22] ["c",32])");
}

TEST_F(ContractSqliteTest, AWriterOfAFileThatWasReplacedIsNotUsedAgain) {
  const auto engine = source_.open();
  const std::string path = source_.policy().sources.front().path;
  std::filesystem::copy_file(path, path + ".other");
  EXPECT_EQ(write_in(*engine, "UPDATE cards SET n = 50 WHERE card_id = 'a'"), "");
  std::filesystem::rename(path + ".other", path);
  EXPECT_EQ(write_in(*engine, "UPDATE cards SET n = 60 WHERE card_id = 'b'"), "");
  EXPECT_EQ(read(*engine, "SELECT n FROM cards ORDER BY card_id").all(), "[1] [60] [3]");
}

TEST_F(ContractSqliteTest, TheApplicationsTriggersAndForeignKeysAct) {
  source_.write(
      "CREATE TABLE log(text TEXT); CREATE VIRTUAL TABLE words USING fts5(note);"
      "CREATE TABLE parts(card_id TEXT REFERENCES cards(card_id) ON DELETE CASCADE);"
      "INSERT INTO parts VALUES ('a'), ('b');"
      "CREATE TRIGGER touched AFTER UPDATE ON cards BEGIN"
      "  INSERT INTO log VALUES (printf('%s %d', new.card_id, new.n) || strftime('%s', 0, 'unixepoch'));"
      "  INSERT INTO words VALUES (new.note);"
      "END;"
      "CREATE TRIGGER guard BEFORE INSERT ON cards WHEN new.n > 100 BEGIN SELECT RAISE(ABORT, 'too many'); END");
  const auto engine = source_.open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  const Ran updated = run_in(**transaction, "UPDATE cards SET n = 9, note = 'lamp' WHERE card_id = 'a'");
  EXPECT_EQ(updated.end.affected, 1U) << updated.all();
  EXPECT_EQ(run_in(**transaction, "DELETE FROM cards WHERE card_id = 'b'").end.affected, 1U) << "not those that follow";
  ASSERT_TRUE((*transaction)->commit().ok());
  transaction->reset();
  EXPECT_EQ(read(*engine, "SELECT text FROM log").all(), R"(["a 90"])");
  EXPECT_EQ(read(*engine, "SELECT note FROM words WHERE words MATCH 'lamp'").all(), R"(["lamp"])");
  EXPECT_EQ(read(*engine, "SELECT card_id FROM parts").all(), R"(["a"])");
  auto guarded = engine->begin(1'000, {});
  ASSERT_TRUE(guarded.ok());
  const Ran refused = run_in(**guarded, "INSERT INTO cards VALUES ('z', 101, NULL)");
  EXPECT_EQ(refused.all(), "constraint-violation: the source does not take the row: too many");
}

TEST_F(ContractSqliteTest, ADeferredForeignKeyIsToldByTheCommit) {
  source_.write("CREATE TABLE later(card_id TEXT REFERENCES cards(card_id) DEFERRABLE INITIALLY DEFERRED)");
  const auto engine = source_.open();
  EXPECT_EQ(write_in(*engine, "INSERT INTO later VALUES ('nobody')"), "constraint-violation");
  EXPECT_EQ(read(*engine, "SELECT count(*) FROM later").all(), "[0]");
  EXPECT_EQ(write_in(*engine, "INSERT INTO later VALUES ('a')"), "");
}

TEST_F(ContractSqliteTest, ConflictsCountWhatTheyDid) {
  const auto engine = source_.open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  const std::string insert = "INSERT INTO cards VALUES ('a', 7, NULL), ('d', 7, NULL) ON CONFLICT (card_id) DO ";
  EXPECT_EQ(run_in(**transaction, insert + "NOTHING RETURNING card_id").all(), R"(["d"])");
  const Ran updated = run_in(**transaction, insert + "UPDATE SET n = excluded.n");
  EXPECT_EQ(updated.end.affected, 2U);
  EXPECT_EQ(updated.header.kind, StatementKind::kInsert);
}

TEST_F(ContractSqliteTest, ReadersAreNotHinderedByALogAndWritersWaitForNone) {
  source_.write("PRAGMA journal_mode = WAL");
  const auto engine = source_.open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_EQ(run_in(**transaction, "UPDATE cards SET n = 9").code(), "");
  EXPECT_EQ(read(*engine, "SELECT max(n) FROM cards").all(), "[3]");
  ASSERT_TRUE((*transaction)->commit().ok());
  EXPECT_EQ(read(*engine, "SELECT max(n) FROM cards").all(), "[9]");
}

TEST_F(ContractSqliteTest, ACommitWaitsForReadersAndThenIsBusy) {
  const auto engine = source_.open();
  auto reader = candor::sqlite::Database::open(source_.path(), {});
  ASSERT_TRUE(reader.ok());
  auto rows = reader->prepare("SELECT card_id FROM cards");
  ASSERT_TRUE(rows.ok());
  ASSERT_TRUE(rows->step().ok());  // holds its lock until it is reset
  EXPECT_EQ(write_in(*engine, "UPDATE cards SET n = 9", 1), "busy");
  rows->reset();
  EXPECT_EQ(read(*engine, "SELECT max(n) FROM cards").all(), "[3]");
  EXPECT_EQ(write_in(*engine, "UPDATE cards SET n = 9", 1), "");
}

// Closing any file handle drops all locks that the process holds on that file, by POSIX's rule; a second writer would then
// be let in.
TEST_F(ContractSqliteTest, LocksOutlastOtherConnectionsOfTheProcess) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP() << "CANDOR_WORKER names no program";
  const auto engine = source_.open();
  auto transaction = engine->begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  EXPECT_EQ(run_in(**transaction, "UPDATE cards SET n = 9").code(), "");
  EXPECT_TRUE(engine->catalog().ok());
  auto opened = candor::sqlite::Database::open(source_.path(), {});
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->file_start(15), "SQLite format 3");
  {
    const auto closed = std::move(*opened);
  }
  worker::WorkerEngine other(program, source_.policy());
  EXPECT_EQ(other.begin(20, {}).error().code, "busy");
}

TEST_F(ContractSqliteTest, AFileThatMayNotBeWrittenIsReadAllTheSame) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  ASSERT_EQ(::chmod(source_.path().c_str(), 0400), 0);
  const auto engine = source_.open();
  EXPECT_EQ(read(*engine, "SELECT max(n) FROM cards").all(), "[3]");
  EXPECT_EQ(write_in(*engine, "UPDATE cards SET n = 9", 1), "file-error");
}

TEST_F(ContractSqliteTest, AFullDiskLeavesEverythingAsItWas) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP() << "CANDOR_WORKER names no program";
  worker::WorkerEngine engine(program, source_.policy());
  auto transaction = engine.begin(1'000, {});
  ASSERT_TRUE(transaction.ok());
  const rlimit small{64'000, 64'000};
  ASSERT_EQ(::prlimit(*engine.process(), RLIMIT_FSIZE, &small, nullptr), 0);
  const Ran filled = run_in(**transaction, "UPDATE cards SET note = hex(zeroblob(1000000))");
  const std::string code = filled.error ? filled.code() : (*transaction)->commit().error().code;
  EXPECT_EQ(code, "disk-full");
  transaction->reset();
  EXPECT_EQ(read(engine, "SELECT card_id, n, note FROM cards").all(), R"(["a",1,null] ["b",2,"x"] ["c",3,"y"])");
  EXPECT_EQ(write_in(engine, "UPDATE cards SET n = n + 1"), "");
}

// A writer that is killed once pages have reached the file leaves a journal, which a reader may not play back.
TEST_F(ContractSqliteTest, WhatAKilledWriterLeftIsTakenBackByTheNextReader) {
  const char* program = std::getenv("CANDOR_WORKER");
  if (program == nullptr) GTEST_SKIP() << "CANDOR_WORKER names no program";
  const auto engine = source_.open();
  EXPECT_EQ(read(*engine, "SELECT max(n) FROM cards").all(), "[3]");  // on a connection that is kept
  Policy agents = source_.policy();
  agents.contract = false;
  for (int round = 0; round < 2; ++round) {
    worker::WorkerEngine writer(program, source_.policy());
    auto transaction = writer.begin(1'000, {});
    ASSERT_TRUE(transaction.ok()) << transaction.error().message;
    EXPECT_EQ(run_in(**transaction, "UPDATE cards SET n = 9, note = hex(zeroblob(10000000))").code(), "");
    ASSERT_EQ(::kill(*writer.process(), SIGKILL), 0);
    transaction->reset();
    ASSERT_GT(std::filesystem::file_size(source_.path() + "-journal"), 0U);
    const auto agent = sqlite::open(agents);
    ASSERT_FALSE(agent.ok()) << "who may not write says so";
    EXPECT_EQ(agent.error().code, "file-error");
    EXPECT_EQ(read(*engine, "SELECT max(n), max(note) FROM cards").all(), R"([3,"y"])");
    EXPECT_TRUE(engine->catalog().ok());
  }
}

TEST_F(ContractSqliteTest, WithoutAContractThereIsNoTransaction) {
  Policy policy = source_.policy();
  policy.contract = false;
  auto engine = sqlite::open(policy);
  ASSERT_TRUE(engine.ok());
  EXPECT_EQ((*engine)->begin(0, {}).error().code, "read-only");
  EXPECT_EQ(read(**engine, "SELECT 1").code(), "statement-not-allowed");
}

}  // namespace
}  // namespace candor::engine
