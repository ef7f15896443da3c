// What a list may show: refusals, scopes, the order of the flags, the byte budget.
#include <gtest/gtest.h>

#include "scope/document.h"
#include "scope/list.h"
#include "support/row_list.h"

namespace candor::scope {
namespace {

Ceiling page_of(std::uint64_t limit, std::uint64_t offset = 0, LimitSource source = LimitSource::kFlag) {
  return {source, LimitKind::kPagination, limit, offset};
}

// Rows 0 … n-1 with `kind` a, b, c in turn, metadata under every second.
RowList numbered(std::size_t rows) {
  std::vector<json::Node> nodes;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string id = std::to_string(i);
    std::string text = R"({"id":)" + id + R"(,"kind":")" + std::string(1, static_cast<char>('a' + i % 3)) + '"';
    if (i % 2 == 0) text += R"(,"metadata":{"even":")" + id + R"(","deep":{"x":1}})";
    nodes.push_back(json::parse(text + "}").value());
  }
  RowList list(std::move(nodes));
  list.declaration.catalogue.keys = {"id", "kind"};
  list.declaration.catalogue.open = {"metadata"};
  list.declaration.catalogue.aliases = {{"memory_kind", "kind"}};
  return list;
}

Shaping shaping(const ShapingFlags& flags) { return parse_shaping(flags).value(); }

json::Node document(RowList& list, const ShapingFlags& flags) {
  const Result<ShapedList> made = ShapedList::make(list, shaping(flags));
  if (!made.ok()) return json::Node::object().set("code", json::Node::string(made.error().code));
  json::Node node = json::Node::object();
  made->put_into(node);
  return node;
}

Diagnostic failure(RowList& list, const ShapingFlags& flags) {
  const Result<ShapedList> made = ShapedList::make(list, shaping(flags));
  return made.ok() ? Diagnostic{} : made.error();
}

std::string ids(const json::Node& document) {
  std::string text;
  for (const json::Node& row : document["items"].items()) text += (text.empty() ? "" : " ") + row["id"].text();
  return text;
}

std::string field(const json::Node& document, std::string_view name) {
  const json::Node* value = document["agent_surface"].find(name);
  return value == nullptr ? "absent" : value->is_string() ? value->text() : json::dump(*value);
}

TEST(ShapingFlags, AllThatIsWrongIsToldAtOnce) {
  ShapingFlags flags;
  flags.filters = {"type", "a=1"};
  flags.max_items = "-1";
  flags.filter_scope = "galaxy";
  flags.select = "a,,b";
  const auto read = parse_shaping(flags);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, "malformed-filter");
  ASSERT_EQ(read.error().others.size(), 3U);
  for (const Diagnostic& other : read.error().others) EXPECT_EQ(other.code, "usage");
  for (const std::string wrong : {"0", "", "1x", "99999999999999999999", "1.5"}) {
    ShapingFlags one;
    one.max_output_bytes = wrong;
    EXPECT_FALSE(parse_shaping(one).ok()) << wrong;
  }
}

TEST(ShapedList, WithoutACeilingEverythingIsLookedAt) {
  RowList list = numbered(10);
  const json::Node made = document(list, {.filters = {"kind=a"}});
  EXPECT_EQ(ids(made), "0 3 6 9");
  EXPECT_EQ(field(made, "query_limited"), "false");
  EXPECT_EQ(field(made, "filter_scope"), "universe");
  EXPECT_EQ(field(made, "filter_incomplete"), "absent");
  EXPECT_EQ(field(made, "count_scope"), "matched");
  EXPECT_EQ(field(made, "input_count"), "10");
  EXPECT_EQ(field(made, "output_count"), "4");
  EXPECT_EQ(field(made, "universe_total"), "10");
  EXPECT_EQ(field(made, "result_array_source"), "declared");
  EXPECT_EQ(field(made, "output_truncated"), "absent");
  EXPECT_EQ(field(made, "resolved_keys"), R"(["kind"])");
}

