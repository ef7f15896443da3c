// The first contract of a database: what it says of each thing in the catalog.
#include <gtest/gtest.h>

#include "contract/initial.h"

namespace candor::contract {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

FoundColumn column(std::string name, std::string type, bool nullable = false) {
  FoundColumn found;
  found.name = std::move(name);
  found.type = std::move(type);
  found.nullable = nullable;
  return found;
}

FoundColumn key(std::string name, std::string type, std::string default_text = {}) {
  FoundColumn found = column(std::move(name), std::move(type));
  found.primary_key = true;
  found.default_text = std::move(default_text);
  return found;
}

FoundTable table(std::string name, std::vector<FoundColumn> columns) {
  FoundTable found;
  found.name = std::move(name);
  found.columns = std::move(columns);
  return found;
}

std::string text_of(std::vector<FoundTable> tables) {
  const Result<std::string> text = initial_contract({"app", std::move(tables)});
  EXPECT_TRUE(text.ok()) << text.error().message;
  return text.ok() ? *text : "";
}

Contract contract_of(std::vector<FoundTable> tables) {
  Result<Contract> read = parse(text_of(std::move(tables)), "first.yaml");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return read.ok() ? *std::move(read) : Contract();
}

TEST(InitialContract, AWholeOne) {
  FoundTable cards = table(
      "cards", {key("card_id", "UUID", "uuid()"), column("workspace_id", "VARCHAR"), column("front text", "VARCHAR"),
                column("kind", "ENUM('basic', 'cloze')"), column("state", "VARCHAR"), column("tags", "VARCHAR[]"),
                column("extra", "JSON"), column("photo", "BLOB"), column("passwordHash", "VARCHAR"),
                column("created_at", "TIMESTAMP"), column("deleted_at", "TIMESTAMP", true)});
  cards.comment = "Cards: one for each \"question\".\n";
  cards.columns[2].comment = "The question.";
  cards.columns[4].values = {"new", "done"};
  cards.columns[9].default_text = "now()";
  FoundTable reviews =
      table("reviews", {key("card", "UUID"), key("number", "INTEGER"), column("workspace_id", "VARCHAR")});
  reviews.references = {{"card", "", "cards", "card_id"}};
  FoundTable due = table("due", {column("card_id", "UUID", true)});
  due.schema = "reports";
  due.view = true;
  EXPECT_EQ(text_of({cards, reviews, due, table("blobs", {column("b", "BLOB")})}),
            R"(# What agents see of the source app. Written from its catalog: read it through, and take away what
# is nobody's business. Nothing is written to until `writes` says so.
contract: app
source: app
# limits: {rows_per_statement: 100, statements_per_batch: 50, result_chars: 48000, predicate_depth: 64}
# scope: {column: workspace_id, value: "${claim.workspace_id}"}  # each caller sees the rows of one workspace_id alone
notes:
  - "reviews.card refers to cards.card_id."
resources:
  cards:
    table: cards
    description: "Cards: one for each \"question\"."
    key: card_id
    writes: []  # [insert, update, delete] opens it; then mark what only the application sets: read_only: true
    # soft_delete: deleted_at  # hides rows that have it; DELETE sets it
    columns:
      card_id: {type: uuid, read_only: true, generated: uuid}
      workspace_id: {type: string}
      front_text: {type: string, column: "front text", description: "The question."}
      kind: {type: string, enum: ["basic", "cloze"]}
      state: {type: string, enum: ["new", "done"]}  # enum: the values that it has now
      tags: {type: "string[]"}
      extra: {type: json, filterable: false, sortable: false}
      created_at: {type: datetime, read_only: true, generated: now}
      deleted_at: {type: datetime, nullable: true}
      # Left out:
      #   photo: no type of a contract holds BLOB
      #   passwordHash: string, left out because its name speaks of a secret
  reviews:
    table: reviews
    # key: the primary key has 2 columns; a key is one column that names a row, and without one there are no writes
    writes: []
    columns:
      card: {type: uuid}
      number: {type: integer}
      workspace_id: {type: string}
  due:
    table: "reports.due"
    writes: []  # a view
    columns:
      card_id: {type: uuid, nullable: true}
  # blobs: no column of it can be published
  #   b: no type of a contract holds BLOB
)");
}

TEST(InitialContract, NothingTakesWrites) {
  const Contract read = contract_of({table("a", {key("id", "INTEGER")}), table("b", {column("x", "TEXT")})});
  EXPECT_FALSE(read.takes_writes());
  EXPECT_EQ(read.find("a")->key, "id");
}

TEST(InitialContract, TheHintsOpenWritesAndScope) {
  std::string text = text_of(
      {table("a", {key("id", "INTEGER", "rowid"), column("tenant_id", "TEXT"), column("deleted_at", "DATETIME", true)}),
       table("b", {key("id", "INTEGER"), column("tenant_id", "TEXT")})});
  for (std::size_t at = text.find("writes: []  # "); at != std::string::npos; at = text.find("writes: []  # ")) {
    text.replace(at, std::string_view("writes: []  # ").size(), "writes: ");
    text.replace(text.find(" opens it", at), std::string_view(" opens it").size(), "  #");
  }
  for (const std::string_view comment : {"# scope", "# soft_delete", "# limits"}) {
    ASSERT_PRED2(contains, text, comment);
    text.erase(text.find(comment), 2);
  }
  const Result<Contract> read = parse(text, "opened.yaml");
  ASSERT_TRUE(read.ok()) << read.error().message << "\n" << text;
  EXPECT_TRUE(read->find("a")->remove && read->find("b")->insert);
  EXPECT_EQ(read->find("a")->soft_delete, "deleted_at");
  EXPECT_EQ(read->scope->claim, "tenant_id");
  EXPECT_TRUE(read->find("a")->find("id")->read_only) << "SQLite fills it in";
  EXPECT_FALSE(read->find("b")->find("id")->read_only);
}

TEST(InitialContract, NamesAreMadePossible) {
  const Contract read =
      contract_of({table("Order Items", {column("größe", "TEXT"), column("gr_e", "TEXT"), column("2nd", "TEXT"),
                                         column("…", "TEXT"), column("null", "TEXT"), column("No", "TEXT")}),
                   table("order_items", {column("x", "INTEGER")}),
                   table("information_schema", {column("x", "INTEGER")}), table("null", {key("true", "INTEGER")})});
  ASSERT_EQ(read.resources.size(), 4U);
  const Resource& items = read.resources[0];
  EXPECT_EQ(items.name, "Order_Items");
  EXPECT_EQ(items.table, "Order Items");
  EXPECT_EQ(items.find("gr_e")->stored, "größe");
  EXPECT_EQ(items.find("gr_e_2")->stored, "gr_e");
  EXPECT_EQ(items.find("_2nd")->stored, "2nd");
  EXPECT_EQ(items.find("column")->stored, "…");
  EXPECT_EQ(items.find("null")->stored, "null");
  EXPECT_EQ(items.find("No")->stored, "No");
  EXPECT_EQ(read.resources[1].name, "order_items_2");
  EXPECT_EQ(read.resources[2].table, "information_schema");
  EXPECT_EQ(read.resources[3].key, "true");
}

TEST(InitialContract, DotsInNames) {
  FoundTable in_schema = table("a.b", {column("x", "INTEGER")});
  in_schema.schema = "main";
  FoundTable lost = table("c.d", {column("x", "INTEGER")});
  const Contract read = contract_of({in_schema, lost});
  ASSERT_EQ(read.resources.size(), 1U);
  EXPECT_EQ(table_name(read.resources[0]).schema, "main");
  EXPECT_EQ(table_name(read.resources[0]).name, "a.b");
  EXPECT_PRED2(contains, text_of({in_schema, lost}), "# c.d: the name can't stand in a contract");
}

TEST(InitialContract, WhatItsValuesSayIsStrongerThanTheTypesName) {
  FoundColumn tags = column("tags", "TEXT");
  tags.seen_as = Type::kStringArray;
  FoundColumn mood = column("mood", "mood_of_the_day");
  mood.seen_as = Type::kString;
  mood.values = {"sunny", "it's", ""};
  const Contract read = contract_of({table("t", {tags, mood})});
  EXPECT_EQ(read.find("t")->find("tags")->type, Type::kStringArray);
  EXPECT_EQ(read.find("t")->find("mood")->allowed, mood.values);
}

TEST(InitialContract, ValuesThatCantBeAnEnumAreNone) {
  FoundColumn many = column("many", "TEXT");
  for (int i = 0; i < 60; ++i) many.values.push_back("v" + std::to_string(i));
  FoundColumn odd = column("odd", "TEXT");
  odd.values = {"a", std::string("b\0c", 3)};
  FoundColumn number = column("number", "INTEGER");
  number.values = {"1", "2"};
  const Contract read = contract_of({table("t", {many, odd, number})});
  for (const char* name : {"many", "odd", "number"}) EXPECT_TRUE(read.find("t")->find(name)->allowed.empty()) << name;
}

TEST(InitialContract, SecretsAreLeftOutByTheirWords) {
  const Contract read =
      contract_of({table("t", {column("id", "INTEGER"), column("accessToken", "TEXT"), column("API-Key", "TEXT"),
                               column("client_secret", "TEXT"), column("userpassword", "TEXT"), column("salt", "TEXT"),
                               column("secretary", "TEXT"), column("result", "TEXT"), column("tokenize_at", "TEXT"),
                               column("basalt", "TEXT")})});
  std::string names;
  for (const Column& published : read.resources[0].columns) names += published.name + " ";
  EXPECT_EQ(names, "id secretary result tokenize_at basalt ");
}

TEST(InitialContract, NothingToPublishIsAnError) {
  EXPECT_EQ(initial_contract({"app", {}}).error().message, "source app has no table that a contract could publish");
  EXPECT_FALSE(initial_contract({"app", {table("b", {column("b", "BLOB")})}}).ok());
}

TEST(InitialContract, TooMuchForOneContractIsAnError) {
  std::vector<FoundTable> tables;
  for (int i = 0; i < 200; ++i) {
    tables.push_back(table("t" + std::to_string(i), {}));
    for (int j = 0; j < 300; ++j) tables.back().columns.push_back(column("c" + std::to_string(j), "INTEGER"));
  }
  const Result<std::string> text = initial_contract({"app", tables});
  ASSERT_FALSE(text.ok());
  EXPECT_PRED2(contains, text.error().message, "200 tables would be over");
}

}  // namespace
}  // namespace candor::contract
