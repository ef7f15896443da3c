// Batches of writes: what is asked before any of them writes, what is put off, and that neither changes what is answered.
#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/binder.h"
#include "dialect/parser.h"
#include "exec/ahead.h"
#include "exec/exec.h"
#include "support/contract_source.h"

namespace candor::test {
namespace {

constexpr std::string_view kContract = R"(contract: batches
source: app
limits: {rows_per_statement: 2}
resources:
  cards:
    table: cards
    key: card_id
    writes: [insert, update, delete]
    columns: {card_id: string, n: integer, note: {type: string, nullable: true}}
)";

class Batches : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override { open(); }

  void open() {
    Result<contract::Contract> read = contract::parse(kContract, "batches.yaml");
    ASSERT_TRUE(read.ok()) << read.error().message;
    contract_ = *std::move(read);
    engine_ = source_.open();
    const auto catalog = engine_->catalog();
    ASSERT_TRUE(catalog.ok());
    const lower::Target target = GetParam() == Kind::kSqlite ? lower::Target::kSqlite : lower::Target::kDuckdb;
    Result<lower::Storage> storage = exec::find_storage(contract_, *catalog, target);
    ASSERT_TRUE(storage.ok()) << storage.error().message;
    environment_.engine = engine_.get();
    environment_.contract = &contract_;
    environment_.storage = *std::move(storage);
    environment_.changes_others = std::make_shared<std::atomic<bool>>(false);
  }

  // Counts of the statements, or the code of the error with the number of its statement, from 1.
  std::string written(const std::string& sql) {
    const dialect::Parsed parsed = dialect::parse(sql);
    const bind::Bound bound = bind::bind(sql, parsed, {&contract_, ""});
    if (!bound.errors.empty()) return bound.errors.front().message;
    std::size_t failed = 0;
    const auto done = exec::write(bound.statements, environment_, {}, failed);
    if (!done.ok()) return done.error().code + " " + std::to_string(failed + 1);
    std::string counts;
    for (const exec::Outcome& one : done->outcomes)
      counts += (counts.empty() ? "" : " ") + std::to_string(one.affected.value_or(99));
    return counts;
  }

  // One letter a statement: whether it can be asked ahead.
  std::string ahead(const std::string& sql) {
    const dialect::Parsed parsed = dialect::parse(sql);
    const bind::Bound bound = bind::bind(sql, parsed, {&contract_, ""});
    if (!bound.errors.empty()) return bound.errors.front().message;
    std::string letters;
    for (const bool can : exec::can_ask_ahead(bound.statements, environment_.storage)) letters += can ? 'a' : '-';
    return letters;
  }

  std::string rows() { return read(*engine_, "SELECT card_id, n, note FROM " + source_.table() + " ORDER BY 1").all(); }

  ContractSource source_{GetParam()};
  contract::Contract contract_;
  std::unique_ptr<engine::Engine> engine_;
  exec::Environment environment_;
};

TEST_P(Batches, WhatCanBeAskedAhead) {
  EXPECT_EQ(ahead("UPDATE cards SET n = n + 1 WHERE card_id = 'a'; UPDATE cards SET n = 7 WHERE card_id IN ('b', 'c') "
                  "AND n > 1; DELETE FROM cards WHERE 'd' = card_id; INSERT INTO cards (card_id, n) VALUES ('e', 1)"),
            "aaaa");
  EXPECT_EQ(ahead("UPDATE cards SET n = 5 WHERE card_id = 'a'; UPDATE cards SET n = n + 1 WHERE card_id = 'a'; "
                  "DELETE FROM cards WHERE card_id IN ('b', 'a')"),
            "a--")
      << "the second reads what the first wrote";
  EXPECT_EQ(ahead("UPDATE cards SET n = 5 WHERE n = 1; DELETE FROM cards WHERE card_id = 'b'"), "--")
      << "any row may be written by the first";
  EXPECT_EQ(ahead("DELETE FROM cards WHERE card_id = 'b'; UPDATE cards SET n = 5 WHERE card_id = 'a' OR n = 1"), "a-");
  EXPECT_EQ(ahead("UPDATE cards SET n = 5 WHERE card_id = 'a'; UPDATE cards SET n = (SELECT MAX(n) FROM cards) WHERE "
                  "card_id = 'b'; DELETE FROM cards WHERE card_id = 'c'"),
            "a-a")
      << "a subquery reads other rows, and its statement writes its own alone";
  EXPECT_EQ(ahead("UPDATE cards SET card_id = 'x' WHERE card_id = 'a'; DELETE FROM cards WHERE card_id = 'b'"), "--");
  EXPECT_EQ(ahead("INSERT INTO cards (card_id, n) VALUES ('e', 1) ON CONFLICT (card_id) DO NOTHING; "
                  "INSERT INTO cards (card_id, n) VALUES (LOWER('F'), 1); DELETE FROM cards WHERE card_id = 'b'"),
            "---");
}

