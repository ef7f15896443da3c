// DuckDB. Its own functions serve but for folding case and rounding, where Candor's are registered.
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "base/render_json.h"
#include "lower/dialect.h"
#include "lower/magnitude.h"

namespace candor::lower {
namespace {

using bind::is_time;

class DuckdbDialect final : public Dialect {
 public:
  using Dialect::Dialect;

  std::string quoted_table(const StoredTable& table) const override {
    return quote_name(storage_.source) + "." + quote_name(table.schema) + "." + quote_name(table.name);
  }

  // A UNION's text does not say which member it is, a VARIANT's not of which type; a GEOMETRY's rounds.
  bool can_keep(const std::string& type) const override {
    const std::string lower = lower_ascii(type);
    return lower.find("union(") == std::string::npos && lower.find("variant") == std::string::npos &&
           lower.find("geometry") == std::string::npos;
  }

  // A type's own text reads back the same, but for nested types: those are kept in their parts.
  std::string kept_column(const std::string& column, const std::string& type) const override {
    if (type == "VARCHAR" || is_nested(type)) return quote_name(column);
    return "CAST(" + quote_name(column) + " AS VARCHAR)";
  }

  std::string kept_value(const std::string& type, const Value& value) override {
    if (value.is_null()) return "NULL";
    return "CAST(" + (is_nested(type) ? kept_part(value) : parameter(value, Type::kString)) + " AS " + type + ")";
  }

  std::string read_column(const StoredTable& table, const contract::Column& column) override {
    std::string name = quote_name(column.stored);
    const std::string stored = table.type_of(column.stored);
    switch (column.type) {
      case Type::kString:
        return stored == "varchar" ? name : "CAST(" + name + " AS VARCHAR)";
      case Type::kDatetime:
        if (stored == "timestamp") return name;
        return stored == "timestamp with time zone" ? "(" + name + " AT TIME ZONE 'UTC')"
                                                    : "CAST(" + name + " AS TIMESTAMP)";
      case Type::kDate:
        return stored == "date" ? name : "CAST(" + name + " AS DATE)";
      case Type::kUuid:
        return stored == "uuid" ? name : "CAST(" + name + " AS UUID)";
      case Type::kNumber:
        return stored == "double" ? name : "CAST(" + name + " AS DOUBLE)";
      case Type::kBoolean:
        return stored == "boolean" ? name : "CAST(" + name + " AS BOOLEAN)";
      case Type::kStringArray:
        if (stored == "varchar[]") return name;
        return stored.ends_with("[]") ? "CAST(" + name + " AS VARCHAR[])"
                                      : "from_json(CAST(" + name + " AS JSON), '[\"VARCHAR\"]')";
      case Type::kIntegerArray:
        return stored.ends_with("[]") ? "CAST(" + name + " AS BIGINT[])"
                                      : "from_json(CAST(" + name + " AS JSON), '[\"BIGINT\"]')";
      case Type::kJson:
        return stored == "json" ? name : "CAST(" + name + " AS JSON)";
      case Type::kInteger:
      case Type::kDecimal:
        return name;
    }
    return name;
  }

  std::string stored_value(const StoredTable& table, const contract::Column& column, const Value& given) override {
    if (given.is_null()) return "NULL";
    if (!contract::is_array(column.type)) return value(given, column.type);
    const auto found = table.types.find(lower_ascii(column.stored));
    const bool list = found != table.types.end() && found->second.ends_with("[]");
    const std::string sql = list_of(given.parts, column.type);
    return list ? sql : "CAST(to_json(" + sql + ") AS VARCHAR)";
  }

 protected:
  std::string placeholder(std::size_t number) const override { return "$" + std::to_string(number); }

  std::string typed(const std::string& placeholder, std::optional<Type> type) const override {
    if (!type) return placeholder;
    switch (*type) {
      case Type::kDate:
        return "CAST(" + placeholder + " AS DATE)";
      case Type::kDatetime:
        return "CAST(" + placeholder + " AS TIMESTAMP)";
      case Type::kUuid:
        return "CAST(" + placeholder + " AS UUID)";
      case Type::kInteger:
        return "CAST(" + placeholder + " AS BIGINT)";
      case Type::kNumber:
      case Type::kDecimal:
        return "CAST(" + placeholder + " AS DOUBLE)";
      case Type::kBoolean:
        return "CAST(" + placeholder + " AS BOOLEAN)";
      case Type::kJson:
        return "CAST(" + placeholder + " AS JSON)";
      default:
        return "CAST(" + placeholder + " AS VARCHAR)";
    }
  }

