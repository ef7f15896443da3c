// Cells as JSON: every kind exactly, and the same bytes read back.
#include "base/render_json.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "json/json.h"

namespace candor {
namespace {

// The JSON of what `write` appends, which must be one cell and valid JSON.
std::string json_of(const std::function<void(CellWriter&)>& write) {
  std::string bytes;
  CellWriter writer(bytes);
  write(writer);
  CellReader reader(bytes);
  std::string out;
  append_json(out, reader);
  EXPECT_TRUE(reader.ok() && reader.at_end());
  EXPECT_TRUE(json::parse(out).ok()) << out;
  return out;
}

std::string plain_of(const std::function<void(CellWriter&)>& write) {
  std::string bytes;
  CellWriter writer(bytes);
  write(writer);
  CellReader reader(bytes);
  std::string out = plain_text(reader);
  EXPECT_TRUE(reader.ok() && reader.at_end());
  return out;
}

std::string integer(std::int64_t value) {
  return json_of([&](CellWriter& out) { out.integer(value); });
}
std::string real(double value) {
  return json_of([&](CellWriter& out) { out.real64(value); });
}
std::string text(CellKind kind, std::string_view value) {
  return json_of([&](CellWriter& out) { out.text(kind, value); });
}

TEST(RenderJson, IntegersAreNumbersWhileADoubleHoldsThem) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 53;
  EXPECT_EQ(integer(0), "0");
  EXPECT_EQ(integer(-1), "-1");
  EXPECT_EQ(integer(kLimit - 1), "9007199254740991");
  EXPECT_EQ(integer(kLimit), "\"9007199254740992\"");
  EXPECT_EQ(integer(-kLimit + 1), "-9007199254740991");
  EXPECT_EQ(integer(-kLimit), "\"-9007199254740992\"");
  EXPECT_EQ(integer(std::numeric_limits<std::int64_t>::min()), "\"-9223372036854775808\"");
  EXPECT_EQ(text(CellKind::kIntegerText, "170141183460469231731687303715884105727"),
            "\"170141183460469231731687303715884105727\"");
}

TEST(RenderJson, RealsHaveTheShortestDigitsThatReadBack) {
  EXPECT_EQ(real(0.1), "0.1");
  EXPECT_EQ(real(-0.0), "-0");
  EXPECT_EQ(real(12.0), "12");
  EXPECT_EQ(real(1e300), "1e+300");
  EXPECT_EQ(json_of([](CellWriter& out) { out.real32(0.1F); }), "0.1") << "a float's digits are not a double's";
  EXPECT_EQ(real(static_cast<double>(0.1F)), "0.10000000149011612");
  for (const double value : {5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, 1.0 / 3, 123456789.125}) {
    EXPECT_EQ(json::parse(real(value))->real(), value);
  }
}

TEST(RenderJson, WhatIsNoNumberIsAString) {
  EXPECT_EQ(real(std::nan("")), "\"NaN\"");
  EXPECT_EQ(real(INFINITY), "\"Infinity\"");
  EXPECT_EQ(real(-INFINITY), "\"-Infinity\"");
  EXPECT_EQ(json_of([](CellWriter& out) { out.real32(-INFINITY); }), "\"-Infinity\"");
}

TEST(RenderJson, TextsKeepEveryCharacter) {
  EXPECT_EQ(text(CellKind::kText, "NULL"), "\"NULL\"");
  EXPECT_EQ(text(CellKind::kDecimal, "12.50"), "\"12.50\"");
  EXPECT_EQ(text(CellKind::kTemporal, "2024-02-29 12:00:00.000001"), "\"2024-02-29 12:00:00.000001\"");
  EXPECT_EQ(text(CellKind::kText, "\"\\\n\r\t/"), R"("\"\\\n\r\t/")");
  EXPECT_EQ(text(CellKind::kText, std::string_view("a\0\x1f\x7f", 4)), "\"a\\u0000\\u001f\x7f\"");
  const std::string beyond = "\xF0\x9F\x99\x82\xE2\x80\xA8";
  EXPECT_EQ(text(CellKind::kText, beyond), '"' + beyond + '"');
}

TEST(RenderJson, EveryByteOfATextReadsBack) {
  std::string all;
  for (int byte = 0; byte < 0x80; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(json::parse(text(CellKind::kText, all))->text(), all);
}

TEST(RenderJson, BlobsAreBase64WithTheirSize) {
  EXPECT_EQ(text(CellKind::kBlob, ""), R"({"base64":"","bytes":0})");
  EXPECT_EQ(text(CellKind::kBlob, "f"), R"({"base64":"Zg==","bytes":1})");
  EXPECT_EQ(text(CellKind::kBlob, "fo"), R"({"base64":"Zm8=","bytes":2})");
  EXPECT_EQ(text(CellKind::kBlob, "foo"), R"({"base64":"Zm9v","bytes":3})");
  EXPECT_EQ(text(CellKind::kBlob, "foob"), R"({"base64":"Zm9vYg==","bytes":4})");
  EXPECT_EQ(text(CellKind::kBlob, std::string_view("\xFB\xFF\0", 3)), R"({"base64":"+/8A","bytes":3})");
}

TEST(RenderJson, ACutCellSaysSo) {
  EXPECT_EQ(json_of([](CellWriter& out) { out.cut(3'000'000, "beg\"in"); }),
            R"({"cut":true,"chars":3000000,"text":"beg\"in"})");
}

TEST(RenderJson, ContainersFollowTheSameRules) {
  EXPECT_EQ(json_of([](CellWriter& out) {
              out.container(CellKind::kList, 3);
              out.null();
              out.integer(std::int64_t{1} << 60);
              out.container(CellKind::kList, 0);
            }),
            R"([null,"1152921504606846976",[]])");
  EXPECT_EQ(json_of([](CellWriter& out) {
              out.container(CellKind::kStruct, 2);
              out.text(CellKind::kText, "a\"b");
              out.real64(NAN);
              out.text(CellKind::kText, "");
              out.text(CellKind::kBlob, "f");
            }),
            R"({"a\"b":"NaN","":{"base64":"Zg==","bytes":1}})");
}

