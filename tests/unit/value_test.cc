// Cells survive their encoding; what is malformed ends the read instead of being taken for data.
#include "base/value.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace candor {
namespace {

Value make(CellKind kind, std::string text = {}, std::vector<Value> parts = {}) {
  Value value;
  value.kind = kind;
  value.text = std::move(text);
  value.parts = std::move(parts);
  return value;
}

Value real(CellKind kind, double number) {
  Value value = make(kind);
  value.real = number;
  return value;
}

std::vector<Value> one_of_each() {
  const std::string bytes("a\0\xFF", 3);
  Value yes = make(CellKind::kBoolean);
  yes.integer = 1;
  Value cut = make(CellKind::kCut, "shown");
  cut.integer = 3'000'000;
  return {make(CellKind::kNull),
          yes,
          integer_value(std::numeric_limits<std::int64_t>::min()),
          make(CellKind::kIntegerText, "170141183460469231731687303715884105727"),
          real(CellKind::kReal32, 0.5),
          real(CellKind::kReal64, 0.1),
          make(CellKind::kDecimal, "12.50"),
          text_value(""),
          text_value(std::string("a\0b", 3)),
          make(CellKind::kBlob, bytes),
          make(CellKind::kTemporal, "2024-02-29"),
          make(CellKind::kOther, "1 day"),
          make(CellKind::kJson, "{\"a\":1}"),
          make(CellKind::kList),
          make(CellKind::kList, "", {integer_value(1), make(CellKind::kList, "", {text_value("x")})}),
          make(CellKind::kStruct, "", {text_value("name"), integer_value(7)}),
          make(CellKind::kMap, "", {integer_value(1), make(CellKind::kNull)}),
          cut};
}

std::string encoded(const std::vector<Value>& values) {
  std::string bytes;
  CellWriter writer(bytes);
  for (const Value& value : values) write_value(writer, value);
  return bytes;
}

TEST(Value, EveryKindComesBack) {
  const std::vector<Value> values = one_of_each();
  const std::string bytes = encoded(values);
  CellReader reader(bytes);
  for (const Value& value : values) EXPECT_EQ(read_value(reader), value) << static_cast<int>(value.kind);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at_end());
}

TEST(Value, NotANumberComesBack) {
  const std::string bytes = encoded({real(CellKind::kReal64, std::nan(""))});
  CellReader reader(bytes);
  EXPECT_TRUE(std::isnan(read_value(reader).real));
}

TEST(Value, SkippingPassesWholeCells) {
  const std::vector<Value> values = one_of_each();
  const std::string bytes = encoded(values);
  CellReader reader(bytes);
  std::string together;
  for (const Value& value : values) {
    const std::string_view part = reader.skip();
    EXPECT_EQ(part, encoded({value}));
    together += part;
  }
  EXPECT_TRUE(reader.ok() && reader.at_end());
  EXPECT_EQ(together, bytes);
}

TEST(Value, EveryPrefixOfACellIsMalformed) {
  for (const Value& value : one_of_each()) {
    const std::string bytes = encoded({value});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CellReader reader(std::string_view(bytes).substr(0, size));
      (void)read_value(reader);
      EXPECT_FALSE(reader.ok()) << static_cast<int>(value.kind) << " of " << size << " bytes";
      CellReader skipping(std::string_view(bytes).substr(0, size));
      skipping.skip();
      EXPECT_FALSE(skipping.ok());
    }
  }
}

TEST(Value, UnknownTagsAndFalseLengthsAreMalformed) {
  for (const std::string& bytes : {std::string("\x10"), std::string("\xFF\0\0\0\0", 5),
                                   std::string("\x07\xFF\xFF\xFF\xFFx"), std::string("\x0B\xFF\xFF\xFF\xFF\0", 6)}) {
    CellReader reader(bytes);
    (void)read_value(reader);
    EXPECT_FALSE(reader.ok());
    EXPECT_TRUE(reader.at_end()) << "a loop over the cells must end";
  }
}

std::string nested_lists(int depth) {
  std::string bytes;
  CellWriter writer(bytes);
  for (int i = 0; i < depth; ++i) writer.container(CellKind::kList, 1);
  writer.integer(1);
  return bytes;
}

TEST(Value, NestingIsBoundedAndNeverGetsOutOfStep) {
  const std::string deep = nested_lists(200);
  CellReader reader(deep);
  (void)read_value(reader);
  EXPECT_TRUE(reader.ok() && reader.at_end());
  const std::string too_deep = nested_lists(201) + encoded({text_value("next")});
  CellReader reading(too_deep);
  (void)read_value(reading);
  EXPECT_FALSE(reading.ok());
  CellReader skipping(too_deep);
  skipping.skip();
  EXPECT_FALSE(skipping.ok());
}

TEST(Value, ABatchOfRandomBytesNeverReadsBeyondItself) {
  std::uint32_t state = 20'240'229;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(64, '\0');
    for (char& byte : bytes) {
      state = state * 1'664'525 + 1'013'904'223;
      byte = static_cast<char>((state >> 24U) % (round % 2 == 0 ? 17 : 256));
    }
    CellReader reader(bytes);
    int cells = 0;
    while (!reader.at_end()) {
      (void)read_value(reader);
      ++cells;
    }
    EXPECT_LE(cells, 65);
  }
}

}  // namespace
}  // namespace candor
