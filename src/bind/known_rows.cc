// What a contract tells of itself as rows: information_schema.tables and .columns, SQLite's sqlite_master, which agents
// ask out of habit.
#include <array>
#include <utility>

#include "base/ascii.h"
#include "bind/binding.h"

namespace candor::bind {
namespace {

Value truth(bool yes) { return text_value(yes ? "YES" : "NO"); }

void tables(const contract::Contract& contract, Relation& made) {
  for (const std::string_view name : {"table_catalog", "table_schema", "table_name", "table_type", "table_comment"})
    made.columns.push_back({std::string(name), Type::kString});
  for (const contract::Resource& resource : contract.resources) {
    made.rows.push_back({text_value(contract.source), text_value("main"), text_value(resource.name),
                         text_value("BASE TABLE"), text_value(resource.description)});
  }
}

void columns(const contract::Contract& contract, Relation& made) {
  for (const std::string_view name : {"table_catalog", "table_schema", "table_name", "column_name"})
    made.columns.push_back({std::string(name), Type::kString});
  made.columns.push_back({"ordinal_position", Type::kInteger});
  for (const std::string_view name : {"is_nullable", "data_type", "column_comment"})
    made.columns.push_back({std::string(name), Type::kString});
  for (const contract::Resource& resource : contract.resources) {
    std::int64_t position = 0;
    for (const contract::Column& column : resource.columns) {
      made.rows.push_back({text_value(contract.source), text_value("main"), text_value(resource.name),
                           text_value(column.name), integer_value(++position), truth(column.nullable),
                           text_value(std::string(contract::to_string(column.type))), text_value(column.description)});
    }
  }
}

void master(const contract::Contract& contract, Relation& made) {
  for (const std::string_view name : {"type", "name", "tbl_name", "sql"})
    made.columns.push_back({std::string(name), Type::kString});
  for (const contract::Resource& resource : contract.resources) {
    std::string definition = "CREATE TABLE " + resource.name + " (";
    for (const contract::Column& column : resource.columns) {
      definition += (&column == &resource.columns.front() ? "" : ", ") + column.name + " " +
                    std::string(contract::to_string(column.type)) + (column.nullable ? "" : " NOT NULL");
    }
    made.rows.push_back(
        {text_value("table"), text_value(resource.name), text_value(resource.name), text_value(definition + ")")});
  }
}

}  // namespace

bool Binding::known_rows(const dialect::TableRef& ref, Relation& made) {
  const std::string name = lower_ascii(ref.names.back().text);
  const bool schema = ref.names.size() > 1 && same_name(ref.names[ref.names.size() - 2].text, "information_schema");
  const bool lite = ref.names.size() == 1 && (name == "sqlite_master" || name == "sqlite_schema");
  if (!lite && (!schema || (name != "tables" && name != "columns"))) return false;
  made.kind = RelationKind::kRows;
  made.alias = name;
  if (lite) {
    master(*context_.contract, made);
  } else if (name == "tables") {
    tables(*context_.contract, made);
  } else {
    columns(*context_.contract, made);
  }
  return true;
}

}  // namespace candor::bind
