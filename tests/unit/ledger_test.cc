// The ledger: what is read back, turns and slots.
#include "ledger/ledger.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <thread>

#include "base/digest.h"
#include "ledger/owner.h"
#include "support/ledger_home.h"

namespace candor::ledger {
namespace {

using LedgerTest = LedgerHome;

unsigned mode_of(const std::string& path) {
  struct stat about{};
  return stat(path.c_str(), &about) == 0 ? about.st_mode & 0777U : 0;
}

TEST_F(LedgerTest, HomeIsForItsOwnerAlone) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->current_turn("script").ok());
  EXPECT_EQ(mode_of(home_), 0700U);
  EXPECT_EQ(mode_of(file()), 0600U);
  EXPECT_EQ(mode_of(file() + "-wal"), 0600U);
}

TEST_F(LedgerTest, AQueryComesBackAsItWasRecorded) {
  const auto ledger = open();
  QueryRecord query = select_query(kTurn, std::string("SELECT 'a\0b'", 12), std::string("[[\"\0\"]]", 7));
  query.kind = "create";
  query.target = "t";
  query.source = "app";
  query.succeeded = false;
  query.error_code = "type-mismatch";
  query.output_cut = true;
  query.row_count = 1'234'567'890'123;
  const Result<std::string> id = ledger->record_query(query);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*id, "q1");
  const Result<QueryRecord> back = ledger->query("script", *id);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->id, *id);
  EXPECT_EQ(back->turn, kTurn);
  EXPECT_EQ(back->sql, query.sql);
  EXPECT_EQ(back->engine, query.engine);
  EXPECT_EQ(back->source, query.source);
  EXPECT_EQ(back->kind, query.kind);
  EXPECT_EQ(back->target, query.target);
  EXPECT_EQ(back->succeeded, query.succeeded);
  EXPECT_EQ(back->error_code, query.error_code);
  EXPECT_EQ(back->columns, query.columns);
  EXPECT_EQ(back->rows, query.rows);
  EXPECT_EQ(back->output_cut, query.output_cut);
  EXPECT_EQ(back->row_count, query.row_count);
  EXPECT_EQ(back->scope, query.scope);
  EXPECT_EQ(back->temporary_objects, query.temporary_objects);
  EXPECT_EQ(back->source_versions, query.source_versions);
  EXPECT_EQ(back->started_ms, query.started_ms);
  EXPECT_EQ(back->elapsed_ms, query.elapsed_ms);
}

TEST_F(LedgerTest, StatementsThatRanTogetherAreRecordedTogetherOrNot) {
  const auto ledger = open();
  const QueryRecord first = select_query(kTurn, "first");
  const QueryRecord bad = select_query(kTurn, "bad");
  const QueryRecord last = select_query(kTurn, "last");
  run_sql("CREATE TRIGGER no BEFORE INSERT ON queries WHEN new.sql = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END");
  Call call;
  CallPart part;
  part.call = &call;
  Telemetry telemetry;
  telemetry.part = &part;
  EXPECT_FALSE(ledger->record_queries({{&first, &telemetry}, {&bad, &telemetry}, {&last, &telemetry}}).ok());
  EXPECT_EQ(call.id, 0);
  EXPECT_EQ(*ledger->last_query(), "");
  const auto ids = ledger->record_queries({{&first, &telemetry}, {&last, nullptr}});
  ASSERT_TRUE(ids.ok()) << ids.error().message;
  EXPECT_EQ(*ids, (std::vector<std::string>{"q1", "q2"}));
  EXPECT_NE(call.id, 0);
  EXPECT_EQ(ledger->query("q2")->sql, "last");
}

// An open file takes writes after it was removed, and they are gone with the process.
TEST_F(LedgerTest, NothingIsReportedAsKeptInAFileThatIsNotThereAnyMore) {
  for (const std::string part : {"", "-wal"}) {
    for (const bool replaced : {false, true}) {
      std::filesystem::remove_all(home_);
      const auto ledger = open();
      ASSERT_TRUE(ledger->record_answer(answer_in(kTurn)).ok());
      const std::string other = file() + ".copy";
      std::filesystem::copy_file(file() + part, other);
      std::filesystem::remove(file() + part);
      if (replaced) std::filesystem::rename(other, file() + part);
      const Result<std::string> answer = ledger->record_answer(answer_in(kTurn));
      ASSERT_FALSE(answer.ok()) << part << replaced;
      EXPECT_EQ(answer.error().code, "storage");
      const Result<std::string> query = ledger->record_query(select_query(kTurn, "SELECT 1"));
      ASSERT_FALSE(query.ok()) << part << replaced;
      EXPECT_EQ(query.error().code, "storage");
      EXPECT_FALSE(ledger->reserve_slot({"script", "other"}).ok());
    }
  }
}

