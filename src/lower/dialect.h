// What the engines' SQL has in common, and where each says it in its own way: private to this folder.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/bound.h"
#include "lower/lower.h"

namespace candor::lower {

using bind::BoundExpr;
using bind::BoundKind;
using bind::BoundSelect;
using bind::Function;
using bind::Op;
using bind::Relation;
using bind::RelationKind;
using contract::Type;

class Dialect {
 public:
  explicit Dialect(const Storage& storage) : storage_(storage) {}
  virtual ~Dialect() = default;

  [[nodiscard]] std::string select(const BoundSelect& plan, const Lowering::SelectOptions& options);
  // What a SELECT of the plan gives with its keys: its items, the values of ORDER BY that are none of them, and where each
  // value of ORDER BY stands.
  struct Keys {
    std::vector<const BoundExpr*> items;
    std::vector<std::size_t> columns;
  };
  [[nodiscard]] static Keys keys_of(const BoundSelect& plan);
  // The plan's rows without order and end, as far as its order sees them; and above them, called d, the condition that a row
  // equals these values of ORDER BY.
  [[nodiscard]] std::string order_rows(const BoundSelect& plan);
  [[nodiscard]] std::string equals(const BoundSelect& plan, const Lowering::Border& border);
  // One row each of the plan's: its place under the ORDER BY.
  [[nodiscard]] std::string places(const BoundSelect& plan);
  // With the common table expressions that were met before it.
  [[nodiscard]] std::string with_common(const std::string& sql) const;
  [[nodiscard]] std::string expr(const BoundExpr& expr);
  [[nodiscard]] std::string from(const BoundSelect& plan);
  // `with_kept`: with the columns that undoing keeps, by kept_name.
  [[nodiscard]] std::string scan(const contract::Resource& resource, const std::set<std::size_t>* used,
                                 bool with_kept = false);
  // No column of a contract has a blank in its name.
  [[nodiscard]] static std::string kept_name(std::size_t number) { return "kept " + std::to_string(number); }
  [[nodiscard]] std::string table_name(const contract::Resource& resource) const;
  // " WHERE" with the scope; nothing where the table has none.
  [[nodiscard]] std::string scope_filter(const contract::Resource& resource);
  // " WHERE" with the scope, and the rows that are not deleted softly.
  [[nodiscard]] std::string row_filter(const contract::Resource& resource);
  [[nodiscard]] std::string value(const Value& value, std::optional<Type> type);
  [[nodiscard]] std::string key_value(const contract::Resource& resource, const Value& key);
  // Columns of the relation are these values.
  void substitute(std::size_t relation, const std::vector<Value>& columns) { substitutes_[relation] = &columns; }
  void know(const Relation& relation) { relations_[relation.id] = &relation; }
  [[nodiscard]] std::vector<Value> take_parameters() {
    numbers_.clear();
    return std::exchange(parameters_, {});
  }
  [[nodiscard]] const Storage& storage() const { return storage_; }
  [[nodiscard]] const StoredTable& stored(const contract::Resource& resource) const {
    return storage_.tables.at(&resource);
  }

  // A column of the table as what the contract says it is; and a value as the table stores it.
  [[nodiscard]] virtual std::string read_column(const StoredTable& table, const contract::Column& column) = 0;
  [[nodiscard]] virtual std::string stored_value(const StoredTable& table, const contract::Column& column,
                                                 const Value& value);
  [[nodiscard]] virtual std::string quoted_table(const StoredTable& table) const = 0;
  // The caller's value of the scope as the table stores it, and the condition that a row is in it, byte for byte.
  [[nodiscard]] virtual std::string scope_value(const StoredTable& table);
  [[nodiscard]] virtual std::string in_scope(const StoredTable& table);

  // Digits behind the point that a decimal of this expression is shown with, where the engine does not keep them itself.
  [[nodiscard]] virtual std::optional<int> shown_scale(const BoundExpr& expr) const;

  // For undoing: a column of the table in a form that tells any two values apart, and such a value as the table stores it.
  // `type` is the engine's name for the column's. Where there is no such form, `can_keep` is false.
  [[nodiscard]] virtual bool can_keep(const std::string& type) const;
  [[nodiscard]] virtual std::string kept_column(const std::string& column, const std::string& type) const;
  [[nodiscard]] virtual std::string kept_value(const std::string& type, const Value& value) = 0;
  // Between the columns and the VALUES of an INSERT that names each column, where the engine wants it said.
  [[nodiscard]] virtual std::string overriding() const { return {}; }

