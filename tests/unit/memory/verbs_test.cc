// The verbs that write memories: versions, locks, duplicates, forgetting and bringing back.
#include "memory/store/memories.h"
#include "memory/store/names.h"
#include "support/memory_home.h"

namespace candor::memory {
namespace {

using VerbsTest = MemoryHome;
using json::Node;

Edit edit_of(const std::string& name, std::string body) {
  Edit edit;
  edit.which.name = name;
  edit.body = std::move(body);
  return edit;
}

TEST_F(VerbsTest, AMemoryComesBackAsItWasStored) {
  Memory memory = open();
  Remember input = note("All_Scripts", std::string("東京 \0 \xF0\x9F\xA6\x91", 13));
  input.description = "Ёлка";
  input.metadata = *json::parse(R"({"release.tag":"r1","n":1.50,"deep":{"null":null}})");
  input.session_id = "s1";
  const Result<Node> stored = memory.remember(input);
  ASSERT_TRUE(stored.ok()) << stored.error().message;
  EXPECT_EQ(stored->string_or("name", ""), "all-scripts");
  EXPECT_TRUE((*stored)["name_was_normalized"].truth());
  const Result<Node> read = memory.read({.name = "ALL SCRIPTS"}, false);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->string_or("body", ""), *input.body);
  EXPECT_EQ(read->string_or("description", ""), "Ёлка");
  EXPECT_EQ(json::dump((*read)["metadata"]), json::dump(*input.metadata));
  EXPECT_EQ(read->string_or("body_hash", "").size(), 64U);
}

TEST_F(VerbsTest, LimitsAreExact) {
  Memory memory = open();
  EXPECT_EQ(outcome(memory.remember(note("full", std::string(kBodyBytes, 'b')))), "ok");
  EXPECT_EQ(outcome(memory.remember(note("over", std::string(kBodyBytes + 1, 'b')))), "over-limit");
  Remember input = note("described");
  std::string wide;
  for (std::size_t i = 0; i < kDescriptionCharacters; ++i) wide += "é";
  input.description = wide;
  EXPECT_EQ(outcome(memory.remember(input)), "ok");
  input.name = "more";
  input.description = wide + "é";
  EXPECT_EQ(outcome(memory.remember(input)), "over-limit");
  EXPECT_EQ(outcome(memory.remember(note("foreign", "\xC3\x28"))), "invalid-text");
  Remember bound = note("bound");
  for (std::size_t i = 0; i <= kPerMemory; ++i) bound.entities.push_back({"entity " + std::to_string(i), {}, {}});
  EXPECT_EQ(outcome(memory.remember(bound)), "over-limit");
  EXPECT_EQ(value("SELECT count(*) FROM entities"), "0");
  bound.entities.pop_back();
  EXPECT_EQ(outcome(memory.remember(bound)), "ok");
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "3");
}

TEST_F(VerbsTest, ThereAreAtMostAHundredNamespaces) {
  Memory memory = open();
  Remember input = note("a");
  for (int i = 0; i < kNamespaces; ++i) {
    input.space = "space-" + std::to_string(i);
    ASSERT_EQ(outcome(memory.remember(input)), "ok");
  }
  input.space = "one-more";
  EXPECT_EQ(outcome(memory.remember(input)), "over-limit");
}

TEST_F(VerbsTest, ANameIsTakenUntilItIsPurged) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("a", "one"))), "ok");
  EXPECT_EQ(outcome(memory.remember(note("A", "two"))), "duplicate");
  ASSERT_EQ(outcome(memory.forget({.name = "a"})), "ok");
  EXPECT_EQ(outcome(memory.remember(note("a", "two"))), "duplicate");
  Remember revive = note("a", "two");
  revive.force_merge = true;
  const Result<Node> revived = memory.remember(revive);
  ASSERT_TRUE(revived.ok());
  EXPECT_EQ(revived->string_or("action", ""), "updated");
  EXPECT_EQ(memory.read({.name = "a"}, false)->string_or("body", ""), "two");
  Remember elsewhere = note("a", "three");
  elsewhere.space = "other";
  EXPECT_EQ(outcome(memory.remember(elsewhere)), "ok");
}

