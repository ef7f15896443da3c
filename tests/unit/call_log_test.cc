// Logs of calls, and the beginnings of periods, as the command line takes them.
#include "cli/call_log.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "cli/since.h"

namespace candor::cli {
namespace {

namespace fs = std::filesystem;

class CallLogTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "candor-log-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    file_ = fs::path(name) / "log";
  }
  void TearDown() override { fs::remove_all(file_.parent_path()); }

  // The calls as "line: sql", with their turns in brackets; what ended the reading in `failure_`.
  std::vector<std::string> read(const std::string& bytes, LogFormat format = LogFormat::kDetect) {
    std::ofstream(file_, std::ios::binary) << bytes;
    Result<CallLog> log = CallLog::open(file_.string(), format);
    std::vector<std::string> calls;
    if (!log.ok()) return {"can't be opened"};
    for (;;) {
      Result<std::optional<LoggedCall>> call = log->next();
      failure_ = call.ok() ? "" : call.error().message;
      if (!call.ok() || !*call) break;
      const std::string line = (*call)->place.substr((*call)->place.rfind(':') + 1);
      calls.push_back(line + ": " + (*call)->sql + ((*call)->turn.empty() ? "" : " [" + (*call)->turn + "]"));
    }
    broken_ = log->broken();
    broken_count_ = log->broken_count();
    return calls;
  }

  fs::path file_;
  std::string failure_;
  std::vector<CallLog::Broken> broken_;
  std::uint64_t broken_count_ = 0;
};

using Calls = std::vector<std::string>;

TEST_F(CallLogTest, ACallOfSqlEndsAtAnEmptyLineOrASemicolonAtTheEndOfALine) {
  EXPECT_EQ(read("SELECT 1\nFROM a\n\n\nSELECT 2; SELECT 3;  \nSELECT 4"),
            Calls({"1: SELECT 1\nFROM a", "5: SELECT 2; SELECT 3;  ", "6: SELECT 4"}));
  EXPECT_EQ(read("SELECT 1\r\n\r\nSELECT 2\r\n"), Calls({"1: SELECT 1", "3: SELECT 2"}));
}

TEST_F(CallLogTest, CommentsAloneAreNoCall) {
  EXPECT_EQ(read("-- statements of May\n;\n\n  -- and June\n\n-- the first\nSELECT 1;\n;\n"),
            Calls({"6: -- the first\nSELECT 1;"}));
}

TEST_F(CallLogTest, ALineIsACallWhereLinesAreAskedFor) {
  EXPECT_EQ(read("SELECT 1\nSELECT 2\n\nSELECT 3", LogFormat::kLines),
            Calls({"1: SELECT 1", "2: SELECT 2", "4: SELECT 3"}));
}

TEST_F(CallLogTest, AnObjectIsACallAndMayNameItsTurn) {
  EXPECT_EQ(
      read("\xEF\xBB\xBF\n{\"sql\":\"SELECT\\n1\",\"turn\":\"t1\"}\n\n{\"turn\":2,\"sql\":\"SELECT 2\",\"ms\":1}\n"
           "{\"sql\":\"SELECT 3\",\"session\":\"s\",\"turn\":\"t1\"}"),
      Calls({"2: SELECT\n1 [t1]", "4: SELECT 2 [2]", "5: SELECT 3 [s\nt1]"}));
  EXPECT_EQ(broken_count_, 0U);
}

TEST_F(CallLogTest, LinesThatAreNoCallAreCountedAndNamed) {
  EXPECT_EQ(read("{\"sql\":\"SELECT 1\"}\n{\"sql\":\n{\"sql\":7}\n[]\n\"SELECT 1\"\n{\"sql\":\"SELECT 2\"}\n"),
            Calls({"1: SELECT 1", "6: SELECT 2"}));
  EXPECT_EQ(broken_count_, 4U);
  ASSERT_EQ(broken_.size(), 4U);
  EXPECT_TRUE(broken_[0].place.ends_with(":2")) << broken_[0].place;
  EXPECT_EQ(broken_[1].why, "is no object with a text \"sql\"");
}