  // As many digits as it is written with, so that none is lost in a double.
  std::string typed_value(const std::string& placeholder, std::optional<Type> type, const Value& value) const override {
    constexpr std::size_t kDigitsMax = 38;
    if (type != Type::kDecimal || value.kind != CellKind::kDecimal) return typed(placeholder, type);
    const auto digits =
        static_cast<std::size_t>(std::ranges::count_if(value.text, [](char c) { return c >= '0' && c <= '9'; }));
    const std::size_t point = value.text.find('.');
    const std::size_t scale = point == std::string::npos ? 0 : value.text.size() - point - 1;
    if (digits == 0) return typed(placeholder, type);
    if (digits > kDigitsMax) {
      return "CAST(error('candor/number-overflow: DuckDB keeps 38 digits of a decimal, and this one has more: ' || " +
             placeholder + ") AS DECIMAL(38, 0))";
    }
    return "CAST(" + placeholder + " AS DECIMAL(" + std::to_string(digits) + ", " + std::to_string(scale) + "))";
  }

  std::string unnest(const Relation& relation) override {
    return "UNNEST(" + expr(*relation.array) + ") AS t" + std::to_string(relation.id) + "(\"v\")";
  }
  std::string element(const Relation& relation) const override { return "t" + std::to_string(relation.id) + ".\"v\""; }

  std::string distinct_from(const std::string& a, const std::string& b, bool negated) const override {
    return "(" + a + (negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ") + b + ")";
  }

  std::string arithmetic(const BoundExpr& one) override {
    const auto operand = [&](const BoundExpr& child) {
      if (one.type == Type::kDecimal) return expr(child);  // exact: decimals and integers alone
      return "CAST(" + expr(child) + (one.type == Type::kInteger ? " AS BIGINT)" : " AS DOUBLE)");
    };
    const std::string a = operand(*one.children[0]);
    const std::string b = operand(*one.children[1]);
    if (one.type == Type::kNumber && may_overflow(one)) {
      if (one.op == Op::kDivide) return "candor_real_div(" + a + ", NULLIF(" + b + ", 0))";
      const char* name = one.op == Op::kAdd ? "add(" : one.op == Op::kSubtract ? "sub(" : "mul(";
      return std::string("candor_real_") + name + a + ", " + b + ")";
    }
    switch (one.op) {
      case Op::kDivide:
        return "(" + a + " / NULLIF(" + b + ", 0))";
      case Op::kDivideInteger:
        return "(" + a + " // NULLIF(" + b + ", 0))";
      case Op::kModulo:
        // The remainder by -1 is that by 1; the engine would divide the least integer.
        if (divisor_may_be(one, -1)) {
          return "(" + a + " % CASE " + b + " WHEN 0 THEN NULL WHEN -1 THEN 1 ELSE " + b + " END)";
        }
        return "(" + a + " % NULLIF(" + b + ", 0))";
      default:
        return "(" + a + " " + std::string(dialect::to_string(one.op)) + " " + b + ")";
    }
  }

  std::string negate(const BoundExpr& one) override {
    if (one.type == Type::kDecimal) return "(- " + expr(*one.children[0]) + ")";
    return "(- CAST(" + expr(*one.children[0]) + (one.type == Type::kInteger ? " AS BIGINT))" : " AS DOUBLE))");
  }

  std::string add_interval(const BoundExpr& one) override {
    const std::string sum = "(" + expr(*one.children[0]) + " + to_months(CAST(" + integer_parameter(one.months) +
                            " AS INTEGER)) + to_days(CAST(" + integer_parameter(one.days) +
                            " AS INTEGER)) + to_microseconds(" + integer_parameter(one.microseconds) + "))";
    return "CAST(" + sum + (one.type == Type::kDate ? " AS DATE)" : " AS TIMESTAMP)");
  }

