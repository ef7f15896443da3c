// SQLite. Texts, arrays and times go through Candor's own functions, which the engine's contract connections have
// (docs/decisions/0060-contract-engines.md): SQLite's own fold ASCII alone, round integers, and know no arrays.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "lower/dialect.h"
#include "lower/magnitude.h"

namespace candor::lower {
namespace {

using bind::is_time;

class SqliteDialect final : public Dialect {
 public:
  using Dialect::Dialect;

  std::string quoted_table(const StoredTable& table) const override { return "\"main\"." + quote_name(table.name); }

  // SQLite's values are what they are, whatever the column's declared type. Affinity changes none of those that it let in.
  std::string kept_value(const std::string&, const Value& value) override {
    return value.is_null() ? "NULL" : parameter(value, std::nullopt);
  }

  std::string read_column(const StoredTable&, const contract::Column& column) override {
    std::string name = quote_name(column.stored);
    switch (column.type) {
      case Type::kString:
        return name + " COLLATE BINARY";
      case Type::kDatetime:
        return "candor_datetime(" + name + ")";
      case Type::kDate:
        return "candor_date(" + name + ")";
      default:
        return name;
    }
  }

  // At the scale that the column declares, which SQLite takes no notice of.
  std::string stored_value(const StoredTable& table, const contract::Column& column, const Value& given) override {
    if (given.is_null() || column.type != Type::kDecimal) return value(given, column.type);
    const bool text = given.kind == CellKind::kDecimal;
    const std::string digits = text ? text_parameter(given.text) : parameter(given, std::nullopt);
    const std::optional<DeclaredDecimal> declared = declared_decimal(table.type_of(column.stored));
    if (!declared) return "candor_to_decimal(" + digits + ")";
    return "candor_store_decimal(" + digits + ", " + std::to_string(declared->scale) + ", " +
           std::to_string(declared->precision) + ")";
  }

  std::string in_scope(const StoredTable& table) override {
    return quote_name(storage_.scope_column) + " COLLATE BINARY = " + scope_value(table);
  }

  std::optional<int> shown_scale(const BoundExpr& one) const override {
    if (one.type == Type::kInteger) return 0;
    if (one.type != Type::kDecimal) return std::nullopt;
    switch (one.kind) {
      case BoundKind::kLiteral:
        return one.value.kind == CellKind::kDecimal ? std::optional(scale_of_digits(one.value.text)) : std::nullopt;
      case BoundKind::kColumn:
        return column_scale(one);
      case BoundKind::kArithmetic: {
        const auto a = shown_scale(*one.children[0]);
        const auto b = shown_scale(*one.children[1]);
        if (!a || !b) return std::nullopt;
        return one.op == Op::kMultiply ? *a + *b : std::max(*a, *b);
      }
      case BoundKind::kAggregate:
      case BoundKind::kNegate:
        return shown_scale(*one.children[0]);
      case BoundKind::kScalar:
        return shown_scale(*one.select->items.front().expr);
      case BoundKind::kCast:
        return one.text.empty() ? shown_scale(*one.children[0]) : std::optional(std::stoi(one.text));
      case BoundKind::kFunction:
      case BoundKind::kCase:
        return widest_scale(one);
      default:
        return std::nullopt;
    }
  }

 protected:
  std::string placeholder(std::size_t number) const override { return "?" + std::to_string(number); }
  std::string typed(const std::string& placeholder, std::optional<Type>) const override { return placeholder; }
  std::string typed_value(const std::string& placeholder, std::optional<Type> type, const Value& value) const override {
    return needs_reading(value) ? "candor_to_decimal(" + placeholder + ")" : typed(placeholder, type);
  }

  Value bindable(const Value& value) const override {
    Value bound = value;
    if (value.kind == CellKind::kBoolean) bound.kind = CellKind::kInteger;
    if (value.kind == CellKind::kDecimal) {
      // What a double does not keep is told by the function that reads it.
      if (needs_reading(value)) return text_value(value.text);
      bound = Value();
      bound.kind = CellKind::kReal64;
      bound.real = std::strtod(value.text.c_str(), nullptr);
    }
    if (value.kind == CellKind::kTemporal || value.kind == CellKind::kOther || value.kind == CellKind::kJson)
      bound = text_value(value.text);
    if (value.kind == CellKind::kList) bound = text_value(json_of(value));
    return bound;
  }

