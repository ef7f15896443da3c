// The statements of one plan: the read itself, its count, and what a write asks and does row by row.
#include "lower/lower.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "lower/dialect.h"

namespace candor::lower {
namespace {

std::unique_ptr<Dialect> make(const Storage& storage) {
  switch (storage.target) {
    case Target::kDuckdb:
      return make_duckdb(storage);
    case Target::kSqlite:
      return make_sqlite(storage);
    case Target::kPostgres:
      return make_postgres(storage);
  }
  return nullptr;
}

bool adds_interval(const bind::BoundExpr& one) {
  return one.kind == bind::BoundKind::kAddInterval ||
         std::ranges::any_of(one.children, [](const bind::BoundPtr& child) { return adds_interval(*child); });
}

// A further column of the result, which the expression makes.
void add_column(const Dialect& dialect, const bind::BoundExpr& one, std::optional<contract::Type> type, Lowered& made) {
  made.scales.resize(made.types.size());
  made.reckoned.resize(made.types.size());
  made.types.emplace_back(type);
  made.scales.push_back(dialect.shown_scale(one));
  made.reckoned.push_back(adds_interval(one));
}

std::string any_zero(Dialect& dialect, const std::vector<const bind::BoundExpr*>& divisors) {
  std::string zero;
  for (const bind::BoundExpr* one : divisors) zero += (zero.empty() ? "(" : " OR ") + dialect.expr(*one) + " = 0";
  return zero + ")";
}

void add_zero_column(Dialect& dialect, const std::vector<const bind::BoundExpr*>& divisors, std::string& sql,
                     Lowered& made) {
  if (divisors.empty()) return;
  sql += ", CASE WHEN " + any_zero(dialect, divisors) + " THEN 1 ELSE 0 END AS \"zero\"";
  made.types.emplace_back(contract::Type::kInteger);
}

}  // namespace

Lowering::Lowering(const Storage& storage) : dialect_(make(storage)) {}
Lowering::~Lowering() = default;

Lowered Lowering::select(const bind::BoundSelect& plan) { return select(plan, {}); }

Lowered Lowering::select(const bind::BoundSelect& plan, const SelectOptions& options) {
  Lowered made;
  const std::string sql = dialect_->select(plan, options);
  made.sql = dialect_->with_common(sql);
  made.parameters = dialect_->take_parameters();
  for (const bind::BoundItem& item : plan.items) add_column(*dialect_, *item.expr, item.expr->type, made);
  if (options.with_keys) made.keys = Dialect::keys_of(plan).columns;
  return made;
}

Lowered Lowering::count(const bind::BoundSelect& plan) {
  SelectOptions options;
  options.with_order = false;
  options.with_limit = false;
  const std::string sql = dialect_->select(plan, options);
  return {dialect_->with_common("SELECT COUNT(*) FROM (" + sql + ") AS q"),
          dialect_->take_parameters(),
          {contract::Type::kInteger}};
}

Lowered Lowering::count_equal(const bind::BoundSelect& plan, const std::vector<Border>& borders) {
  const std::string rows = dialect_->order_rows(plan);
  std::string sql = "SELECT COUNT(*) AS \"total\"";
  for (std::size_t i = 0; i < borders.size(); ++i) {
    sql += ", COUNT(CASE WHEN " + dialect_->equals(plan, borders[i]) + " THEN 1 END) AS \"equal" + std::to_string(i) +
           "\"";
  }
  sql += " FROM (" + rows + ") AS d";
  return {dialect_->with_common(sql), dialect_->take_parameters(),
          std::vector<std::optional<contract::Type>>(borders.size() + 1, contract::Type::kInteger)};
}

Lowered Lowering::places(const bind::BoundSelect& plan, std::int64_t begin, std::int64_t end) {
  const std::string upto_end = "CASE WHEN r.\"place\" <= " + std::to_string(end) + " THEN 1 END";
  const std::string upto_begin = "CASE WHEN r.\"place\" <= " + std::to_string(begin) + " THEN ";
  const std::string sql = "SELECT COUNT(" + upto_end + ") AS \"to_end\", COUNT(" + upto_begin +
                          "1 END) AS \"to_begin\", MAX(" + upto_begin + "r.\"place\" END) AS \"place\" FROM (" +
                          dialect_->places(plan) + ") AS r";
  const auto integer = contract::Type::kInteger;
  return {dialect_->with_common(sql), dialect_->take_parameters(), {integer, integer, integer}};
}

Lowered Lowering::zero_divisors(const bind::BoundSelect& plan, const std::vector<const bind::BoundExpr*>& divisors,
                                bool groups, bool with_where) {
  std::string sql = "SELECT 1 AS \"one\"";
  if (!plan.from.empty()) sql += " FROM " + dialect_->from(plan);
  const std::string zero = any_zero(*dialect_, divisors);
  std::string where = plan.where != nullptr && with_where ? dialect_->expr(*plan.where) : std::string();
  if (!groups) where += (where.empty() ? "" : " AND ") + zero;
  if (!where.empty()) sql += " WHERE " + where;
  if (groups) {
    for (std::size_t i = 0; i < plan.group_by.size(); ++i) {
      sql += (i == 0 ? " GROUP BY " : ", ") + dialect_->expr(*plan.group_by[i]);
    }
    sql += " HAVING " + zero;
  }
  sql += " LIMIT 1";
  return {dialect_->with_common(sql), dialect_->take_parameters(), {contract::Type::kInteger}};
}

namespace {

std::string source_of(Dialect& dialect, const bind::BoundWrite& plan, bool with_kept = false) {
  dialect.know(*plan.target);
  return " FROM " + dialect.scan(*plan.resource, nullptr, with_kept) + " AS t" + std::to_string(plan.target->id);
}

std::string key_of(const bind::BoundWrite& plan) {
  return "t" + std::to_string(plan.target->id) + "." + quote_name(plan.resource->find(plan.resource->key)->name);
}

std::string key_list(Dialect& dialect, const contract::Resource& resource, const std::vector<Value>& keys) {
  std::string list;
  for (const Value& key : keys) list += (list.empty() ? "" : ", ") + dialect.key_value(resource, key);
  return list;
}

}  // namespace

Lowered Lowering::zero_divisors(const bind::BoundWrite& plan, const std::vector<const bind::BoundExpr*>& divisors) {
  const std::string source = source_of(*dialect_, plan);
  const std::string sql = "SELECT 1 AS \"one\"" + source + " WHERE " + any_zero(*dialect_, divisors) + " LIMIT 1";
  return {dialect_->with_common(sql), dialect_->take_parameters(), {contract::Type::kInteger}};
}

Lowered Lowering::matched_rows(const bind::BoundWrite& plan, std::int64_t limit, bool with_kept,
                               const Divisors& divisors) {
  Lowered made;
  const std::string source = source_of(*dialect_, plan, with_kept);
  std::string sql = "SELECT " + key_of(plan) + " AS \"key\"";
  made.types.emplace_back(plan.resource->find(plan.resource->key)->type);
  for (std::size_t i = 0; i < plan.set.size(); ++i) {
    sql += ", " + dialect_->expr(*plan.set[i].value) + " AS \"v" + std::to_string(i) + "\"";
    add_column(*dialect_, *plan.set[i].value, plan.resource->columns[plan.set[i].column].type, made);
  }
  for (std::size_t i = 0; with_kept && i < dialect_->stored(*plan.resource).kept.size(); ++i) {
    sql += ", t" + std::to_string(plan.target->id) + "." + quote_name(Dialect::kept_name(i)) + " AS \"k" +
           std::to_string(i) + "\"";
    made.types.emplace_back(std::nullopt);
  }
  add_zero_column(*dialect_, divisors, sql, made);
  sql += source;
  if (plan.where != nullptr) sql += " WHERE " + dialect_->expr(*plan.where);
  sql += " ORDER BY 1 LIMIT " + std::to_string(limit);
  made.sql = dialect_->with_common(sql);
  made.parameters = dialect_->take_parameters();
  return made;
}

Lowered Lowering::matched_count(const bind::BoundWrite& plan) {
  std::string sql = "SELECT COUNT(*)" + source_of(*dialect_, plan);
  if (plan.where != nullptr) sql += " WHERE " + dialect_->expr(*plan.where);
  return {dialect_->with_common(sql), dialect_->take_parameters(), {contract::Type::kInteger}};
}

Lowered Lowering::count_all(const contract::Resource& resource) {
  const std::string sql = "SELECT COUNT(*) FROM " + dialect_->scan(resource, nullptr) + " AS q";
  return {sql, dialect_->take_parameters(), {contract::Type::kInteger}};
}

Lowered Lowering::values(const std::vector<const bind::BoundExpr*>& row, const Divisors& divisors) {
  Lowered made;
  for (const bind::BoundExpr* one : row) {
    made.sql += (made.sql.empty() ? "SELECT " : ", ") + dialect_->expr(*one) + " AS \"v" +
                std::to_string(made.types.size()) + "\"";
    add_column(*dialect_, *one, one->type, made);
  }
  add_zero_column(*dialect_, divisors, made.sql, made);
  made.sql = dialect_->with_common(made.sql);
  made.parameters = dialect_->take_parameters();
  return made;
}

Lowered Lowering::known_keys(const contract::Resource& resource, const std::vector<Value>& keys) {
  const contract::Column& key = *resource.find(resource.key);
  const StoredTable& table = dialect_->stored(resource);
  const std::string column = dialect_->read_column(table, key);
  const std::string filter = dialect_->row_filter(resource);
  const std::string visible =
      filter.empty() ? std::string("1") : "CASE WHEN " + filter.substr(7) + " THEN 1 ELSE 0 END";
  std::string sql = "SELECT " + column + " AS \"key\", " + visible + " AS \"visible\" FROM " +
                    dialect_->quoted_table(table) + " WHERE " + column + " IN (" + key_list(*dialect_, resource, keys) +
                    ")";
  // Where the table's key has the scope in it, the same value in another scope is another row.
  const std::string scope = lower_ascii(dialect_->storage().scope_column);
  if (!scope.empty() && table.primary_key.contains(scope)) sql += " AND " + dialect_->in_scope(table);
  return {sql, dialect_->take_parameters(), {key.type, contract::Type::kInteger}};
}

Lowered Lowering::conflict_row(const bind::BoundWrite& plan, const Value& key, const std::vector<Value>& excluded,
                               const Divisors& divisors) {
  Lowered made;
  const std::string source = source_of(*dialect_, plan);
  if (plan.excluded != nullptr) dialect_->substitute(plan.excluded->id, excluded);
  std::string sql = "SELECT " + key_of(plan) + " AS \"key\"";
  made.types.emplace_back(plan.resource->find(plan.resource->key)->type);
  for (std::size_t i = 0; i < plan.conflict_set.size(); ++i) {
    sql += ", " + dialect_->expr(*plan.conflict_set[i].value) + " AS \"v" + std::to_string(i) + "\"";
    add_column(*dialect_, *plan.conflict_set[i].value, plan.resource->columns[plan.conflict_set[i].column].type, made);
  }
  add_zero_column(*dialect_, divisors, sql, made);
  sql += source + " WHERE " + key_of(plan) + " = " + dialect_->key_value(*plan.resource, key);
  if (plan.conflict_where != nullptr) sql += " AND " + dialect_->expr(*plan.conflict_where);
  made.sql = dialect_->with_common(sql);
  made.parameters = dialect_->take_parameters();
  return made;
}

Lowered Lowering::returning(const bind::BoundWrite& plan, const std::vector<Value>& keys) {
  Lowered made;
  const std::string source = source_of(*dialect_, plan);
  std::string sql = "SELECT " + key_of(plan) + " AS \"key\"";
  made.types.emplace_back(plan.resource->find(plan.resource->key)->type);
  for (std::size_t i = 0; i < plan.returning.size(); ++i) {
    sql += ", " + dialect_->expr(*plan.returning[i].expr) + " AS \"c" + std::to_string(i) + "\"";
    add_column(*dialect_, *plan.returning[i].expr, plan.returning[i].expr->type, made);
  }
  sql += source + " WHERE " + key_of(plan) + " IN (" + key_list(*dialect_, *plan.resource, keys) + ")";
  made.sql = dialect_->with_common(sql);
  made.parameters = dialect_->take_parameters();
  return made;
}

Lowered Lowering::insert(const contract::Resource& resource, const std::vector<ColumnValue>& values) {
  const contract::Column& key = *resource.find(resource.key);
  const StoredTable& table = dialect_->stored(resource);
  const Storage& storage = dialect_->storage();
  std::string columns;
  std::string row;
  const auto add = [&](const std::string& column, const std::string& value) {
    columns += (columns.empty() ? "" : ", ") + quote_name(column);
    row += (row.empty() ? "" : ", ") + value;
  };
  for (const ColumnValue& one : values) add(one.column->stored, dialect_->stored_value(table, *one.column, one.value));
  if (!storage.scope_column.empty() && table.has(storage.scope_column)) {
    add(storage.scope_column, dialect_->scope_value(table));
  }
  const std::string target = "INSERT INTO " + dialect_->quoted_table(table);
  std::string sql = target + (columns.empty() ? " DEFAULT VALUES" : " (" + columns + ") VALUES (" + row + ")");
  sql += " RETURNING " + dialect_->read_column(table, key) + " AS \"key\"";
  return {sql, dialect_->take_parameters(), {key.type}};
}

Lowered Lowering::update(const contract::Resource& resource, const Value& key, const std::vector<ColumnValue>& values) {
  const contract::Column& column = *resource.find(resource.key);
  const StoredTable& table = dialect_->stored(resource);
  std::string set;
  for (const ColumnValue& one : values) {
    set += (set.empty() ? "" : ", ") + quote_name(one.column->stored) + " = " +
           dialect_->stored_value(table, *one.column, one.value);
  }
  const std::string filter = dialect_->row_filter(resource);
  const std::string sql = "UPDATE " + dialect_->quoted_table(table) + " SET " + set +
                          (filter.empty() ? " WHERE " : filter + " AND ") + quote_name(column.stored) + " = " +
                          dialect_->key_value(resource, key);
  return {sql, dialect_->take_parameters(), {}};
}

Lowered Lowering::remove(const contract::Resource& resource, const Value& key) {
  const contract::Column& column = *resource.find(resource.key);
  const StoredTable& table = dialect_->stored(resource);
  const std::string filter = dialect_->row_filter(resource);
  const std::string sql = "DELETE FROM " + dialect_->quoted_table(table) +
                          (filter.empty() ? " WHERE " : filter + " AND ") + quote_name(column.stored) + " = " +
                          dialect_->key_value(resource, key);
  return {sql, dialect_->take_parameters(), {}};
}

}  // namespace candor::lower