TEST_F(LedgerTest, AQueryBelongsToItsSession) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->record_query(select_query(kTurn, "SELECT 1")).ok());
  EXPECT_TRUE(ledger->query("q1").ok());
  for (const std::string id : {"q1", "q2", "q", "", "1", "a1", "q01", "q1 ", "q-1", "q99999999999999999999"}) {
    const Result<QueryRecord> found = ledger->query("another", id);
    ASSERT_FALSE(found.ok()) << id;
    EXPECT_EQ(found.error().code, "unknown-query");
    if (id != "q1") {
      EXPECT_FALSE(ledger->query(id).ok()) << id;
    }
  }
}

TEST_F(LedgerTest, CompletedQueriesAreTheTurnsSuccessfulSelects) {
  const auto ledger = open();
  QueryRecord failed = select_query(kTurn, "failed");
  failed.succeeded = false;
  failed.error_code = "syntax";
  QueryRecord write = select_query(kTurn, "write");
  write.kind = "insert";
  ASSERT_TRUE(ledger->record_query(select_query(kTurn, "first", "[[1]]")).ok());
  ASSERT_TRUE(ledger->record_query(failed).ok());
  ASSERT_TRUE(ledger->record_query(write).ok());
  ASSERT_TRUE(ledger->record_query(select_query({"script", "2"}, "other turn")).ok());
  ASSERT_TRUE(ledger->record_query(select_query({"other", "1"}, "other session")).ok());
  ASSERT_TRUE(ledger->record_query(select_query(kTurn, "last", "")).ok());
  const auto queries = ledger->completed_queries(kTurn);
  ASSERT_TRUE(queries.ok());
  ASSERT_EQ(queries->size(), 2U);
  EXPECT_EQ((*queries)[0].sql, "first");
  EXPECT_EQ((*queries)[0].rows, "[[1]]");
  EXPECT_EQ((*queries)[1].sql, "last");
  EXPECT_EQ((*queries)[1].rows, "");
}

TEST_F(LedgerTest, WritesAfterAQueryIncludeThoseThatMayHaveHappened) {
  const auto ledger = open();
  const auto record = [&](std::string kind, std::string target, std::string error, std::string session = "script") {
    QueryRecord query = select_query({std::move(session), "1"}, "…");
    query.kind = std::move(kind);
    query.target = std::move(target);
    query.succeeded = error.empty();
    query.error_code = std::move(error);
    return *ledger->record_query(query);
  };
  record("insert", "before", "");
  const std::string id = record("select", "", "");
  record("insert", "a", "");
  record("update", "never", "unknown-column");
  record("delete", "b", "engine-died");
  record("create", "c", "statement-timeout");
  record("drop", "d", "a-code-of-tomorrow");
  record("select", "", "");
  record("drop", "elsewhere", "", "another");
  const auto writes = ledger->writes_after("script", id);
  ASSERT_TRUE(writes.ok());
  std::string targets;
  for (const QueryRecord& write : *writes) targets += write.target;
  EXPECT_EQ(targets, "abcd");
}

TEST_F(LedgerTest, ListsAreNewestFirstPagedAndCounted) {
  const auto ledger = open();
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(ledger->record_query(select_query({i % 2 == 1 ? "odd" : "even", "1"}, std::to_string(i))).ok());
    ASSERT_TRUE(ledger->record_answer(answer_in({i % 2 == 1 ? "odd" : "even", "x"}, std::to_string(i))).ok());
  }
  std::uint64_t total = 0;
  const auto sqls = [&](const std::string& session, const Page& page) {
    std::string text;
    const auto queries = ledger->queries(session, page, total);
    for (const QueryRecord& query : *queries) text += query.sql + query.rows;
    return text;
  };
  const auto bodies = [&](const std::string& session, const Page& page) {
    std::string text;
    const auto answers = ledger->answers(session, page, total);
    for (const AnswerRecord& answer : *answers) text += answer.body;
    return text;
  };
  for (const auto& list : {std::function(sqls), std::function(bodies)}) {
    EXPECT_EQ(list("", {2, 0}), "54");
    EXPECT_EQ(total, 5U);
    EXPECT_EQ(list("", {2, 4}), "1");
    EXPECT_EQ(list("odd", {2, 1}), "31");
    EXPECT_EQ(total, 3U);
    EXPECT_EQ(list("nobody", {2, 0}), "");
    EXPECT_EQ(total, 0U);
    EXPECT_EQ(list("", {~std::uint64_t{0}, 0}), "54321");
    EXPECT_EQ(list("", {1, ~std::uint64_t{0}}), "");
  }
}

