// What a cell of a text file may become without losing anything.
#include "engine/duckdb/text_class.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "engine/duckdb/column_types.h"

namespace candor::engine::duckdb {
namespace {

using enum TextClass;

TEST(TextClass, Numbers) {
  for (const char* text : {"0", "-1", "123456789012345", " 12 "}) EXPECT_EQ(classify(text), kInteger) << text;
  for (const char* text : {"1234567890123456", "-9223372036854775808"}) EXPECT_EQ(classify(text), kLongInteger) << text;
  for (const char* text :
       {"9223372036854775808", "12345678901234567890123", "0.12345678901234567890", "1e400", "12345678901234567.5"}) {
    EXPECT_EQ(classify(text), kLong) << text;
  }
  for (const char* text :
       {"1.5", "-.5", "1.", "1e5", "0.1", "0.10000000000000001", "1.7976931348623157e308", "100000000000000000000.0"}) {
    EXPECT_EQ(classify(text), kReal) << text;
  }
  for (const char* text : {"01001", "-007", "00.5", "00"}) EXPECT_EQ(classify(text), kZeros) << text;
  for (const char* text : {"+4912345", "+49 (30) 1-2"}) EXPECT_EQ(classify(text), kPlus) << text;
  for (const char* text :
       {"", " ", "-", ".", "1,5", "1_000", "0x1F", "NaN", "inf", "1e", "12a", "1 2", "e5", "+", "+x"}) {
    EXPECT_EQ(classify(text), kOther) << text;
  }
}

TEST(TextClass, DatesAndTimes) {
  EXPECT_EQ(classify("2024-02-29"), kDate);
  EXPECT_EQ(classify("2023-02-29"), kOther);
  EXPECT_EQ(classify("2024-1-2"), kOther);
  EXPECT_EQ(classify("0000-01-01"), kOther);
  for (const char* text : {"2024-03-07 12:30", "2024-03-07T12:30:00", "2024-03-07 12:30:00.123456"})
    EXPECT_EQ(classify(text), kTimestamp) << text;
  for (const char* text :
       {"2024-03-07T12:30Z", "2024-03-07 12:30:00+02", "2024-03-07T12:30:00.5-05:30", "2024-03-07T12:30:00+0530"}) {
    EXPECT_EQ(classify(text), kInstant) << text;
  }
  for (const char* text : {"2024-03-07T25:00", "2024-03-07x", "2024-03-07T12:30:00.1234567", "2024-03-07T12:30+99"}) {
    EXPECT_EQ(classify(text), kOther) << text;
  }
  EXPECT_EQ(classify("12:30:00.5"), kTime);
  EXPECT_EQ(classify("12:30"), kOther);  // as well minutes and seconds
  EXPECT_EQ(classify("2024/3/7"), kYearFirst);
  EXPECT_EQ(classify("31/12/2024"), kDayFirst);
  EXPECT_EQ(classify("12/31/2024"), kMonthFirst);
  EXPECT_EQ(classify("01.02.2024"), kEitherFirst);
  EXPECT_EQ(classify("32/13/2024"), kOther);
}

ColumnType decide(const std::vector<std::pair<TextClass, std::uint64_t>>& counts) {
  ClassCounts all{};
  for (const auto& [one, count] : counts) all[static_cast<std::size_t>(one)] = count;
  return decide_type(all, "c");
}

TEST(TextClass, ColumnsTakeTheTypeThatAllValuesHave) {
  EXPECT_EQ(decide({}).type, "VARCHAR");
  EXPECT_EQ(decide({{kInteger, 3}, {kLongInteger, 1}}).type, "BIGINT");
  EXPECT_EQ(decide({{kInteger, 3}, {kReal, 1}}).type, "DOUBLE");
  EXPECT_EQ(decide({{kTruth, 2}}).type, "BOOLEAN");
  EXPECT_EQ(decide({{kDate, 2}, {kTimestamp, 1}}).type, "TIMESTAMP");
  EXPECT_EQ(decide({{kInstant, 2}}).type, "TIMESTAMPTZ");
  EXPECT_EQ(decide({{kEitherFirst, 5}, {kDayFirst, 1}}).type, "DATE");
  EXPECT_EQ(decide({{kEitherFirst, 5}, {kDayFirst, 1}, {kMonthFirst, 1}}).type, "VARCHAR");
}

TEST(TextClass, WhatStaysTextSaysWhy) {
  EXPECT_EQ(decide({{kInteger, 2904}, {kZeros, 314}}).note, "kept as text: 314 of 3218 values have leading zeros");
  EXPECT_EQ(decide({{kPlus, 2}}).note, "kept as text: 2 of 2 values start with a plus sign");
  EXPECT_EQ(decide({{kLongInteger, 1}, {kReal, 1}}).note,
            "kept as text: 1 of 2 values have more digits than a number keeps");
  EXPECT_EQ(decide({{kInteger, 99}, {kOther, 1}}).note, "kept as text: 1 of 100 values are not numbers");
  EXPECT_EQ(decide({{kDate, 99}, {kOther, 1}}).note, "kept as text: 1 of 100 values are not dates");
  EXPECT_EQ(decide({{kEitherFirst, 4}}).note, "kept as text: day and month can't be told apart in any of 4 values");
  EXPECT_EQ(decide({{kOther, 99}, {kInteger, 1}}).note, "");
}

}  // namespace
}  // namespace candor::engine::duckdb