TEST_F(VerbsTest, AMergeKeepsWhatIsNotGiven) {
  Memory memory = open();
  Remember first = note("a", "body");
  first.description = "described";
  first.entities = {{"billing", "tool", {}}};
  ASSERT_EQ(outcome(memory.remember(first)), "ok");
  Remember merge;
  merge.name = "a";
  merge.body = "";
  merge.force_merge = true;
  ASSERT_EQ(outcome(memory.remember(merge)), "ok");
  Node read = *memory.read({.name = "a"}, true);
  EXPECT_EQ(read.string_or("type", ""), "note");
  EXPECT_EQ(read.string_or("body", ""), "body");
  EXPECT_EQ(read.string_or("description", ""), "described");
  EXPECT_EQ(read["graph"]["entities"].items().size(), 1U);
  merge.clear_body = true;
  merge.replace_graph = true;
  ASSERT_EQ(outcome(memory.remember(merge)), "ok");
  read = *memory.read({.name = "a"}, true);
  EXPECT_EQ(read.string_or("body", "?"), "");
  EXPECT_EQ(read["graph"]["entities"].items().size(), 0U);
}

TEST_F(VerbsTest, ADryRunStoresNothing) {
  Memory memory = open();
  Remember input = note("a");
  input.dry_run = true;
  EXPECT_EQ(outcome(memory.remember(input)), "ok");
  EXPECT_EQ(outcome(memory.read({.name = "a"}, false)), "not-found");
}