TEST_F(LedgerTest, AnAnswerComesBackAsItWasRecorded) {
  const auto ledger = open();
  AnswerRecord answer = answer_in(kTurn, R"({"fields":{"n":23}})");
  answer.state = "acknowledged";
  answer.query_id = "q7";
  answer.committed_ms = 1'700'000'000'001;
  const Result<std::string> id = ledger->record_answer(answer);
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(*id, "a1");
  const Result<AnswerRecord> back = ledger->answer("a1");
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->id, "a1");
  EXPECT_EQ(back->turn, answer.turn);
  EXPECT_EQ(back->body, answer.body);
  EXPECT_EQ(back->digest, answer.digest);
  EXPECT_EQ(back->state, answer.state);
  EXPECT_EQ(back->query_id, answer.query_id);
  EXPECT_EQ(back->receipt, answer.receipt);
  EXPECT_EQ(back->committed_ms, answer.committed_ms);
  EXPECT_EQ(ledger->answer("a2").error().code, "not-found");
  EXPECT_EQ(ledger->answer("q1").error().code, "not-found");
  const std::string hostile = ledger->answer("a\n\xFF").error().message;
  EXPECT_EQ(hostile.find_first_of("\n\xFF"), std::string::npos);
}

// ---- turns ----

TEST_F(LedgerTest, AnAnswerEndsTheCountedTurnOfItsSessionAlone) {
  const auto ledger = open();
  EXPECT_EQ(*ledger->current_turn("script"), "1");
  EXPECT_EQ(*ledger->current_turn("script"), "1");
  ASSERT_TRUE(ledger->record_answer(answer_in({"script", "1"})).ok());
  EXPECT_EQ(*ledger->current_turn("script"), "2");
  EXPECT_EQ(*ledger->current_turn("another"), "1");
  EXPECT_EQ(*open()->current_turn("script"), "2") << "it survives a restart";
}

TEST_F(LedgerTest, ANamedTurnDoesNotCount) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->record_answer(answer_in({"script", "question-7"})).ok());
  ASSERT_TRUE(ledger->record_answer(answer_in({"script", "01"})).ok());
  EXPECT_EQ(*ledger->current_turn("script"), "1");
}

TEST_F(LedgerTest, ATurnNamedLikeTheCountedOneIsThatTurn) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->record_answer(answer_in({"never begun", "1"})).ok());
  EXPECT_EQ(*ledger->current_turn("never begun"), "2");
  ASSERT_TRUE(ledger->record_answer(answer_in({"never begun", "1"})).ok());
  EXPECT_EQ(*ledger->current_turn("never begun"), "2") << "a past turn ends nothing";
}

TEST_F(LedgerTest, ANumberThatACallerUsedAsANameIsPassedOver) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->record_answer(answer_in({"script", "2"})).ok());
  ASSERT_TRUE(ledger->reserve_slot({"script", "3"}).ok());
  ASSERT_TRUE(ledger->record_query(select_query({"script", "4"}, "SELECT 1")).ok());
  ASSERT_TRUE(ledger->record_answer(answer_in({"script", "1"})).ok());
  EXPECT_EQ(*ledger->current_turn("script"), "5");
}

// ---- slots ----

TEST_F(LedgerTest, ASlotGoesFromReservedToHeldToDone) {
  const auto ledger = open();
  Slot slot = *ledger->reserve_slot(kTurn);
  EXPECT_TRUE(slot.mine);
  EXPECT_EQ(slot.state, Slot::State::kReserved);
  slot = *ledger->reserve_slot(kTurn);
  EXPECT_FALSE(slot.mine) << "a second commit of the same process finds it reserved";
  EXPECT_EQ(slot.state, Slot::State::kReserved);
  ASSERT_TRUE(ledger->hold(kTurn, "digest", R"({"held":1})").ok());
  slot = *open()->reserve_slot(kTurn);
  EXPECT_FALSE(slot.mine);
  EXPECT_EQ(slot.state, Slot::State::kHeld);
  EXPECT_EQ(slot.digest, "digest");
  EXPECT_EQ(slot.hold, R"({"held":1})");
  ASSERT_TRUE(ledger->release_slot(kTurn).ok());
  EXPECT_EQ(ledger->reserve_slot(kTurn)->state, Slot::State::kHeld) << "a hold is not released";
  ASSERT_TRUE(ledger->record_answer(answer_in(kTurn)).ok());
  slot = *ledger->reserve_slot(kTurn);
  EXPECT_FALSE(slot.mine);
  EXPECT_EQ(slot.state, Slot::State::kDone);
  EXPECT_EQ(slot.digest, "digest");
  EXPECT_TRUE(ledger->reserve_slot({"script", "2"})->mine) << "a new turn is reviewed again";
}

