// The names of types as the engine writes them, quotes around member names included.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/ascii.h"
#include "engine/duckdb/engine_text.h"
#include "engine/duckdb/handles.h"
#include "engine/duckdb/values.h"

// Exported by the library since 1.5, but not in the header of 1.4 that the C API otherwise comes from.
extern "C" char* duckdb_geometry_type_get_crs(duckdb_logical_type type);

namespace candor::engine::duckdb {
namespace {

// What duckdb_keywords() lists, each followed by a blank: the engine quotes a member of such a name. A test compares.
constexpr std::string_view kKeywords =
    " "
    "abort absolute access action add admin after aggregate all also alter always analyse analyze and anti any array "
    "as asc asof assertion assignment asymmetric at attach attribute authorization backward before begin between "
    "bigint binary bit boolean both by cache call called cascade cascaded case cast catalog centuries century chain "
    "char character characteristics check checkpoint class close cluster coalesce collate collation column columns "
    "comment comments commit committed compression concurrently configuration conflict connection constraint "
    "constraints content continue conversion copy cost create cross csv cube current cursor cycle data database day "
    "days deallocate dec decade decades decimal declare default defaults deferrable deferred definer delete "
    "delimiter delimiters depends desc describe detach dictionary disable discard distinct do document domain double "
    "drop each else enable encoding encrypted end enum error escape event except exclude excluding exclusive execute "
    "exists explain export export_state extension extensions external extract false family fetch filter first float "
    "following for force foreign forward freeze from full function functions generated glob global grant granted "
    "group grouping grouping_id groups handler having header hold hour hours identity if ignore ilike immediate "
    "immutable implicit import in include including increment index indexes inherit inherits initially inline inner "
    "inout input insensitive insert install instead int integer intersect interval into invoker is isnull isolation "
    "join json key label lambda language large last lateral leading leakproof left level like limit listen load "
    "local location lock locked logged macro map mapping match matched materialized maxvalue merge method "
    "microsecond microseconds millennia millennium millisecond milliseconds minute minutes minvalue mode month "
    "months move name names national natural nchar new next no none not nothing notify notnull nowait null nullif "
    "nulls numeric object of off offset oids old on only operator option options or order ordinality others out "
    "outer over overlaps overlay overriding owned owner parallel parser partial partition partitioned passing "
    "password percent persistent pivot pivot_longer pivot_wider placing plans policy position positional pragma "
    "preceding precision prepare prepared preserve primary prior privileges procedural procedure program publication "
    "qualify quarter quarters quote range read real reassign recheck recursive ref references referencing refresh "
    "reindex relative release rename repeatable replace replica reset respect restart restrict returning returns "
    "revoke right role rollback rollup row rows rule sample savepoint schema schemas scope scroll search second "
    "seconds secret security select semi sequence sequences serializable server session set setof sets share show "
    "similar simple skip smallint snapshot some sorted source sql stable standalone start statement statistics stdin "
    "stdout storage stored strict strip struct subscription substring summarize symmetric sysid system table tables "
    "tablesample tablespace target temp template temporary text then ties time timestamp to trailing transaction "
    "transform treat trigger trim true truncate trusted try_cast type types unbounded uncommitted unencrypted union "
    "unique unknown unlisten unlogged unpack unpivot until update use user using vacuum valid validate validator "
    "value values varchar variable variadic varying verbose version view views virtual volatile week weeks when "
    "where whitespace window with within without work wrapper write xml xmlattributes xmlconcat xmlelement xmlexists "
    "xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable year years yes zone ";

bool is_plain_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (name.empty() || !letter(name.front())) return false;
  if (!std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); })) return false;
  std::string padded = " ";
  padded += lower_ascii(name);
  padded += ' ';
  return kKeywords.find(padded) == std::string_view::npos;
}

std::string member(const std::string& name, duckdb_logical_type type) {
  const LogicalType owned(type);
  if (name.empty()) return type_name(owned.get());
  return (is_plain_name(name) ? name : in_quotes(name, '"')) + ' ' + type_name(owned.get());
}

