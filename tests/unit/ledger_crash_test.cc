// The ledger under several processes, kills, damage, another version, and no room.
#include <csignal>
#include <gtest/gtest.h>
#include <set>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "ledger/ledger.h"
#include "sqlite/sqlite.h"
#include "support/ledger_home.h"

namespace candor::ledger {
namespace {

using LedgerCrashTest = LedgerHome;

// ---- several processes, kills ----

TEST_F(LedgerCrashTest, TwoProcessesOnANewHomeLoseNothing) {
  constexpr int kEach = 60;
  const auto work = [&](int pipe) {
    const auto ledger = Ledger::open(home_);
    if (!ledger.ok()) say(pipe, "failed " + ledger.error().message);
    for (int i = 0; ledger.ok() && i < kEach; ++i) {
      const Result<std::string> query = (*ledger)->record_query(select_query(kTurn, "SELECT 1"));
      const Result<std::string> answer = (*ledger)->record_answer(answer_in({"script", "x"}));
      say(pipe, query.ok() && answer.ok() ? *query + " " + *answer : "failed");
    }
  };
  std::set<std::string> seen;
  {
    Child one(work);
    Child two(work);
    for (Child* child : {&one, &two}) {
      for (int i = 0; i < kEach; ++i) seen.insert(child->line());
      EXPECT_EQ(child->wait(), 0);
    }
  }
  EXPECT_EQ(seen.size(), 2U * kEach) << "every id was given once: " << *seen.rbegin();
  std::uint64_t total = 0;
  const auto ledger = open();
  ASSERT_TRUE(ledger->queries("", {}, total).ok());
  EXPECT_EQ(total, 2U * kEach);
  ASSERT_TRUE(ledger->answers("", {}, total).ok());
  EXPECT_EQ(total, 2U * kEach);
}

TEST_F(LedgerCrashTest, AnswersThatWereReportedSurviveAKill) {
  std::vector<std::string> reported;
  for (int round = 0; round < 8; ++round) {
    Child child([&](int pipe) {
      const auto ledger = Ledger::open(home_);
      for (int i = 0; ledger.ok(); ++i) {
        const std::string body(static_cast<std::size_t>(100 + 997 * (i % 40)), 'x');
        if (!(*ledger)->record_query(select_query(kTurn, "SELECT 1", body)).ok()) _exit(1);
        const Result<std::string> id = (*ledger)->record_answer(answer_in(kTurn, body));
        if (!id.ok()) _exit(1);
        say(pipe, *id);
      }
    });
    for (int i = 0; i < 5 + 9 * round; ++i) reported.push_back(child.line());
    child.end(SIGKILL);
    for (std::string late = child.line(); !late.empty(); late = child.line()) reported.push_back(late);
  }
  const auto ledger = open();
  EXPECT_TRUE(ledger->check().ok());
  for (const std::string& id : reported) {
    const Result<AnswerRecord> answer = ledger->answer(id);
    ASSERT_TRUE(answer.ok()) << id;
    EXPECT_EQ(answer->digest, sha256_hex(answer->body));
  }
  EXPECT_GT(reported.size(), 200U);
}

TEST_F(LedgerCrashTest, AKillBetweenHoldAndRecommitLeavesTheHoldOrTheAnswer) {
  for (int round = 0; round < 8; ++round) {
    const TurnKey turn{"script", "round " + std::to_string(round)};
    Child child([&](int pipe) {
      const auto ledger = Ledger::open(home_);
      if (!(*ledger)->reserve_slot(turn)->mine || !(*ledger)->hold(turn, "digest", "{}").ok()) _exit(1);
      say(pipe, "held");
      const Result<std::string> id = (*ledger)->record_answer(answer_in(turn));
      if (id.ok()) say(pipe, *id);
      pause();
    });
    ASSERT_EQ(child.line(), "held");
    std::this_thread::sleep_for(std::chrono::microseconds(150 * round));
    child.end(SIGKILL);
    const std::string id = child.line();
    const auto ledger = open();
    const Slot slot = *ledger->reserve_slot(turn);
    EXPECT_FALSE(slot.mine) << "the turn had its review";
    if (!id.empty()) {
      EXPECT_EQ(slot.state, Slot::State::kDone);
      EXPECT_TRUE(ledger->answer(id).ok());
    }
  }
}

// ---- damage, versions, no room ----

TEST_F(LedgerCrashTest, AFileThatIsNoLedgerIsRefusedAndKept) {
  for (const std::string& bytes : {std::string("hello"), std::string(5000, 'x'),
                                   std::string("SQLite format 3\0", 16) + std::string(100, '\xFF')}) {
    write_file(bytes);
    EXPECT_EQ(opening_fails_with(), "integrity") << bytes.size();
    EXPECT_EQ(read_file(), bytes);
  }
}

TEST_F(LedgerCrashTest, AnotherProgramsDatabaseIsRefusedAndKept) {
  write_file("");
  run_sql("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  const std::string before = read_file();
  EXPECT_EQ(opening_fails_with(), "integrity");
  EXPECT_EQ(read_file(), before);
  write_file("");
  run_sql("PRAGMA user_version = 1");
  EXPECT_EQ(opening_fails_with(), "integrity");
}

TEST_F(LedgerCrashTest, ANewerLedgerIsRefusedAndKept) {
  open().reset();
  run_sql("PRAGMA user_version = 99; CREATE TABLE of_tomorrow (a); PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string before = read_file();
  const Result<std::unique_ptr<Ledger>> ledger = Ledger::open(home_);
  ASSERT_FALSE(ledger.ok());
  EXPECT_EQ(ledger.error().code, "integrity");
  EXPECT_NE(ledger.error().message.find("newer"), std::string::npos);
  EXPECT_EQ(read_file(), before);
}

TEST_F(LedgerCrashTest, AnEmptyFileBecomesALedger) {
  write_file("");
  EXPECT_EQ(*open()->current_turn("script"), "1");
}

TEST_F(LedgerCrashTest, ADamagedLedgerIsFound) {
  {
    const auto ledger = open();
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(ledger->record_answer(answer_in(kTurn, std::string(3000, 'b'))).ok());
    }
  }
  std::string bytes = read_file();
  ASSERT_GT(bytes.size(), 100'000U);
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 20'000; ++i) bytes[i] = '\x5A';
  write_file(bytes);
  const Result<std::unique_ptr<Ledger>> ledger = Ledger::open(home_);
  const Status checked = ledger.ok() ? (*ledger)->check() : Status(ledger.error());
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().code, "integrity");
}

TEST_F(LedgerCrashTest, AHomeThatCantBeMadeIsAnError) {
  std::ofstream(root_ + "/file") << "x";
  for (const std::string& home : {root_ + "/file", root_ + "/file/below", std::string(), std::string("/proc/candor"),
                                  root_ + std::string("/a\0b", 4)}) {
    const Result<std::unique_ptr<Ledger>> ledger = Ledger::open(home);
    ASSERT_FALSE(ledger.ok()) << home;
    EXPECT_EQ(ledger.error().code, "storage");
  }
  std::filesystem::create_directories(file());
  EXPECT_EQ(opening_fails_with(), "storage");
}

TEST_F(LedgerCrashTest, NothingReportedIsLostWhenThereIsNoRoom) {
  Child child([&](int pipe) {
    signal(SIGXFSZ, SIG_IGN);
    const auto ledger = Ledger::open(home_);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    rlimit small = limit;
    small.rlim_cur = rlim_t{400} << 10U;
    setrlimit(RLIMIT_FSIZE, &small);
    for (int failures = 0; failures < 3;) {
      const Result<std::string> id = (*ledger)->record_answer(answer_in(kTurn, std::string(9000, 'z')));
      say(pipe, id.ok() ? *id : id.error().code);
      if (!id.ok()) ++failures;
    }
    const Result<std::string> query = (*ledger)->record_query(select_query(kTurn, "s", std::string(9000, 'z')));
    say(pipe, query.ok() ? "recorded" : query.error().code);
    setrlimit(RLIMIT_FSIZE, &limit);
    const Result<std::string> later = (*ledger)->record_answer(answer_in(kTurn, "there is room again"));
    say(pipe, later.ok() ? *later : later.error().code);
  });
  std::vector<std::string> lines;
  for (std::string line = child.line(); !line.empty(); line = child.line()) lines.push_back(line);
  EXPECT_EQ(child.wait(), 0);
  ASSERT_GT(lines.size(), 10U);
  const auto ledger = open();
  EXPECT_TRUE(ledger->check().ok());
  std::size_t failures = 0;
  for (const std::string& line : lines) {
    if (line.front() == 'a') {
      EXPECT_TRUE(ledger->answer(line).ok()) << line;
    } else {
      EXPECT_EQ(line, "disk-full");
      ++failures;
    }
  }
  EXPECT_EQ(failures, 4U);
  EXPECT_EQ(ledger->answer(lines.back())->body, "there is room again");
  std::uint64_t total = 0;
  ASSERT_TRUE(ledger->answers("", {}, total).ok());
  EXPECT_EQ(total, lines.size() - failures);
}

TEST_F(LedgerCrashTest, AStrangersLockIsWaitedFor) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->current_turn("script").ok());
  Result<sqlite::Database> stranger = sqlite::Database::open(file(), {.mode = sqlite::OpenMode::kReadWrite});
  ASSERT_TRUE(stranger.ok());
  ASSERT_TRUE(stranger->run("BEGIN IMMEDIATE").ok());
  EXPECT_EQ(*ledger->current_turn("script"), "1") << "readers do not wait for it";
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    EXPECT_TRUE(stranger->run("COMMIT").ok());
  });
  EXPECT_TRUE(ledger->record_answer(answer_in(kTurn)).ok());
  later.join();
}

}  // namespace
}  // namespace candor::ledger
