// What agents are told of a contract: nothing that they must not know, every limit as it stands, the same in all formats.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "config/config.h"
#include "contract/describe.h"
#include "contract/rules.h"
#include "json/json.h"
#include "support/contract_text.h"

namespace candor::contract {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

Contract flashcards() {
  Result<Contract> read = parse(test::kFlashcards, "c.yaml");
  EXPECT_TRUE(read.ok()) << read.error().message;
  return *std::move(read);
}

std::map<std::string, std::string> formats(const Contract& contract) {
  return {{"markdown", describe_markdown(contract)},
          {"json", describe_json(contract)},
          {"openapi", describe_openapi(contract)},
          {"mcp", describe_mcp(contract)}};
}

json::Node parsed(const std::string& text) {
  Result<json::Node> node = json::parse(text);
  EXPECT_TRUE(node.ok()) << node.error().message;
  return node.ok() ? *std::move(node) : json::Node();
}

TEST(ContractDescribe, AChangedLimitChangesInEveryFormat) {
  Contract contract = flashcards();
  std::int64_t value = 71'371;
  for (const LimitField& field : limit_fields()) {
    const std::int64_t before = std::exchange(contract.*(field.value), value);
    for (const auto& [format, text] : formats(contract)) {
      EXPECT_PRED2(contains, text, std::to_string(value)) << format << " doesn't say " << field.name;
      EXPECT_FALSE(contains(text, "{" + std::string(field.name) + "}")) << format;
    }
    contract.*(field.value) = before;
    for (const auto& [format, text] : formats(contract)) EXPECT_FALSE(contains(text, std::to_string(value))) << format;
    value += 1'013;
  }
}

// The numbers of a text: "12.50" is one, 12.50.
std::set<std::string> numbers_in(std::string_view text) {
  std::set<std::string> numbers;
  std::string number;
  for (const char c : std::string(text) + " ") {
    if ((c >= '0' && c <= '9') || (c == '.' && !number.empty())) {
      number += c;
    } else {
      while (number.ends_with('.')) number.pop_back();
      if (!number.empty()) numbers.insert(std::exchange(number, ""));
    }
  }
  return numbers;
}

// A limit typed into a text by hand would stand in it whatever the contract says.
TEST(ContractDescribe, NoRuleHasALimitTypedIn) {
  for (const Rule& rule : rules()) {
    const std::set<std::string> numbers = numbers_in(std::string(rule.text) + " " + std::string(rule.brief));
    for (const config::Limit& limit : config::limits()) {
      EXPECT_FALSE(numbers.contains(std::to_string(limit.standard))) << rule.name;
    }
  }
}

TEST(ContractDescribe, EveryRuleIsInEveryFormatThatHasRoomForIt) {
  const Contract contract = flashcards();
  const std::string json = parsed(describe_json(contract))["rules"].is_array() ? describe_json(contract) : "";
  std::set<std::string_view> names;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    ASSERT_TRUE(holds_for(rule, contract)) << "the contract of this test should have something of everything";
    const std::string text = filled(rule.text, contract);
    EXPECT_FALSE(contains(text, "{")) << "a place that nothing fills: " << text;
    EXPECT_PRED2(contains, describe_markdown(contract), text);
    const std::string in_json = json::dump(json::Node::string(text));
    EXPECT_PRED2(contains, json, in_json);
    EXPECT_PRED2(contains, describe_openapi(contract), in_json.substr(1, in_json.size() - 2));
    if (rule.brief.empty()) continue;
    const std::string brief = json::dump(json::Node::string(filled(rule.brief, contract)));
    EXPECT_PRED2(contains, describe_mcp(contract), brief.substr(1, brief.size() - 2));
  }
}

TEST(ContractDescribe, RulesThatSayNothingOfAContractAreLeftOut) {
  const Result<Contract> read = parse("contract: c\nsource: s\nresources: {r: {columns: {x: integer}}}\n", "c");
  ASSERT_TRUE(read.ok());
  for (const auto& [format, text] : formats(*read)) {
    EXPECT_FALSE(contains(text, "OVERLAP")) << format;
    EXPECT_FALSE(contains(text, "RETURNING")) << format;
    EXPECT_FALSE(contains(text, "caller's scope")) << format;
  }
  EXPECT_EQ(tool_texts(*read)[1].description, "c takes no writes.");
}

