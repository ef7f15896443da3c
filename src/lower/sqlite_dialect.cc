// SQLite. Texts, arrays and times go through Candor's own functions, which the engine's contract connections have
// (docs/decisions/0060-contract-engines.md): SQLite's own fold ASCII alone, round integers, and know no arrays.
#include <cstdlib>
#include <utility>

#include "base/ascii.h"
#include "lower/dialect.h"

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

  std::string in_scope(const StoredTable& table) override {
    return quote_name(storage_.scope_column) + " COLLATE BINARY = " + scope_value(table);
  }

 protected:
  std::string placeholder(std::size_t number) const override { return "?" + std::to_string(number); }
  std::string typed(const std::string& placeholder, std::optional<Type>) const override { return placeholder; }

  Value bindable(const Value& value) const override {
    Value bound = value;
    if (value.kind == CellKind::kBoolean) bound.kind = CellKind::kInteger;
    if (value.kind == CellKind::kDecimal) {
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
    const std::string a = expr(*one.children[0]);
    const std::string b = expr(*one.children[1]);
    const bool integers = one.type == Type::kInteger;
    switch (one.op) {
      case Op::kAdd:
        return integers ? "candor_add(" + a + ", " + b + ")" : "(" + a + " + " + b + ")";
      case Op::kSubtract:
        return integers ? "candor_sub(" + a + ", " + b + ")" : "(" + a + " - " + b + ")";
      case Op::kMultiply:
        return integers ? "candor_mul(" + a + ", " + b + ")" : "(" + a + " * " + b + ")";
      case Op::kDivide:
        return "(CAST(" + a + " AS REAL) / NULLIF(" + b + ", 0))";
      case Op::kDivideInteger:
        return "(" + a + " / NULLIF(" + b + ", 0))";
      default:
        return "(" + a + " % NULLIF(" + b + ", 0))";
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
        return is_number(from) ? "CAST(candor_round(" + value + ", 0) AS INTEGER)" : value;
      case Type::kNumber:
      case Type::kDecimal: {
        const std::string number =
            from == Type::kString ? "candor_to_number(" + value + ")" : "CAST(" + value + " AS REAL)";
        return one.text.empty() ? number : "candor_round(" + number + ", " + one.text + ")";
      }
      case Type::kDate:
        return "candor_date(" + value + ")";
      case Type::kDatetime:
        return "candor_datetime(" + value + ")";
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
        return filtered("SUM(" + distinct + expr(*one.children[0]) + ")", one);
      case bind::Aggregate::kAverage:
        return filtered("AVG(" + distinct + expr(*one.children[0]) + ")", one);
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
      case Function::kSubstring: {
        const std::string count = one.children.size() > 2 ? expr(*one.children[2]) : "NULL";
        return "candor_substr(" + expr(*one.children[0]) + ", " + expr(*one.children[1]) + ", " + count + ")";
      }
      case Function::kReplace:
        return call("REPLACE", one);
      case Function::kPosition:
        return "INSTR(" + expr(*one.children[1]) + ", " + expr(*one.children[0]) + ")";
      case Function::kConcat:
        return concat(one);
      case Function::kLeft:
        return "candor_substr(" + expr(*one.children[0]) + ", 1, " + expr(*one.children[1]) + ")";
      case Function::kRight: {
        const std::string text = expr(*one.children[0]);
        return "candor_substr(" + text + ", candor_length(" + text + ") - " + expr(*one.children[1]) + " + 1, NULL)";
      }
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