 protected:
  // ---- one engine's way ----
  [[nodiscard]] virtual std::string placeholder(std::size_t number) const = 0;
  [[nodiscard]] virtual std::string typed(const std::string& placeholder, std::optional<Type> type) const = 0;
  // A parameter that is of that type by its value: the digits of a decimal.
  [[nodiscard]] virtual std::string typed_value(const std::string& placeholder, std::optional<Type> type,
                                                const Value& value) const {
    (void)value;
    return typed(placeholder, type);
  }
  [[nodiscard]] virtual Value bindable(const Value& value) const { return value; }
  [[nodiscard]] virtual std::string unnest(const Relation& relation) = 0;
  [[nodiscard]] virtual std::string element(const Relation& relation) const = 0;  // the column of an UNNEST
  [[nodiscard]] virtual std::string distinct_from(const std::string& a, const std::string& b, bool negated) const = 0;
  [[nodiscard]] virtual std::string ordered(const std::string& sql, std::optional<Type> type) const {
    (void)type;
    return sql;
  }
  [[nodiscard]] virtual std::string arithmetic(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string negate(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string add_interval(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string like(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string contains_text(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string function(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string aggregate(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string cast(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string array(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string array_predicate(const BoundExpr& expr) = 0;
  [[nodiscard]] virtual std::string scalar(const BoundExpr& expr);
  [[nodiscard]] virtual std::string fold(const std::string& sql) const = 0;

  // ---- for all of them ----
  [[nodiscard]] std::string parameter(const Value& value, std::optional<Type> type);
  [[nodiscard]] std::string text_parameter(std::string_view text);
  [[nodiscard]] std::string integer_parameter(std::int64_t number);
  [[nodiscard]] std::string column(const BoundExpr& expr);
  [[nodiscard]] std::string literal(const Value& value, std::optional<Type> type);  // arrays too
  [[nodiscard]] std::string joined(const BoundExpr& expr, std::string_view separator);
  [[nodiscard]] std::string compare(const BoundExpr& expr);
  [[nodiscard]] std::string case_of(const BoundExpr& expr);
  [[nodiscard]] std::string call(std::string_view name, const BoundExpr& expr);
  [[nodiscard]] std::string order_list(const std::vector<bind::BoundOrder>& order);
  [[nodiscard]] std::string filtered(std::string aggregate, const BoundExpr& expr);
  // strftime's letters one by one, so that a format is never text of a statement. NULL for a NULL time, whatever the format.
  [[nodiscard]] std::string format_time(const BoundExpr& expr, const std::string& time,
                                        const std::vector<std::pair<char, std::string>>& letters);
  [[nodiscard]] std::string relation_sql(const Relation& relation);
  [[nodiscard]] std::string known_rows(const Relation& relation);

  [[nodiscard]] const Relation* relation_of(const BoundExpr& column) const {
    const auto found = relations_.find(column.relation);
    return found == relations_.end() ? nullptr : found->second;
  }

  const Storage& storage_;

 private:
  // SELECT with these items, each named by its number, without ORDER BY and LIMIT.
  [[nodiscard]] std::string select_core(const BoundSelect& plan, const std::vector<const BoundExpr*>& items);
  [[nodiscard]] std::string order_by_items(const BoundSelect& plan, const std::vector<const BoundExpr*>& items);
  // Where each value of ORDER BY stands among the columns of order_rows, in this dialect's words for comparing it.
  [[nodiscard]] std::vector<std::string> order_columns(const BoundSelect& plan,
                                                       const std::vector<const BoundExpr*>& items) const;
  [[nodiscard]] std::string paging(const BoundSelect& plan, const Lowering::SelectOptions& options);

  std::vector<Value> parameters_;
  std::unordered_map<std::string, std::size_t> numbers_;  // of the parameters, by their bytes
  std::map<std::size_t, const Relation*> relations_;
  std::map<std::size_t, const std::vector<Value>*> substitutes_;
  std::map<const BoundSelect*, std::string> common_;
  std::vector<std::pair<std::string, std::string>> common_sql_;
};

[[nodiscard]] std::unique_ptr<Dialect> make_duckdb(const Storage& storage);
[[nodiscard]] std::unique_ptr<Dialect> make_sqlite(const Storage& storage);
[[nodiscard]] std::unique_ptr<Dialect> make_postgres(const Storage& storage);

[[nodiscard]] std::string quote_name(std::string_view name);

}  // namespace candor::lower
