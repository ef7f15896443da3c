// Arrays in JSON text, against std::multiset; texts joined in an order.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/functions/arrays.h"
#include "engine/functions/string_agg.h"

namespace candor::engine::functions {
namespace {

using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace)

template <typename T>
std::string told(const Result<T>& result) {
  return result.ok() ? std::to_string(*result) : result.error().code;
}

TEST(FunctionsArrays, ElementsAreComparedExactly) {
  EXPECT_EQ(told(array_has(R"(["a","B"])", "B"sv)), "1");
  EXPECT_EQ(told(array_has(R"(["a","B"])", "b"sv)), "0");
  EXPECT_EQ(told(array_has(R"( [ "a" , "b" ] )", "b"sv)), "1");
  EXPECT_EQ(told(array_has("[1,-20,9223372036854775807]", std::int64_t{-20})), "1");
  EXPECT_EQ(told(array_has("[5]", "5"sv)), "0") << "a number is no text";
  EXPECT_EQ(told(array_has(R"(["5"])", std::int64_t{5})), "0");
  EXPECT_EQ(told(array_has("[-0]", std::int64_t{0})), "1");
  EXPECT_EQ(told(array_has("[]", "x"sv)), "0");
}

TEST(FunctionsArrays, ANullIsNothingThatCouldBeAskedFor) {
  EXPECT_EQ(told(array_length("[null, \"a\"]")), "2");
  EXPECT_EQ(told(array_has("[null,\"a\"]", "a"sv)), "1");
  EXPECT_EQ(told(array_has("[null]", "null"sv)), "0");
  EXPECT_EQ(told(arrays_overlap("[null,1]", "[null,2]")), "0");
  EXPECT_EQ(told(array_has_all("[1]", "[null,1]")), "1");
  EXPECT_EQ(told(arrays_equal("[null,1]", "[1,null]")), "1");
  EXPECT_EQ(told(arrays_equal("[null,1]", "[1]")), "0");
}

TEST(FunctionsArrays, EscapesAreRead) {
  EXPECT_EQ(told(array_has(R"(["a\"\\\/\b\f\n\r\t"])", "a\"\\/\b\f\n\r\t"sv)), "1");
  EXPECT_EQ(told(array_has(R"(["\u00e9\u20AC\ud83d\ude00"])", "é€😀"sv)), "1");
  EXPECT_EQ(told(array_has(R"(["\u0000"])", "\0"sv)), "1");
  EXPECT_EQ(told(arrays_equal(R"(["\u0061","b"])", R"(["b","a"])")), "1");
  EXPECT_EQ(told(arrays_overlap(R"(["\u0061"])", R"(["\u0061","\u0062"])")), "1");
}

TEST(FunctionsArrays, WhatIsNoArrayOfTextsOrIntegersIsRefused) {
  for (const char* wrong : {"",
                            "a,b",
                            "{}",
                            "\"a\"",
                            "null",
                            "[",
                            "]",
                            "[1",
                            "[1,]",
                            "[,1]",
                            "[1 2]",
                            "[1]]",
                            "[1]x",
                            "[nul]",
                            "[nulls]",
                            "[true]",
                            "[[1]]",
                            "[{}]",
                            "[1.0]",
                            "[1e3]",
                            "[01]",
                            "[-]",
                            "[9223372036854775808]",
                            "[\"a]",
                            "[\"a\\x\"]",
                            "[\"\\u12\"]",
                            "[\"\\ud83d\"]",
                            "[\"\\ude00\"]",
                            "[\"\\ud83d\\u0041\"]",
                            "[\"\n\"]",
                            "['a']",
                            "[\"\xFF\"]",
                            "[\"\\",
                            "[a]"}) {
    EXPECT_FALSE(check_array(wrong).ok()) << wrong;
    EXPECT_EQ(told(array_length(wrong)), "bad-stored-value") << wrong;
    EXPECT_EQ(told(array_has(wrong, std::int64_t{1})), "bad-stored-value") << wrong;
    EXPECT_EQ(told(arrays_overlap("[1]", wrong)), "bad-stored-value") << wrong;
    EXPECT_EQ(told(arrays_overlap(wrong, "[1]")), "bad-stored-value") << wrong;
    EXPECT_EQ(told(array_has_all(wrong, "[1]")), "bad-stored-value") << wrong;
    EXPECT_EQ(told(array_has_all("[1]", wrong)), "bad-stored-value") << wrong;
    EXPECT_EQ(told(arrays_equal("[1]", wrong)), "bad-stored-value") << wrong;
  }
}