TEST(ShapedList, APredicateOrACountOverACutPageIsRefused) {
  RowList list = numbered(10);
  list.declaration.ceiling = page_of(4, 0, LimitSource::kDefault);
  const Diagnostic filter = failure(list, {.filters = {"kind=a"}, .count_only = true});
  EXPECT_EQ(filter.code, "filter-over-ceiling");
  EXPECT_EQ(filter.detail, "observed 4, total 10, limit 4, offset 0, source default");
  EXPECT_NE(filter.hint.find("--filter-scope universe"), std::string::npos);
  EXPECT_NE(filter.hint.find("--filter-scope page"), std::string::npos);
  EXPECT_NE(filter.hint.find("--limit 10 "), std::string::npos);
  EXPECT_EQ(failure(list, {.count_only = true}).code, "count-over-ceiling");
  EXPECT_EQ(list.handed_out, 0U) << "before any work";
  list.declaration.ceiling = page_of(10);
  EXPECT_EQ(ids(document(list, {.filters = {"kind=a"}})), "0 3 6 9") << "a ceiling that holds everything";
  list.declaration.ceiling = page_of(10, 1);
  EXPECT_EQ(failure(list, {.filters = {"kind=a"}}).code, "filter-over-ceiling") << "rows were passed over";
  EXPECT_NE(failure(list, {.filters = {"kind=a"}}).hint.find("--limit 10 --offset 0"), std::string::npos);
}

TEST(ShapedList, AnUncountedUniverseIsCutToo) {
  RowList list = numbered(10);
  list.counted = false;
  list.declaration.ceiling = page_of(4);
  const Diagnostic refused = failure(list, {.filters = {"kind=a"}});
  EXPECT_EQ(refused.code, "filter-over-ceiling");
  EXPECT_NE(refused.message.find("not counted"), std::string::npos);
  const json::Node made = document(list, {.filters = {"kind=a"}, .filter_scope = "universe"});
  EXPECT_EQ(ids(made), "0 3 6 9");
  EXPECT_EQ(field(made, "universe_reason"), "not-counted-within-budget");
}

TEST(ShapedList, AnEmptyListIsNeverRefused) {
  RowList list({});
  list.declaration.ceiling = page_of(4, 7);
  const json::Node made = document(list, {.filters = {"nothing=a"}, .sort = "less", .count_only = true});
  EXPECT_EQ(json::dump(made["count"]), "0");
  EXPECT_EQ(field(made, "count_scope"), "matched");
}

TEST(ShapedList, PageScopeJudgesThePage) {
  RowList list = numbered(10);
  list.declaration.ceiling = page_of(4, 2);
  const json::Node made = document(list, {.filters = {"kind=a"}, .filter_scope = "page"});
  EXPECT_EQ(ids(made), "3");
  EXPECT_EQ(field(made, "filter_scope"), "page");
  EXPECT_EQ(field(made, "filter_incomplete"), "true");
  EXPECT_EQ(field(made, "count_scope"), "page");
  EXPECT_EQ(field(made, "input_count"), "4");
  EXPECT_EQ(field(made, "query_offset"), "2");
  const json::Node count = document(list, {.filters = {"kind=a"}, .filter_scope = "page", .count_only = true});
  EXPECT_EQ(json::dump(count["count"]), "1");
  EXPECT_EQ(field(count, "count_scope"), "page");
}

TEST(ShapedList, UniverseScopeJudgesBelowTheCeiling) {
  RowList list = numbered(10);
  list.declaration.ceiling = page_of(2, 1);
  const json::Node made = document(list, {.filters = {"kind=a"}, .filter_scope = "universe"});
  EXPECT_EQ(ids(made), "3 6");
  EXPECT_EQ(field(made, "filter_scope"), "universe");
  EXPECT_EQ(field(made, "filter_incomplete"), "absent");
  EXPECT_EQ(field(made, "count_scope"), "page") << "the ceiling cut what matched";
  EXPECT_EQ(field(made, "matched_count"), "4");
  list.declaration.ceiling = page_of(4);
  EXPECT_EQ(field(document(list, {.filters = {"kind=a"}, .filter_scope = "universe"}), "count_scope"), "matched");
  list.declaration.ceiling = page_of(1);
  const json::Node count = document(list, {.filters = {"kind=a"}, .filter_scope = "universe", .count_only = true});
  EXPECT_EQ(json::dump(count["count"]), "4");
  EXPECT_EQ(field(count, "count_scope"), "matched");
}

