// What a filter says of a value, and which value a key names.
#include "scope/filter.h"

#include <gtest/gtest.h>

#include "scope/characters.h"

namespace candor::scope {
namespace {

json::Node row(std::string_view text) { return json::parse(text).value(); }

bool passes(std::string_view text, std::string_view filter) {
  return Predicate({parse_filter(filter).value()}).matches(row(text));
}

TEST(ParseFilter, TheFirstOperatorParts) {
  const auto parts = [](std::string_view text) {
    const Filter filter = parse_filter(text).value();
    return std::tuple(filter.key, filter.op, filter.value);
  };
  EXPECT_EQ(parts("type=skill"), std::tuple("type", Operator::kEqual, "skill"));
  EXPECT_EQ(parts("a!=b=c"), std::tuple("a", Operator::kNotEqual, "b=c"));
  EXPECT_EQ(parts("a<=3"), std::tuple("a", Operator::kAtMost, "3"));
  EXPECT_EQ(parts("a<>3"), std::tuple("a", Operator::kLess, ">3"));
  EXPECT_EQ(parts("a~b>c"), std::tuple("a", Operator::kContains, "b>c"));
  EXPECT_EQ(parts("what!=1"), std::tuple("what", Operator::kNotEqual, "1"));
  EXPECT_EQ(parts("what!now>=1"), std::tuple("what!now", Operator::kAtLeast, "1"));
  EXPECT_EQ(parts("key="), std::tuple("key", Operator::kEqual, "")) << "an empty value is well formed";
  EXPECT_EQ(parts("it's \"x\"=1"), std::tuple("it's \"x\"", Operator::kEqual, "1"));
}

TEST(ParseFilter, Malformed) {
  for (const std::string_view text : {"", "type", "=skill", "~x", "!=skill", "<3", "!"}) {
    const auto read = parse_filter(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, "malformed-filter");
  }
  const auto broken = parse_filter("a=\xff");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, "malformed-filter");
  const auto large = parse_filter(std::string(100'000, 'x'));
  ASSERT_FALSE(large.ok());
  EXPECT_LT(large.error().message.size(), 200U) << "no message repeats what it was given";
}

TEST(ValueAt, LiteralDotsWinAndTheLongerFirst) {
  const json::Node node = row(R"({"a.b":1,"a":{"b":2,"c.d":3,"c":{"d":4}},"a.c":{"x":5},"n":null,"l":[1]})");
  const auto at = [&](std::string_view key) {
    const json::Node* value = value_at(node, key);
    return value == nullptr ? std::string("missing") : json::dump(*value);
  };
  EXPECT_EQ(at("a.b"), "1");
  EXPECT_EQ(at("a.c.d"), "3");
  EXPECT_EQ(at("a.c.x"), "5");
  EXPECT_EQ(at("n"), "null");
  EXPECT_EQ(at("n.x"), "missing");
  EXPECT_EQ(at("l.0"), "missing");
  EXPECT_EQ(at(".a"), "missing");
  EXPECT_EQ(at("a."), "missing");
  EXPECT_EQ(at(std::string(100'000, '.')), "missing");
}

TEST(Passes, TextsNullAndMissing) {
  constexpr std::string_view kRow = R"({"t":"Skill","n":3,"b":true,"z":null,"o":{"i":1},"l":[]})";
  EXPECT_TRUE(passes(kRow, "t=Skill"));
  EXPECT_FALSE(passes(kRow, "t=skill"));
  EXPECT_TRUE(passes(kRow, "t~KIL"));
  EXPECT_TRUE(passes(kRow, "n=3"));
  EXPECT_FALSE(passes(kRow, "n=3.0")) << "= compares texts";
  EXPECT_TRUE(passes(kRow, "b=true"));
  EXPECT_TRUE(passes(kRow, "z="));
  EXPECT_FALSE(passes(kRow, "z!="));
  for (const std::string_view op : {"=", "~", "<", "<=", ">", ">="}) {
    for (const std::string_view key : {"missing", "o", "l"})
      EXPECT_FALSE(passes(kRow, std::string(key) + std::string(op) + "1"));
  }
  EXPECT_TRUE(passes(kRow, "missing!=1"));
  EXPECT_TRUE(passes(kRow, "o!=1"));
}

TEST(Passes, NumbersByAllTheirDigits) {
  EXPECT_TRUE(passes(R"({"n":9})", "n<10"));
  EXPECT_TRUE(passes(R"({"n":"9.50"})", "n<=9.5"));
  EXPECT_TRUE(passes(R"({"n":"9007199254740993"})", "n>9007199254740992"));
  EXPECT_FALSE(passes(R"({"n":"9007199254740993"})", "n<9007199254740993"));
  EXPECT_TRUE(passes(R"({"n":"-9007199254740993"})", "n<-9007199254740992"));
  EXPECT_TRUE(passes(R"({"n":"1e400"})", "n>1e399"));
  EXPECT_TRUE(passes(R"({"n":"1e400"})", "n<Infinity"));
  EXPECT_TRUE(passes(R"({"n":"-Infinity"})", "n<-1e999999999999999999999"));
  EXPECT_TRUE(passes(R"({"n":"1e-400"})", "n>0"));
  EXPECT_TRUE(passes(R"({"n":0})", "n>=-0.0"));
  EXPECT_TRUE(passes(R"({"n":0.1})", "n>=.1"));
  EXPECT_FALSE(passes(R"({"n":"NaN"})", "n>=0"));
  EXPECT_FALSE(passes(R"({"n":"abc"})", "n<abd")) << "other texts have no order";
  EXPECT_TRUE(passes("{\"n\":\"" + std::string(5'000, '9') + "\"}", "n>" + std::string(4'999, '9') + "8"));
}

TEST(Passes, MomentsWithTheirOffsets) {
  constexpr std::string_view kRow =
      R"({"t":"2024-06-01T09:30:00+02:00","d":"2024-06-01","f":"2024-06-01 07:30:00.000000001"})";
  EXPECT_TRUE(passes(kRow, "t>=2024-06-01T07:30:00Z"));
  EXPECT_TRUE(passes(kRow, "t<=2024-06-01T07:30:00Z"));
  EXPECT_TRUE(passes(kRow, "t<2024-06-01T07:30:00.001Z"));
  EXPECT_TRUE(passes(kRow, "f>2024-06-01T07:30Z"));
  EXPECT_TRUE(passes(kRow, "d<2024-06-01T00:00:01"));
  EXPECT_TRUE(passes(kRow, "t>2024-06-01T00:00:00-05")) << "00:00 five hours west is 05:00";
  EXPECT_FALSE(passes(kRow, "d<2024-02-30")) << "a day that never was is no moment";
  EXPECT_FALSE(passes(kRow, "d>2023")) << "a number has no order with a moment";
}

TEST(Passes, CaseIsFoldedInEveryScript) {
  EXPECT_TRUE(passes(R"({"t":"STRASSE und Ärger"})", "t~straße"));
  EXPECT_TRUE(passes(R"({"t":"Straße"})", "t~STRASSE"));
  EXPECT_TRUE(passes(R"({"t":"ПИСЬМО"})", "t~письмо"));
  EXPECT_TRUE(passes(R"({"t":"ΟΔΟΣ"})", "t~οδος"));
  EXPECT_TRUE(passes(R"({"t":"a\u0000B"})", std::string("t~\0b", 4)));
  EXPECT_FALSE(passes(R"({"t":"tür"})", "t~tur")) << "marks are letters";
  EXPECT_TRUE(passes(R"({"t":"x"})", "t~")) << "every text holds nothing";
}

TEST(FirstCharacters, NothingIsTakenApart) {
  EXPECT_EQ(first_characters("письмо", 3), "пис");
  EXPECT_EQ(first_characters("ab", 5), "ab");
  EXPECT_EQ(first_characters("ne\u0301e", 2), "n") << "the accent belongs to its letter";
  EXPECT_EQ(first_characters("ne\u0301e", 3), "ne\u0301");
  EXPECT_EQ(first_characters("e\u0301\u0302x", 2), "e\u0301") << "one that is too long by itself";
  EXPECT_EQ(first_characters("👩\u200d👩\u200d👧 x", 6), "👩\u200d👩\u200d👧 ");
}

}  // namespace
}  // namespace candor::scope
