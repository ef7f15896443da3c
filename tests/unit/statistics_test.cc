// What the ledger's records of calls add up to; the numbers are counted by hand.
#include "ledger/statistics.h"

#include <gtest/gtest.h>
#include <utility>

#include "base/codes.h"
#include "base/digest.h"
#include "support/ledger_home.h"

namespace candor::ledger {
namespace {

// Calls made of statements, each a record of a query as the facade writes it.
class StatisticsTest : public LedgerHome {
 protected:
  void SetUp() override {
    LedgerHome::SetUp();
    ledger_ = open();
  }

  void record(Call& call, const std::string& turn, CallPart part = {}, const std::string& sql = "SELECT 1") {
    part.call = &call;
    if (part.sent.empty()) part.sent = {sha256_hex(sql)};
    if (part.source.empty()) part.source = "app";
    const TurnKey key{"script", turn};
    Telemetry telemetry;
    telemetry.session = key.session;
    telemetry.turn = key.turn;
    telemetry.part = &part;
    QueryRecord query = select_query(key, sql);
    query.succeeded = part.outcome == CallOutcome::kAccepted;
    ASSERT_TRUE(ledger_->record_query(query, &telemetry).ok());
  }

  // A call of one statement.
  Call call(const std::string& turn, CallPart part = {}, const std::string& sql = "SELECT 1") {
    Call made;
    record(made, turn, std::move(part), sql);
    return made;
  }

  static CallPart rejected(std::vector<Rejection> rejections) {
    CallPart part;
    part.outcome = outcome_of(rejections.front().code);
    part.rejections = std::move(rejections);
    return part;
  }

  Statistics read(const StatisticsFilter& filter = {}) {
    Result<Statistics> statistics = ledger_->statistics(filter);
    EXPECT_TRUE(statistics.ok()) << (statistics.ok() ? "" : statistics.error().message);
    return statistics.ok() ? *std::move(statistics) : Statistics();
  }

