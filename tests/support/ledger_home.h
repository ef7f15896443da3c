// A home folder for a ledger of a test, its records, and child processes that work on it and may be killed.
#pragma once

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"
#include "ledger/ledger.h"
#include "sqlite/sqlite.h"

namespace candor::ledger {

inline const TurnKey kTurn{"script", "1"};

inline QueryRecord select_query(const TurnKey& turn, std::string sql, std::string rows = "[[1]]") {
  QueryRecord query;
  query.turn = turn;
  query.sql = std::move(sql);
  query.engine = "duckdb";
  query.kind = "select";
  query.succeeded = true;
  query.columns = R"([{"name":"n","type":"BIGINT","id":"c0"}])";
  query.rows = std::move(rows);
  query.row_count = 1;
  query.scope = "{}";
  query.temporary_objects = "[]";
  query.source_versions = "{}";
  query.started_ms = 1'700'000'000'000;
  query.elapsed_ms = 12;
  return query;
}

inline AnswerRecord answer_in(const TurnKey& turn, std::string body = "{}") {
  AnswerRecord answer;
  answer.turn = turn;
  answer.body = std::move(body);
  answer.digest = sha256_hex(answer.body);
  answer.state = "committed";
  answer.receipt = R"({"checks":[]})";
  return answer;
}

// A child process whose work reports through a pipe. Ended and waited for at the latest by the destructor.
class Child {
 public:
  explicit Child(const std::function<void(int)>& work) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) {
      close(ends[0]);
      work(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    read_end_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) end(SIGKILL);
    close(read_end_);
  }

  // One line of the child's, without its end; empty once the child is gone.
  std::string line() {
    std::string text;
    for (char byte = 0; read(read_end_, &byte, 1) == 1 && byte != '\n';) text += byte;
    return text;
  }
  void end(int signal) {
    kill(pid_, signal);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  int wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }

 private:
  pid_t pid_ = -1;
  int read_end_ = -1;
};

inline void say(int pipe, std::string text) {
  text += '\n';
  if (write(pipe, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

class LedgerHome : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "candor-ledger-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    home_ = root_ + "/state/candor";
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] std::string file() const { return home_ + "/ledger.sqlite"; }

  std::unique_ptr<Ledger> open() {
    Result<std::unique_ptr<Ledger>> ledger = Ledger::open(home_);
    EXPECT_TRUE(ledger.ok()) << ledger.error().message;
    return ledger.ok() ? std::move(*ledger) : nullptr;
  }

  std::string opening_fails_with() {
    const Result<std::unique_ptr<Ledger>> ledger = Ledger::open(home_);
    return ledger.ok() ? "opened" : ledger.error().code;
  }

  void write_file(const std::string& bytes) {
    std::filesystem::create_directories(home_);
    std::ofstream(file(), std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string read_file() const {
    std::ifstream stream(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  void run_sql(std::string_view sql) {
    Result<sqlite::Database> database = sqlite::Database::open(file(), {.mode = sqlite::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    const Status done = database->run(sql);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  std::string root_, home_;
};

}  // namespace candor::ledger
