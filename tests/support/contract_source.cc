// Making the files, and short ways to run statements.
#include "support/contract_source.h"

#include <gtest/gtest.h>
#include <utility>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/sqlite/sqlite_engine.h"
#include "sqlite/sqlite.h"
#include "support/duckdb_session.h"

namespace candor::test {

ContractSource::ContractSource(Kind kind)
    : kind_(kind), path_(folder_.path() + (kind == Kind::kSqlite ? "/app.db" : "/app.duckdb")) {
  write("CREATE TABLE cards(card_id TEXT PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0), note TEXT)");
  write("CREATE TABLE notes(card_id TEXT REFERENCES cards(card_id))");
  write("INSERT INTO cards VALUES ('a', 1, NULL), ('b', 2, 'x'), ('c', 3, 'y')");
}

engine::Policy ContractSource::policy() const {
  engine::Policy policy;
  policy.contract = true;
  policy.sources = {
      {"app", kind_ == Kind::kSqlite ? engine::SourceKind::kSqlite : engine::SourceKind::kDuckdb, path_, ""}};
  return policy;
}

std::string ContractSource::table(const std::string& name) const {
  return (kind_ == Kind::kSqlite ? R"("app".")" : R"("app"."main".")") + name + "\"";
}

std::unique_ptr<engine::Engine> ContractSource::open() const {
  auto opened = kind_ == Kind::kSqlite ? engine::sqlite::open(policy()) : engine::duckdb::DuckdbEngine::open(policy());
  EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
  return opened.ok() ? std::move(*opened) : nullptr;
}

void ContractSource::write(const std::string& sql) const {
  if (kind_ == Kind::kDuckdb) {
    DuckdbSession session(path_);
    EXPECT_EQ(session.execute(sql), "");
    return;
  }
  auto database = sqlite::Database::open(path_, {.mode = sqlite::OpenMode::kCreate, .busy_timeout_ms = 5'000});
  ASSERT_TRUE(database.ok()) << database.error().message;
  const auto done = database->run(sql);
  ASSERT_TRUE(done.ok()) << done.error().message;
}

engine::RunRequest contract_statement(std::string sql, std::vector<Value> parameters) {
  engine::RunRequest request;
  request.sql = std::move(sql);
  request.parameters = std::move(parameters);
  request.lane = engine::Lane::kContract;
  return request;
}

Ran read(engine::Engine& engine, const std::string& sql, std::vector<Value> parameters) {
  return run(engine, contract_statement(sql, std::move(parameters)));
}

Ran run_in(engine::Transaction& transaction, const std::string& sql, std::vector<Value> parameters) {
  auto stream = transaction.run(contract_statement(sql, std::move(parameters)), {});
  if (stream.ok()) return pull(**stream);
  Ran ran;
  ran.error = std::move(stream).error();
  return ran;
}

std::string write_in(engine::Engine& engine, const std::string& sql, std::int64_t wait_ms) {
  auto transaction = engine.begin(wait_ms, {});
  if (!transaction.ok()) return transaction.error().code;
  const Ran ran = run_in(**transaction, sql);
  if (ran.error) return ran.code();
  const Status committed = (*transaction)->commit();
  return committed.ok() ? "" : committed.error().code;
}

}  // namespace candor::test
