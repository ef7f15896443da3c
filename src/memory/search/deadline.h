// When an answer has to be ready. Loops ask it, and SQL statements are stopped by it.
#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "sqlite/sqlite.h"

namespace candor::memory {

class Deadline {
 public:
  Deadline() = default;  // never passes
  explicit Deadline(std::chrono::milliseconds from_now)
      : passed_(
            [end = std::chrono::steady_clock::now() + from_now] { return std::chrono::steady_clock::now() >= end; }) {}
  explicit Deadline(std::function<bool()> passed) : passed_(std::move(passed)) {}
  [[nodiscard]] bool passed() const { return passed_ && passed_(); }
  [[nodiscard]] const std::function<bool()>& stop() const { return passed_; }

 private:
  std::function<bool()> passed_;
};

// While it lives, statements of the connection end with `cancelled` once the deadline has passed.
class StopsStatements {
 public:
  StopsStatements(sqlite::Database& database, const Deadline& deadline) : database_(&database) {
    constexpr int kInstructions = 200;
    if (deadline.stop()) database.set_progress(kInstructions, deadline.stop());
  }
  StopsStatements(const StopsStatements&) = delete;
  StopsStatements& operator=(const StopsStatements&) = delete;
  ~StopsStatements() { database_->set_progress(0, {}); }

 private:
  sqlite::Database* database_;
};

}  // namespace candor::memory