  std::string unnest(const Relation& relation) override {
    return "json_each(" + expr(*relation.array) + ") AS t" + std::to_string(relation.id);
  }
  std::string element(const Relation& relation) const override {
    return "t" + std::to_string(relation.id) + ".\"value\"";
  }

  std::string distinct_from(const std::string& a, const std::string& b, bool negated) const override {
    return "(" + a + (negated ? " IS " : " IS NOT ") + b + ")";
  }

  std::string arithmetic(const BoundExpr& one) override {
    switch (one.op) {
      case Op::kAdd:
        return operation(one, "add", " + ");
      case Op::kSubtract:
        return operation(one, "sub", " - ");
      case Op::kMultiply:
        return operation(one, "mul", " * ");
      case Op::kDivide:
        if (may_overflow(one)) return call("candor_real_div", one);
        return "(CAST(" + expr(*one.children[0]) + " AS REAL) / NULLIF(" + expr(*one.children[1]) + ", 0))";
      case Op::kDivideInteger:
        if (!by_plain_literal(one)) return call("candor_div", one);
        return "(" + expr(*one.children[0]) + " / NULLIF(" + expr(*one.children[1]) + ", 0))";
      default:
        return "(" + expr(*one.children[0]) + " % NULLIF(" + expr(*one.children[1]) + ", 0))";
    }
  }

  std::string negate(const BoundExpr& one) override {
    return one.type == Type::kInteger ? call("candor_neg", one) : "(- " + expr(*one.children[0]) + ")";
  }

  std::string add_interval(const BoundExpr& one) override {
    const std::string sum = "candor_datetime_add(" + expr(*one.children[0]) + ", " + integer_parameter(one.months) +
                            ", " + integer_parameter(one.days) + ", " + integer_parameter(one.microseconds) + ")";
    return one.type == Type::kDate ? "candor_date(" + sum + ")" : sum;
  }

  std::string fold(const std::string& sql) const override { return "candor_fold(" + sql + ")"; }

  std::string like(const BoundExpr& one) override {
    const std::string value = expr(*one.children[0]);
    const std::string pattern = expr(*one.children[1]);
    const std::string escape = one.text.empty() ? "NULL" : text_parameter(one.text);
    return "candor_like(" + (one.fold ? fold(value) : value) + ", " + (one.fold ? fold(pattern) : pattern) + ", " +
           (one.fold && !one.text.empty() ? fold(escape) : escape) + ")";
  }

  std::string contains_text(const BoundExpr& one) override {
    const std::string wanted = fold(expr(*one.children[1]));
    const std::string value = expr(*one.children[0]);
    if (one.children[0]->type != Type::kStringArray) return "candor_contains(" + fold(value) + ", " + wanted + ")";
    return "EXISTS (SELECT 1 FROM json_each(" + value + ") AS e WHERE candor_contains(" + fold("e.\"value\"") + ", " +
           wanted + "))";
  }

  std::string array(const BoundExpr& one) override {
    Value list;
    list.kind = CellKind::kList;
    for (const bind::BoundPtr& child : one.children) list.parts.push_back(child->value);
    return parameter(list, one.type);
  }

  std::string array_predicate(const BoundExpr& one) override {
    switch (one.kind) {
      case BoundKind::kOverlap:
        return call("candor_array_overlap", one);
      case BoundKind::kContainsAll:
        return call("candor_array_has_all", one);
      case BoundKind::kHas:
        return call("candor_array_has", one);
      default:
        return call("candor_array_equal", one);
    }
  }

  std::string scalar(const BoundExpr& one) override {
    return "(SELECT candor_single(\"c0\") FROM (" + select(*one.select, {}) + "))";
  }