TEST(ShapedList, ATopKIsJudgedAsItIs) {
  RowList list = numbered(10);
  list.declaration.ceiling = {LimitSource::kFlag, LimitKind::kTopK, 5, 0};
  const json::Node made = document(list, {.filters = {"kind=a"}});
  EXPECT_EQ(ids(made), "0 3");
  EXPECT_EQ(field(made, "filter_scope"), "top-k");
  EXPECT_EQ(field(made, "filter_incomplete"), "absent");
  EXPECT_EQ(field(made, "count_scope"), "top-k");
  EXPECT_EQ(json::dump(document(list, {.count_only = true})["count"]), "5");
  const json::Node all = document(list, {.filters = {"kind=a"}, .filter_scope = "universe"});
  EXPECT_EQ(ids(all), "0 3 6 9");
  EXPECT_EQ(field(all, "filter_scope"), "universe");
}

TEST(ShapedList, UnknownKeysAreRefusedWithNearOnes) {
  RowList list = numbered(10);
  const Diagnostic wrong = failure(list, {.filters = {"knid=a"}, .sort = "idd"});
  EXPECT_EQ(wrong.code, "unknown-key");
  EXPECT_NE(wrong.hint.find("kind"), std::string::npos);
  EXPECT_EQ(wrong.others.size(), 1U);
  EXPECT_EQ(failure(list, {.select = "id,nmae"}).code, "unknown-key");
  EXPECT_EQ(failure(list, {.filters = {"metadata.eevn=4"}}).code, "unknown-key") << "open, and no row has it";
  EXPECT_NE(failure(list, {.filters = {"metadata.eevn=4"}}).hint.find("metadata.even"), std::string::npos);
  EXPECT_EQ(ids(document(list, {.filters = {"metadata.even=777"}})), "") << "rows have the key, none the value";
  EXPECT_EQ(ids(document(list, {.filters = {"memory_kind=a", "metadata.deep.x=1"}})), "0 6");
  const json::Node allowed = document(list, {.filters = {"knid!=a"}, .allow_unknown_keys = true});
  EXPECT_EQ(field(allowed, "output_count"), "10");
  EXPECT_EQ(field(allowed, "unresolved_keys"), R"(["knid"])");
  EXPECT_EQ(field(allowed, "key_suggestions"), R"({"knid":["kind"]})");
}

TEST(ShapedList, FlagsGoInOneOrder) {
  RowList list = numbered(10);
  list.hidden_keys = {"metadata"};
  EXPECT_EQ(ids(document(list, {.sort = "kind", .dedupe_by = "kind"})), "0 1 2");
  EXPECT_EQ(ids(document(list, {.sort = "kind", .max_items = "5"})), "0 3 6 9 1");
  const json::Node counted = document(list, {.dedupe_by = "kind", .max_items = "1", .count_only = true});
  EXPECT_EQ(json::dump(counted["count"]), "3") << "the count comes before --max-items";
  EXPECT_EQ(field(counted, "count_scope"), "matched");
  const json::Node few = document(list, {.max_items = "3"});
  EXPECT_EQ(field(few, "count_scope"), "emitted");
  EXPECT_EQ(few["items"].items()[0].find("metadata"), nullptr);
  EXPECT_EQ(json::dump(document(list, {.select = "metadata.deep.x,kind,memory_kind", .max_items = "1"})["items"]),
            R"([{"metadata":{"deep":{"x":1}},"kind":"a","memory_kind":"a"}])");
}