  std::string fold(const std::string& sql) const override { return "candor_fold(" + sql + ")"; }

  std::string like(const BoundExpr& one) override {
    std::string value = expr(*one.children[0]);
    std::string pattern = expr(*one.children[1]);
    if (one.fold) {
      value = fold(value);
      pattern = fold(pattern);
    }
    if (one.text.empty()) return "(" + value + " LIKE " + pattern + ")";
    // The engine finds a pattern that ends in its escape where it comes that far; the binder has looked at a literal.
    if (one.children[1]->kind != BoundKind::kLiteral) {
      return "candor_like(" + value + ", " + pattern + ", " +
             text_parameter(one.fold ? lower_ascii(one.text) : one.text) + ")";
    }
    return "like_escape(" + value + ", " + pattern + ", " +
           text_parameter(one.fold ? lower_ascii(one.text) : one.text) + ")";
  }

  std::string contains_text(const BoundExpr& one) override {
    const std::string wanted = fold(expr(*one.children[1]));
    const std::string value = expr(*one.children[0]);
    if (one.children[0]->type != Type::kStringArray) return "contains(" + fold(value) + ", " + wanted + ")";
    return "EXISTS (SELECT 1 FROM (SELECT UNNEST(" + value + ") AS \"v\") AS e WHERE contains(" + fold("e.\"v\"") +
           ", " + wanted + "))";
  }

  std::string array(const BoundExpr& one) override {
    std::vector<Value> parts;
    for (const bind::BoundPtr& child : one.children) parts.push_back(child->value);
    return list_of(parts, *one.type);
  }

  std::string array_predicate(const BoundExpr& one) override {
    switch (one.kind) {
      case BoundKind::kOverlap:
        return guarded("list_has_any", one);
      case BoundKind::kContainsAll:
        return guarded("list_has_all", one);
      case BoundKind::kHas:
        return guarded("list_contains", one);
      default:
        return "(list_sort(" + expr(*one.children[0]) + ") = list_sort(" + expr(*one.children[1]) + "))";
    }
  }

  std::string cast(const BoundExpr& one) override {
    std::string value = expr(*one.children[0]);
    const std::optional<Type> from = one.children[0]->type;
    switch (*one.type) {
      case Type::kString:
        if (is_time(from)) return "replace(CAST(" + value + " AS VARCHAR), ' ', 'T')";
        return "CAST(" + value + " AS VARCHAR)";
      case Type::kInteger:
        if (from == Type::kString) return "candor_to_integer(" + value + ")";
        if (from == Type::kBoolean) return "CAST(" + value + " AS BIGINT)";
        if (from == Type::kDecimal) return "CAST(" + value + " AS BIGINT)";
        return "candor_whole(CAST(" + value + " AS DOUBLE))";
      case Type::kNumber:
        return from == Type::kString ? "candor_to_number(" + value + ")" : "CAST(" + value + " AS DOUBLE)";
      case Type::kDecimal:
        return decimal(value, from, one.text);
      case Type::kDate:
        return "CAST(" + (from == Type::kString ? "candor_to_datetime(" + value + ")" : value) + " AS DATE)";
      case Type::kDatetime:
        return from == Type::kString ? "candor_to_datetime(" + value + ")" : "CAST(" + value + " AS TIMESTAMP)";
      case Type::kBoolean:
        return from == Type::kString ? "candor_to_boolean(" + value + ")" : "CAST(" + value + " AS BOOLEAN)";
      case Type::kUuid:
        return "CAST(" + (from == Type::kString ? "candor_to_uuid(" + value + ")" : value) + " AS UUID)";
      default:
        return value;
    }
  }

