// See dialect_contract.h.
#include "support/dialect_contract.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "dialect/parser.h"
#include "exec/exec.h"

namespace candor::test {
namespace {

contract::Contract read_contract() {
  const char* folder = std::getenv("CANDOR_SOURCE_DIR");
  std::ifstream file(std::string(folder == nullptr ? "." : folder) + "/tests/dialect/contract.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<contract::Contract> contract = contract::parse(text, "contract.yaml");
  EXPECT_TRUE(contract.ok()) << (contract.ok() ? "" : contract.error().message);
  return contract.ok() ? *std::move(contract) : contract::Contract();
}

std::string type_in(lower::Target target, contract::Type type) {
  using contract::Type;
  const bool lite = target == lower::Target::kSqlite;
  const bool postgres = target == lower::Target::kPostgres;
  switch (type) {
    case Type::kInteger:
      return lite ? "INTEGER" : "bigint";
    case Type::kNumber:
      return lite ? "REAL" : postgres ? "double precision" : "double";
    case Type::kDecimal:
      return lite ? "NUMERIC" : "decimal(10,2)";
    case Type::kBoolean:
      return lite ? "INTEGER" : "boolean";
    case Type::kDate:
      return lite ? "TEXT" : "date";
    case Type::kDatetime:
      return lite ? "TEXT" : postgres ? "timestamp without time zone" : "timestamp";
    case Type::kUuid:
      return lite ? "TEXT" : "uuid";
    case Type::kJson:
      return lite ? "TEXT" : postgres ? "jsonb" : "json";
    case Type::kStringArray:
      return lite ? "TEXT" : postgres ? "text[]" : "varchar[]";
    case Type::kIntegerArray:
      return lite ? "TEXT" : "bigint[]";
    case Type::kString:
      break;
  }
  return lite ? "TEXT" : postgres ? "text" : "varchar";
}

}  // namespace

const contract::Contract& dialect_contract() {
  static const contract::Contract contract = read_contract();
  return contract;
}

lower::Storage dialect_storage(lower::Target target) {
  lower::Storage storage;
  storage.target = target;
  storage.source = "app";
  storage.scope_column = "workspace_id";
  storage.scope_value = kScopeValue;
  storage.now = "2024-06-01T12:00:00";
  for (const contract::Resource& resource : dialect_contract().resources) {
    lower::StoredTable table;
    table.schema = target == lower::Target::kPostgres ? "public" : "main";
    table.name = resource.table;
    for (const contract::Column& column : resource.columns) {
      table.columns.push_back(column.stored);
      table.types.emplace(column.stored, type_in(target, column.type));
    }
    if (resource.name != "languages" && !table.has("workspace_id")) {
      table.columns.emplace_back("workspace_id");
      table.types.emplace("workspace_id", type_in(target, contract::Type::kString));
    }
    table.kept = table.columns;
    storage.tables.emplace(&resource, std::move(table));
  }
  return storage;
}

bind::Bound bind_text(std::string_view sql) {
  return bind::bind(sql, dialect::parse(sql), {&dialect_contract(), std::string(kScopeValue)});
}

std::vector<lower::Lowered> lowered(std::string_view sql, lower::Target target) {
  const dialect::Parsed parsed = dialect::parse(sql);
  const bind::Bound bound = bind::bind(sql, parsed, {&dialect_contract(), std::string(kScopeValue)});
  for (const Diagnostic& error : parsed.errors) ADD_FAILURE() << sql << ": " << error.message;
  for (const Diagnostic& error : bound.errors) ADD_FAILURE() << sql << ": " << error.message;
  const lower::Storage storage = dialect_storage(target);
  std::vector<lower::Lowered> all;
  for (const bind::BoundStatement& statement : bound.statements) {
    for (exec::Step& step : exec::steps_of(statement, dialect_contract(), storage))
      all.push_back(std::move(step.lowered));
  }
  return all;
}

}  // namespace candor::test
