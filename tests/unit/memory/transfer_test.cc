// Batches and imports.
#include <fstream>
#include <iterator>

#include "memory/store/batch.h"
#include "support/memory_home.h"

namespace candor::memory {
namespace {

using TransferTest = MemoryHome;
using json::Node;

constexpr const char* kGood = R"({"name":"good","type":"note","body":"b","entities":[{"name":"billing"}]})";

TEST_F(TransferTest, ALineIsStoredWholeOrNotAtAll) {
  Memory memory = open();
  Batch batch(memory, {});
  for (const char* line :
       {kGood, "", R"({"name":"bad","type":"note","entities":[{"name":"new one"},{"name":"7"}]})", "no json",
        R"({"name":"typo","type":"note","descripton":"x"})", R"({"name":"good","type":"note"})", R"({"type":"note"})",
        R"({"name":"untyped"})", R"({"name":"last","type":"note"})"}) {
    ASSERT_TRUE(batch.add(line).ok());
  }
  const Result<std::vector<Node>> lines = batch.finish();
  ASSERT_TRUE(lines.ok());
  std::string states;
  for (const Node& line : *lines) states += line.string_or("status", "?").substr(0, 1);
  EXPECT_EQ(states, "iffffffi");
  EXPECT_EQ((*lines)[2].string_or("code", ""), "bad-request");
  EXPECT_EQ((*lines)[4].string_or("code", ""), "duplicate");
  EXPECT_EQ(batch.summary()["failed"].integer(), 6);
  EXPECT_EQ(value("SELECT group_concat(name) FROM memories"), "good,last");
  EXPECT_EQ(value("SELECT group_concat(name) FROM entities"), "billing");
}

TEST_F(TransferTest, ATransactionIsAllLinesOrNone) {
  Memory memory = open();
  BatchOptions options;
  options.whole = true;
  {
    Batch batch(memory, options);
    ASSERT_TRUE(batch.add(kGood).ok());
    ASSERT_TRUE(batch.add("{}").ok());
    EXPECT_TRUE(batch.commit()->empty());
    const Result<std::vector<Node>> lines = batch.finish();
    ASSERT_TRUE(lines.ok());
    EXPECT_EQ((*lines)[0].string_or("status", ""), "failed");
    EXPECT_EQ(batch.summary()["succeeded"].integer(), 0);
  }
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "0");
  {
    Batch abandoned(memory, options);
    ASSERT_TRUE(abandoned.add(kGood).ok());
  }
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "0");
  Batch batch(memory, options);
  ASSERT_TRUE(batch.add(kGood).ok());
  ASSERT_TRUE(batch.finish().ok());
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "1");
}

TEST_F(TransferTest, FailFastAndDryRun) {
  Memory memory = open();
  BatchOptions options;
  options.fail_fast = true;
  {
    Batch batch(memory, options);
    EXPECT_TRUE(*batch.add(kGood));
    EXPECT_FALSE(*batch.add("{}"));
    ASSERT_TRUE(batch.finish().ok());
  }
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "1");
  options = {};
  options.dry_run = true;
  Batch batch(memory, options);
  ASSERT_TRUE(batch.add(R"({"name":"other","type":"note"})").ok());
  EXPECT_EQ(batch.finish()->size(), 1U);
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "1");
}

// ---- import ----

constexpr const char* kOther = R"sql(
  CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT);
  CREATE TABLE memories (id INTEGER PRIMARY KEY, namespace TEXT, name TEXT, type TEXT, description TEXT, body TEXT,
    body_hash TEXT, session_id TEXT, source TEXT, metadata TEXT, deleted_at INTEGER, created_at INTEGER, updated_at INTEGER);
  CREATE TABLE memory_versions (memory_id INTEGER, version INTEGER, name TEXT, type TEXT, description TEXT, body TEXT,
    metadata TEXT, changed_by TEXT, change_reason TEXT, created_at INTEGER);
  CREATE TABLE entities (id INTEGER PRIMARY KEY, namespace TEXT, name TEXT, type TEXT, description TEXT);
  CREATE TABLE relationships (id INTEGER PRIMARY KEY, namespace TEXT, source_id INTEGER, target_id INTEGER, relation TEXT,
    weight REAL, description TEXT);
  CREATE TABLE memory_entities (memory_id INTEGER, entity_id INTEGER);
  CREATE TABLE memory_relationships (memory_id INTEGER, relationship_id INTEGER);
  INSERT INTO memories VALUES
    (7, 'global', 'second', 'skill', 'd2', 'body two', 'x', 's', 'user', '{"k":1}', NULL, 100, 300),
    (5, 'global', 'first', 'note', 'd1', 'body one', 'x', NULL, 'agent', '{}', NULL, 100, 200),
    (9, 'team', 'gone', 'note', '', 'was here', 'x', NULL, 'agent', '{}', 250, 100, 250);
  INSERT INTO memory_versions VALUES
    (7, 1, 'second', 'skill', 'd2', 'older', '{}', NULL, 'create', 100),
    (7, 2, 'second', 'skill', 'd2', 'body two', '{"k":1}', 'anna', 'edit', 300),
    (5, 1, 'first', 'note', 'd1', 'body one', '{}', NULL, 'create', 100);
  INSERT INTO entities VALUES (1, 'global', 'billing', 'tool', 'the invoices'), (2, 'global', 'ledger', 'concept', NULL);
  INSERT INTO relationships VALUES (1, 'global', 1, 2, 'depends_on', 0.7, NULL);
  INSERT INTO memory_entities VALUES (7, 1), (5, 2);
  INSERT INTO memory_relationships VALUES (7, 1);
)sql";