  std::string aggregate(const BoundExpr& one) override {
    const std::string distinct = one.distinct ? "DISTINCT " : "";
    const std::string child = one.children.empty() ? "" : expr(*one.children[0]);
    switch (one.aggregate) {
      case bind::Aggregate::kCount:
        return filtered(one.children.empty() ? "COUNT(*)" : "COUNT(" + distinct + child + ")", one);
      case bind::Aggregate::kSum:
        if (one.type == Type::kInteger) return "CAST(" + filtered("SUM(" + distinct + child + ")", one) + " AS BIGINT)";
        return finite("SUM(" + distinct + child + ")", child, one);
      case bind::Aggregate::kAverage:
        if (one.children[0]->type == Type::kDecimal) {  // the sum is exact
          return "(CAST(" + filtered("SUM(" + distinct + child + ")", one) + " AS DOUBLE) / " +
                 filtered("COUNT(" + distinct + child + ")", one) + ")";
        }
        return finite("AVG(" + distinct + "CAST(" + child + " AS DOUBLE))", child, one);
      case bind::Aggregate::kMinimum:
        return filtered("MIN(" + child + ")", one);
      case bind::Aggregate::kMaximum:
        return filtered("MAX(" + child + ")", one);
      case bind::Aggregate::kJoin:
        return join_texts(one, distinct, child);
    }
    return "NULL";
  }

  std::string function(const BoundExpr& one) override {
    switch (one.function) {
      case Function::kLower:
        return call("candor_lower", one);
      case Function::kUpper:
        return call("candor_upper", one);
      case Function::kTrim:
        return one.children.size() == 1 ? "TRIM(" + expr(*one.children[0]) + ", ' ')" : call("TRIM", one);
      case Function::kTrimLeft:
        return one.children.size() == 1 ? "LTRIM(" + expr(*one.children[0]) + ", ' ')" : call("LTRIM", one);
      case Function::kTrimRight:
        return one.children.size() == 1 ? "RTRIM(" + expr(*one.children[0]) + ", ' ')" : call("RTRIM", one);
      case Function::kLength:
        return call("LENGTH", one);
      case Function::kSubstring:
        return substring(one);
      case Function::kReplace:
        return call("REPLACE", one);
      case Function::kPosition:
        return "STRPOS(" + expr(*one.children[1]) + ", " + expr(*one.children[0]) + ")";
      case Function::kConcat:
        return call("CONCAT", one);
      case Function::kLeft:
        return plain_count(*one.children[1]) ? call("LEFT", one) : "candor_left" + text_and_integers(one);
      case Function::kRight:
        return plain_count(*one.children[1]) ? call("RIGHT", one) : "candor_right" + text_and_integers(one);
      case Function::kCoalesce:
        return call("COALESCE", one);
      case Function::kNullIf:
        return call("NULLIF", one);
      case Function::kAbs:
        if (one.type == Type::kDecimal) return call("ABS", one);
        return "ABS(CAST(" + expr(*one.children[0]) + (one.type == Type::kInteger ? " AS BIGINT))" : " AS DOUBLE))");
      case Function::kRound:
        if (one.type == Type::kInteger) return expr(*one.children[0]);
        return "candor_round(CAST(" + expr(*one.children[0]) + " AS DOUBLE), " +
               (one.children.size() > 1 ? "CAST(" + expr(*one.children[1]) + " AS BIGINT)" : integer_parameter(0)) +
               ")";
      case Function::kFloor:
        return one.type == Type::kInteger ? expr(*one.children[0])
                                          : "FLOOR(CAST(" + expr(*one.children[0]) + " AS DOUBLE))";
      case Function::kCeiling:
        return one.type == Type::kInteger ? expr(*one.children[0])
                                          : "CEIL(CAST(" + expr(*one.children[0]) + " AS DOUBLE))";
      case Function::kGreatest:
        return call("GREATEST", one);
      case Function::kLeast:
        return call("LEAST", one);
      case Function::kNow:
        return typed(parameter(text_value(storage_.now), std::nullopt), Type::kDatetime);
      case Function::kCurrentDate:
        return typed(parameter(text_value(storage_.now.substr(0, 10)), std::nullopt), Type::kDate);
      case Function::kToDate:
        return "CAST(" + expr(*one.children[0]) + " AS DATE)";
      case Function::kDateTrunc:
        // The engine rewrites a comparison of date_trunc with a constant so that NULL is true in it; behind another function
        // it does not.
        return "GREATEST(CAST(date_trunc(" + text_parameter(one.text) + ", " + expr(*one.children[0]) +
               ") AS TIMESTAMP))";
      case Function::kExtract:
        return extract(one);
      case Function::kFormatTime:
        return format(one);
      case Function::kRandom:
        return "RANDOM()";
      case Function::kArrayLength:
        return "LEN(" + expr(*one.children[0]) + ")";
    }
    return "NULL";
  }