  std::string cast(const BoundExpr& one) override {
    std::string value = expr(*one.children[0]);
    const std::optional<Type> from = one.children[0]->type;
    switch (*one.type) {
      case Type::kString:
        if (from == Type::kBoolean)
          return "CASE WHEN " + value + " THEN 'true' WHEN NOT " + value + " THEN 'false' END";
        return is_time(from) || from == Type::kUuid || from == Type::kString ? value : "CAST(" + value + " AS TEXT)";
      case Type::kInteger:
        if (from == Type::kString) return "candor_to_integer(" + value + ")";
        return is_number(from) ? "candor_whole(" + value + ")" : value;
      case Type::kNumber:
        return from == Type::kString ? "candor_to_number(" + value + ")" : "CAST(" + value + " AS REAL)";
      case Type::kDecimal:
        if (one.text.empty()) return from == Type::kString ? "candor_to_decimal(" + value + ")" : value;
        return "candor_to_decimal(" + value + ", " + one.text + ")";
      case Type::kDate:
        return (from == Type::kString ? "candor_to_date(" : "candor_date(") + value + ")";
      case Type::kDatetime:
        return (from == Type::kString ? "candor_to_datetime(" : "candor_datetime(") + value + ")";
      case Type::kBoolean:
        return "candor_to_boolean(" + value + ")";
      case Type::kUuid:
        return "candor_to_uuid(" + value + ")";
      default:
        return value;
    }
  }

