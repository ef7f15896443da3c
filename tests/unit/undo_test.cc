// Undoing: rows as text, the ledger's batches, and what the engines tell of columns and of rows that others changed.
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/codes.h"
#include "exec/changes.h"
#include "ledger/ledger.h"
#include "lower/lower.h"
#include "support/contract_source.h"
#include "support/ledger_home.h"

namespace candor {
namespace {

Value of(CellKind kind, std::string text) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  return value;
}

Value real(double number, CellKind kind = CellKind::kReal64) {
  Value value;
  value.kind = kind;
  value.real = number;
  return value;
}

Value boolean(bool truth) {
  Value value = integer_value(truth ? 1 : 0);
  value.kind = CellKind::kBoolean;
  return value;
}

Value nested(CellKind kind, std::vector<Value> parts) {
  Value value;
  value.kind = kind;
  value.parts = std::move(parts);
  return value;
}

// ---- rows as text ----

TEST(UndoRowText, AnyTwoValuesAreToldApartAndReadBack) {
  const std::vector<Value> values = {
      Value(),
      boolean(true),
      boolean(false),
      integer_value(0),
      integer_value(1),
      integer_value(9'007'199'254'740'993),
      integer_value(std::numeric_limits<std::int64_t>::min()),
      of(CellKind::kIntegerText, "170141183460469231731687303715884105727"),
      real(0.0),
      real(-0.0),
      real(1.0),
      real(1.0, CellKind::kReal32),
      real(0.1),
      real(5e-324),
      real(std::numeric_limits<double>::infinity()),
      real(-std::numeric_limits<double>::infinity()),
      of(CellKind::kDecimal, "1.0"),
      of(CellKind::kDecimal, "1.00"),
      text_value(""),
      text_value("1"),
      text_value("1.0"),
      text_value("null"),
      text_value(std::string("a\0b", 3)),
      text_value("\"\\\n\x7f\u00e9"),
      of(CellKind::kBlob, ""),
      of(CellKind::kBlob, std::string("\xff\0'", 3)),
      of(CellKind::kTemporal, "2024-01-01T00:00:00"),
      of(CellKind::kOther, "2024-01-01T00:00:00"),
      of(CellKind::kJson, R"({"a": 1.0})"),
      nested(CellKind::kList, {}),
      nested(CellKind::kList, {Value()}),
      nested(CellKind::kMap, {}),
      nested(CellKind::kMap, {text_value("k"), nested(CellKind::kList, {real(0.5), Value()})}),
      nested(CellKind::kStruct, {text_value("k"), nested(CellKind::kList, {real(0.5), Value()})}),
  };
  std::vector<std::string> seen;
  for (const Value& value : values) {
    const std::string text = exec::text_of_row({integer_value(7), value});
    for (const std::string& other : seen) EXPECT_NE(text, other);
    seen.push_back(text);
    const Result<std::vector<Value>> back = exec::row_of_text(text);
    ASSERT_TRUE(back.ok()) << text;
    ASSERT_EQ(back->size(), 2U);
    EXPECT_TRUE((*back)[1] == value) << text;
    EXPECT_EQ(exec::text_of_row(*back), text) << "a sign of zero is kept too";
  }
  const std::string nan = exec::text_of_row({real(std::numeric_limits<double>::quiet_NaN())});
  EXPECT_EQ(exec::text_of_row(*exec::row_of_text(nan)), nan) << "what is not a number is as it was";
}

TEST(UndoRowText, WhatIsNoRowIsNoneOfItsValues) {
  for (const std::string text :
       {"", "[", "{}", "[{}]", R"([{"real":"00"}])", R"([{"real":1}])", R"([{"blob":"0"}])", R"([{"blob":"zz"}])",
        R"([{"list":1}])", R"([{"unheard":"x"}])", "[1.5]", R"([{"text":"a","time":"b"}])"}) {
    const Result<std::vector<Value>> row = exec::row_of_text(text);
    EXPECT_EQ(row.ok() ? "a row" : row.error().code, "integrity") << text;
  }
}

// ---- the ledger ----

using ledger::UndoBatch;
using ledger::UndoRow;
using ledger::UndoState;

UndoBatch batch() {
  UndoBatch made;
  made.turn = ledger::kTurn;
  made.surface = "cli";
  made.source = "app";
  made.contract = "study";
  made.scope_column = "workspace";
  made.scope_value = "A";
  made.tables = R"([{"resource":"cards"}])";
  made.statements = 2;
  made.changed_others = true;
  return made;
}

const std::vector<UndoRow> kRows = {{0, "[1,1]", "[1,\"a\\u0000b\"]", ""}, {0, "[2,2]", "", "[2,null]"}};

class UndoLedgerTest : public ledger::LedgerHome {
 protected:
  static std::string code_of(const Result<UndoBatch>& taken) { return taken.ok() ? "taken" : taken.error().code; }
};

TEST_F(UndoLedgerTest, ABatchIsHeldUntilItsWriterSaysWhatBecameOfIt) {
  const auto ledger = open();
  const Result<std::string> id = ledger->keep_undo(batch(), kRows, 0);
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_EQ(*id, "b1");
  EXPECT_EQ(code_of(ledger->take_undo(*id)), "busy");
  EXPECT_EQ(code_of(open()->take_undo(*id)), "busy") << "for another ledger of a living process, too";
  ASSERT_TRUE(ledger->settle_undo(*id, UndoState::kDone).ok());
  const Result<UndoBatch> taken = open()->take_undo(*id);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->state, UndoState::kDone);
  EXPECT_EQ(taken->turn, ledger::kTurn);
  EXPECT_EQ(taken->scope_value, "A");
  EXPECT_EQ(taken->statements, 2U);
  EXPECT_EQ(taken->rows, 2U);
  EXPECT_TRUE(taken->changed_others);
  EXPECT_EQ(taken->undone_ms, 0);
  const Result<std::vector<UndoRow>> rows = ledger->undo_rows(*id);
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].before, kRows[0].before);
  EXPECT_EQ((*rows)[0].after, "");
  EXPECT_EQ((*rows)[1].after, kRows[1].after);
}