 private:
  static bool is_nested(const std::string& type) {
    return type.ends_with("]") || type.starts_with("STRUCT(") || type.starts_with("MAP(");
  }

  // A nested value of texts, which a cast then makes one of the column's type.
  std::string kept_part(const Value& value) {
    const auto list = [&](std::size_t first, std::size_t step) {
      std::string sql = "[";
      for (std::size_t i = first; i < value.parts.size(); i += step)
        sql += (i == first ? "" : ", ") + kept_part(value.parts[i]);
      return sql + "]";
    };
    switch (value.kind) {
      case CellKind::kNull:
        return "NULL";
      case CellKind::kList:
        return list(0, 1);
      case CellKind::kMap:
        return "map(" + list(0, 2) + ", " + list(1, 2) + ")";
      case CellKind::kStruct: {
        std::string sql = "struct_pack(";
        for (std::size_t i = 0; i + 1 < value.parts.size(); i += 2) {
          sql += (i == 0 ? "" : ", ") + quote_name(value.parts[i].text) + " := " + kept_part(value.parts[i + 1]);
        }
        return sql + ")";
      }
      default:
        return text_parameter(kept_leaf(value));
    }
  }

  // As the engine reads it from a text.
  static std::string kept_leaf(const Value& value) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string text;
    switch (value.kind) {
      case CellKind::kBoolean:
        return value.integer != 0 ? "true" : "false";
      case CellKind::kInteger:
        return std::to_string(value.integer);
      case CellKind::kReal32:
      case CellKind::kReal64:
        if (std::isnan(value.real)) return std::signbit(value.real) ? "-nan" : "nan";
        if (std::isinf(value.real)) return value.real < 0 ? "-inf" : "inf";
        append_json_real(text, value.real);
        return text;
      case CellKind::kBlob:
        for (const char c : value.text) {
          const auto byte = static_cast<unsigned char>(c);
          text += "\\x";
          text += kHex[byte >> 4U];
          text += kHex[byte & 15U];
        }
        return text;
      default:
        return value.text;
    }
  }

  // NULL in gives NULL out, which DuckDB's list functions do not all keep.
  std::string guarded(std::string_view name, const BoundExpr& one) {
    std::string sql = call(name, one);
    if (!one.nullable) return sql;
    std::string nulls;
    for (const bind::BoundPtr& child : one.children) {
      if (child->nullable) nulls += (nulls.empty() ? "" : " OR ") + expr(*child) + " IS NULL";
    }
    return "CASE WHEN " + nulls + " THEN NULL ELSE " + sql + " END";
  }

  std::string list_of(const std::vector<Value>& parts, Type type) {
    const bool texts = type == Type::kStringArray;
    if (parts.empty()) return texts ? "CAST([] AS VARCHAR[])" : "CAST([] AS BIGINT[])";
    std::string sql = "list_value(";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + value(parts[i], texts ? Type::kString : Type::kInteger);
    }
    return sql + ")";
  }

  static bool divisor_may_be(const BoundExpr& one, std::int64_t number) {
    const BoundExpr& divisor = *one.children[1];
    return divisor.kind != BoundKind::kLiteral || divisor.value.integer == number;
  }

  // Exact but of a double, which is the decimal that its shortest text says.
  static std::string decimal(const std::string& value, std::optional<Type> from, const std::string& scale) {
    if (from == Type::kDecimal && scale.empty()) return value;
    if (from == Type::kInteger && scale.empty()) return "CAST(" + value + " AS DECIMAL(19, 0))";
    std::string number = from == Type::kString ? "candor_to_number(" + value + ")" : "CAST(" + value + " AS DOUBLE)";
    if (scale.empty()) return number;
    const std::string type = " AS DECIMAL(38, " + scale + "))";
    if (from == Type::kInteger || from == Type::kDecimal) return "CAST(" + value + type;
    return "CAST(candor_round(" + number + ", CAST(" + scale + " AS BIGINT))" + type;
  }