// Times have a second's grain, and still no two changes pass for one.
TEST_F(VerbsTest, OfTwoThatChangeWhatTheyReadOneLoses) {
  Memory memory = open();
  memory.store().set_clock([] { return std::int64_t{5'000}; });
  ASSERT_EQ(outcome(memory.remember(note("a"))), "ok");
  Edit edit = edit_of("a", "one");
  edit.expected.updated_at = 5'000;
  EXPECT_EQ(outcome(memory.edit(edit)), "ok");
  EXPECT_EQ(outcome(memory.edit(edit)), "lost-race");
  edit.expected.updated_at.reset();
  edit.expected.rev = 2;
  EXPECT_EQ(outcome(memory.edit(edit)), "ok");
  EXPECT_EQ(outcome(memory.edit(edit)), "lost-race");
  EXPECT_EQ(memory.read({.name = "a"}, false)->operator[]("version").integer(), 3);
  Remember merge = note("a");
  merge.force_merge = true;
  merge.expected.rev = 2;
  EXPECT_EQ(outcome(memory.remember(merge)), "lost-race");
  EXPECT_EQ(outcome(parse_expected("yesterday", {})), "usage");
  EXPECT_EQ(outcome(parse_expected({}, "-1")), "usage");
}

TEST_F(VerbsTest, AnEditRefreshesChunksAndAddresses) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("a", std::string(3'000, 'a') + " https://example.org/old"))), "ok");
  EXPECT_NE(value("SELECT count(*) FROM memory_chunks"), "0");
  ASSERT_EQ(outcome(memory.edit(edit_of("a", "short https://example.org/new"))), "ok");
  EXPECT_EQ(value("SELECT count(*) FROM memory_chunks"), "0");
  EXPECT_EQ(value("SELECT group_concat(url) FROM memory_urls"), "https://example.org/new");
  ASSERT_EQ(outcome(memory.edit(edit_of("a", std::string(3'000, 'b')))), "ok");
  EXPECT_EQ(value("SELECT count(*) FROM memory_chunks WHERE chunk_text LIKE '%a%'"), "0");
  EXPECT_NE(value("SELECT count(*) FROM memory_chunks WHERE chunk_text LIKE '%b%'"), "0");
}

TEST_F(VerbsTest, VectorsGoWithTheirText) {
  Memory memory = open();
  {
    ASSERT_EQ(outcome(memory.remember(note("setup"))), "ok");
  }
  run_sql("INSERT INTO embedders (id, name, dim) VALUES (1, 'test', 2)");
  Remember input = note("a", std::string(1'500, 'a'));
  input.vectors = Embedded{.embedder = 1, .memory = {0.6F, 0.8F}};
  ASSERT_EQ(outcome(memory.remember(input)), "ok");
  EXPECT_EQ(value("SELECT hex(embedding) FROM memory_embeddings"), "9A99193FCDCC4C3F");
  ASSERT_EQ(outcome(memory.edit(edit_of("a", "other"))), "ok");
  EXPECT_EQ(value("SELECT count(*) FROM memory_embeddings"), "0");
}

TEST_F(VerbsTest, AVectorOfAnotherTextIsNotStored) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("setup"))), "ok");
  run_sql("INSERT INTO embedders (id, name, dim) VALUES (1, 'test', 2)");
  Remember input = note("a", "one");
  input.vectors = Embedded{.embedder = 1, .memory = {0.6F, 0.8F}, .of = text_digest("", "another")};
  EXPECT_EQ(outcome(memory.remember(input)), "lost-race");
  input.vectors->of = text_digest("", "one");
  EXPECT_EQ(outcome(memory.remember(input)), "ok");
  EXPECT_EQ(value("SELECT count(*) FROM memory_embeddings"), "1");
}

TEST_F(VerbsTest, RestoreBringsMetadataBackToo) {
  Memory memory = open();
  Remember input = note("a", "one");
  input.metadata = *json::parse(R"({"v":1})");
  ASSERT_EQ(outcome(memory.remember(input)), "ok");
  Edit edit = edit_of("a", "two");
  edit.metadata = *json::parse(R"({"v":2})");
  edit.type = "skill";
  ASSERT_EQ(outcome(memory.edit(edit)), "ok");
  ASSERT_EQ(outcome(memory.forget({.name = "a"})), "ok");
  EXPECT_EQ(outcome(memory.read({.name = "a"}, false)), "not-found");
  Restore restore;
  restore.which.name = "a";
  const Result<Node> newest = memory.restore(restore);
  ASSERT_TRUE(newest.ok());
  EXPECT_EQ((*newest)["restored_from"].integer(), 2);
  EXPECT_EQ(memory.read({.name = "a"}, false)->string_or("body", ""), "two");
  restore.version = 1;
  ASSERT_EQ(outcome(memory.restore(restore)), "ok");
  const Node read = *memory.read({.name = "a"}, false);
  EXPECT_EQ(read.string_or("body", ""), "one");
  EXPECT_EQ(read.string_or("type", ""), "note");
  EXPECT_EQ(json::dump(read["metadata"]), R"({"v":1})");
  EXPECT_EQ(read["version"].integer(), 4);
  restore.version.reset();
  EXPECT_EQ((*memory.restore(restore))["restored_from"].integer(), 2);
  restore.version = 99;
  EXPECT_EQ(outcome(memory.restore(restore)), "not-found");
}

TEST_F(VerbsTest, ForgettingTwiceIsNoError) {
  Memory memory = open();
  ASSERT_EQ(outcome(memory.remember(note("a"))), "ok");
  EXPECT_EQ(memory.forget({.name = "a"})->string_or("action", ""), "soft_deleted");
  EXPECT_EQ(memory.forget({.name = "a"})->string_or("action", ""), "already_deleted");
  EXPECT_EQ(outcome(memory.forget({.name = "b"})), "not-found");
}

TEST_F(VerbsTest, RenameTakesTheNameOfAForgottenOneAndOfNoOther) {
  Memory memory = open();
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(outcome(memory.remember(note(name, name))), "ok");
  ASSERT_EQ(outcome(memory.forget({.name = "b"})), "ok");
  Rename rename;
  rename.which.name = "a";
  rename.new_name = "c";
  EXPECT_EQ(outcome(memory.rename(rename)), "duplicate");
  rename.new_name = "a";
  EXPECT_EQ(outcome(memory.rename(rename)), "duplicate");
  rename.new_name = "b";
  const Result<Node> renamed = memory.rename(rename);
  ASSERT_TRUE(renamed.ok()) << renamed.error().message;
  EXPECT_TRUE((*renamed)["ghost_purged"].truth());
  EXPECT_EQ(memory.read({.name = "b"}, false)->string_or("body", ""), "a");
  EXPECT_EQ(
      value("SELECT group_concat(change_reason) FROM memory_versions v JOIN memories m ON m.id = v.memory_id WHERE "
            "m.name = 'b'"),
      "create,rename");
}

TEST_F(VerbsTest, PurgeKeepsWhatIsYoungOrAlive) {
  Memory memory = open();
  std::int64_t clock = 1'000'000;
  memory.store().set_clock([&] { return clock; });
  for (const char* name : {"old", "young", "alive"}) ASSERT_EQ(outcome(memory.remember(note(name))), "ok");
  ASSERT_EQ(outcome(memory.forget({.name = "old"})), "ok");
  clock += 91 * 86'400;
  ASSERT_EQ(outcome(memory.forget({.name = "young"})), "ok");
  Purge purge;
  purge.dry_run = true;
  EXPECT_EQ((*memory.purge(purge))["purged_count"].integer(), 1);
  EXPECT_EQ(value("SELECT count(*) FROM memories"), "3");
  purge.dry_run = false;
  EXPECT_EQ((*memory.purge(purge))["purged_count"].integer(), 1);
  EXPECT_EQ(value("SELECT min(name) || max(name) FROM memories"), "aliveyoung");
  EXPECT_EQ(value("SELECT sum(live) || ' ' || sum(deleted) FROM memory_counts"), "1 1");
  EXPECT_EQ(outcome(memory.restore({.which = {.name = "old"}, .version = {}, .expected = {}, .vectors = {}})),
            "not-found");
}

}  // namespace
}  // namespace candor::memory
