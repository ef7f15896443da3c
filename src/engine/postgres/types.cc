// Reading pg_type.
#include "engine/postgres/types.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "engine/postgres/errors.h"
#include "engine/postgres/parameters.h"

namespace candor::engine::postgres {
namespace {

// Built-in types have the same OID in every server: src/include/catalog/pg_type.dat.
struct BuiltIn {
  Oid oid;
  Form form;
  std::string_view exact;
};
constexpr Oid kBitOid = 1560;
constexpr Oid kNumericOid = 1700;
constexpr BuiltIn kBuiltIn[] = {
    {16, Form::kBoolean, "BOOLEAN"},
    {17, Form::kBlob, "BLOB"},
    {20, Form::kInteger, "BIGINT"},
    {21, Form::kInteger, "SMALLINT"},
    {23, Form::kInteger, "INTEGER"},
    {25, Form::kText, "VARCHAR"},
    {26, Form::kInteger, "UINTEGER"},  // oid
    {114, Form::kJson, "JSON"},
    {700, Form::kReal32, "FLOAT"},
    {701, Form::kReal64, "DOUBLE"},
    {1042, Form::kText, "VARCHAR"},
    {1043, Form::kText, "VARCHAR"},
    {1082, Form::kDate, "DATE"},
    {1083, Form::kTime, "TIME"},
    {1114, Form::kTimestamp, "TIMESTAMP"},
    {1184, Form::kTimestampZone, "TIMESTAMP WITH TIME ZONE"},
    {1186, Form::kOther, "INTERVAL"},
    {1266, Form::kTime, "TIME WITH TIME ZONE"},
    {kBitOid, Form::kOther, "BIT"},
    {1562, Form::kOther, "BIT"},
    {kNumericOid, Form::kDecimal, ""},
    {2950, Form::kOther, "UUID"},
    {3802, Form::kJson, "JSON"},
    {19, Form::kText, "VARCHAR"},   // name
    {705, Form::kText, "VARCHAR"},  // unknown: a text in a SELECT of old servers
};

// numeric(p,s): the modifier is 4 + p in the high half and s, with a sign since PostgreSQL 15, in the low eleven bits.
std::string exact_numeric(int modifier) {
  constexpr int kDigitsMax = 38;
  if (modifier < 4) return {};
  const auto packed = static_cast<unsigned>(modifier - 4);
  const int precision = static_cast<int>(packed >> 16U);
  const int scale = static_cast<int>((packed & 0x7FFU) ^ 1024U) - 1024;
  if (scale < 0 || scale > precision || precision > kDigitsMax) return {};
  return "DECIMAL(" + std::to_string(precision) + "," + std::to_string(scale) + ")";
}

Type scalar_type(Oid oid, int modifier, std::string name) {
  Type type;
  type.name = std::move(name);
  type.exact = "VARCHAR";
  const auto* known = std::ranges::find(kBuiltIn, oid, &BuiltIn::oid);
  if (known == std::end(kBuiltIn)) return type;
  type.form = known->form;
  type.exact = oid == kNumericOid ? exact_numeric(modifier) : std::string(known->exact);
  return type;
}

// $1 and $2: OIDs and modifiers. An array's elements may be of a domain, whose base is what their texts are of.
constexpr std::string_view kAsk =
    "SELECT asked.oid, asked.modifier, pg_catalog.format_type(asked.oid, asked.modifier),"
    " CASE WHEN t.typcategory = 'A' AND t.typlen = -1 AND t.typelem <> 0 THEN"
    " coalesce(nullif(e.typbasetype, 0), e.oid) END, e.typdelim, pg_catalog.format_type(e.oid, asked.modifier)"
    " FROM unnest($1::pg_catalog.oid[], $2::pg_catalog.int4[]) AS asked(oid, modifier)"
    " LEFT JOIN pg_catalog.pg_type t ON t.oid = asked.oid LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem";

}  // namespace

Status Types::ask(const std::vector<TypeId>& ids, Connection& connection, const SourceSpec& source,
                  const Watch& watch) {
  std::vector<std::string> oids;
  std::vector<std::string> modifiers;
  for (const auto& [oid, modifier] : ids) {
    oids.push_back(std::to_string(oid));
    modifiers.push_back(std::to_string(modifier));
  }
  Reply reply = connection.ask(std::string(kAsk), {array_literal(oids), array_literal(modifiers)}, watch);
  if (reply.fault) return own_error(*reply.fault, source);
  const PGresult* rows = reply.result.get();
  const auto text = [&](int row, int column) { return std::string(libpq().PQgetvalue(rows, row, column)); };
  const auto oid_at = [&](int row, int column) {
    return static_cast<Oid>(std::strtoul(text(row, column).c_str(), nullptr, 10));
  };
  const std::lock_guard lock(mutex_);
  for (int row = 0; row < libpq().PQntuples(rows); ++row) {
    const TypeId id{oid_at(row, 0), static_cast<int>(std::strtol(text(row, 1).c_str(), nullptr, 10))};
    if (libpq().PQgetisnull(rows, row, 3) != 0) {
      known_[id] = std::make_shared<const Type>(scalar_type(id.first, id.second, text(row, 2)));
      continue;
    }
    const auto element = std::make_shared<const Type>(scalar_type(oid_at(row, 3), id.second, text(row, 5)));
    Type list;
    list.form = Form::kList;
    list.name = text(row, 2);
    list.exact = element->exact.empty() ? std::string() : element->exact + "[]";
    list.delimiter = text(row, 4).empty() ? ',' : text(row, 4)[0];
    list.element = element;
    known_[id] = std::make_shared<const Type>(std::move(list));
  }
  return Ok{};
}

namespace {

std::vector<TypeId> ids_of(const PGresult* described) {
  std::vector<TypeId> ids;
  for (int i = 0; i < libpq().PQnfields(described); ++i) {
    ids.emplace_back(libpq().PQftype(described, i), libpq().PQfmod(described, i));
  }
  return ids;
}

}  // namespace

std::optional<std::vector<TypePointer>> Types::known(const PGresult* described) {
  std::vector<TypePointer> types;
  const std::lock_guard lock(mutex_);
  for (const TypeId& id : ids_of(described)) {
    const auto found = known_.find(id);
    if (found == known_.end()) return std::nullopt;
    types.push_back(found->second);
  }
  return types;
}

Result<std::vector<TypePointer>> Types::of(const PGresult* described, Connection& connection, const SourceSpec& source,
                                           const Watch& watch) {
  std::vector<TypeId> unknown;
  {
    const std::lock_guard lock(mutex_);
    std::ranges::copy_if(ids_of(described), std::back_inserter(unknown),
                         [&](const TypeId& id) { return !known_.contains(id); });
  }
  if (!unknown.empty()) CANDOR_TRY(ask(unknown, connection, source, watch));
  auto types = known(described);
  if (!types) return make_error("internal", "the server does not know a type of its own result");
  return *std::move(types);
}

}  // namespace candor::engine::postgres