TEST(ContractDescribe, WhereTheDataLiesIsNotTold) {
  for (const auto& [format, text] : formats(flashcards())) {
    for (const char* hidden : {"card_table", "study", "meta_blob", "c.yaml", "claim"}) {
      EXPECT_FALSE(contains(text, hidden)) << format << " tells " << hidden;
    }
  }
}

TEST(ContractDescribe, AScopeColumnThatIsNotListedIsNotTold) {
  Contract contract = flashcards();
  contract.resources.pop_back();
  for (const auto& [format, text] : formats(contract)) EXPECT_FALSE(contains(text, "workspace_id")) << format;
}

TEST(ContractDescribe, ResourcesInMarkdown) {
  const std::string text = describe_markdown(flashcards());
  const std::size_t rules = text.find("\n## Limits");
  ASSERT_NE(rules, std::string::npos);
  EXPECT_EQ(text.substr(0, rules), R"(# flashcards

- A deck is a saved tag filter.
- Times are UTC.

## Resources

### cards

Cards in the selected workspace.

Its key is card_id. Takes INSERT, UPDATE, DELETE. Rows with a deleted_at count as deleted and are not seen; DELETE sets it.

| Column | Type | |
|---|---|---|
| `card_id` | uuid | key; generated; read only |
| `front_text` | string | The question \| never the answer. |
| `card_type` | string | one of 'basic', 'cloze', 'it''s' |
| `tags` | string[] |  |
| `metadata` | json | read only; not filterable; not sortable |
| `"order"` | integer | may be NULL |
| `created_at` | datetime | the time of its INSERT; read only |
| `deleted_at` | datetime | may be NULL; set by DELETE; read only; not filterable; not sortable |

Not here:

- `deck_id`: Match the deck's tags.

### reviews

Its key is review_id. Read only.

| Column | Type | |
|---|---|---|
| `review_id` | integer | key |
| `workspace_id` | string |  |
| `rating` | number | may be NULL |
)");
}

TEST(ContractDescribe, LimitsInMarkdown) {
  EXPECT_PRED2(contains, describe_markdown(flashcards()), R"(## Limits

| Limit | Value | Of what |
|---|---|---|
| `rows_per_statement` | 100 | rows that one statement may read or write through a contract |
| `statements_per_batch` | 50 | statements of one request |
| `result_chars` | 48000 | characters of a result's rows as JSON; no row is begun beyond it |
| `predicate_depth` | 64 | levels of nesting in a predicate |
)");
}

TEST(ContractDescribe, ExamplesSpeakOfTheContractsOwnArrays) {
  EXPECT_PRED2(contains, describe_markdown(flashcards()), "FROM cards UNNEST tags AS element");
  const Result<Contract> read =
      parse("contract: c\nsource: s\nresources: {group: {columns: {order: \"integer[]\"}}}\n", "c");
  ASSERT_TRUE(read.ok());
  EXPECT_PRED2(contains, describe_markdown(*read), "\"order\" OVERLAP (1, 2)");
  EXPECT_PRED2(contains, describe_markdown(*read), "FROM \"group\" UNNEST \"order\" AS element");
}

TEST(ContractDescribe, OperatorsTextsStayOnTheirLine) {
  const Result<Contract> read = parse(
      "contract: c\nsource: s\nnotes: [\"a\\nb\"]\nresources: {r: {description: \"d\\n\\n## e\", columns: {x: {type: "
      "string, enum: [\"a|b\"], description: \"f\\n|g\"}}, absent: {y: \"h\\ni\"}}}\n",
      "c");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const std::string text = describe_markdown(*read);
  EXPECT_PRED2(contains, text, "\n- a b\n");
  EXPECT_PRED2(contains, text, "\nd ## e\n");
  EXPECT_PRED2(contains, text, "| one of 'a\\|b'; f \\|g |\n");
  EXPECT_PRED2(contains, text, "- `y`: h i\n");
}