TEST_F(UndoLedgerTest, OneAloneUndoesABatchAndItsRowsGo) {
  const auto ledger = open();
  const std::string id = *ledger->keep_undo(batch(), kRows, 0);
  ASSERT_TRUE(ledger->settle_undo(id, UndoState::kDone).ok());
  ASSERT_EQ(code_of(ledger->take_undo(id)), "taken");
  EXPECT_EQ(code_of(ledger->take_undo(id)), "busy");
  ASSERT_TRUE(ledger->leave_undo(id).ok());
  EXPECT_FALSE(ledger->settle_undo(id, UndoState::kUndone).ok()) << "not held here";
  ASSERT_EQ(code_of(ledger->take_undo(id)), "taken");
  ASSERT_TRUE(ledger->settle_undo(id, UndoState::kUndoing).ok());
  EXPECT_EQ(code_of(ledger->take_undo(id)), "busy") << "it goes on being held";
  EXPECT_EQ(ledger->undo_rows(id)->size(), 2U);
  ASSERT_TRUE(ledger->settle_undo(id, UndoState::kUndone).ok());
  const Result<UndoBatch> undone = ledger->take_undo(id);
  ASSERT_TRUE(undone.ok());
  EXPECT_EQ(undone->state, UndoState::kUndone);
  EXPECT_GT(undone->undone_ms, 0);
  EXPECT_TRUE(ledger->undo_rows(id)->empty());
}

TEST_F(UndoLedgerTest, WhatAKilledProcessHeldIsFree) {
  ledger::Child child([&](int pipe) {
    const auto ledger = ledger::Ledger::open(home_);
    ledger::say(pipe, ledger.ok() ? *(*ledger)->keep_undo(batch(), kRows, 0) : "failed");
    pause();
  });
  ASSERT_EQ(child.line(), "b1");
  const auto ledger = open();
  EXPECT_EQ(code_of(ledger->take_undo("b1")), "busy");
  child.end(SIGKILL);
  const Result<UndoBatch> taken = ledger->take_undo("b1");
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  EXPECT_EQ(taken->state, UndoState::kPending);
}

TEST_F(UndoLedgerTest, ListsHaveWhatTheSourceHasHad) {
  const auto ledger = open();
  for (int i = 0; i < 4; ++i) {
    UndoBatch one = batch();
    if (i == 3) one.turn.session = "other";
    const std::string id = *ledger->keep_undo(one, kRows, 0);
    ASSERT_TRUE(ledger->settle_undo(id, i == 1 ? UndoState::kDropped : UndoState::kDone).ok());
  }
  std::uint64_t total = 0;
  const auto all = ledger->undo_batches("", {2, 0}, total);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(total, 3U);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].id, "b4");
  EXPECT_EQ((*all)[1].id, "b3");
  EXPECT_EQ(ledger->undo_batches("other", {}, total)->size(), 1U);
  EXPECT_EQ(total, 1U);
  EXPECT_EQ(code_of(ledger->take_undo("b2")), "not-found") << "the source never had it";
  for (const std::string id : {"", "b", "b0", "b99", "a1", "b1x", "b-1"})
    EXPECT_EQ(code_of(ledger->take_undo(id)), "not-found") << id;
}