  std::unique_ptr<Ledger> ledger_;
};

const Statistics::Code* find(const Statistics& statistics, std::string_view code) {
  for (const Statistics::Code& one : statistics.codes) {
    if (one.code == code) return &one;
  }
  return nullptr;
}

TEST_F(StatisticsTest, AnEmptyLedgerGivesZeros) {
  const Statistics none = read();
  EXPECT_EQ(none.calls(), 0U);
  EXPECT_FALSE(none.first_call_ms);
  EXPECT_EQ(none.met.turns + none.clean.turns, 0U);
  EXPECT_FALSE(none.met.median_calls);
  EXPECT_FALSE(none.clean.median_calls);
  EXPECT_TRUE(none.codes.empty());
  EXPECT_TRUE(none.absent_columns.list.empty());
  EXPECT_EQ(none.offered, 0U);
}

TEST_F(StatisticsTest, ABatchIsOneCallWithTheWorstOutcomeOfItsStatements) {
  Call batch;
  record(batch, "1");
  record(batch, "1", rejected({{"unknown-column", "cards", "deck_id", false}}));
  record(batch, "1", rejected({{"statement-timeout", "", "", false}}));
  call("1");
  const Statistics two = read();
  EXPECT_EQ(two.calls(), 2U);
  EXPECT_EQ(two.accepted, 1U);
  EXPECT_EQ(two.rejected, 1U);
  EXPECT_EQ(two.failed, 0U);
  ASSERT_NE(find(two, "statement-timeout"), nullptr);
  EXPECT_EQ(find(two, "statement-timeout")->calls, 1U);
}

// Turns of 1, 2, 3 and 10 calls without a rejection: (2 + 3) / 2. Of 4 and 6 and 11 with one: 6.
TEST_F(StatisticsTest, MediansAreThoseOfTurns) {
  for (const auto& [turn, calls] : std::vector<std::pair<std::string, int>>{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 10}}) {
    for (int i = 0; i < calls; ++i) call(turn);
  }
  for (const auto& [turn, calls] : std::vector<std::pair<std::string, int>>{{"e", 4}, {"f", 6}, {"g", 11}}) {
    call(turn, rejected({{"unknown-column", "", "", false}}));
    for (int i = 1; i < calls; ++i) call(turn);
  }
  const Statistics seven = read();
  EXPECT_EQ(seven.clean.turns, 4U);
  EXPECT_EQ(seven.clean.calls, 16U);
  EXPECT_EQ(seven.clean.median_calls, 2.5);
  EXPECT_EQ(seven.met.turns, 3U);
  EXPECT_EQ(seven.met.calls, 21U);
  EXPECT_EQ(seven.met.median_calls, 6.0);
}

TEST_F(StatisticsTest, ATurnThatOnlyFailedMetNoRejection) {
  call("1", rejected({{"statement-timeout", "", "", false}}));
  const Statistics one = read();
  EXPECT_EQ(one.failed, 1U);
  EXPECT_EQ(one.rejected, 0U);
  EXPECT_EQ(one.met.turns, 0U);
  EXPECT_EQ(one.clean.turns, 1U);
}

TEST_F(StatisticsTest, EachClassOfACallIsCountedOnceAndItsErrorsEach) {
  call("1", rejected({{"unknown-column", "cards", "deck_id", false},
                      {"unknown-column", "cards", "front", true},
                      {"not-filterable", "", "", false}}));
  call("1", rejected({{"unknown-column", "cards", "Deck_ID", false}}));
  call("2", rejected({{"unknown-column", "decks", "deck_id", false}}));
  call("2", rejected({{"unknown-resource", "reviews", "", false}}));
  const Statistics four = read();
  ASSERT_EQ(four.codes.size(), 3U);
  EXPECT_EQ(four.codes[0].code, "unknown-column");
  EXPECT_EQ(four.codes[0].calls, 3U);
  EXPECT_EQ(four.codes[0].turns, 2U);
  EXPECT_EQ(four.codes[0].errors, 4U);
  EXPECT_EQ(four.codes[0].fixes, 1U);
  EXPECT_EQ(four.codes[1].code, "not-filterable");
  EXPECT_EQ(four.codes[2].code, "unknown-resource");
  ASSERT_EQ(four.absent_columns.list.size(), 3U);
  EXPECT_EQ(four.absent_columns.total, 3U);
  EXPECT_EQ(four.absent_columns.list[0].resource, "cards");
  EXPECT_EQ(four.absent_columns.list[0].column, "Deck_ID");  // the same name in two spellings: the first in their order
  EXPECT_EQ(four.absent_columns.list[0].calls, 2U);
  EXPECT_EQ(four.absent_columns.list[1].column, "front");
  EXPECT_EQ(four.absent_columns.list[1].fixes, 1U);
  EXPECT_EQ(four.absent_columns.list[2].resource, "decks");
  ASSERT_EQ(four.absent_resources.list.size(), 1U);
  EXPECT_EQ(four.absent_resources.list[0].resource, "reviews");
  StatisticsFilter two;
  two.list_max = 2;
  EXPECT_EQ(read(two).absent_columns.list.size(), 2U);
  EXPECT_EQ(read(two).absent_columns.total, 3U);
}

TEST_F(StatisticsTest, ARepairIsTakenWhenALaterCallOfTheTurnSendsIt) {
  const auto offer = [](const std::string& fix) {
    CallPart part = rejected({{"unknown-column", "cards", "card_nr", true}});
    part.offered = {sha256_hex(fix)};
    return part;
  };
  call("1", offer("SELECT card_no"));
  call("2", {}, "SELECT card_no");  // of another turn
  EXPECT_EQ(read().offered, 1U);
  EXPECT_EQ(read().taken, 0U);
  call("1", {}, "SELECT something else");
  call("1", {}, "SELECT card_no");
  EXPECT_EQ(read().taken, 1U);
  EXPECT_EQ(read().taken_accepted, 1U);
  call("3", offer("SELECT b"));
  CallPart again = rejected({{"unknown-column", "cards", "b", false}});
  call("3", again, "SELECT b");
  EXPECT_EQ(read().offered, 2U);
  EXPECT_EQ(read().taken, 2U);
  EXPECT_EQ(read().taken_accepted, 1U);
}

TEST_F(StatisticsTest, SpellingsThatWereReadAsTheDialectsAreCountedByKind) {
  CallPart part;
  part.repairs = {"quoted-name", "quoted-name", "top"};
  call("1", part);
  part.repairs = {"quoted-name"};
  call("1", part);
  const Statistics two = read();
  ASSERT_EQ(two.read_as.size(), 2U);
  EXPECT_EQ(two.read_as[0].kind, "quoted-name");
  EXPECT_EQ(two.read_as[0].calls, 2U);
  EXPECT_EQ(two.read_as[0].spellings, 3U);
  EXPECT_EQ(two.read_as[1].calls, 1U);
}

TEST_F(StatisticsTest, CommitsAndTheChecksThatFiredAreCounted) {
  const auto commit = [&](const std::string& state, std::vector<std::string> findings) {
    CommitPart part{state, std::move(findings)};
    Telemetry telemetry;
    telemetry.session = "script";
    telemetry.turn = "1";
    telemetry.commit = &part;
    ledger_->record_telemetry(telemetry);
  };
  commit("held", {"join-coverage", "value-not-shown"});
  commit("acknowledged", {"join-coverage"});
  commit("held", {"join-coverage"});
  commit("committed", {});
  commit("unresolved", {});
  commit("refused", {});
  const Statistics six = read();
  EXPECT_EQ(six.held, 2U);
  EXPECT_EQ(six.acknowledged, 1U);
  EXPECT_EQ(six.committed, 1U);
  EXPECT_EQ(six.unresolved, 1U);
  EXPECT_EQ(six.refused, 1U);
  ASSERT_EQ(six.checks.size(), 2U);
  EXPECT_EQ(six.checks[0].check, "join-coverage");
  EXPECT_EQ(six.checks[0].held, 2U);
  EXPECT_EQ(six.checks[0].acknowledged, 1U);
  EXPECT_EQ(six.checks[1].held, 1U);
  EXPECT_EQ(six.calls(), 0U);  // a commit is no call
}

TEST_F(StatisticsTest, FiltersChooseCallsAndWhatBelongsToThem) {
  call("1", rejected({{"unknown-column", "cards", "deck_id", false}}));
  CallPart other = rejected({{"unknown-column", "orders", "sum", false}});
  other.source = "shop";
  call("2", other);
  ledger_.reset();
  run_sql("UPDATE calls SET at_ms = 1000 WHERE id = 1; UPDATE rejections SET at_ms = 1001 WHERE call = 1");
  ledger_ = open();
  StatisticsFilter filter;
  filter.since_ms = 2000;
  EXPECT_EQ(read(filter).calls(), 1U);
  ASSERT_EQ(read(filter).absent_columns.list.size(), 1U);
  EXPECT_EQ(read(filter).absent_columns.list[0].column, "sum");
  filter.since_ms = 1000;
  EXPECT_EQ(read(filter).calls(), 2U);
  // The call is of before, though its error is not.
  filter.since_ms = 1001;
  EXPECT_EQ(read(filter).absent_columns.list.size(), 1U);
  filter = {};
  filter.source = "shop";
  EXPECT_EQ(read(filter).rejected, 1U);
  EXPECT_EQ(read(filter).met.turns, 1U);
  filter = {};
  filter.session = "another";
  EXPECT_EQ(read(filter).calls(), 0U);
  filter.session = "script";
  EXPECT_EQ(read(filter).calls(), 2U);
}

TEST_F(StatisticsTest, CallsComeBackAsTheyWereSent) {
  Call batch;
  record(batch, "1", {}, "SELECT 1");
  call("2", {}, "SELECT 3");  // of another process, in between
  record(batch, "1", {}, "SELECT 2");
  ASSERT_TRUE(ledger_->record_query(select_query({"old", "1"}, "SELECT 0")).ok());
  std::vector<SentCall> sent;
  ASSERT_TRUE(ledger_
                  ->each_call({},
                              [&](const SentCall& one) {
                                sent.push_back(one);
                                return true;
                              })
                  .ok());
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[0].sql, "SELECT 0");  // of no call: as a ledger of before has it
  EXPECT_EQ(sent[0].query_id, "q4");
  EXPECT_EQ(sent[1].sql, "SELECT 1;\nSELECT 2");
  EXPECT_EQ(sent[1].query_id, "q1");
  EXPECT_EQ(sent[2].sql, "SELECT 3");
}