TEST(ContractDescribe, Json) {
  const json::Node node = parsed(describe_json(flashcards()));
  EXPECT_EQ(node["contract"].text(), "flashcards");
  EXPECT_TRUE(node["scoped"].truth());
  const json::Node& cards = node["resources"].items().at(0);
  EXPECT_EQ(json::dump(cards["writes"]), R"(["insert","update","delete"])");
  EXPECT_EQ(json::dump(cards["columns"].items().at(2)),
            R"({"name":"card_type","type":"string","nullable":false,"filterable":true,"sortable":true,"writable":true,)"
            R"("enum":["basic","cloze","it's"]})");
  EXPECT_EQ(json::dump(cards["absent"]), R"({"deck_id":"Match the deck's tags."})");
  EXPECT_EQ(json::dump(node["limits"].items().at(0)),
            R"({"name":"rows_per_statement","value":100,"unit":"rows",)"
            R"("meaning":"rows that one statement may read or write through a contract"})");
}

TEST(ContractDescribe, OpenApi) {
  const json::Node node = parsed(describe_openapi(flashcards()));
  EXPECT_EQ(node["openapi"].text(), "3.1.0");
  const json::Node& post = node["paths"]["/v1/sql"]["post"];
  EXPECT_EQ(json::dump(post["requestBody"]["content"]["application/json"]["schema"]),
            R"({"$ref":"#/components/schemas/Request"})");
  const json::Node& schemas = node["components"]["schemas"];
  EXPECT_EQ(schemas["Statement"]["properties"]["rows"]["maxItems"].integer(), 100);
  EXPECT_EQ(schemas["Batch"]["properties"]["statements"]["maxItems"].integer(), 50);
  const json::Node& row = schemas["row.cards"]["properties"];
  EXPECT_EQ(json::dump(row["card_id"]),
            R"({"type":"string","format":"uuid","description":"uuid; key; generated; read only","readOnly":true})");
  EXPECT_EQ(json::dump(row["order"]), R"({"type":["integer","string","null"],"description":"integer; may be NULL"})");
  EXPECT_EQ(json::dump(row["tags"]), R"({"type":"array","items":{"type":"string"},"description":"string[]"})");
  EXPECT_TRUE(schemas["row.reviews"]["properties"]["rating"]["readOnly"].truth());
}

// Every reference leads somewhere.
void find_references(const json::Node& node, std::set<std::string>& found) {
  for (const auto& [name, member] : node.members()) {
    if (name == "$ref") found.insert(member.text());
    find_references(member, found);
  }
  for (const json::Node& item : node.items()) find_references(item, found);
}

TEST(ContractDescribe, OpenApisReferencesLeadSomewhere) {
  const json::Node node = parsed(describe_openapi(flashcards()));
  std::set<std::string> references;
  find_references(node, references);
  EXPECT_EQ(references.size(), 5U);
  for (const std::string& reference : references) {
    const std::string name = reference.substr(reference.rfind('/') + 1);
    EXPECT_TRUE(node["components"]["schemas"].find(name) != nullptr) << reference;
  }
}

// The list of all tools has about six thousand characters.
TEST(ContractDescribe, ToolTextsStaySmallHoweverLargeTheContract) {
  Contract contract = flashcards();
  EXPECT_PRED2(contains, tool_texts(contract)[0].description,
               "Read flashcards in SQL: cards, reviews. A deck is a saved");
  EXPECT_PRED2(contains, tool_texts(contract)[1].description, "(INSERT, UPDATE, DELETE): cards.");
  for (int i = 0; i < 500; ++i) {
    contract.resources.push_back(contract.resources.front());
    contract.resources.back().name = "another_resource_" + std::to_string(i);
    contract.notes.emplace_back("Another note, number " + std::to_string(i) + ".");
  }
  EXPECT_LE(tool_texts(contract)[0].description.size(), 1'900U);
  EXPECT_LE(tool_texts(contract)[1].description.size(), 900U);
  EXPECT_PRED2(contains, tool_texts(contract)[0].description, " more. ");
}

// The page for operators has a contract that loads, so that the page can't grow stale.
TEST(ContractDescribe, TheDocumentedContractLoads) {
  std::ifstream page("docs/contract.md");
  const std::string text{std::istreambuf_iterator<char>(page), std::istreambuf_iterator<char>()};
  const std::size_t start = text.find("```yaml\ncontract:");
  ASSERT_NE(start, std::string::npos);
  const std::size_t yaml = start + std::string_view("```yaml\n").size();
  const Result<Contract> read = parse(text.substr(yaml, text.find("```", yaml) - yaml), "docs/contract.md");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->resources.size(), 2U);
  for (const std::string& name : std::vector<std::string>{"string[]", "integer[]"}) EXPECT_PRED2(contains, text, name);
  for (const LimitField& field : limit_fields()) EXPECT_PRED2(contains, text, field.name);
}

}  // namespace
}  // namespace candor::contract
