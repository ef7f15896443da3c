// One small database with a contract, in every engine that has them: in this process, or behind a worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "support/engine_rows.h"
#include "support/temp_folder.h"

namespace candor::test {

enum class Kind { kSqlite, kDuckdb };

class ContractSource {
 public:
  // Makes the file: cards(card_id TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0), note TEXT) with rows a, b, c and
  // 1, 2, 3, and notes(card_id TEXT REFERENCES cards) without rows.
  explicit ContractSource(Kind kind);

  [[nodiscard]] engine::Policy policy() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const TempFolder& folder() const { return folder_; }
  // "app"."main"."cards" as the engine takes it.
  [[nodiscard]] std::string table(const std::string& name = "cards") const;
  // An engine in this process.
  [[nodiscard]] std::unique_ptr<engine::Engine> open() const;
  // Runs statements on the file as another program would, with a connection that is closed again.
  void write(const std::string& sql) const;

 private:
  Kind kind_;
  TempFolder folder_;
  std::string path_;
};

[[nodiscard]] engine::RunRequest contract_statement(std::string sql, std::vector<Value> parameters = {});

// One statement of the contract's lane, read to its end.
[[nodiscard]] Ran read(engine::Engine& engine, const std::string& sql, std::vector<Value> parameters = {});
[[nodiscard]] Ran run_in(engine::Transaction& transaction, const std::string& sql, std::vector<Value> parameters = {});
// Begins, runs, commits: the code of what failed, or nothing.
[[nodiscard]] std::string write_in(engine::Engine& engine, const std::string& sql, std::int64_t wait_ms = 5'000);

}  // namespace candor::test