TEST_F(LedgerTest, AReleasedSlotIsFree) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->reserve_slot(kTurn)->mine);
  ASSERT_TRUE(ledger->release_slot(kTurn).ok());
  EXPECT_TRUE(ledger->reserve_slot(kTurn)->mine);
}

TEST_F(LedgerTest, AHoldNeedsTheReservation) {
  const auto ledger = open();
  EXPECT_EQ(ledger->hold(kTurn, "d", "{}").error().code, "internal");
  const auto other = open();
  ASSERT_TRUE(other->reserve_slot(kTurn)->mine);
  EXPECT_FALSE(ledger->hold(kTurn, "d", "{}").ok());
  ASSERT_TRUE(ledger->release_slot(kTurn).ok());
  EXPECT_FALSE(ledger->reserve_slot(kTurn)->mine) << "another's reservation is not released";
}

TEST_F(LedgerTest, AClosedLedgerGivesItsReservationsBack) {
  const auto ledger = open();
  ASSERT_TRUE(open()->reserve_slot(kTurn)->mine);
  EXPECT_TRUE(ledger->reserve_slot(kTurn)->mine);
}

TEST_F(LedgerTest, AKilledProcessLosesItsReservationAndKeepsItsHold) {
  Child child([&](int pipe) {
    const auto ledger = Ledger::open(home_);
    if (!(*ledger)->reserve_slot({"script", "reserved"})->mine) _exit(1);
    if (!(*ledger)->reserve_slot({"script", "held"})->mine) _exit(1);
    if (!(*ledger)->hold({"script", "held"}, "digest", "{}").ok()) _exit(1);
    say(pipe, "ready");
    pause();
  });
  ASSERT_EQ(child.line(), "ready");
  const auto ledger = open();
  EXPECT_FALSE(ledger->reserve_slot({"script", "reserved"})->mine) << "its process lives";
  child.end(SIGKILL);
  EXPECT_TRUE(ledger->reserve_slot({"script", "reserved"})->mine);
  EXPECT_EQ(ledger->reserve_slot({"script", "held"})->state, Slot::State::kHeld);
}

TEST_F(LedgerTest, OfManyAtOnceExactlyOneReserves) {
  const auto first = open();
  const auto second = open();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> mine{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        while (!go) std::this_thread::yield();
        const Result<Slot> slot = (i % 2 == 0 ? first : second)->reserve_slot({"script", std::to_string(round)});
        if (slot.ok() && slot->mine) ++mine;
      });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(mine, 1);
  }
}

TEST(Owner, IsAliveOnlyAsTheSameProcess) {
  const std::string self = own_identity();
  EXPECT_TRUE(owner_lives(self, 0, 0));
  EXPECT_NE(self, own_identity()) << "two ledgers of one process are told apart";
  std::vector<std::string> words;
  std::istringstream stream(self);
  for (std::string word; stream >> word;) words.push_back(word);
  ASSERT_EQ(words.size(), 5U);
  const auto with = [&](std::size_t at, const std::string& word) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == at ? word : words[i]) + " ";
    return text;
  };
  EXPECT_FALSE(owner_lives(with(0, "999999999"), 0, 0)) << "no such process";
  EXPECT_FALSE(owner_lives(with(1, "1"), 0, 0)) << "the number was given to a later process";
  EXPECT_FALSE(owner_lives(with(2, "another-boot"), 0, 0));
  EXPECT_TRUE(owner_lives(with(3, "pid:[1]"), 0, 599'999)) << "in another container, not to be seen from here";
  EXPECT_FALSE(owner_lives(with(3, "pid:[1]"), 0, 600'000));
  EXPECT_FALSE(owner_lives("", 0, 0));
  EXPECT_FALSE(owner_lives("../../etc 1 2 3 4", 0, 0));
}

TEST_F(LedgerTest, TelemetryIsWritten) {
  {
    const auto ledger = open();
    Telemetry record;
    record.surface = "mcp";
    record.statement_type = "select";
    record.duration_ms = 1.5;
    record.sql_fingerprint = sha256_hex("SELECT 1");
    ledger->record_telemetry(record);
  }
  Result<sqlite::Database> database = sqlite::Database::open(file(), {});
  ASSERT_TRUE(database.ok());
  Result<sqlite::Statement> statement =
      database->prepare("SELECT surface, duration_ms, sql_fingerprint FROM telemetry");
  ASSERT_TRUE(statement.ok());
  ASSERT_TRUE(*statement->step());
  EXPECT_EQ(statement->text(0), "mcp");
  EXPECT_EQ(statement->real(1), 1.5);
  EXPECT_EQ(statement->text(2), sha256_hex("SELECT 1"));
}

TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(sha256_hex(std::string_view("a\0b", 3)), sha256_hex("a"));
}

}  // namespace
}  // namespace candor::ledger
