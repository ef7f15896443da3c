// Reading a log of calls, one after the other, in constant memory. The forms: docs/stats.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace candor::cli {

enum class LogFormat : std::uint8_t {
  kDetect,  // NDJSON where the first character that is no blank is a brace, else SQL
  kNdjson,  // {"sql":…,"turn":…,"session":…}, an object a line
  kSql,     // a call ends at an empty line, and at a line that ends in a semicolon
  kLines,   // a call a line
};

struct LoggedCall {
  std::string sql, turn;
  std::string place;  // "log.sql:17"
};

class CallLog {
 public:
  // "-" is standard input. Fails with `unreadable-input`.
  [[nodiscard]] static Result<CallLog> open(const std::string& path, LogFormat format);
  CallLog(CallLog&& other) noexcept;
  CallLog& operator=(CallLog&&) = delete;
  ~CallLog();

  // None at the end. Fails with `unreadable-input` for bytes that are not UTF-8 and for a file that holds no log at all.
  [[nodiscard]] Result<std::optional<LoggedCall>> next();

  // Lines that held no call: how many, and the first of them with what is wrong.
  struct Broken {
    std::string place, why;
  };
  [[nodiscard]] std::uint64_t broken_count() const { return broken_count_; }
  [[nodiscard]] const std::vector<Broken>& broken() const { return broken_; }

 private:
  CallLog(int fd, std::string name, LogFormat format) : fd_(fd), name_(std::move(name)), format_(format) {}
  [[nodiscard]] Result<bool> next_line(std::string& line);
  [[nodiscard]] Result<bool> fill();
  [[nodiscard]] Result<std::optional<LoggedCall>> next_sql();
  [[nodiscard]] Status detect(std::string_view line);
  [[nodiscard]] std::optional<LoggedCall> read_object(std::string_view line);
  [[nodiscard]] std::string place(std::uint64_t line) const { return name_ + ":" + std::to_string(line); }
  void note_broken(std::uint64_t line, std::string why);

  int fd_;
  std::string name_;
  LogFormat format_;
  std::string buffer_;
  std::size_t at_ = 0;  // of the buffer, what is not taken yet
  bool ended_ = false;
  bool too_long_ = false;  // the line that was read last was cut
  std::uint64_t line_ = 0;
  std::uint64_t broken_count_ = 0;
  std::vector<Broken> broken_;
};

}  // namespace candor::cli
