// A home folder with a memory for one test.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "memory/memory.h"
#include "memory/store/store.h"
#include "sqlite/sqlite.h"
#include "support/temp_folder.h"

namespace candor::memory {

class MemoryHome : public testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder_.path() + "/memory.sqlite"; }

  Memory open(Access access = Access::kWrite) {
    Result<Memory> memory = Memory::open(folder_.path(), access);
    EXPECT_TRUE(memory.ok()) << memory.error().message;
    return std::move(*memory);
  }
  [[nodiscard]] std::string opening_fails_with(Access access = Access::kWrite) {
    const Result<Memory> memory = Memory::open(folder_.path(), access);
    return memory.ok() ? "opened" : memory.error().code;
  }
  // The only value of a query on the file, through another connection.
  [[nodiscard]] std::string value(const std::string& query) {
    Result<sqlite::Database> database = sqlite::Database::open(file(), {.mode = sqlite::OpenMode::kReadWrite});
    if (!database.ok()) return database.error().message;
    Result<sqlite::Statement> statement = database->prepare(query);
    if (!statement.ok()) return statement.error().message;
    const Result<bool> row = statement->step();
    return row.ok() && *row ? std::string(statement->text(0)) : "nothing";
  }
  void run_sql(std::string_view sql) {
    Result<sqlite::Database> database = sqlite::Database::open(file(), {.mode = sqlite::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    const Status done = database->run(sql);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }

  test::TempFolder folder_;
};

inline Remember note(std::string name, std::string body = "A body.") {
  Remember input;
  input.name = std::move(name);
  input.type = "note";
  input.body = std::move(body);
  return input;
}

// "ok", or the code of the failure.
template <typename T>
std::string outcome(const Result<T>& result) {
  return result.ok() ? "ok" : result.error().code;
}

}  // namespace candor::memory