  // A sum of doubles that is infinite though none of them was.
  std::string finite(std::string aggregate, const std::string& child, const BoundExpr& one) {
    aggregate = filtered(std::move(aggregate), one);
    if (one.children[0]->type != Type::kNumber || !may_overflow(*one.children[0])) return aggregate;
    return "candor_finite(" + aggregate + ", " + filtered("bool_or(isinf(" + child + "))", one) + ")";
  }

  std::string join_texts(const BoundExpr& one, const std::string& distinct, const std::string& child) {
    const bool cast = one.distinct && one.order.size() == 1 && one.children[0]->kind == BoundKind::kCast &&
                      bind::same_expr(*one.order.front().expr, *one.children[0]->children[0]);
    const BoundExpr& value = cast ? *one.children[0]->children[0] : *one.children[0];
    // Different values are ordered by nothing but what they are: numbers become texts behind that, and the texts of times
    // and keys have their order.
    const bool late = cast && bind::is_number(value.type);
    const std::string item = late ? expr(value) : child;
    std::string sql = "list(" + distinct + item;
    if (cast) {
      const bind::BoundOrder& order = one.order.front();
      sql += " ORDER BY " + item + (order.descending ? " DESC" : "") +
             (order.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    } else if (!one.order.empty()) {
      sql += " ORDER BY " + order_list(one.order);
    }
    sql += ") FILTER (WHERE " + item + " IS NOT NULL";
    if (one.condition != nullptr) sql += " AND " + expr(*one.condition);
    sql += ")";
    if (late) sql = "CAST(" + sql + " AS VARCHAR[])";
    return "array_to_string(" + sql + ", " + text_parameter(one.text) + ")";
  }

  // A count that the engine's own functions take as it is meant.
  static bool plain_count(const BoundExpr& one) {
    constexpr std::int64_t kMost = 2'147'483'647;
    return one.kind == BoundKind::kLiteral && one.value.kind == CellKind::kInteger && one.value.integer >= 0 &&
           one.value.integer <= kMost;
  }

  std::string text_and_integers(const BoundExpr& one) {
    std::string sql = "(" + expr(*one.children[0]);
    for (std::size_t i = 1; i < one.children.size(); ++i) sql += ", CAST(" + expr(*one.children[i]) + " AS BIGINT)";
    return sql + ")";
  }

  // The standard's positions: what lies before the first character counts.
  std::string substring(const BoundExpr& one) {
    const bool plain = std::all_of(one.children.begin() + 1, one.children.end(),
                                   [](const bind::BoundPtr& child) { return plain_count(*child); });
    if (plain) return "SUBSTRING" + text_and_integers(one);
    if (one.children.size() > 2) return "candor_substr" + text_and_integers(one);
    // No text is longer.
    return "candor_substr(" + expr(*one.children[0]) + ", CAST(" + expr(*one.children[1]) +
           " AS BIGINT), CAST(9223372036854775807 AS BIGINT))";
  }

  std::string extract(const BoundExpr& one) {
    const std::string time = expr(*one.children[0]);
    if (one.text == "second") return "(date_part('microseconds', CAST(" + time + " AS TIMESTAMP)) / 1000000.0::DOUBLE)";
    if (one.text == "epoch") return "epoch(CAST(" + time + " AS TIMESTAMP))";
    return "date_part(" + text_parameter(one.text) + ", CAST(" + time + " AS TIMESTAMP))";
  }

  std::string format(const BoundExpr& one) {
    const std::string time = "CAST(" + expr(*one.children[0]) + " AS TIMESTAMP)";
    std::vector<std::pair<char, std::string>> letters;
    for (const char letter : std::string_view("YmdHMSjwf")) {
      letters.emplace_back(letter, "strftime(" + time + ", '%" + std::string(1, letter) + "')");
    }
    return format_time(one, time, letters);
  }
};

}  // namespace

std::unique_ptr<Dialect> make_duckdb(const Storage& storage) { return std::make_unique<DuckdbDialect>(storage); }

}  // namespace candor::lower