TEST_F(UndoLedgerTest, OldRowsAreForgotten) {
  const auto ledger = open();
  const std::string old = *ledger->keep_undo(batch(), kRows, 0);
  ASSERT_TRUE(ledger->settle_undo(old, UndoState::kDone).ok());
  const std::string held = *ledger->keep_undo(batch(), kRows, 0);
  const std::string young = *ledger->keep_undo(batch(), kRows, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(ledger->take_undo(old)->state, UndoState::kExpired);
  EXPECT_TRUE(ledger->undo_rows(old)->empty());
  EXPECT_EQ(ledger->undo_rows(held)->size(), 2U) << "somebody works with it";
  EXPECT_EQ(ledger->undo_rows(young)->size(), 2U);
}

TEST_F(UndoLedgerTest, ALedgerOfTheFirstVersionGetsTheTables) {
  ASSERT_TRUE(open()->record_query(ledger::select_query(ledger::kTurn, "SELECT 1")).ok());
  run_sql(
      "DROP TABLE findings; DROP TABLE commits; DROP TABLE repairs; DROP TABLE offers; DROP TABLE rejections; "
      "DROP TABLE calls; DROP TABLE turns; DROP INDEX queries_of_call; ALTER TABLE queries DROP COLUMN call; "
      "DROP TABLE undo_rows; DROP TABLE undo_batches; PRAGMA user_version = 1");
  const auto ledger = open();
  ASSERT_TRUE(ledger);
  EXPECT_TRUE(ledger->query("q1").ok());
  EXPECT_TRUE(ledger->keep_undo(batch(), kRows, 0).ok());
}

// ---- the engines ----

class UndoEngineTest : public ::testing::TestWithParam<test::Kind> {
 protected:
  test::ContractSource source_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, UndoEngineTest, ::testing::Values(test::Kind::kSqlite, test::Kind::kDuckdb),
                         [](const auto& one) { return one.param == test::Kind::kSqlite ? "Sqlite" : "Duckdb"; });

TEST_P(UndoEngineTest, TheCatalogSaysWhichColumnsAreComputed) {
  source_.write(
      "CREATE TABLE made (a INTEGER, \"generated\" INTEGER DEFAULT (1), b INTEGER GENERATED ALWAYS AS (a + 1), "
      "c TEXT DEFAULT 'x GENERATED ALWAYS AS (1)', \"d, (e\" INTEGER AS (a * 2), f INTEGER CHECK (f > 0))");
  const Result<engine::Catalog> catalog = source_.open()->catalog();
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  std::string computed;
  for (const engine::CatalogTable& table : catalog->tables) {
    for (const engine::CatalogColumn& column : table.columns) {
      if (column.computed) computed += table.name + "." + column.name + ";";
    }
  }
  EXPECT_EQ(computed, "made.b;made.d, (e;");
}

TEST(UndoEngine, SqliteTellsThatATriggerOrAForeignKeyChangedOtherRows) {
  const test::ContractSource source(test::Kind::kSqlite);
  source.write(
      "CREATE TABLE marks (card_id TEXT REFERENCES cards ON DELETE CASCADE); INSERT INTO marks VALUES ('a');"
      "CREATE TABLE log (n INTEGER); CREATE TRIGGER t AFTER UPDATE OF note ON cards BEGIN INSERT INTO log VALUES (1); "
      "END");
  const auto engine = source.open();
  const auto others = [&](const std::string& sql) {
    auto transaction = engine->begin(1'000, {});
    EXPECT_TRUE(transaction.ok());
    const test::Ran ran = test::run_in(**transaction, sql);
    EXPECT_EQ(ran.code(), "");
    EXPECT_EQ(ran.end.affected, 1U);
    return ran.end.changed_others;
  };
  EXPECT_FALSE(others("UPDATE " + source.table() + " SET n = 7 WHERE card_id = 'a'"));
  EXPECT_TRUE(others("UPDATE " + source.table() + " SET note = 'x' WHERE card_id = 'a'"));
  EXPECT_FALSE(others("DELETE FROM " + source.table() + " WHERE card_id = 'b'"));
  EXPECT_TRUE(others("DELETE FROM " + source.table() + " WHERE card_id = 'a'"));
}

TEST(UndoLowering, PostgresTakesEachColumnAsText) {
  contract::Resource cards;
  cards.name = "cards";
  cards.key = "id";
  contract::Column id;
  id.name = "id";
  id.stored = "card_id";
  id.type = contract::Type::kInteger;
  cards.columns = {id};
  lower::Storage storage;
  storage.target = lower::Target::kPostgres;
  storage.scope_column = "ws";
  storage.scope_value = "A";
  lower::StoredTable table;
  table.schema = "public";
  table.name = "cards";
  table.columns = {"card_id", "ws", "picture"};
  table.types = {{"card_id", "bigint"}, {"ws", "text"}, {"picture", "bytea"}};
  table.kept = table.columns;
  storage.tables.emplace(&cards, table);
  const auto sql = [&](const lower::Lowered& lowered) { return lowered.sql; };
  EXPECT_EQ(sql(lower::Lowering(storage).kept_rows(cards, {integer_value(7)})),
            R"(SELECT "card_id" AS "key", "card_id"::text AS "v0", "ws" AS "v1", "picture"::text AS "v2" FROM )"
            R"("public"."cards" WHERE "ws" = $1::text AND "card_id" IN ($2::int8))");
  EXPECT_EQ(sql(lower::Lowering(storage).put_back(cards, {text_value("7"), text_value("A"), Value()})),
            R"(INSERT INTO "public"."cards" ("card_id", "ws", "picture") OVERRIDING SYSTEM VALUE VALUES )"
            R"((CAST($1::text AS bigint), CAST($2::text AS text), NULL))");
  EXPECT_EQ(sql(lower::Lowering(storage).take_away(cards, integer_value(7))),
            R"(DELETE FROM "public"."cards" WHERE "ws" = $1::text AND "card_id" = $2::int8)");
}

}  // namespace
}  // namespace candor
