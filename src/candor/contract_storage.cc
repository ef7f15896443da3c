// The rules of each engine.
#include "candor/contract_storage.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "contract/type_names.h"

namespace candor {
namespace {

using contract::Type;

Affinity affinity_named(std::string_view name) {
  if (name == "INTEGER") return Affinity::kInteger;
  if (name == "REAL") return Affinity::kReal;
  if (name == "NUMERIC") return Affinity::kNumeric;
  return name == "TEXT" ? Affinity::kText : Affinity::kBlob;
}

bool is_wide_integer(std::string_view stored) {
  constexpr std::string_view kWide[] = {"hugeint", "uhugeint", "ubigint"};
  return std::ranges::find(kWide, stored) != std::end(kWide);
}

bool duckdb_holds(Type type, std::string_view stored, std::optional<Type> own) {
  const auto one_of = [&](std::initializer_list<Type> types) {
    return own && std::ranges::find(types, *own) != types.end();
  };
  switch (type) {
    case Type::kString:
      return one_of({Type::kString, Type::kUuid});
    case Type::kInteger:
      return one_of({Type::kInteger}) || is_wide_integer(stored);
    case Type::kNumber:
    case Type::kDecimal:
      return one_of({Type::kNumber, Type::kDecimal, Type::kInteger});
    case Type::kBoolean:
      return one_of({Type::kBoolean, Type::kInteger});
    case Type::kDate:
      return one_of({Type::kDate, Type::kString});
    case Type::kDatetime:
      return one_of({Type::kDatetime, Type::kString});
    case Type::kUuid:
      return one_of({Type::kUuid, Type::kString});
    case Type::kJson:
      return one_of({Type::kJson, Type::kString, Type::kStringArray, Type::kIntegerArray}) ||
             stored.starts_with("struct") || stored.starts_with("map") || stored.ends_with("[]");
    case Type::kStringArray:
    case Type::kIntegerArray:
      return one_of({type, Type::kJson, Type::kString});
  }
  return false;
}

// PostgreSQL compares and adds no types that differ: what is stored must be what the contract says, but for texts, which
// every type has one of.
bool postgres_holds(Type type, std::string_view stored, std::optional<Type> own) {
  const auto one_of = [&](std::initializer_list<Type> types) {
    return own && std::ranges::find(types, *own) != types.end();
  };
  switch (type) {
    case Type::kString:
      return (!own && stored != "bytea" && !stored.ends_with("[]")) || one_of({Type::kString, Type::kUuid});
    case Type::kNumber:
    case Type::kDecimal:
      return one_of({Type::kNumber, Type::kDecimal, Type::kInteger});
    case Type::kUuid:
      return one_of({Type::kUuid, Type::kString});
    case Type::kStringArray:
    case Type::kIntegerArray:
      return one_of({type, Type::kJson});
    default:
      return own == type;
  }
}

}  // namespace

Result<std::vector<Affinity>> affinities_of(ContractSource& source, const engine::CatalogTable& table) {
  std::vector<Affinity> affinities(table.columns.size(), Affinity::kBlob);
  if (!source.sqlite()) return affinities;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    CANDOR_ASSIGN(const ContractSource::Row row,
                  source.ask_one("SELECT candor_affinity(?1)", {text_value(table.columns[i].type)}));
    affinities[i] = affinity_named(row[0].text);
  }
  return affinities;
}

std::string sqlite_storage_fault(Type type, const std::string& declared, Affinity affinity) {
  const bool numeric = affinity == Affinity::kInteger || affinity == Affinity::kReal || affinity == Affinity::kNumeric;
  const std::string column = declared.empty() ? "the column has no type" : "the column is declared " + declared;
  switch (type) {
    case Type::kString:
    case Type::kJson:
      return numeric ? column + ", and SQLite makes numbers of texts such as '007'" : "";
    case Type::kInteger:
    case Type::kBoolean:
      if (affinity == Affinity::kReal) return column + ", and SQLite makes 1.0 of 1";
      [[fallthrough]];
    case Type::kNumber:
    case Type::kDecimal:
      return affinity == Affinity::kText ? column + ", and SQLite makes texts of numbers" : "";
    default:
      return {};  // a text that no affinity changes
  }
}

std::string duckdb_storage_fault(Type type, const std::string& stored) {
  const std::string lower = lower_ascii(stored);
  return duckdb_holds(type, lower, contract::type_of_stored(stored)) ? "" : "the column is of type " + stored;
}

std::string postgres_storage_fault(Type type, const std::string& stored) {
  const std::string lower = lower_ascii(stored);
  return postgres_holds(type, lower, contract::type_of_stored(stored)) ? "" : "the column is of type " + stored;
}

}  // namespace candor