// A record that was not kept must not leave an id behind that another call will have.
TEST_F(StatisticsTest, ACallWhoseRecordFailedHasNoId) {
  std::filesystem::remove(file());
  CallPart part;
  Call lost;
  part.call = &lost;
  Telemetry telemetry;
  telemetry.part = &part;
  EXPECT_FALSE(ledger_->record_query(select_query(kTurn, "SELECT 1"), &telemetry).ok());
  EXPECT_EQ(lost.id, 0);
}

TEST_F(StatisticsTest, ALedgerOfTheFirstVersionIsBroughtOnAndKeepsWhatItHas) {
  ASSERT_TRUE(ledger_->record_query(select_query(kTurn, "SELECT 1")).ok());
  ledger_.reset();
  run_sql(
      "DROP TABLE findings; DROP TABLE commits; DROP TABLE repairs; DROP TABLE offers; DROP TABLE rejections; "
      "DROP TABLE calls; DROP TABLE turns; DROP INDEX queries_of_call; ALTER TABLE queries DROP COLUMN call; "
      "DROP TABLE undo_rows; DROP TABLE undo_batches; PRAGMA user_version = 1");
  ledger_ = open();
  ASSERT_NE(ledger_, nullptr);
  EXPECT_EQ(read().calls(), 0U);
  EXPECT_TRUE(ledger_->query("q1").ok());
  call("1");
  EXPECT_EQ(read().calls(), 1U);
}

TEST(CallOutcome, WhatTheSameTextWouldMeetAgainIsARejection) {
  for (const char* code : {"unknown-column", "syntax", "syntax-error", "over-limit", "duplicate-key", "unknown-source",
                           "engine-error", "read-only", "too-many-rows", "several-statements"}) {
    EXPECT_EQ(outcome_of(code), CallOutcome::kRejected) << code;
  }
  for (const char* code :
       {"statement-timeout", "engine-died", "cancelled", "storage", "disk-full", "locked", "busy", "file-error",
        "configuration", "internal", "write-unknown", "concurrent-change", "no-code"}) {
    EXPECT_EQ(outcome_of(code), CallOutcome::kFailed) << code;
  }
}

TEST(CallOutcome, ErrorsOfAFailureAreAllTold) {
  Diagnostic first = make_error("unknown-column", "there is no column 'deck_id' here");
  first.column = std::string(500, 'x');
  first.others.push_back(make_error("not-filterable", "kept"));
  first.others.back().fix = "SELECT 1";
  const std::vector<Rejection> both = rejections_of(first);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].column.size(), 120U);
  EXPECT_FALSE(both[0].fix_offered);
  EXPECT_TRUE(both[1].fix_offered);
}

}  // namespace
}  // namespace candor::ledger