std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string make_other(const std::string& path, bool with_log) {
  Result<sqlite::Database> database = sqlite::Database::open(path, {.mode = sqlite::OpenMode::kCreate});
  if (!database.ok()) return database.error().message;
  if (with_log && !database->set(sqlite::Switch::kNoCheckpointOnClose, true).ok()) return "no switch";
  if (with_log && !database->run("PRAGMA journal_mode = WAL").ok()) return "no log";
  const Status done = database->run(kOther);
  return done.ok() ? "" : done.error().message;
}

TEST_F(TransferTest, ADatabaseIsTakenOverAndNotTouched) {
  for (const bool with_log : {false, true}) {
    const std::string path = folder_.path() + (with_log ? "/logged.sqlite" : "/plain.sqlite");
    ASSERT_EQ(make_other(path, with_log), "");
    const std::string before = bytes_of(path) + bytes_of(path + "-wal");
    const std::string home = path + ".home";
    Result<Memory> memory = Memory::open(home, Access::kWrite);
    ASSERT_TRUE(memory.ok());
    Import import;
    import.from = path;
    const Result<Node> document = memory->import_file(import);
    ASSERT_TRUE(document.ok()) << document.error().message;
    EXPECT_EQ(bytes_of(path) + bytes_of(path + "-wal"), before);
    EXPECT_EQ((*document)["memories_imported"].integer(), 3);
    EXPECT_EQ((*document)["memories_deleted"].integer(), 1);
    EXPECT_EQ((*document)["versions_imported"].integer(), 3);
    EXPECT_EQ((*document)["relationships_imported"].integer(), 1);
    EXPECT_EQ((*document)["bindings_imported"].integer(), 3);
    const Node second = *memory->read({.name = "second"}, true);
    EXPECT_EQ(second["created_at"].integer(), 100);
    EXPECT_EQ(second["updated_at"].integer(), 300);
    EXPECT_EQ(second["version"].integer(), 2);
    EXPECT_EQ(json::dump(second["metadata"]), R"({"k":1})");
    EXPECT_EQ(second["graph"]["relationships"].items().size(), 1U);
    EXPECT_GT(*second["rev"].integer(), *(*memory->read({.name = "first"}, false))["rev"].integer());
    EXPECT_EQ(outcome(memory->read({.space = "team", .name = "gone"}, false)), "not-found");
    EXPECT_EQ(outcome(memory->restore(
                  {.which = {.space = "team", .name = "gone"}, .version = {}, .expected = {}, .vectors = {}})),
              "ok");
    EXPECT_EQ(outcome(memory->import_file(import)), "duplicate");
    import.skip_existing = true;
    EXPECT_EQ((*memory->import_file(import))["memories_skipped"].integer(), 3);
    EXPECT_EQ(memory->health({})->string_or("status", ""), "ok");
  }
}

TEST_F(TransferTest, LinesOfTheMcpMemoryServerAreTakenOver) {
  Memory memory = open();
  Import import;
  import.from = folder_.write(
      "memory.jsonl",
      "{\"type\":\"relation\",\"from\":\"Anna\",\"to\":\"Acme Corp\",\"relationType\":\"works_at\"}\n"
      "{\"type\":\"entity\",\"name\":\"Anna\",\"entityType\":\"person\",\"observations\":[\"likes tea\",\"is 40\"]}\n\n"
      "{\"type\":\"entity\",\"name\":\"東京\",\"entityType\":\"city\",\"observations\":[]}\n"
      "{\"type\":\"entity\",\"name\":\"ANNA!\",\"entityType\":\"person\",\"observations\":[\"another\"]}\n");
  const Result<Node> document = memory.import_file(import);
  ASSERT_TRUE(document.ok()) << document.error().message;
  EXPECT_EQ((*document)["memories_imported"].integer(), 3);
  EXPECT_EQ((*document)["entities_imported"].integer(), 4);
  EXPECT_EQ(memory.read({.name = "anna"}, false)->string_or("body", ""), "likes tea\nis 40");
  EXPECT_EQ(memory.read({.name = "anna-2"}, false)->string_or("body", ""), "another");
  EXPECT_EQ(value("SELECT relation FROM relationships"), "works_at");
  EXPECT_EQ((*document)["warnings"].items().size(), 2U);  // a type, and an end that no line describes
}

TEST_F(TransferTest, AnImportThatFailsLeavesNothing) {
  Memory memory = open();
  Import import;
  import.from =
      folder_.write("broken.jsonl", "{\"type\":\"entity\",\"name\":\"Anna\",\"observations\":[]}\nnot a line\n");
  const Result<Node> failed = memory.import_file(import);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, "file-error");
  EXPECT_NE(failed.error().message.find("line 2"), std::string::npos);
  EXPECT_EQ(value("SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM entities)"), "0");
  import.from = folder_.write("empty", "");
  EXPECT_EQ(outcome(memory.import_file(import)), "unreadable-input");
  import.from = folder_.path() + "/nothing";
  EXPECT_EQ(outcome(memory.import_file(import)), "unreadable-input");
  import.from = folder_.write("header", std::string("SQLite format 3\0", 16) + std::string(4'096, 'x'));
  EXPECT_EQ(outcome(memory.import_file(import)), "file-error");
}

TEST_F(TransferTest, ABackupIsAWholeMemoryAndOverwritesNothing) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("a"))), "ok");
  const std::string copy = folder_.path() + "/copy/memory.sqlite";
  EXPECT_EQ(outcome(memory.backup(copy)), "file-error");
  folder_.write("copy/other", "");
  ASSERT_EQ(outcome(memory.backup(copy)), "ok");
  EXPECT_EQ(outcome(memory.backup(copy)), "duplicate");
  Result<Memory> copied = Memory::open(folder_.path() + "/copy", Access::kRead);
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(outcome(copied->read({.name = "a"}, false)), "ok");
}

}  // namespace
}  // namespace candor::memory
