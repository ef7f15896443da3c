// Tables of type names.
#include "contract/type_names.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"

namespace candor::contract {
namespace {

struct StoredNames {
  Type type;
  std::span<const std::string_view> names;
};

// Lower case, one blank between words, without what stands in parentheses.
constexpr std::string_view kStrings[] = {
    "bpchar",   "char",       "character", "character varying", "clob",     "enum",
    "longtext", "mediumtext", "name",      "native character",  "nchar",    "nvarchar",
    "string",   "text",       "tinytext",  "varchar",           "varchar2", "varying character"};
constexpr std::string_view kIntegers[] = {"bigint",
                                          "bigserial",
                                          "int",
                                          "int1",
                                          "int16",
                                          "int2",
                                          "int32",
                                          "int4",
                                          "int64",
                                          "int8",
                                          "integer",
                                          "int unsigned",
                                          "integer unsigned",
                                          "long",
                                          "mediumint",
                                          "oid",
                                          "serial",
                                          "short",
                                          "signed",
                                          "smallint",
                                          "smallserial",
                                          "tinyint",
                                          "tinyint unsigned",
                                          "uint16",
                                          "uint32",
                                          "uint8",
                                          "uinteger",
                                          "usmallint",
                                          "utinyint"};
constexpr std::string_view kNumbers[] = {"double", "double precision", "float", "float4", "float8", "real"};
// The first are exact; the others are integers that 64 bits don't hold.
constexpr std::string_view kDecimals[] = {"dec",     "decimal", "numeric",         "bigint unsigned",
                                          "hugeint", "int128",  "ubigint",         "uhugeint",
                                          "uint128", "uint64",  "unsigned big int"};
constexpr std::string_view kBooleans[] = {"bool", "boolean", "logical"};
constexpr std::string_view kDates[] = {"date"};
constexpr std::string_view kDatetimes[] = {"datetime",     "timestamp",    "timestamp with time zone",
                                           "timestamp_ms", "timestamp_ns", "timestamp without time zone",
                                           "timestamp_s",  "timestamp_us", "timestamptz"};
constexpr std::string_view kUuids[] = {"guid", "uniqueidentifier", "uuid"};
constexpr std::string_view kJsons[] = {"json", "jsonb"};

constexpr StoredNames kStored[] = {
    {Type::kString, kStrings},     {Type::kInteger, kIntegers}, {Type::kNumber, kNumbers},
    {Type::kDecimal, kDecimals},   {Type::kBoolean, kBooleans}, {Type::kDate, kDates},
    {Type::kDatetime, kDatetimes}, {Type::kUuid, kUuids},       {Type::kJson, kJsons},
};

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// "NUMERIC (10, 2)" is "numeric", "timestamp(3) with time zone" loses its digits, "INT  UNSIGNED" one blank.
std::string plain_name(std::string_view type_text) {
  std::string name;
  int depth = 0;
  for (const char c : type_text) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0 && !blank(c)) {
      name += lower_ascii(c);
    } else if (!name.empty() && name.back() != ' ') {
      name += ' ';
    }
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  if (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

std::optional<Type> scalar_type(std::string_view name) {
  for (const StoredNames& stored : kStored) {
    if (std::ranges::find(stored.names, name) != stored.names.end()) return stored.type;
  }
  return std::nullopt;
}

// Arrays of the widest integers would overflow: they aren't among these.
std::optional<Type> array_of(std::string_view element) {
  const std::optional<Type> type = scalar_type(element);
  if (type == Type::kString && element != "enum") return Type::kStringArray;
  if (type == Type::kInteger) return Type::kIntegerArray;
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (int i = 0; i <= static_cast<int>(Type::kIntegerArray); ++i) {
      names.emplace_back(to_string(static_cast<Type>(i)));
    }
    return names;
  }();
  return all;
}

std::optional<Type> type_of_stored(std::string_view type_text) {
  const std::string name = plain_name(type_text);
  std::string_view element = name;
  if (element.ends_with("[]")) {
    element.remove_suffix(2);
    if (element.ends_with(' ')) element.remove_suffix(1);
    return array_of(element);
  }
  if (element.starts_with('_')) return array_of(element.substr(1));  // PostgreSQL's own names of arrays: _text, _int4
  return scalar_type(element);
}

std::vector<std::string> enum_values(std::string_view type_text) {
  constexpr std::string_view kEnum = "enum";
  if (!same_name(type_text.substr(0, kEnum.size()), kEnum)) return {};
  std::vector<std::string> values;
  std::size_t at = kEnum.size();
  const auto skip = [&](char wanted) {
    while (at < type_text.size() && blank(type_text[at])) ++at;
    if (at >= type_text.size() || type_text[at] != wanted) return false;
    ++at;
    return true;
  };
  if (!skip('(')) return {};
  do {
    if (!skip('\'')) return {};
    std::string value;
    for (;; ++at) {
      if (at >= type_text.size()) return {};  // cut
      if (type_text[at] == '\'') {
        if (at + 1 >= type_text.size() || type_text[at + 1] != '\'') break;
        ++at;  // a doubled quote is one
      }
      value += type_text[at];
    }
    ++at;
    values.push_back(std::move(value));
  } while (skip(','));
  if (!skip(')') || at != type_text.size()) return {};
  return values;
}

}  // namespace candor::contract
