// Whatever a catalog holds, the first contract of it loads and says the same of it.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/render_json.h"
#include "contract/describe.h"
#include "contract/initial.h"
#include "contract/type_names.h"

namespace candor::contract {
namespace {

class Catalogs {
 public:
  explicit Catalogs(unsigned seed) : random_(seed) {}

  FoundSource source() {
    FoundSource found;
    found.source = one_of({"app", "my app", "select", "null", "größe", ""});
    for (std::size_t i = 1 + below(4); i > 0; --i) found.tables.push_back(table());
    for (FoundTable& from : found.tables) {
      const FoundTable& to = found.tables[below(found.tables.size())];
      from.references.push_back({name_of(from), to.schema, to.name, name_of(to)});
    }
    return found;
  }

 private:
  std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }
  bool sometimes() { return below(4) == 0; }
  std::string one_of(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }
  std::string name_of(const FoundTable& table) { return table.columns[below(table.columns.size())].name; }

  // Mostly what people write; sometimes what breaks a text of YAML.
  std::string text() {
    static const std::vector<std::string> pieces = {"id",
                                                    "name",
                                                    "A",
                                                    "b_c",
                                                    " ",
                                                    "null",
                                                    "true",
                                                    "~",
                                                    "1",
                                                    "-",
                                                    ": ",
                                                    " #",
                                                    "\"",
                                                    "'",
                                                    "\\",
                                                    "{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ",",
                                                    "&a",
                                                    "*a",
                                                    "!",
                                                    "|",
                                                    ">",
                                                    "%",
                                                    "@",
                                                    "`",
                                                    "\n",
                                                    "\t",
                                                    "\r",
                                                    ".",
                                                    "é",
                                                    "😀",
                                                    "\x7F",
                                                    "..",
                                                    "$",
                                                    "${",
                                                    "?",
                                                    "<<",
                                                    "=",
                                                    "\\n",
                                                    "\xC2\x85",
                                                    "\xE2\x80\xA8",
                                                    "\xEF\xBB\xBF",
                                                    "\xFF",
                                                    std::string(1, '\0'),
                                                    std::string(70, 'x')};
    std::string made;
    for (std::size_t i = below(5); i > 0; --i) made += one_of(pieces);
    return made;
  }

  std::string name() { return sometimes() ? text() : one_of({"id", "card_id", "name", "tags", "Name", "deleted_at"}); }

  FoundColumn column() {
    FoundColumn found;
    found.name = name();
    found.type =
        one_of({"VARCHAR", "INTEGER", "uuid", "text[]", "BLOB", "", "timestamp(3) with time zone", "JSON",
                "ENUM('a', 'it''s')", "double precision", "NUMERIC(10,2)", "date", "bool", "INTEGER[]", text()});
    found.nullable = sometimes();
    found.primary_key = sometimes();
    found.comment = sometimes() ? text() : "";
    found.default_text = sometimes() ? one_of({"now()", "uuid()", "0", text()}) : "";
    for (std::size_t i = sometimes() ? below(5) : 0; i > 0; --i) found.values.push_back(text());
    if (sometimes()) found.seen_as = static_cast<Type>(below(type_names().size()));
    return found;
  }

  FoundTable table() {
    FoundTable found;
    found.schema = sometimes() ? text() : "";
    found.name = sometimes() ? text() : one_of({"cards", "decks", "users", "Cards", "sqlite_master"});
    found.view = sometimes();
    found.comment = sometimes() ? text() : "";
    for (std::size_t i = 1 + below(6); i > 0; --i) found.columns.push_back(column());
    return found;
  }

  std::mt19937 random_;
};

// Every column of the contract stands for one of the table, and none of them for what no type holds.
void expect_same(const Resource& resource, const FoundTable& table) {
  for (const Column& column : resource.columns) {
    const auto found = std::ranges::find(table.columns, column.stored, &FoundColumn::name);
    ASSERT_NE(found, table.columns.end()) << column.stored;
    EXPECT_EQ(column.type, found->seen_as ? found->seen_as : type_of_stored(found->type));
    EXPECT_EQ(column.nullable, found->nullable && !same_name(column.name, resource.key));
    for (const std::string& value : column.allowed) {
      EXPECT_TRUE(std::ranges::find(found->values, value) != found->values.end() || !enum_values(found->type).empty());
    }
  }
  EXPECT_FALSE(resource.takes_writes());
}

TEST(InitialContractProperty, LoadsWhateverTheCatalogHolds) {
  const char* given = std::getenv("CANDOR_SEED");
  const unsigned seed =
      given == nullptr ? std::random_device()() : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  std::printf("CANDOR_SEED=%u\n", seed);
  Catalogs catalogs(seed);
  std::size_t loaded = 0;
  for (int i = 0; i < 3'000; ++i) {
    const FoundSource found = catalogs.source();
    const Result<std::string> text = initial_contract(found);
    if (!text.ok()) {
      ASSERT_TRUE(text.error().message.find("has no table that a contract could publish") != std::string::npos)
          << text.error().message;
      continue;
    }
    ++loaded;
    ASSERT_TRUE(is_utf8(*text));
    const Result<Contract> read = parse(*text, "first.yaml");
    ASSERT_TRUE(read.ok()) << read.error().message << "\n" << *text;
    for (const Resource& resource : read->resources) {
      const auto [schema, name] = table_name(resource);
      const auto table = std::ranges::find_if(
          found.tables, [&](const FoundTable& other) { return other.schema == schema && other.name == name; });
      ASSERT_NE(table, found.tables.end()) << resource.table;
      // Two tables of one name are told apart by their order alone: only the first is compared.
      if (std::ranges::count_if(found.tables, [&](const FoundTable& other) {
            return other.schema == schema && other.name == name;
          }) == 1) {
        expect_same(resource, *table);
      }
    }
    ASSERT_TRUE(is_utf8(describe_markdown(*read)));
    if (HasFailure()) FAIL() << *text;
  }
  EXPECT_GT(loaded, 1'000U) << "most catalogs should have something to publish";
}

}  // namespace
}  // namespace candor::contract
