// What engines call their types, as types of a contract.
#include <gtest/gtest.h>
#include <map>

#include "contract/type_names.h"

namespace candor::contract {
namespace {

TEST(ContractTypes, EveryTypeHasItsNameAndBack) {
  ASSERT_EQ(type_names().size(), 11U);
  for (const std::string& name : type_names()) {
    ASSERT_TRUE(type_of(name)) << name;
    EXPECT_EQ(to_string(*type_of(name)), name);
  }
  EXPECT_FALSE(type_of("String"));
  EXPECT_TRUE(is_array(Type::kIntegerArray));
  EXPECT_FALSE(is_array(Type::kJson));
}

TEST(ContractTypes, OfThreeEngines) {
  const std::map<Type, std::vector<std::string_view>> types = {
      {Type::kString,
       {"VARCHAR", "varchar(20)", "TEXT", "character varying(20)", "character(3)", "bpchar", "NVARCHAR (100)",
        "VARYING CHARACTER(255)", "clob", "ENUM('a', 'b')", "name"}},
      {Type::kInteger,
       {"BIGINT", "INTEGER", "int", "INT8", "TINYINT(1)", "smallint", "UINTEGER", "UTINYINT", "INT UNSIGNED",
        "bigserial", "  Integer  "}},
      {Type::kNumber, {"DOUBLE", "double  precision", "REAL", "FLOAT", "float8", "FLOAT(24)"}},
      {Type::kDecimal, {"DECIMAL(10,2)", "numeric", "NUMERIC (10, 2)", "HUGEINT", "UBIGINT", "UNSIGNED BIG INT"}},
      {Type::kBoolean, {"BOOLEAN", "bool"}},
      {Type::kDate, {"DATE", "date"}},
      {Type::kDatetime,
       {"TIMESTAMP", "timestamp without time zone", "timestamp(3) with time zone", "TIMESTAMP_NS", "DATETIME",
        "TIMESTAMP WITH TIME ZONE", "timestamptz", "DATETIME(6)"}},
      {Type::kUuid, {"UUID", "uuid", "uniqueidentifier"}},
      {Type::kJson, {"JSON", "jsonb"}},
      {Type::kStringArray, {"VARCHAR[]", "text[]", "character varying(20)[]", "_text", "VARCHAR []"}},
      {Type::kIntegerArray, {"INTEGER[]", "bigint[]", "_int4"}},
  };
  for (const auto& [type, names] : types) {
    for (const std::string_view name : names) {
      ASSERT_TRUE(type_of_stored(name)) << name;
      EXPECT_EQ(*type_of_stored(name), type) << name;
    }
  }
}

TEST(ContractTypes, WhatNoTypeHoldsExactly) {
  for (const std::string_view name : {"",
                                      "BLOB",
                                      "bytea",
                                      "INTERVAL",
                                      "TIME",
                                      "time without time zone",
                                      "STRUCT(a INTEGER)",
                                      "MAP(VARCHAR, INTEGER)",
                                      "UNION(a INTEGER)",
                                      "BIT",
                                      "DOUBLE[]",
                                      "UUID[]",
                                      "VARCHAR[][]",
                                      "INTEGER[3]",
                                      "HUGEINT[]",
                                      "ENUM('a')[]",
                                      "citext",
                                      "money",
                                      "point",
                                      "(",
                                      ")",
                                      "[]",
                                      "_",
                                      "STRUCT(a INTEGER)[]",
                                      "inet"}) {
    EXPECT_FALSE(type_of_stored(name)) << name;
  }
}

TEST(ContractTypes, ValuesOfAnEnum) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(enum_values("ENUM('again', 'it''s', '')"), (Texts{"again", "it's", ""}));
  EXPECT_EQ(enum_values("enum ( 'a','b' )"), (Texts{"a", "b"}));
  EXPECT_EQ(enum_values("ENUM('a)', '(b, ''c')"), (Texts{"a)", "(b, 'c"}));
  for (const std::string_view cut :
       {"ENUM('a', 'b", "ENUM('a'", "ENUM('a',)", "ENUM()", "ENUM", "VARCHAR", "ENUM('a')[]", "ENUMX('a')", ""}) {
    EXPECT_EQ(enum_values(cut), Texts()) << cut;
  }
}

}  // namespace
}  // namespace candor::contract
