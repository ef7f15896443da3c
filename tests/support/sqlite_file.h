// A fixture with one small SQLite file and the engine that reads it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/stat.h>

#include "base/render_json.h"
#include "engine/sqlite/sqlite_engine.h"
#include "sqlite/sqlite.h"

namespace candor::engine::sqlite {

namespace fs = std::filesystem;
namespace sql = candor::sqlite;

struct Outcome {
  Header header;
  std::string rows;  // the rows as JSON, joined by commas
  std::uint64_t count = 0;
  std::optional<End> end;
  std::optional<Diagnostic> failure;
  [[nodiscard]] std::string code() const { return failure ? failure->code : "no failure"; }
};

inline Outcome outcome_of(Engine& engine, const RunRequest& request, const CancelToken& cancel = {}) {
  Outcome outcome;
  auto stream = engine.run(request, cancel);
  if (!stream.ok()) {
    outcome.failure = stream.error();
    return outcome;
  }
  outcome.header = (*stream)->header();
  while (true) {
    RowStream::Item item = (*stream)->next();
    if (auto* batch = std::get_if<RowBatch>(&item)) {
      CellReader reader(batch->cells);
      for (std::uint32_t i = 0; i < batch->rows; ++i) {
        outcome.rows += outcome.count++ > 0 ? ",[" : "[";
        for (std::size_t c = 0; c < outcome.header.columns.size(); ++c) {
          if (c > 0) outcome.rows += ',';
          append_json(outcome.rows, reader);
        }
        outcome.rows += ']';
      }
      EXPECT_TRUE(reader.at_end());
    } else if (auto* end = std::get_if<End>(&item)) {
      outcome.end = *end;
      return outcome;
    } else {
      outcome.failure = std::get<Diagnostic>(item);
      return outcome;
    }
  }
}

class SqliteEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "candor-sqlite-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/app.db";
    write(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT, tag TEXT COLLATE NOCASE);"
        "INSERT INTO users VALUES (1,'Ann',30,'x'),(2,'Bob',NULL,'y'),(3,'Cyd',41,NULL)");
  }
  void TearDown() override {
    engine_.reset();
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }
  // Runs statements on the file with a connection of our own.
  void write(const std::string& text) {
    auto database = sql::Database::open(path_, {.mode = sql::OpenMode::kCreate});
    ASSERT_TRUE(database.ok());
    const auto done = database->run(text);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
  Policy policy() const {
    Policy policy;
    policy.sources = {{"app", SourceKind::kSqlite, path_, ""}};
    return policy;
  }
  Engine& engine() {
    if (engine_ == nullptr) {
      auto opened = open(policy());
      EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
      engine_ = std::move(*opened);
    }
    return *engine_;
  }
  Outcome ask(const std::string& text) {
    RunRequest request;
    request.sql = text;
    return outcome_of(engine(), request);
  }
  std::string rows(const std::string& text) {
    const Outcome outcome = ask(text);
    return outcome.failure ? outcome.failure->code + ": " + outcome.failure->message : outcome.rows;
  }
  std::string folder_, path_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace candor::engine::sqlite