TEST(FunctionsArrays, AMessageStaysOnOneLineOfText) {
  const auto failed = array_length("[\"\xC3\n");
  EXPECT_EQ(failed.error().message, "a text that is not UTF-8 is no array of texts or integers");
  EXPECT_EQ(array_length("a\nb").error().message, "'a b' is no array of texts or integers");
}

TEST(FunctionsArrays, SetsAndMultisets) {
  EXPECT_EQ(told(array_has_all(R"(["a","b"])", R"(["b","b"])")), "1") << "how often does not matter";
  EXPECT_EQ(told(array_has_all(R"(["a"])", "[]")), "1");
  EXPECT_EQ(told(array_has_all("[]", R"(["a"])")), "0");
  EXPECT_EQ(told(arrays_equal("[1,2,2]", "[2,1,2]")), "1");
  EXPECT_EQ(told(arrays_equal("[1,2,2]", "[2,1,1]")), "0");
  EXPECT_EQ(told(arrays_equal("[]", " [ ] ")), "1");
  EXPECT_EQ(told(arrays_overlap("[]", "[]")), "0");
  EXPECT_EQ(told(array_length(R"(["a","a",""])")), "3");
}

std::string json(const std::vector<std::string>& elements) {
  std::string out = "[";
  for (const std::string& element : elements) out += (out.size() > 1 ? ",\"" : "\"") + element + "\"";
  return out + "]";
}

TEST(FunctionsArrays, AreAsTheStandardLibrarysSetsSay) {
  std::mt19937 random(5);  // NOLINT(cert-msc51-cpp): the same in every run
  const auto make = [&] {
    std::vector<std::string> elements(random() % 5);
    for (std::string& element : elements) element = std::string(1, static_cast<char>('a' + random() % 4));
    return elements;
  };
  for (int i = 0; i < 20'000; ++i) {
    const auto a = make();
    const auto b = make();
    const std::multiset<std::string> in_a(a.begin(), a.end());
    const std::multiset<std::string> in_b(b.begin(), b.end());
    const auto in = [](const auto& set) { return [&set](const std::string& one) { return set.contains(one); }; };
    ASSERT_EQ(*arrays_equal(json(a), json(b)), in_a == in_b);
    ASSERT_EQ(*arrays_overlap(json(a), json(b)), std::ranges::any_of(b, in(in_a)));
    ASSERT_EQ(*array_has_all(json(a), json(b)), std::ranges::all_of(b, in(in_a)));
    ASSERT_EQ(*array_has(json(a), "a"sv), in_a.contains("a"));
    ASSERT_EQ(*array_length(json(a)), static_cast<std::int64_t>(a.size()));
  }
}

TEST(FunctionsStringAgg, JoinsInTheOrderThatIsAskedFor) {
  const auto rows = [] {
    StringAgg agg;
    agg.add("c", {std::string("z"), std::int64_t{1}});
    agg.add("a", {std::monostate(), std::int64_t{2}});
    agg.add("b", {std::string("Z"), 0.5});
    agg.add("a", {std::string("z"), std::int64_t{0}});
    return agg;
  };
  EXPECT_EQ(rows().join(",", {}, false), "c,a,b,a") << "as they came";
  EXPECT_EQ(rows().join(",", {}, true), "c,a,b");
  EXPECT_EQ(rows().join("", {{}, {}}, false), "baca") << "by code point, NULL last";
  EXPECT_EQ(rows().join(", ", {{.descending = true}, {.descending = true}}, false), "c, a, b, a") << "NULL last again";
  EXPECT_EQ(rows().join(",", {{.nulls_first = true}, {}}, false), "a,b,a,c");
  EXPECT_EQ(StringAgg().join(",", {}, false), std::nullopt);
}

TEST(FunctionsStringAgg, NumbersAreComparedByValue) {
  StringAgg agg;
  agg.add("big", {std::int64_t{9007199254740993}});
  agg.add("real", {9007199254740992.0});
  agg.add("small", {std::int64_t{-1}});
  agg.add("text", {std::string("0")});
  agg.add("blob", {Bytes{"0"}});
  EXPECT_EQ(agg.join(" ", {{}}, false), "small real big text blob");
}

}  // namespace
}  // namespace candor::engine::functions
