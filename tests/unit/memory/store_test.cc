// Opening the memory's file, its versions, and the counter.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>

#include "memory/store/schema.h"
#include "support/memory_home.h"

namespace candor::memory {
namespace {

namespace fs = std::filesystem;
using StoreTest = MemoryHome;

unsigned mode_of(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? about.st_mode & 0777U : 0;
}

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST_F(StoreTest, TheFileIsForItsOwnerAlone) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("a"))), "ok");
  EXPECT_EQ(mode_of(file()), 0600U);
  EXPECT_EQ(mode_of(file() + "-wal"), 0600U);
}

TEST_F(StoreTest, ReadingMakesNoFile) {
  Memory memory = open(Access::kRead);
  EXPECT_FALSE(memory.exists());
  EXPECT_EQ(outcome(memory.read({.name = "a"}, false)), "not-found");
  EXPECT_TRUE(memory.stats().ok());
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(StoreTest, WhatIsNoMemoryStaysAsItIs) {
  const auto refused = [&](const std::string& content) {
    folder_.write("memory.sqlite", content);
    for (const Access access : {Access::kRead, Access::kWrite}) {
      EXPECT_EQ(opening_fails_with(access), "integrity");
      EXPECT_EQ(bytes_of(file()), content);
      EXPECT_FALSE(fs::exists(file() + "-wal"));
    }
  };
  refused(
      "these are notes, and no database at all; long enough to have the size of a header, which has a hundred bytes.");
  fs::remove(file());
  run_sql("CREATE TABLE other (a)");
  refused(bytes_of(file()));
  fs::remove(file());
  run_sql("PRAGMA application_id = " + std::to_string(kApplicationId) +
          "; PRAGMA user_version = 99; CREATE TABLE t (a)");
  refused(bytes_of(file()));
}

TEST_F(StoreTest, ANewerVersionIsNamed) {
  run_sql("PRAGMA application_id = " + std::to_string(kApplicationId) +
          "; PRAGMA user_version = 99; CREATE TABLE t (a)");
  const Result<Memory> memory = Memory::open(folder_.path(), Access::kWrite);
  ASSERT_FALSE(memory.ok());
  EXPECT_NE(memory.error().message.find("newer version"), std::string::npos) << memory.error().message;
}

TEST_F(StoreTest, ADamagedFileIsAnError) {
  {
    ASSERT_EQ(outcome(open().remember(note("a", std::string(20'000, 'x')))), "ok");
  }
  run_sql("PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = bytes_of(file());
  for (std::size_t at = 100; at < bytes.size(); at += 7) bytes[at] = '\x5A';
  folder_.write("memory.sqlite", bytes);
  EXPECT_EQ(opening_fails_with(), "integrity");
  EXPECT_EQ(bytes_of(file()), bytes);
}

TEST_F(StoreTest, AHomeThatCantBeMadeIsAnError) {
  folder_.write("occupied", "a file");
  EXPECT_EQ(outcome(Memory::open(folder_.path() + "/occupied/home", Access::kWrite)), "storage");
}

TEST_F(StoreTest, RevRisesWithEachWriteAndTimesToo) {
  Memory memory = open();
  std::int64_t clock = 1'000;
  memory.store().set_clock([&] { return clock; });
  ASSERT_EQ(outcome(memory.remember(note("a"))), "ok");
  clock = 900;  // set back
  Edit edit;
  edit.which.name = "a";
  std::int64_t rev = 1;
  std::int64_t time = 1'000;
  for (const char* body : {"b", "c", "d"}) {
    edit.body = body;
    const Result<json::Node> changed = memory.edit(edit);
    ASSERT_TRUE(changed.ok());
    EXPECT_EQ((*changed)["rev"].integer(), ++rev);
    EXPECT_EQ((*changed)["updated_at"].integer(), ++time);
  }
}

// ---- migrations ----

Status add_first(sqlite::Database& database) {
  return database.run(
      "CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT); CREATE TABLE kept (a INTEGER);"
      "INSERT INTO kept VALUES (17)");
}
Status add_second(sqlite::Database& database) {
  return database.run("ALTER TABLE kept ADD COLUMN b INTEGER DEFAULT 2");
}
Status add_third(sqlite::Database& database) {
  return database.run("CREATE TABLE more AS SELECT a + b AS sum FROM kept");
}
Status fails(sqlite::Database& database) {
  CANDOR_TRY(database.run("INSERT INTO kept VALUES (18, 3)"));
  return database.run("SELECT nonsense FROM nowhere");
}

constexpr Migration kSteps[] = {&add_first, &add_second, &add_third};

Result<sqlite::Database> at_version(const std::string& path, std::size_t version) {
  CANDOR_ASSIGN(sqlite::Database database, sqlite::Database::open(path, {.mode = sqlite::OpenMode::kCreate}));
  CANDOR_TRY(migrate(database, path, std::span(kSteps).first(version)));
  return database;
}

TEST_F(StoreTest, EveryEarlierVersionIsBroughtForwardAfterACopy) {
  for (const std::size_t from : {0U, 1U, 2U}) {
    const std::string path = folder_.path() + "/from" + std::to_string(from);
    Result<sqlite::Database> database =
        from == 0 ? sqlite::Database::open(path, {.mode = sqlite::OpenMode::kCreate}) : at_version(path, from);
    ASSERT_TRUE(database.ok()) << database.error().message;
    const Status done = migrate(*database, path, kSteps);
    ASSERT_TRUE(done.ok()) << done.error().message;
    Result<sqlite::Statement> sum = database->prepare("SELECT sum FROM more");
    ASSERT_TRUE(sum.ok());
    ASSERT_TRUE(*sum->step());
    EXPECT_EQ(sum->integer(0), 19);
    EXPECT_EQ(*recognise(*database, path, 3), 3);
    const std::string backup = path + ".v" + std::to_string(from) + ".backup";
    ASSERT_EQ(fs::exists(backup), from > 0);
    if (from == 0) continue;
    EXPECT_EQ(mode_of(backup), 0600U);
    Result<sqlite::Database> old = sqlite::Database::open(backup, {});
    ASSERT_TRUE(old.ok());
    EXPECT_EQ(*recognise(*old, backup, 3), static_cast<std::int64_t>(from));
  }
}

TEST_F(StoreTest, AStepThatFailsChangesNothing) {
  const std::string path = folder_.path() + "/failing";
  Result<sqlite::Database> database = at_version(path, 2);
  ASSERT_TRUE(database.ok());
  constexpr Migration kFailing[] = {&add_first, &add_second, &fails};
  EXPECT_FALSE(migrate(*database, path, kFailing).ok());
  EXPECT_EQ(*recognise(*database, path, 3), 2);
  Result<sqlite::Statement> count = database->prepare("SELECT count(*) FROM kept");
  ASSERT_TRUE(*count->step());
  EXPECT_EQ(count->integer(0), 1);
}

TEST_F(StoreTest, ThisVersionIsMadeOfAllSteps) {
  {
    ASSERT_EQ(outcome(open().remember(note("a"))), "ok");
  }
  EXPECT_EQ(value("PRAGMA user_version"), std::to_string(newest_version()));
  EXPECT_EQ(value("PRAGMA application_id"), std::to_string(kApplicationId));
  EXPECT_EQ(value("PRAGMA auto_vacuum"), "2");
  EXPECT_EQ(value("SELECT value FROM schema_meta WHERE key = 'schema_version'"), std::to_string(newest_version()));
}

TEST_F(StoreTest, ThreadsThatMakeTheFileAtOnceGetOneMemory) {
  std::vector<std::thread> threads;
  std::atomic<int> stored = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Result<Memory> memory = Memory::open(folder_.path(), Access::kWrite);
      if (memory.ok() && memory->remember(note("n" + std::to_string(i))).ok()) ++stored;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(stored, 8);
  EXPECT_EQ(value("SELECT count(*) || ' ' || count(DISTINCT rev) || ' ' || max(rev) FROM memories"), "8 8 8");
}

}  // namespace
}  // namespace candor::memory
