// Reading contracts: what a whole one gives, and what is said of one that can't be taken.
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "base/codes.h"
#include "config/config.h"
#include "contract/contract.h"
#include "support/contract_text.h"
#include "support/temp_folder.h"

namespace candor::contract {
namespace {

Contract accepted(std::string_view text) {
  Result<Contract> read = parse(text, "c.yaml");
  EXPECT_TRUE(read.ok()) << read.error().message << "\n" << text;
  return read.ok() ? std::move(*read) : Contract();
}

// All faults of the text, in their order, as "LINE: message".
std::vector<Diagnostic> faults(std::string_view text) {
  const Result<Contract> read = parse(text, "c.yaml");
  EXPECT_FALSE(read.ok()) << text.substr(0, 400);
  if (read.ok()) return {};
  EXPECT_EQ(exit_code(read.error()), ExitCode::kConfiguration);
  std::vector<Diagnostic> all = {read.error()};
  all.front().others.clear();
  all.insert(all.end(), read.error().others.begin(), read.error().others.end());
  for (Diagnostic& fault : all) {
    EXPECT_EQ(fault.code, "configuration");
    EXPECT_TRUE(fault.message.starts_with("c.yaml:")) << fault.message;
    fault.message.erase(0, std::string_view("c.yaml:").size());
  }
  return all;
}

std::string messages(std::string_view text) {
  std::string lines;
  for (const Diagnostic& fault : faults(text)) lines += fault.message + "\n";
  return lines;
}

// A contract with one resource `r`, whose keys are `keys`, each on its line from line 5 on.
std::string with_keys(std::string_view keys) {
  std::string text = "contract: c\nsource: s\nresources:\n  r:\n";
  std::istringstream lines{std::string(keys)};
  for (std::string line; std::getline(lines, line);) text += "    " + line + "\n";
  return text;
}

// The one fault of that resource.
Diagnostic fault_of(std::string_view keys) {
  const std::vector<Diagnostic> all = faults(with_keys(keys));
  EXPECT_EQ(all.size(), 1U) << keys << "\n" << messages(with_keys(keys));
  return all.empty() ? Diagnostic() : all.front();
}

// The one fault of its column `x`, which stands in line 6.
Diagnostic column_fault(const std::string& column) { return fault_of("columns:\n  x: " + column); }

TEST(ContractFile, AWholeOne) {
  const Contract read = accepted(test::kFlashcards);
  EXPECT_EQ(read.name, "flashcards");
  EXPECT_EQ(read.source, "app");
  EXPECT_EQ(read.file, "c.yaml");
  EXPECT_EQ(read.notes, (std::vector<std::string>{"A deck is a saved tag filter.", "Times are UTC."}));
  ASSERT_TRUE(read.scope);
  EXPECT_EQ(read.scope->column, "workspace_id");
  EXPECT_EQ(read.scope->claim, "workspace");
  EXPECT_EQ(read.scope->value, "");
  ASSERT_EQ(read.resources.size(), 2U);
  const Resource& cards = read.resources.front();
  EXPECT_EQ(&cards, read.find("CARDS"));
  EXPECT_EQ(cards.table, "study.card_table");
  EXPECT_EQ(table_name(cards).schema, "study");
  EXPECT_EQ(table_name(cards).name, "card_table");
  EXPECT_EQ(cards.key, "card_id");
  EXPECT_TRUE(cards.insert && cards.update && cards.remove);
  EXPECT_EQ(cards.soft_delete, "deleted_at");
  ASSERT_EQ(cards.columns.size(), 8U);
  EXPECT_EQ(cards.columns[0].generated, Column::Generated::kUuid);
  EXPECT_EQ(cards.find("card_type")->allowed, (std::vector<std::string>{"basic", "cloze", "it's"}));
  EXPECT_EQ(cards.find("tags")->type, Type::kStringArray);
  EXPECT_EQ(cards.find("metadata")->stored, "meta_blob");
  EXPECT_FALSE(cards.find("metadata")->filterable || cards.find("metadata")->sortable);
  EXPECT_EQ(cards.find("created_at")->generated, Column::Generated::kNow);
  EXPECT_EQ(cards.find_absent("DECK_ID")->text, "Match the deck's tags.");
}

TEST(ContractFile, WhatIsLeftOutHasItsDefault) {
  const Contract read = accepted("contract: c\nsource: s\nresources: {r: {columns: {x: integer}}}\n");
  const Resource& resource = read.resources.front();
  EXPECT_EQ(resource.table, "r");
  EXPECT_EQ(table_name(resource).schema, "");
  EXPECT_FALSE(resource.takes_writes() || read.takes_writes());
  const Column& column = resource.columns.front();
  EXPECT_EQ(column.stored, "x");
  EXPECT_TRUE(column.filterable && column.sortable);
  EXPECT_FALSE(column.nullable || column.read_only);
  EXPECT_FALSE(read.scope);
  for (const LimitField& field : limit_fields()) {
    EXPECT_EQ(read.*(field.value), config::Configuration().limit(field.name)) << field.name;
  }
}

TEST(ContractFile, LimitsComeFromTheFileThenTheConfiguration) {
  config::Configuration standards;
  standards.limit_values = {{"rows_per_statement", 7}, {"result_chars", 9000}};
  const Result<Contract> read =
      parse("contract: c\nsource: s\nlimits: {result_chars: 5000}\nresources: {r: {columns: {x: integer}}}\n", "c",
            standards);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->rows_per_statement, 7);
  EXPECT_EQ(read->result_chars, 5000);
  EXPECT_EQ(read->predicate_depth, 64);
}

TEST(ContractFile, ALiteralScope) {
  const std::string rest = "\nresources: {r: {columns: {x: integer, t: {type: integer, column: Tenant}}}}\n";
  const Contract read = accepted("contract: c\nsource: s\nscope: {column: tenant, value: 12}" + rest);
  EXPECT_EQ(read.scope->value, "12");
  EXPECT_EQ(read.scope->claim, "");
  EXPECT_TRUE(read.resources[0].find("t")->read_only) << "it is filled in, whether or not the file says so";
  EXPECT_EQ(messages("contract: c\nsource: s\nscope: {column: tenant, value: A}" + rest),
            "4: resources.r.columns.t: the scope's value A is no integer\n");
}

TEST(ContractFile, AllFaultsAreToldInTheOrderOfTheText) {
  EXPECT_EQ(messages(R"(contract: c
limit: {}
limits: {rows_per_statement: 0, statement_seconds: 5}
resources:
  r:
    keys: x
    key: y
    writes: [insert, upsert]
    columns:
      x: varchar
      X: integer
  R:
    columns: {z: }
)"),
            "1: has no source\n"
            "2: limit: there is no such key\n"
            "3: limits.rows_per_statement: must be a whole number from 1 to 1000000, not 0\n"
            "3: limits.statement_seconds: there is no such key\n"
            "6: resources.r.keys: there is no such key\n"
            "7: resources.r.key: the resource has no column y\n"
            "8: resources.r.writes: there is no write upsert\n"
            "10: resources.r.columns.x: there is no type varchar\n"
            "11: resources.r.columns.X: differs from another column in case alone\n"
            "12: resources.R: differs from another resource in case alone\n");
}

TEST(ContractFile, HintsCanBePasted) {
  const auto hint = [](const std::string& keys) { return fault_of(keys).hint; };
  EXPECT_EQ(hint("tabel: t\ncolumns: {x: integer}"), "write table");
  EXPECT_EQ(hint("key: card\ncolumns: {card_id: integer}"), "write card_id");
  EXPECT_EQ(hint("columns: {x: varchar(20)}"), "write string");
  EXPECT_EQ(hint("columns: {x: strings}"), "write string, or string[]");
  EXPECT_EQ(hint("columns: {x: {type: integer, nulable: true}}"), "write nullable");
  EXPECT_EQ(hint("key: x\nwrites: [updates]\ncolumns: {x: integer}"), "write update");
  EXPECT_EQ(hint("columns: {First Name: string}"), "First_Name: {type: string, column: \"First Name\"}");
  EXPECT_EQ(faults("contract: c\nsource: s\nlimits: {cell_chars: 5}\nresources: {r: {columns: {x: date}}}")[0].hint,
            "write it below limits: of candor.yaml");
  EXPECT_EQ(column_fault("varchar").detail,
            "types: string integer number decimal boolean date datetime uuid json string[] integer[]");
}

TEST(ContractFile, ColumnsThatCantBe) {
  const auto told = [](const std::string& column) { return column_fault(column).message.substr(3); };
  EXPECT_EQ(told(""), "resources.r.columns.x: must be a type or a map with type");
  EXPECT_EQ(told("[a]"), "resources.r.columns.x: must be a type or a map with type");
  EXPECT_EQ(told("{}"), "resources.r.columns.x: has no type");
  EXPECT_EQ(told("{type: }"), "resources.r.columns.x.type: must be a text");
  EXPECT_EQ(told("{type: String}"), "resources.r.columns.x.type: there is no type String");
  EXPECT_EQ(told("{type: date, enum: [a]}"), "resources.r.columns.x.enum: is for a column of type string, not date");
  EXPECT_EQ(told("{type: string, enum: []}"),
            "resources.r.columns.x.enum: allows no value: leave it out, or name some");
  EXPECT_EQ(told("{type: string, enum: a}"), "resources.r.columns.x.enum: must be a list of texts");
  EXPECT_EQ(told("{type: string, enum: [a, b, a]}"), "resources.r.columns.x.enum: has a twice");
  EXPECT_EQ(told("{type: string, enum: [a, [b]]}"), "resources.r.columns.x.enum: must be a text");
  EXPECT_EQ(told("{type: string, enum: [a, ~]}"), "resources.r.columns.x.enum: must be a text");
  EXPECT_EQ(told("{type: integer, generated: uuid}"),
            "resources.r.columns.x.generated: uuid is for a column of type uuid or string, not integer");
  EXPECT_EQ(told("{type: uuid, generated: now}"),
            "resources.r.columns.x.generated: now is for a column of type datetime or date, not uuid");
  EXPECT_EQ(told("{type: uuid, generated: serial}"),
            "resources.r.columns.x.generated: must be uuid or now, not serial");
  EXPECT_EQ(told("{type: uuid, generated: }"), "resources.r.columns.x.generated: must be a text");
  EXPECT_EQ(told("{type: uuid, nullable: yes}"), "resources.r.columns.x.nullable: must be true or false");
  EXPECT_EQ(told("{type: uuid, column: a, stored: b}"),
            "resources.r.columns.x.stored: column and stored are the same: write one of them");
  EXPECT_EQ(told("{type: uuid, column: \"a\\nb\"}"), "resources.r.columns.x.column: must be one line of text");
  EXPECT_EQ(told("{type: uuid, description: \"a\\0b\"}"),
            "resources.r.columns.x.description: must be a text without NUL");
  EXPECT_EQ(told("{type: uuid, type: uuid}"), "resources.r.columns.x.type: stands here twice");
}

TEST(ContractFile, ResourcesThatCantBe) {
  const auto told = [](const std::string& keys) { return fault_of(keys).message; };
  EXPECT_EQ(told("table: t"), "4: resources.r: has no columns");
  EXPECT_EQ(told("columns: {}"), "5: resources.r.columns: has no columns");
  EXPECT_EQ(told("columns: [a]"), "5: resources.r.columns: must be a map from columns to their types");
  EXPECT_EQ(told("columns: {x: date, y: {type: date, column: X}}"),
            "5: resources.r.columns.y: stands for the same column of the table as x");
  EXPECT_EQ(told("table: a.\ncolumns: {x: date}"), "5: resources.r.table: must be a table or schema.table, not a.");
  EXPECT_EQ(told("writes: [delete]\ncolumns: {x: date}"),
            "5: resources.r.writes: a resource that takes writes needs a key, one column that names a row");
  EXPECT_EQ(told("writes: delete\nkey: x\ncolumns: {x: date}"),
            "5: resources.r.writes: must be a list of insert, update and delete");
  EXPECT_EQ(told("writes: [delete, delete]\nkey: x\ncolumns: {x: date}"), "5: resources.r.writes: has delete twice");
  for (const std::string type : {"number", "boolean", "json", "string[]", "integer[]"}) {
    EXPECT_EQ(told("key: x\ncolumns: {x: \"" + type + "\"}"),
              "5: resources.r.key: a column of type " + type + " can't be the key");
  }
  EXPECT_EQ(told("key: x\ncolumns: {x: {type: date, nullable: true}}"),
            "5: resources.r.key: the column x is nullable: a key is in every row");
  EXPECT_EQ(told("key: x\nwrites: [insert]\ncolumns: {x: {type: date, filterable: false}}"),
            "5: resources.r.key: the column x must be filterable: writes are told apart by the key");
  EXPECT_EQ(told("soft_delete: y\ncolumns: {x: date}"), "5: resources.r.soft_delete: the resource has no column y");
  EXPECT_EQ(told("soft_delete: x\ncolumns: {x: date}"),
            "5: resources.r.soft_delete: the column x must be of type datetime, not date");
  EXPECT_EQ(told("soft_delete: x\ncolumns: {x: datetime}"),
            "5: resources.r.soft_delete: the column x must be nullable: it is NULL in rows that stand");
  EXPECT_EQ(told("soft_delete: x\ncolumns: {x: {type: datetime, nullable: true, read_only: false}}"),
            "6: resources.r.columns.x.read_only: can't be false: the column is set by DELETE alone");
  EXPECT_EQ(told("columns: {x: date}\nabsent: {X: gone}"), "6: resources.r.absent.X: is a column of the resource");
  EXPECT_EQ(told("columns: {x: date}\nabsent: {y: a, Y: b}"),
            "6: resources.r.absent.Y: differs from another name in case alone");
  EXPECT_EQ(told("columns: {x: date}\nabsent: {a b: c}"),
            "6: resources.r.absent.a b: the name must begin with a letter and hold only letters, digits and _");
  EXPECT_EQ(told("columns: {x: date}\nabsent: {y: }"), "6: resources.r.absent.y: must be a text");
  EXPECT_EQ(told("columns: {x: date}\nabsent: [y]"),
            "6: resources.r.absent: must be a map from names to what is said of them");
}

TEST(ContractFile, TheColumnOfSoftDeleteIsReadOnly) {
  const Contract read = accepted(test::kFlashcards);
  EXPECT_TRUE(read.resources[0].find("deleted_at")->read_only);
}

TEST(ContractFile, TheTopOfAContractThatCantBe) {
  const std::string rest = "\nresources: {r: {columns: {x: date, w: date}}}\n";
  const auto told = [&](const std::string& top) { return messages(top + rest); };
  EXPECT_EQ(messages(""), " must be a map with contract, source and resources\n");
  EXPECT_EQ(messages("- a\n"), "1: must be a map with contract, source and resources\n");
  EXPECT_EQ(messages("contract: c\nsource: s\nresources: {}\n"), "3: resources: publishes nothing\n");
  EXPECT_EQ(messages("contract: c\nsource: s\nresources:\n"),
            "3: resources: must be a map from resources to their tables\n");
  EXPECT_EQ(
      messages("contract: c\nsource: s\nresources: {a-b: {columns: {x: date}}, sqlite_master: {columns: {x: date}}}"),
      "3: resources.a-b: the name must begin with a letter and hold only letters, digits and _\n"
      "3: resources.sqlite_master: is a name by which agents ask what there is\n");
  EXPECT_EQ(told("contract: a b\nsource: select"),
            "1: contract: the name must begin with a letter and hold only letters, digits and _\n"
            "2: source: the name is a word of SQL\n");
  EXPECT_EQ(told("contract: c\nsource: s\nnotes: text"), "3: notes: must be a list of texts\n");
  EXPECT_EQ(told("contract: c\nsource: s\nscope: w"), "3: scope: must be a map with column and value\n");
  EXPECT_EQ(told("contract: c\nsource: s\nscope: {}"), "3: scope: has no column\n3: scope: has no value\n");
  EXPECT_EQ(told("contract: c\nsource: s\nscope: {column: w, value: a}"),
            "4: resources.r.columns.w: the scope's column must be of type string, integer or uuid, not date\n");
  for (const std::string value :
       {"${workspace}", "${claim.}", "x${claim.a}", "${claim.a}x", "$claim.a", "${claim.a b}"}) {
    EXPECT_EQ(told("contract: c\nsource: s\nscope: {column: q, value: \"" + value + "\"}"),
              "3: scope.value: must be a value, or ${claim.NAME} and nothing else, not " + value + "\n");
  }
  EXPECT_EQ(told("contract: c\nsource: s\nscope: {column: q, value: {claim.a}}"), "3: scope.value: must be a text\n");
}

TEST(ContractFile, ScopeColumnsThatAreWritable) {
  EXPECT_EQ(
      messages("contract: c\nsource: s\nscope: {column: t, value: a}\nresources:\n  r:\n    columns:\n"
               "      x: {type: string, column: T, read_only: false}\n"),
      "7: resources.r.columns.x.read_only: can't be false: the column is the scope's column, which is filled in\n");
}

TEST(ContractFile, BombsAreBounded) {
  const std::string top = "contract: c\nsource: s\n";
  // A hundred resources, each of a hundred columns, each with a hundred values, in a few kilobytes.
  std::string values;
  std::string columns;
  std::string resources;
  for (int i = 0; i < 100; ++i) {
    values += (i == 0 ? "v" : ", v") + std::to_string(i);
    columns += (i == 0 ? "c0: &c {type: string, enum: [" + values + "]}" : ", c" + std::to_string(i) + ": *c");
  }
  columns = "{c0: &c {type: string, enum: [" + values + "]}";
  for (int i = 1; i < 100; ++i) columns += ", c" + std::to_string(i) + ": *c";
  resources = "resources:\n  r0: &r {columns: " + columns + "}}\n";
  for (int i = 1; i < 100; ++i) resources += "  r" + std::to_string(i) + ": *r\n";
  EXPECT_NE(messages(top + resources).find("its aliases stand for more values than the text has characters"),
            std::string::npos);
  const std::string deep = "resources: " + std::string(20'000, '[') + std::string(20'000, ']');
  EXPECT_EQ(messages(top + deep), "3: is nested too deep\n");
  EXPECT_EQ(messages("# " + std::string(1 << 20, 'x') + "\n"), " is over 1048576 bytes\n");
  (void)faults("contract: &c\n  a: *c\n");
  (void)faults(top + "resources: &r\n  a: *r\n");
}

TEST(ContractFile, AliasesOfColumnsAreTaken) {
  const Contract read = accepted(
      "contract: c\nsource: s\nresources:\n  a: {columns: &c {x: &t {type: date}, y: *t}}\n"
      "  b: {columns: *c}\n");
  EXPECT_EQ(read.find("b")->find("y")->type, Type::kDate);
}

TEST(ContractFile, TooManyFaultsAreCounted) {
  std::string text = "contract: c\nsource: s\nresources:\n  r:\n    columns:\n";
  for (int i = 0; i < 1000; ++i) text += "      c" + std::to_string(i) + ": txt\n";
  const std::vector<Diagnostic> all = faults(text);
  ASSERT_EQ(all.size(), 201U);
  EXPECT_EQ(all.back().message, " 800 more faults are not told");
}

TEST(ContractFile, IsReadFromAPath) {
  const test::TempFolder folder;
  const std::string file = folder.write("c.yaml", test::kFlashcards);
  const Result<Contract> read = load(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->file, file);
  EXPECT_EQ(load(folder.path() + "/none.yaml").error().code, "configuration");
  EXPECT_EQ(load(folder.path()).error().code, "configuration");
  EXPECT_EQ(load(folder.write("d.yaml", "contract: \xFF")).error().message,
            folder.path() + "/d.yaml: is not a text in UTF-8");
}

}  // namespace
}  // namespace candor::contract
