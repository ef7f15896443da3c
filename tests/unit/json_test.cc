// The JSON tree: strictness of the parser, digits kept as written, exact text back.
#include "json/json.h"

#include <gtest/gtest.h>
#include <limits>

namespace candor::json {
namespace {

// The text after a way through the tree; the error's message where it is refused.
std::string round_trip(std::string_view text) {
  const Result<Node> node = parse(text);
  return node.ok() ? dump(*node) : "refused: " + node.error().message;
}

std::string refusal(std::string_view text, const ParseLimits& limits = {}) {
  const Result<Node> node = parse(text, limits);
  if (node.ok()) return "accepted";
  EXPECT_EQ(node.error().code, "bad-request");
  EXPECT_TRUE(node.error().span.has_value());
  return node.error().message;
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, TextComesBackUnchanged) {
  for (const std::string_view text : {R"({"b":1,"a":[true,false,null,"x",{}],"":[]})", R"("plain")", "0", "null", "[]",
                                      "{}", R"("\u0000\u001f\"\\")", "\"\xF0\x9F\x99\x82 \xC3\xA4\""}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(Json, DigitsAreKeptAsWritten) {
  for (const std::string_view text :
       {"12.50", "1e2", "1E+2", "-0", "-0.0", "0.1000000000000000055511151231257827", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "18446744073709551616", "-9223372036854775809",
        "123456789012345678901234567890", "1e-400"}) {
    EXPECT_EQ(round_trip(text), text);
  }
}

TEST(Json, NumbersAreReadWithinTheirRange) {
  EXPECT_EQ(parse("-9223372036854775808")->integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse("9223372036854775807")->integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse("9223372036854775808")->integer(), std::nullopt);
  EXPECT_EQ(parse("12.0")->integer(), std::nullopt);
  EXPECT_EQ(parse("\"12\"")->integer(), std::nullopt);
  EXPECT_EQ(parse("-0")->integer(), 0);
  EXPECT_EQ(parse("12.50")->real(), 12.5);
  EXPECT_EQ(parse("1e-400")->real(), 0.0);
  EXPECT_EQ(parse("9223372036854775808")->real(), 9223372036854775808.0);
  EXPECT_EQ(parse("null")->real(), std::nullopt);
  EXPECT_EQ(Node::number_text("1e400").real(), std::nullopt);
}

TEST(Json, BlanksAndAByteOrderMarkArePassedOver) {
  EXPECT_EQ(round_trip(" \t\r\n[ 1 , 2 ]\n"), "[1,2]");
  EXPECT_EQ(round_trip("\xEF\xBB\xBF[1]"), "[1]");
}

TEST(Json, NulInsideAStringSurvives) {
  const Result<Node> node = parse(R"({"a\u0000b":"c\u0000d"})");
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->members()[0].first, std::string("a\0b", 3));
  EXPECT_EQ(node->members()[0].second.text(), std::string("c\0d", 3));
}

TEST(Json, EscapesAreDecoded) {
  EXPECT_EQ(parse(R"("\ud83d\ude42\u00e4\/\b\f\n\r\t")")->text(), "\xF0\x9F\x99\x82\xC3\xA4/\b\f\n\r\t");
}

TEST(Json, MalformedTextIsRefused) {
  for (const std::string_view text :
       {"",        " ",   "{",      "[1,]",      "{\"a\":}",    "{\"a\" 1}", "{a:1}",  "'a'",  "01",    "+1",
        ".5",      "1.",  "1e",     "NaN",       "Infinity",    "-",         "nul",    "True", "[1] 2", "[1]]",
        "// c\n1", "\"a", "\"\t\"", "\"\\x41\"", "\"\\u12g4\"", "1e309",     "-1e309", "\x01"}) {
    EXPECT_NE(refusal(text), "accepted") << text;
  }
}

TEST(Json, NulOutsideOfAStringIsNotTheEnd) {
  EXPECT_NE(refusal(std::string_view("[1]\0[2]", 7)), "accepted");
  EXPECT_NE(refusal(std::string_view("\0", 1)), "accepted");
  EXPECT_NE(refusal(std::string_view("\"a\0b\"", 5)), "accepted");
}

TEST(Json, BrokenUnicodeIsRefused) {
  for (const std::string_view text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud83dx")", "\"\xFF\"", "\"\xC0\x80\"",
        "\"\xED\xA0\x80\"", "\"\xF5\x80\x80\x80\"", "\"\xE4\xB8\"", "{\"\xFF\":1}"}) {
    const std::string message = refusal(text);
    EXPECT_NE(message, "accepted");
    EXPECT_EQ(message.find('\xFF'), std::string::npos) << "the bad bytes must not leak into the message";
  }
}

TEST(Json, DuplicateMembersAreRefusedInSmallAndLargeObjects) {
  EXPECT_NE(refusal(R"({"a":1,"b":2,"a":3})").find("twice"), std::string::npos);
  EXPECT_NE(refusal(R"({"a":1,"\u0061":3})").find("twice"), std::string::npos);
  EXPECT_EQ(round_trip(R"([{"a":1},{"a":{"a":1}}])"), R"([{"a":1},{"a":{"a":1}}])");
  std::string large = "{";
  for (int i = 0; i < 100; ++i) large += "\"m" + std::to_string(i) + "\":0,";
  EXPECT_TRUE(parse(large + "\"m100\":0}").ok());
  for (const std::string_view again : {"m0", "m23", "m24", "m99"}) {
    EXPECT_NE(refusal(large + '"' + std::string(again) + "\":0}").find("twice"), std::string::npos) << again;
  }
}

TEST(Json, TheErrorPointsIntoTheText) {
  const Result<Node> duplicate = parse(R"({"a":1,"a":3})");
  ASSERT_FALSE(duplicate.ok());
  EXPECT_GE(duplicate.error().span->start, 7U);
  EXPECT_LE(duplicate.error().span->start, 9U);
  const Result<Node> syntax = parse("[1,x]");
  ASSERT_FALSE(syntax.ok());
  EXPECT_EQ(syntax.error().span->start, 3U);
}

TEST(Json, LimitsHold) {
  EXPECT_TRUE(parse(nested(200)).ok());
  EXPECT_NE(refusal(nested(201)).find("200 levels"), std::string::npos);
  EXPECT_NE(refusal(std::string(1'000'000, '[')), "accepted");
  ParseLimits limits;
  limits.bytes_max = 4;
  EXPECT_TRUE(parse("1234", limits).ok());
  EXPECT_NE(refusal("12345", limits), "accepted");
  limits = {};
  limits.nodes_max = 3;
  EXPECT_TRUE(parse("[1,2]", limits).ok());
  EXPECT_NE(refusal("[1,2,3]", limits), "accepted");
}

TEST(Json, LookUps) {
  const Result<Node> node = parse(R"({"a":{"b":"text"},"n":1})");
  ASSERT_TRUE(node.ok());
  EXPECT_EQ((*node)["a"]["b"].text(), "text");
  EXPECT_TRUE((*node)["a"]["missing"]["further"].is_null());
  EXPECT_EQ(node->find("missing"), nullptr);
  EXPECT_EQ((*node)["a"].string_or("b", "other"), "text");
  EXPECT_EQ(node->string_or("n", "other"), "other");
  EXPECT_EQ(node->string_or("missing", "other"), "other");
}

TEST(Json, TreesAreBuiltAndPrinted) {
  Node node = Node::object();
  node.set("i", Node::number(std::int64_t{-7})).set("d", Node::number(0.1)).set("s", Node::string("a\nb"));
  node.set("n", Node()).set("i", Node::boolean(true)).set("e", Node::array());
  node.set("l", Node::array().push(Node::raw("[1, 2]")));
  EXPECT_EQ(dump(node), R"({"i":true,"d":0.1,"s":"a\nb","n":null,"e":[],"l":[[1, 2]]})");
  EXPECT_EQ(dump_pretty(node),
            "{\n  \"i\": true,\n  \"d\": 0.1,\n  \"s\": \"a\\nb\",\n  \"n\": null,\n  \"e\": [],\n  \"l\": [\n    [1, "
            "2]\n  ]\n}");
}

TEST(Json, NonFiniteNumbersAreStrings) {
  EXPECT_EQ(dump(Node::number(std::numeric_limits<double>::quiet_NaN())), "\"NaN\"");
  EXPECT_EQ(dump(Node::number(-std::numeric_limits<double>::infinity())), "\"-Infinity\"");
}

TEST(Json, RawHasTheKindOfItsText) {
  EXPECT_TRUE(Node::raw(" {\"a\":1}").is_object());
  EXPECT_TRUE(Node::raw("[]").is_array());
  EXPECT_TRUE(Node::raw("-1").is_number());
  EXPECT_TRUE(Node::raw("null").is_null());
  EXPECT_TRUE(Node::raw("\"x\"").is_string());
}

TEST(Json, EqualityGoesByDigits) {
  EXPECT_EQ(*parse("[1.0,\"a\"]"), *parse(" [1.0, \"a\"] "));
  EXPECT_FALSE(*parse("1.0") == *parse("1"));
  EXPECT_FALSE(*parse("1") == *parse("\"1\""));
}

}  // namespace
}  // namespace candor::json