TEST_P(Batches, EachStatementSeesThoseBeforeIt) {
  EXPECT_EQ(written("UPDATE cards SET n = n + 10 WHERE card_id = 'a'; UPDATE cards SET n = n * 2 WHERE card_id = 'b'; "
                    "UPDATE cards SET n = n + 1 WHERE card_id = 'a' AND n = 11; DELETE FROM cards WHERE card_id = 'c'; "
                    "INSERT INTO cards (card_id, n) VALUES ('c', 8); UPDATE cards SET note = 'z' WHERE card_id = 'c'"),
            "1 1 1 1 1 1");
  EXPECT_EQ(rows(), R"(["a",12,null] ["b",4,"x"] ["c",8,"z"])");
}

TEST_P(Batches, TheErrorNamesTheStatementAndNothingIsWritten) {
  const std::string before = rows();
  // Of the source; of the count; of a key that is there; each behind statements that were put off.
  EXPECT_EQ(written("UPDATE cards SET n = 5 WHERE card_id = 'a'; UPDATE cards SET n = n - 9 WHERE card_id = 'b'; "
                    "UPDATE cards SET n = 5 WHERE card_id = 'c'"),
            "constraint-violation 2");
  EXPECT_EQ(written("UPDATE cards SET n = 5 WHERE card_id = 'a'; DELETE FROM cards WHERE n > 0 AND n < 100; "
                    "DELETE FROM cards WHERE card_id = 'c'"),
            "too-many-rows 2");
  EXPECT_EQ(written("INSERT INTO cards (card_id, n) VALUES ('d', 4); INSERT INTO cards (card_id, n) VALUES ('e', 5); "
                    "INSERT INTO cards (card_id, n) VALUES ('a', 6)"),
            "duplicate-key 3");
  // The first failure is told, though the third statement fails without the source.
  EXPECT_EQ(written("UPDATE cards SET n = n - 9 WHERE card_id = 'a'; DELETE FROM cards WHERE card_id = 'b'; "
                    "INSERT INTO cards (card_id, n) VALUES ('c', 6)"),
            "constraint-violation 1");
  EXPECT_EQ(rows(), before);
  environment_.dry_run = true;
  EXPECT_EQ(written("DELETE FROM cards WHERE card_id = 'a'; DELETE FROM cards WHERE card_id = 'b'"), "1 1");
  EXPECT_EQ(rows(), before);
}

TEST_P(Batches, WhatATriggerChangesIsSeenByTheStatementsBehindIt) {
  if (GetParam() != Kind::kSqlite) GTEST_SKIP() << "DuckDB has no triggers";
  engine_.reset();
  source_.write(
      "CREATE TRIGGER along AFTER UPDATE OF n ON cards WHEN new.card_id = 'a' BEGIN "
      "UPDATE cards SET n = 100 WHERE card_id = 'b'; DELETE FROM cards WHERE card_id = 'c'; END");
  open();
  EXPECT_EQ(written("UPDATE cards SET n = 5 WHERE card_id = 'a'; UPDATE cards SET n = n + 1 WHERE card_id = 'b'; "
                    "DELETE FROM cards WHERE card_id = 'c'"),
            "1 1 0");
  EXPECT_EQ(rows(), R"(["a",5,null] ["b",101,"x"])");
  EXPECT_TRUE(*environment_.changes_others) << "the next batch is not tried in vain";
}

INSTANTIATE_TEST_SUITE_P(Engines, Batches, testing::Values(Kind::kSqlite, Kind::kDuckdb),
                         [](const auto& one) { return std::string(one.param == Kind::kSqlite ? "Sqlite" : "Duckdb"); });

}  // namespace
}  // namespace candor::test