TEST(ShapedList, AnEarlyEndStillKnowsHowManyMatch) {
  RowList list = numbered(1'000);
  const json::Node made = document(list, {.filters = {"kind=a"}, .max_items = "2"});
  EXPECT_EQ(field(made, "matched_count"), "334");
  EXPECT_EQ(field(made, "count_scope"), "emitted");
  RowList plain = numbered(1'000);
  (void)document(plain, {.max_items = "2"});
  EXPECT_EQ(plain.handed_out, 3U) << "nothing more is made than is shown, and one to know that it was cut";
}

TEST(ShapedList, SortsNumbersThenMomentsThenTextsThenNothing) {
  RowList list =
      RowList::of({R"({"id":0})", R"({"id":1,"v":"b"})", R"({"id":2,"v":"2024-01-02"})", R"({"id":3,"v":10})",
                   R"({"id":4,"v":null})", R"({"id":5,"v":"9.5"})", R"({"id":6,"v":"2024-01-01T23:00:00-02:00"})",
                   R"({"id":7,"v":"a"})", R"({"id":8,"v":10.0})", R"({"id":9,"v":[1]})"});
  EXPECT_EQ(ids(document(list, {.sort = "v"})), "5 3 8 2 6 7 1 0 4 9");
  EXPECT_EQ(ids(document(list, {.sort = "-v"})), "1 7 6 2 3 8 5 0 4 9") << "ties stay, what has no value too";
  EXPECT_EQ(field(document(list, {.sort = "-v"}), "sort"), "-v");
}

TEST(ShapedList, TextsAreCutByCharacters) {
  RowList list = RowList::of({R"({"id":1,"body":"письмо","name":"письмо"})"});
  list.declaration.content = {"body"};
  const json::Node made = document(list, {.truncate_content = "3"});
  EXPECT_EQ(json::dump(made["items"]), R"([{"id":1,"body":"пис","name":"письмо"}])");
  EXPECT_EQ(field(made, "content_truncated"), "1");
}

TEST(PutInto, TheBudgetIsOfTheWholeDocument) {
  RowList list = numbered(200);
  for (std::uint64_t budget = 20; budget < 12'000; budget += 97) {
    const Result<ShapedList> made = ShapedList::make(list, shaping({.max_output_bytes = std::to_string(budget)}));
    ASSERT_TRUE(made.ok());
    json::Node node = json::Node::object();
    node.set("query", json::Node::string("what"));
    made->put_into(node);
    ASSERT_LE(json::dump(node).size() + 1, budget);
    if (node.find("truncated") != nullptr) continue;
    const auto shown = node["items"].items().size();
    if (shown == 200) continue;
    EXPECT_EQ(field(node, "dropped"), std::to_string(200 - shown));
    EXPECT_EQ(field(node, "output_truncated_by"), "max_output_bytes");
    const std::size_t next = json::dump(made->rows()[shown]).size() + 1;
    EXPECT_GT(json::dump(node).size() + 1 + next, budget) << "one more row would have fitted";
  }
}

TEST(PutInto, EqualRunsDropTheSameRows) {
  RowList list = numbered(50);
  const auto shown = [&](double ms) {
    const ShapedList made = ShapedList::make(list, shaping({.max_output_bytes = "900"})).value();
    json::Node node = json::Node::object();
    node.set("elapsed_ms", json::Node::number(ms));
    made.put_into(node);
    return node["items"].items().size();
  };
  EXPECT_GT(shown(1), 0U);
  for (double ms = 0.001; ms < 1e9; ms *= 7.3) EXPECT_EQ(shown(ms), shown(1));
}

TEST(PutInto, OtherArraysAreCappedAndNamed) {
  RowList list = numbered(5);
  ShapedList made = ShapedList::make(list, shaping({.max_items = "2"})).value();
  made.add_secondary("edges", {json::Node(), json::Node(), json::Node()});
  made.add_secondary("few", {json::Node()});
  json::Node node = json::Node::object();
  made.put_into(node);
  EXPECT_EQ(node["edges"].items().size(), 2U);
  EXPECT_EQ(field(node, "secondary_capped"), R"(["edges"])");
}

TEST(Notes, FailOnlyWhereThatWasAskedFor) {
  RowList list = numbered(5);
  for (const bool asked : {false, true}) {
    ShapedList made = ShapedList::make(list, shaping({.fail_on_degraded = asked})).value();
    EXPECT_TRUE(made.check().ok());
    made.add_note("vec_degraded_reason", json::Node::string("timeout"));
    EXPECT_EQ(made.check().ok(), !asked);
    json::Node node = json::Node::object();
    made.put_into(node);
    EXPECT_EQ(node["vec_degraded_reason"].text(), "timeout");
  }
}

}  // namespace
}  // namespace candor::scope