  std::string aggregate(const BoundExpr& one) override {
    const std::string distinct = one.distinct ? "DISTINCT " : "";
    switch (one.aggregate) {
      case bind::Aggregate::kCount:
        return filtered(one.children.empty() ? "COUNT(*)" : "COUNT(" + distinct + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kSum:
        return filtered(sum_name(one, "SUM", "candor_sum") + distinct + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kAverage:
        return filtered(sum_name(one, "AVG", "candor_avg") + distinct + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kMinimum:
        return filtered("MIN(" + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kMaximum:
        return filtered("MAX(" + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kJoin: {
        std::string sql = "candor_string_agg(" + expr(*one.children[0]) + ", " + text_parameter(one.text) + ", " +
                          integer_parameter(one.distinct ? 1 : 0);
        for (const bind::BoundOrder& order : one.order) {
          sql += ", " + expr(*order.expr) + ", " +
                 integer_parameter((order.descending ? 1 : 0) + (order.nulls_first ? 2 : 0));
        }
        return filtered(sql + ")", one);
      }
    }
    return "NULL";
  }

  // SQLite's own MAX of several values is NULL where one of them is.
  std::string extreme(const BoundExpr& one) {
    std::string rows;
    for (const bind::BoundPtr& child : one.children)
      rows += (rows.empty() ? "SELECT " : " UNION ALL SELECT ") + expr(*child) + " AS v";
    return std::string("(SELECT ") + (one.function == Function::kGreatest ? "MAX" : "MIN") + "(v) FROM (" + rows + "))";
  }

  std::string function(const BoundExpr& one) override {
    switch (one.function) {
      case Function::kLower:
        return call("candor_lower", one);
      case Function::kUpper:
        return call("candor_upper", one);
      case Function::kTrim:
        return call("TRIM", one);
      case Function::kTrimLeft:
        return call("LTRIM", one);
      case Function::kTrimRight:
        return call("RTRIM", one);
      case Function::kLength:
        return call("candor_length", one);
      case Function::kSubstring:
        return call("candor_substr", one);
      case Function::kReplace:
        return call("REPLACE", one);
      case Function::kPosition:
        return "INSTR(" + expr(*one.children[1]) + ", " + expr(*one.children[0]) + ")";
      case Function::kConcat:
        return concat(one);
      case Function::kLeft:
        return call("candor_left", one);
      case Function::kRight:
        return call("candor_right", one);
      case Function::kCoalesce:
        return one.children.size() == 1 ? expr(*one.children[0]) : call("COALESCE", one);
      case Function::kNullIf:
        return call("NULLIF", one);
      case Function::kAbs:
        return one.type == Type::kInteger ? call("candor_abs", one) : call("ABS", one);
      case Function::kRound:
        if (one.type == Type::kInteger) return expr(*one.children[0]);
        return "candor_round(" + expr(*one.children[0]) + ", " +
               (one.children.size() > 1 ? expr(*one.children[1]) : integer_parameter(0)) + ")";
      case Function::kFloor:
        return one.type == Type::kInteger ? expr(*one.children[0]) : call("FLOOR", one);
      case Function::kCeiling:
        return one.type == Type::kInteger ? expr(*one.children[0]) : call("CEIL", one);
      case Function::kGreatest:
      case Function::kLeast:
        return extreme(one);
      case Function::kNow:
        return text_parameter(storage_.now);
      case Function::kCurrentDate:
        return text_parameter(storage_.now.substr(0, 10));
      case Function::kToDate:
        return call("candor_date", one);
      case Function::kDateTrunc:
        return "candor_date_trunc(" + text_parameter(one.text) + ", candor_datetime(" + expr(*one.children[0]) + "))";
      case Function::kExtract:
        return "candor_extract(" + text_parameter(one.text) + ", candor_datetime(" + expr(*one.children[0]) + "))";
      case Function::kFormatTime:
        return "candor_strftime(" + text_parameter(one.text) + ", candor_datetime(" + expr(*one.children[0]) + "))";
      case Function::kRandom:
        return "RANDOM()";
      case Function::kArrayLength:
        return call("candor_array_length", one);
    }
    return "NULL";
  }

 private:
  std::optional<int> column_scale(const BoundExpr& one) const {
    const Relation* relation = relation_of(one);
    if (relation == nullptr) return std::nullopt;
    if (relation->kind == RelationKind::kDerived) return shown_scale(*relation->select->items[one.column].expr);
    if (relation->kind != RelationKind::kScan) return std::nullopt;
    const auto declared =
        declared_decimal(stored(*relation->resource).type_of(relation->resource->columns[one.column].stored));
    return declared ? std::optional(declared->scale) : std::nullopt;
  }

  // Of CASE, COALESCE and their like: that of the value with the most digits.
  std::optional<int> widest_scale(const BoundExpr& one) const {
    std::optional<int> widest = 0;
    for (const bind::BoundPtr& child : one.children) {
      if (!bind::is_number(child->type)) continue;  // a condition, or NULL
      const auto scale = shown_scale(*child);
      widest = widest && scale ? std::optional(std::max(*widest, *scale)) : std::nullopt;
    }
    return widest;
  }

  // More digits than a double keeps.
  static bool needs_reading(const Value& value) {
    constexpr std::size_t kDigits = 15;
    if (value.kind != CellKind::kDecimal) return false;
    const std::size_t first = value.text.find_first_of("123456789");
    if (first == std::string::npos) return false;
    const std::size_t last = value.text.find_last_of("123456789");
    const bool point = value.text.substr(first, last - first).find('.') != std::string::npos;
    return last - first + (point ? 0 : 1) > kDigits;
  }

  std::string operation(const BoundExpr& one, const std::string& name, std::string_view sign) {
    if (one.type == Type::kInteger) return call("candor_" + name, one);
    if (one.type == Type::kDecimal) return call("candor_decimal_" + name, one);
    if (may_overflow(one)) return call("candor_real_" + name, one);
    return joined(one, sign);
  }

  // The one quotient of integers that is no integer is that of the least by -1.
  static bool by_plain_literal(const BoundExpr& one) {
    const BoundExpr& divisor = *one.children[1];
    return divisor.kind == BoundKind::kLiteral && divisor.value.kind == CellKind::kInteger && divisor.value.integer != -1;
  }

  static std::string sum_name(const BoundExpr& one, const char* plain, const std::string& own) {
    const std::optional<Type> type = one.children[0]->type;
    if (type == Type::kNumber) return own + "(";
    if (type != Type::kDecimal) return std::string(plain) + "(";
    return "candor_decimal_" + own.substr(own.find('_') + 1) + "(";
  }

  std::string concat(const BoundExpr& one) {
    std::string sql;
    for (const bind::BoundPtr& child : one.children)
      sql += (sql.empty() ? "(COALESCE(" : " || COALESCE(") + expr(*child) + ", '')";
    return sql + ")";
  }

  static std::string json_of(const Value& list) {
    std::string json = "[";
    for (const Value& part : list.parts) {
      if (json.size() > 1) json += ',';
      if (part.kind == CellKind::kInteger) {
        json += std::to_string(part.integer);
        continue;
      }
      json += '"';
      for (const char c : part.text) {
        constexpr std::string_view kHex = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
          json += '\\';
          json += c;
        } else if (byte < 0x20) {
          json += "\\u00";
          json += kHex[byte >> 4U];
          json += kHex[byte & 15U];
        } else {
          json += c;
        }
      }
      json += '"';
    }
    return json + "]";
  }

  static bool is_number(std::optional<Type> type) { return type == Type::kNumber || type == Type::kDecimal; }
};

}  // namespace

std::unique_ptr<Dialect> make_sqlite(const Storage& storage) { return std::make_unique<SqliteDialect>(storage); }

}  // namespace candor::lower