std::string struct_name(duckdb_logical_type type) {
  std::string out = "STRUCT(";
  for (idx_t i = 0; i < duckdb_struct_type_child_count(type); ++i) {
    if (i > 0) out += ", ";
    out += member(take_string(duckdb_struct_type_child_name(type, i)), duckdb_struct_type_child_type(type, i));
  }
  return out + ')';
}

std::string union_name(duckdb_logical_type type) {
  std::string out = "UNION(";
  for (idx_t i = 0; i < duckdb_union_type_member_count(type); ++i) {
    if (i > 0) out += ", ";
    out += member(take_string(duckdb_union_type_member_name(type, i)), duckdb_union_type_member_type(type, i));
  }
  return out + ')';
}

std::string enum_name(duckdb_logical_type type) {
  std::string out = "ENUM(";
  for (idx_t i = 0; i < duckdb_enum_dictionary_size(type); ++i) {
    if (i > 0) out += ", ";
    out += in_quotes(take_string(duckdb_enum_dictionary_value(type, i)), '\'');
  }
  return out + ')';
}

std::string geometry_name(duckdb_logical_type type) {
  const std::string system = take_string(duckdb_geometry_type_get_crs(type));
  return system.empty() ? "GEOMETRY" : "GEOMETRY(" + in_quotes(system, '\'') + ')';
}

struct ScalarName {
  int id;
  std::string_view name;
};
constexpr auto kScalars = std::to_array<ScalarName>({
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN"},
    {DUCKDB_TYPE_TINYINT, "TINYINT"},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT"},
    {DUCKDB_TYPE_INTEGER, "INTEGER"},
    {DUCKDB_TYPE_BIGINT, "BIGINT"},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT"},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT"},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER"},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT"},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT"},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT"},
    {DUCKDB_TYPE_BIGNUM, "BIGNUM"},
    {DUCKDB_TYPE_FLOAT, "FLOAT"},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE"},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR"},
    {DUCKDB_TYPE_BLOB, "BLOB"},
    {DUCKDB_TYPE_BIT, "BIT"},
    {DUCKDB_TYPE_UUID, "UUID"},
    {DUCKDB_TYPE_DATE, "DATE"},
    {DUCKDB_TYPE_TIME, "TIME"},
    {DUCKDB_TYPE_TIME_NS, "TIME_NS"},
    {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE"},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP"},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S"},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS"},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS"},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE"},
    {DUCKDB_TYPE_INTERVAL, "INTERVAL"},
    {DUCKDB_TYPE_SQLNULL, "\"NULL\""},
    {kTypeVariant, "VARIANT"},
});

}  // namespace

std::string type_name(duckdb_logical_type type) {
  if (std::string alias = take_string(duckdb_logical_type_get_alias(type)); !alias.empty()) return alias;
  const int id = duckdb_get_type_id(type);
  const auto part = [](duckdb_logical_type handle) { return type_name(LogicalType(handle).get()); };
  switch (id) {
    case DUCKDB_TYPE_DECIMAL:
      return "DECIMAL(" + std::to_string(duckdb_decimal_width(type)) + ',' +
             std::to_string(duckdb_decimal_scale(type)) + ')';
    case DUCKDB_TYPE_LIST:
      return part(duckdb_list_type_child_type(type)) + "[]";
    case DUCKDB_TYPE_ARRAY:
      return part(duckdb_array_type_child_type(type)) + '[' + std::to_string(duckdb_array_type_array_size(type)) + ']';
    case DUCKDB_TYPE_MAP:
      return "MAP(" + part(duckdb_map_type_key_type(type)) + ", " + part(duckdb_map_type_value_type(type)) + ')';
    case DUCKDB_TYPE_STRUCT:
      return struct_name(type);
    case DUCKDB_TYPE_UNION:
      return union_name(type);
    case DUCKDB_TYPE_ENUM:
      return enum_name(type);
    case kTypeGeometry:
      return geometry_name(type);
    default:
      break;
  }
  const auto* found = std::ranges::find(kScalars, id, &ScalarName::id);
  return found == kScalars.end() ? "UNKNOWN" : std::string(found->name);
}

}  // namespace candor::engine::duckdb