TEST(RenderJson, KeysOfAMapAreStrings) {
  EXPECT_EQ(json_of([](CellWriter& out) {
              out.container(CellKind::kMap, 5);
              out.integer(1);
              out.null();
              out.integer(std::int64_t{1} << 60);
              out.null();
              out.text(CellKind::kTemporal, "2024-02-29");
              out.null();
              out.boolean(true);
              out.null();
              out.container(CellKind::kList, 1);
              out.text(CellKind::kText, "k");
              out.null();
            }),
            R"({"1":null,"1152921504606846976":null,"2024-02-29":null,"true":null,"[\"k\"]":null})");
}

TEST(RenderJson, JsonKeepsItsDigits) {
  EXPECT_EQ(text(CellKind::kJson, R"({"n":12345678901234567890.10})"), R"({"n":12345678901234567890.10})");
}

TEST(RenderJson, TooDeepEndsTheRead) {
  std::string bytes;
  CellWriter writer(bytes);
  for (int i = 0; i < 100'000; ++i) writer.container(CellKind::kList, 1);
  writer.null();
  writer.integer(7);
  CellReader reader(bytes);
  std::string out;
  append_json(out, reader);
  EXPECT_FALSE(reader.ok()) << "and the cell after it is not taken for a part";
}

TEST(PlainText, IsForPeople) {
  EXPECT_EQ(plain_of([](CellWriter& out) { out.null(); }), "");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.integer(std::int64_t{1} << 60); }), "1152921504606846976");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.boolean(false); }), "false");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.real64(NAN); }), "NaN");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.real32(0.1F); }), "0.1");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.text(CellKind::kText, "a\"b"); }), "a\"b");
  EXPECT_EQ(plain_of([](CellWriter& out) { out.cut(9, "abc"); }), "abc…");
  EXPECT_EQ(plain_of([](CellWriter& out) {
              out.container(CellKind::kList, 1);
              out.text(CellKind::kText, "x");
            }),
            "[\"x\"]");
}

TEST(Utf8, WellFormedIsToldFromMalformed) {
  for (const std::string_view text : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                      "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_TRUE(is_utf8("ascii before the bytes " + std::string(text) + " and after"));
  }
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_FALSE(is_utf8("ascii before the bytes " + std::string(text)));
    EXPECT_FALSE(is_utf8(std::string(text) + " and ascii after them, of some length"));
  }
}

TEST(Utf8, LengthAndPrefixCountCharacters) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x99\x82";
  EXPECT_EQ(utf8_length(text), 4U);
  EXPECT_EQ(utf8_prefix(text, 0), "");
  EXPECT_EQ(utf8_prefix(text, 2), "a\xC3\xA4");
  EXPECT_EQ(utf8_prefix(text, 3), "a\xC3\xA4\xE2\x82\xAC");
  EXPECT_EQ(utf8_prefix(text, 4), text);
  EXPECT_EQ(utf8_prefix(text, 9), text);
}

}  // namespace
}  // namespace candor
