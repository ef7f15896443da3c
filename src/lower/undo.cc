// What undoing asks and writes: whole rows of a table, in the dialect's exact form.
#include "lower/dialect.h"

namespace candor::lower {
namespace {

std::string with_key(Dialect& dialect, const contract::Resource& resource, const Value& key) {
  const std::string filter = dialect.scope_filter(resource);
  return (filter.empty() ? " WHERE " : filter + " AND ") + quote_name(resource.find(resource.key)->stored) + " = " +
         dialect.key_value(resource, key);
}

}  // namespace

std::string Lowering::cannot_keep(const contract::Resource& resource) const {
  const StoredTable& table = dialect_->stored(resource);
  for (const std::string& column : table.kept) {
    const std::string type = table.declared_type(column);
    if (!dialect_->can_keep(type)) return "column " + column + " of table " + table.name + " is of type " + type;
  }
  return {};
}

Lowered Lowering::kept_rows(const contract::Resource& resource, const std::vector<Value>& keys) {
  const contract::Column& key = *resource.find(resource.key);
  const StoredTable& table = dialect_->stored(resource);
  std::string sql = "SELECT " + dialect_->read_column(table, key) + " AS \"key\"";
  Lowered made;
  made.types.emplace_back(key.type);
  for (std::size_t i = 0; i < table.kept.size(); ++i) {
    sql += ", " + dialect_->kept_column(table.kept[i], table.declared_type(table.kept[i])) + " AS \"v" +
           std::to_string(i) + "\"";
    made.types.emplace_back(std::nullopt);
  }
  const std::string filter = dialect_->scope_filter(resource);
  sql += " FROM " + dialect_->quoted_table(table) + (filter.empty() ? " WHERE " : filter + " AND ") +
         dialect_->read_column(table, key) + " IN (";
  for (std::size_t i = 0; i < keys.size(); ++i) sql += (i == 0 ? "" : ", ") + dialect_->key_value(resource, keys[i]);
  made.sql = sql + ")";
  made.parameters = dialect_->take_parameters();
  return made;
}

Lowered Lowering::put_back(const contract::Resource& resource, const std::vector<Value>& row) {
  const StoredTable& table = dialect_->stored(resource);
  std::string columns;
  std::string values;
  for (std::size_t i = 0; i < table.kept.size(); ++i) {
    columns += (i == 0 ? "" : ", ") + quote_name(table.kept[i]);
    values += (i == 0 ? "" : ", ") + dialect_->kept_value(table.declared_type(table.kept[i]), row.at(i));
  }
  const std::string sql = "INSERT INTO " + dialect_->quoted_table(table) + " (" + columns + ")" +
                          dialect_->overriding() + " VALUES (" + values + ")";
  return {sql, dialect_->take_parameters(), {}};
}

Lowered Lowering::put_back(const contract::Resource& resource, const Value& key, const std::vector<KeptValue>& values) {
  const StoredTable& table = dialect_->stored(resource);
  std::string set;
  for (const KeptValue& one : values) {
    const std::string& column = table.kept.at(one.column);
    set += (set.empty() ? "" : ", ") + quote_name(column) + " = " +
           dialect_->kept_value(table.declared_type(column), one.value);
  }
  const std::string sql =
      "UPDATE " + dialect_->quoted_table(table) + " SET " + set + with_key(*dialect_, resource, key);
  return {sql, dialect_->take_parameters(), {}};
}

Lowered Lowering::take_away(const contract::Resource& resource, const Value& key) {
  const std::string sql =
      "DELETE FROM " + dialect_->quoted_table(dialect_->stored(resource)) + with_key(*dialect_, resource, key);
  return {sql, dialect_->take_parameters(), {}};
}

}  // namespace candor::lower