TEST_F(CallLogTest, AJsonArrayAndBytesThatAreNoUtf8AreErrors) {
  EXPECT_TRUE(read("\n[{\"sql\":\"SELECT 1\"}]").empty());
  EXPECT_NE(failure_.find(":2 begins a JSON array"), std::string::npos) << failure_;
  EXPECT_EQ(read("SELECT 1;\nSELECT 'caf\xE9';\n"), Calls({"1: SELECT 1;"}));
  EXPECT_NE(failure_.find(":2 is not valid UTF-8"), std::string::npos) << failure_;
}

TEST_F(CallLogTest, WhatIsTooLongIsBrokenAndWhatFollowsIsRead) {
  const std::string huge(9'000'000, 'x');
  EXPECT_EQ(read("SELECT 1;\n" + huge + ";\nSELECT 2;\n"), Calls({"1: SELECT 1;", "3: SELECT 2;"}));
  EXPECT_EQ(broken_count_, 1U);
  EXPECT_EQ(read("{\"sql\":\"SELECT 1\"}\n{\"sql\":\"" + huge + "\"}\n{\"sql\":\"SELECT 2\"}"),
            Calls({"1: SELECT 1", "3: SELECT 2"}));
  EXPECT_EQ(broken_count_, 1U);
}

TEST_F(CallLogTest, AFolderCannotBeRead) {
  const Result<CallLog> none = CallLog::open("/no/such/file", LogFormat::kDetect);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, "unreadable-input");
  Result<CallLog> folder = CallLog::open("/", LogFormat::kDetect);
  ASSERT_TRUE(folder.ok());
  EXPECT_FALSE(folder->next().ok());
}

// ---- --since ----

constexpr std::int64_t kNow = 1'790'000'000'000;

TEST(Since, PeriodsAreCountedBack) {
  constexpr std::int64_t kHour = 3'600'000;
  const std::pair<const char*, std::int64_t> cases[] = {{"90s", 90'000},     {"30m", kHour / 2},  {"24h", 24 * kHour},
                                                        {"7d", 168 * kHour}, {"2w", 336 * kHour}, {"0d", 0}};
  for (const auto& [text, length] : cases) {
    const Result<std::int64_t> since = parse_since(text, kNow);
    ASSERT_TRUE(since.ok()) << text;
    EXPECT_EQ(*since, kNow - length) << text;
  }
  EXPECT_EQ(*parse_since("100000d", kNow), 1);
}

TEST(Since, TimesMayNameTheirZone) {
  EXPECT_EQ(*parse_since("2026-01-02T03:04:05Z", kNow), 1'767'323'045'000);
  EXPECT_EQ(*parse_since("2026-01-02T03:04:05.678Z", kNow), 1'767'323'045'000);
  EXPECT_EQ(*parse_since("2026-01-02T05:04:05+02:00", kNow), 1'767'323'045'000);
  EXPECT_EQ(*parse_since("2026-01-01 21:34:05-0530", kNow), 1'767'323'045'000);
  setenv("TZ", "UTC-1", 1);  // one hour east
  tzset();
  EXPECT_EQ(*parse_since("2026-01-02", kNow), 1'767'308'400'000);
  EXPECT_EQ(*parse_since("2026-01-02T04:04:05", kNow), 1'767'323'045'000);
  unsetenv("TZ");
  tzset();
}

TEST(Since, AnythingElseIsUsage) {
  for (const char* text : {"", "d", "7", "-7d", "7 d", "7y", "1.5h", "yesterday", "2026-13-01", "2026-02-30",
                           "2026-2-3", "2026-01-01T25:00", "2026-01-01T10:61", "2026-01-01T10:00+99:00",
                           "2026-01-01T10:00Zulu", "99999999999999999999d", "9999999999999999d", "2026-01-01x"}) {
    const Result<std::int64_t> since = parse_since(text, kNow);
    ASSERT_FALSE(since.ok()) << text;
    EXPECT_EQ(since.error().code, "usage") << text;
    EXPECT_NE(since.error().hint.find("7d"), std::string::npos) << text;
  }
  const Result<std::int64_t> future = parse_since("2099-01-01", kNow);
  ASSERT_FALSE(future.ok());
  EXPECT_NE(future.error().message.find("future"), std::string::npos);
}

}  // namespace
}  // namespace candor::cli
