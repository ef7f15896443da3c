// PostgreSQL. All parameters are texts with a cast of their own; texts are ordered by code point, and folded by the C
// library's lower case, mended where that is not Unicode's simple folding.
#include <utility>

#include "base/ascii.h"
#include "lower/dialect.h"

namespace candor::lower {
namespace {

using bind::is_number;
using bind::is_time;

std::string_view cast_name(Type type) {
  switch (type) {
    case Type::kString:
      return "text";
    case Type::kInteger:
      return "int8";
    case Type::kNumber:
      return "float8";
    case Type::kDecimal:
      return "numeric";
    case Type::kBoolean:
      return "bool";
    case Type::kDate:
      return "date";
    case Type::kDatetime:
      return "timestamp";
    case Type::kUuid:
      return "uuid";
    case Type::kJson:
      return "jsonb";
    case Type::kStringArray:
      return "text[]";
    case Type::kIntegerArray:
      return "int8[]";
  }
  return "text";
}

// Compares and is bound as what it is stored as: a text that PostgreSQL keeps in one of its own ways.
bool is_text(std::string_view stored) {
  return stored == "text" || stored.starts_with("character") || stored == "citext" || stored.ends_with(".citext");
}

// What has other texts equal than those that are the same, ends here.
std::string as_text(const StoredTable& table, std::string_view column, const std::string& name) {
  if (table.is_collated(column)) return "(" + name + "::text COLLATE \"C\")";
  return table.type_of(column) == "text" ? name : name + "::text";
}

class PostgresDialect final : public Dialect {
 public:
  using Dialect::Dialect;

  std::string quoted_table(const StoredTable& table) const override {
    return quote_name(table.schema) + "." + quote_name(table.name);
  }

  // A type's own text reads back the same.
  std::string kept_column(const std::string& column, const std::string& type) const override {
    return quote_name(column) + (type == "text" ? "" : "::text");
  }
  std::string kept_value(const std::string& type, const Value& value) override {
    return value.is_null() ? "NULL" : "CAST(" + parameter(value, Type::kString) + " AS " + type + ")";
  }
  std::string overriding() const override { return " OVERRIDING SYSTEM VALUE"; }

  std::string read_column(const StoredTable& table, const contract::Column& column) override {
    std::string name = quote_name(column.stored);
    const std::string stored = table.type_of(column.stored);
    const bool json = stored == "json" || stored == "jsonb";
    switch (column.type) {
      case Type::kString:
        return as_text(table, column.stored, name);
      case Type::kNumber:
        // Its digits are what it means; as a double it would be another number.
        return stored == "real" ? name + "::text::float8" : name;
      case Type::kDatetime:
        return stored.starts_with("timestamp with time zone") || stored == "timestamptz"
                   ? "(" + name + " AT TIME ZONE 'UTC')"
                   : name;
      case Type::kUuid:
        return stored == "uuid" ? name : name + "::uuid";
      case Type::kStringArray:
        if (json) {
          return "CASE WHEN " + name + " IS NULL THEN NULL ELSE ARRAY(SELECT jsonb_array_elements_text(" + name +
                 "::jsonb)) END";
        }
        return stored == "text[]" ? name : name + "::text[]";
      case Type::kIntegerArray:
        if (json) {
          return "CASE WHEN " + name + " IS NULL THEN NULL ELSE ARRAY(SELECT jsonb_array_elements_text(" + name +
                 "::jsonb)::int8) END";
        }
        return name + "::int8[]";
      default:
        return name;
    }
  }

  std::string stored_value(const StoredTable& table, const contract::Column& column, const Value& given) override {
    if (given.is_null()) return "NULL";
    const std::string stored = table.declared_type(column.stored);
    if (!contract::is_array(column.type)) {
      const std::string sql = value(given, column.type);
      // A cast to varchar(3) would cut; storing a text that is too long is an error.
      const bool as_it_is = stored.empty() || column.type == Type::kDatetime || is_text(lower_ascii(stored));
      return as_it_is ? sql : "CAST(" + sql + " AS " + stored + ")";
    }
    const std::string sql = list_of(given.parts, column.type);
    return stored == "json" || stored == "jsonb" ? "to_jsonb(" + sql + ")" : sql;
  }

  std::string scope_value(const StoredTable& table) override {
    const std::string stored = table.type_of(storage_.scope_column);
    const std::string sql = text_parameter(storage_.scope_value);
    return is_text(stored) ? sql : "CAST(" + sql + " AS " + stored + ")";
  }

  std::string in_scope(const StoredTable& table) override {
    std::string column = quote_name(storage_.scope_column);
    if (is_text(table.type_of(storage_.scope_column))) column = as_text(table, storage_.scope_column, column);
    return column + " = " + scope_value(table);
  }

 protected:
  std::string placeholder(std::size_t number) const override { return "$" + std::to_string(number); }
  std::string typed(const std::string& placeholder, std::optional<Type> type) const override {
    return placeholder + "::" + std::string(cast_name(type.value_or(Type::kString)));
  }

  std::string unnest(const Relation& relation) override {
    return "LATERAL unnest(" + expr(*relation.array) + ") AS t" + std::to_string(relation.id) + "(\"v\")";
  }
  std::string element(const Relation& relation) const override { return "t" + std::to_string(relation.id) + ".\"v\""; }

  std::string distinct_from(const std::string& a, const std::string& b, bool negated) const override {
    return "(" + a + (negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ") + b + ")";
  }

  std::string ordered(const std::string& sql, std::optional<Type> type) const override {
    return type == Type::kString ? sql + " COLLATE \"C\"" : sql;
  }

  std::string arithmetic(const BoundExpr& one) override {
    const char* type = one.type == Type::kInteger ? "::int8" : one.type == Type::kDecimal ? "::numeric" : "::float8";
    const auto operand = [&](const BoundExpr& child) { return "(" + expr(child) + ")" + type; };
    const std::string a = operand(*one.children[0]);
    const std::string b = operand(*one.children[1]);
    switch (one.op) {
      case Op::kDivide:
      case Op::kDivideInteger:
        return "(" + a + " / NULLIF(" + b + ", 0))";
      case Op::kModulo:
        return "(" + a + " % NULLIF(" + b + ", 0))";
      default:
        return "(" + a + " " + std::string(dialect::to_string(one.op)) + " " + b + ")";
    }
  }

  std::string negate(const BoundExpr& one) override {
    const char* type = one.type == Type::kInteger ? "::int8)" : one.type == Type::kDecimal ? "::numeric)" : "::float8)";
    return "(- (" + expr(*one.children[0]) + ")" + type;
  }

  std::string add_interval(const BoundExpr& one) override {
    const std::string sum = "(" + expr(*one.children[0]) + " + make_interval(months => " +
                            integer_parameter(one.months) + "::int, days => " + integer_parameter(one.days) +
                            "::int, secs => " + integer_parameter(one.microseconds) + "::float8 / 1000000))";
    return sum + (one.type == Type::kDate ? "::date" : "::timestamp");
  }

  // Twenty-two letters have another simple folding than their lower case (Unicode's CaseFolding.txt, statuses C and S), and
  // the dotted capital I has none: it passes by as a character that no text has.
  std::string fold(const std::string& sql) const override {
    constexpr std::string_view kFrom =
        "\u00B5\u017F\u0345\u03C2\u03D0\u03D1\u03D5\u03D6\u03F0\u03F1\u03F5"
        "\u1C80\u1C81\u1C82\u1C83\u1C84\u1C85\u1C86\u1C87\u1C88\u1E9B\u1FBE";
    constexpr std::string_view kTo =
        "\u03BCs\u03B9\u03C3\u03B2\u03B8\u03C6\u03C0\u03BA\u03C1\u03B5"
        "\u0432\u0434\u043E\u0441\u0442\u0442\u044A\u0463\uA64B\u1E61\u03B9";
    return "translate(" + lowered("translate(" + sql + ", '\u0130', '\uFDD0')") + ", '" + std::string(kFrom) +
           "\uFDD0', '" + std::string(kTo) + "\u0130')";
  }

  std::string like(const BoundExpr& one) override {
    std::string value = expr(*one.children[0]);
    std::string pattern = expr(*one.children[1]);
    if (one.fold) {
      value = fold(value);
      pattern = fold(pattern);
    }
    const std::string escape = text_parameter(one.fold ? lower_ascii(one.text) : one.text);
    std::string like = "(" + value + " LIKE " + pattern + " ESCAPE " + escape + ")";
    if (one.text.empty() || one.children[1]->kind == BoundKind::kLiteral) return like;
    // The server finds a pattern that ends in its escape where it comes that far; the binder has looked at a literal.
    return "CASE WHEN " + value + " IS NOT NULL AND substring('' FROM 1 FOR -((char_length(" + pattern +
           ") - char_length(rtrim(" + pattern + ", " + escape + "))) % 2)) = '' THEN " + like + " END";
  }

  std::string contains_text(const BoundExpr& one) override {
    const std::string wanted = fold(expr(*one.children[1]));
    const std::string value = expr(*one.children[0]);
    if (one.children[0]->type != Type::kStringArray) return "(strpos(" + fold(value) + ", " + wanted + ") > 0)";
    return "EXISTS (SELECT 1 FROM unnest(" + value + ") AS e(\"v\") WHERE strpos(" + fold("e.\"v\"") + ", " + wanted +
           ") > 0)";
  }

  std::string array(const BoundExpr& one) override {
    std::vector<Value> parts;
    for (const bind::BoundPtr& child : one.children) parts.push_back(child->value);
    return list_of(parts, *one.type);
  }

  std::string array_predicate(const BoundExpr& one) override {
    const std::string a = expr(*one.children[0]);
    const std::string b = expr(*one.children[1]);
    switch (one.kind) {
      case BoundKind::kOverlap:
        return "(" + a + " && " + b + ")";
      case BoundKind::kContainsAll:
        // A NULL among the elements is none that could be missing.
        if (one.children[1]->kind == BoundKind::kArray) return "(" + a + " @> " + b + ")";
        return "(" + a + " @> array_remove(" + b + ", NULL))";
      case BoundKind::kHas: {
        // = ANY would be NULL where one of the elements is.
        const char* type = one.children[0]->type == Type::kStringArray ? "::text[]" : "::int8[]";
        const std::string has = "(" + a + " @> ARRAY[" + b + "]" + type + ")";
        return one.children[1]->nullable ? "CASE WHEN " + b + " IS NOT NULL THEN " + has + " END" : has;
      }
      default:
        break;
    }
    const std::string order = one.children[0]->type == Type::kStringArray ? " COLLATE \"C\"" : "";
    const auto sorted = [&](const std::string& list) {
      return "ARRAY(SELECT e.v FROM unnest(" + list + ") AS e(v) ORDER BY e.v" + order + ")";
    };
    const std::string equal = "(" + sorted(a) + " = " + sorted(b) + ")";
    return one.nullable ? "CASE WHEN " + a + " IS NULL OR " + b + " IS NULL THEN NULL ELSE " + equal + " END" : equal;
  }

  std::string cast(const BoundExpr& one) override {
    std::string value = expr(*one.children[0]);
    const std::optional<Type> from = one.children[0]->type;
    if (*one.type == Type::kString && is_time(from)) return time_text(value);
    if (*one.type == Type::kInteger && (from == Type::kNumber || from == Type::kDecimal))
      return "round(" + numeric(value, from) + ")::int8";
    if (*one.type == Type::kInteger && from == Type::kBoolean) return value + "::int::int8";
    if (is_number(one.type) && from == Type::kString) value = number_text(value);
    if (*one.type == Type::kDecimal && !one.text.empty())
      return "round(" + numeric(value, from) + ", " + one.text + ")";
    if (*one.type == Type::kDecimal) return numeric(value, from);
    if (is_time(one.type) && from == Type::kString) return time_of(value) + (one.type == Type::kDate ? "::date" : "");
    return "(" + value + ")::" + std::string(cast_name(*one.type));
  }

  std::string aggregate(const BoundExpr& one) override {
    const std::string distinct = one.distinct ? "DISTINCT " : "";
    const std::string child = one.children.empty() ? "" : expr(*one.children[0]);
    const std::optional<Type> type = one.children.empty() ? std::nullopt : one.children[0]->type;
    switch (one.aggregate) {
      case bind::Aggregate::kCount:
        return filtered(one.children.empty() ? "count(*)" : "count(" + distinct + child + ")", one);
      case bind::Aggregate::kSum:
        if (one.type == Type::kInteger) return filtered("sum(" + distinct + child + ")", one) + "::int8";
        return filtered("sum(" + distinct + child + ")", one);
      case bind::Aggregate::kAverage:
        // The server's average of doubles reckons squares, which overflow long before the sum does.
        if (type == Type::kNumber) {
          return "(" + filtered("sum(" + distinct + child + ")", one) + " / " +
                 filtered("count(" + distinct + child + ")", one) + ")";
        }
        return filtered("avg(" + distinct + child + ")", one) + "::float8";
      case bind::Aggregate::kMinimum:
      case bind::Aggregate::kMaximum: {
        const std::string name = one.aggregate == bind::Aggregate::kMinimum ? "min(" : "max(";
        if (type == Type::kUuid) return filtered(name + child + "::text)", one) + "::uuid";
        return filtered(name + ordered(child, type) + ")", one);
      }
      case bind::Aggregate::kJoin: {
        if (one.distinct && one.order.size() == 1) return join_distinct(one);
        std::string sql = "string_agg(" + distinct + child + ", " + text_parameter(one.text);
        if (!one.order.empty()) sql += " ORDER BY " + order_list(one.order);
        return filtered(sql + ")", one);
      }
    }
    return "NULL";
  }

  std::string function(const BoundExpr& one) override {
    const auto argument = [&](std::size_t i) { return expr(*one.children[i]); };
    switch (one.function) {
      case Function::kCoalesce:
        return call("coalesce", one);
      case Function::kNullIf:
        return call("nullif", one);
      case Function::kAbs:
        return "abs((" + argument(0) + ")" +
               (one.type == Type::kInteger   ? "::int8)"
                : one.type == Type::kDecimal ? "::numeric)"
                                             : "::float8)");
      case Function::kRound:
        if (one.type == Type::kInteger) return argument(0);
        return "round(" + numeric(argument(0), one.children[0]->type) + ", " +
               (one.children.size() > 1 ? "(" + argument(1) + ")::int" : std::string("0")) + ")::float8";
      case Function::kFloor:
        return one.type == Type::kInteger ? argument(0) : "floor(" + argument(0) + "::float8)";
      case Function::kCeiling:
        return one.type == Type::kInteger ? argument(0) : "ceil(" + argument(0) + "::float8)";
      case Function::kGreatest:
      case Function::kLeast: {
        const std::string name = one.function == Function::kGreatest ? "greatest" : "least";
        std::string list;
        for (const bind::BoundPtr& child : one.children)
          list += (list.empty() ? "" : ", ") + ordered(expr(*child), one.type);
        return name + "(" + list + ")";
      }
      case Function::kNow:
        return text_parameter(storage_.now) + "::timestamp";
      case Function::kCurrentDate:
        return text_parameter(storage_.now.substr(0, 10)) + "::date";
      case Function::kToDate:
        return "(" + argument(0) + ")::date";
      case Function::kDateTrunc:
        return "date_trunc(" + text_parameter(one.text) + ", (" + argument(0) + ")::timestamp)";
      case Function::kExtract:
        return "date_part(" + text_parameter(one.text) + ", (" + argument(0) + ")::timestamp)" +
               (one.type == Type::kInteger ? "::int8" : "");
      case Function::kFormatTime:
        return format(one);
      case Function::kRandom:
        return "random()";
      case Function::kArrayLength:
        return "cardinality(" + argument(0) + ")::int8";
      default:
        return text_function(one);
    }
  }

 private:
  // The server orders an aggregate of different values by nothing but what it is given, texts.
  std::string join_distinct(const BoundExpr& one) {
    const BoundExpr& text = *one.children[0];
    const bind::BoundOrder& order = one.order.front();
    const bool cast = text.kind == BoundKind::kCast && bind::same_expr(*order.expr, *text.children[0]);
    const BoundExpr& value = cast ? *text.children[0] : text;
    const std::string v = "u.v";
    const std::string shown = !cast ? v : is_time(value.type) ? time_text(v) : v + "::text";
    return "(SELECT string_agg(" + shown + ", " + text_parameter(one.text) + " ORDER BY " + ordered(v, value.type) +
           (order.descending ? " DESC" : "") + ") FROM unnest(" +
           filtered("array_agg(DISTINCT " + expr(value) + ")", one) + ") AS u(v))";
  }

  static std::string time_text(const std::string& sql) { return "replace(" + sql + "::text, ' ', 'T')"; }

  std::string text_function(const BoundExpr& one) {
    const auto argument = [&](std::size_t i) { return expr(*one.children[i]); };
    switch (one.function) {
      case Function::kLower:
        return lowered(argument(0));
      case Function::kUpper:
        return "upper(" + argument(0) + " COLLATE \"C.utf8\")";
      case Function::kTrim:
        return call("btrim", one);
      case Function::kTrimLeft:
        return call("ltrim", one);
      case Function::kTrimRight:
        return call("rtrim", one);
      case Function::kLength:
        return "char_length(" + argument(0) + ")::int8";
      case Function::kSubstring:
        return substring(one);
      case Function::kReplace:
        return call("replace", one);
      case Function::kPosition:
        return "strpos(" + argument(1) + ", " + argument(0) + ")::int8";
      case Function::kConcat:
        return call("concat", one);
      case Function::kLeft:
        return "substring(" + argument(0) + " FROM 1 FOR " + count_of(*one.children[1]) + ")";
      case Function::kRight:
        // The server's own takes a negative number for all but the first ones.
        if (is_count(*one.children[1])) return "right(" + argument(0) + ", " + count_of(*one.children[1]) + ")";
        return "(right(" + argument(0) + ", " + count_of(*one.children[1]) + ") || substring('' FROM 1 FOR LEAST(" +
               count_of(*one.children[1]) + ", 0)))";
      default:
        return "NULL";
    }
  }

  static constexpr std::string_view kIntMost = "2147483647";

  static bool is_count(const BoundExpr& one) {
    return one.kind == BoundKind::kLiteral && one.value.kind == CellKind::kInteger && one.value.integer >= 0 &&
           one.value.integer <= 2'147'483'647;
  }

  // As an int4: no text is longer, and what is negative is an error whatever it is. LEAST would pass over a NULL.
  std::string count_of(const BoundExpr& one) {
    const std::string sql = "(" + expr(one) + ")";
    if (is_count(one)) return sql + "::int";
    return "(CASE WHEN " + sql + " < 0 THEN -1 WHEN " + sql + " > " + std::string(kIntMost) + " THEN " +
           std::string(kIntMost) + " ELSE " + sql + " END)::int";
  }

  // The standard's positions: what lies before the first character counts.
  std::string substring(const BoundExpr& one) {
    const std::string text = "substring(" + expr(*one.children[0]) + " FROM ";
    const BoundExpr& start = *one.children[1];
    const bool counted = one.children.size() > 2;
    if (is_count(start)) {
      return text + count_of(start) + (counted ? " FOR " + count_of(*one.children[2]) : std::string()) + ")";
    }
    const std::string from = "(" + expr(start) + ")::numeric";
    const std::string first = "(CASE WHEN " + from + " < 1 THEN 1 WHEN " + from + " > " + std::string(kIntMost) +
                              " THEN " + std::string(kIntMost) + " ELSE " + from + " END)::int";
    if (!counted) return text + first + ")";
    const std::string count = "(" + expr(*one.children[2]) + ")::numeric";
    const std::string end = "(" + from + " + " + count + " - 1)";  // the last position
    return text + first + " FOR (CASE WHEN " + count + " < 0 THEN -1 WHEN " + end + " < 1 THEN 0 WHEN " + end + " > " +
           std::string(kIntMost) + " THEN " + std::string(kIntMost) + " WHEN " + from + " < 1 THEN " + end + " ELSE " +
           count + " END)::int)";
  }

  // A double as the number that its shortest text says.
  static std::string numeric(const std::string& sql, std::optional<Type> type) {
    return "(" + sql + (type == Type::kNumber ? ")::float8::text::numeric" : ")::numeric");
  }

  // A text as the one time that it says in ISO's words, with microseconds at most, in UTC; the server reads much else.
  static std::string time_of(const std::string& sql) {
    const std::string text = "(" + sql + ")";
    return "CASE WHEN " + text + " IS NULL THEN NULL WHEN " + text +
           " ~ '^\\d{4}-\\d\\d-\\d\\d([Tt "
           "]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d+)?)?(Z|z| ?UTC|[+-]\\d\\d(:?\\d\\d)?)?)?$' THEN "
           "(regexp_replace(" +
           text + ", '(\\.\\d{6})\\d+', '\\1')::timestamptz AT TIME ZONE 'UTC') ELSE ('no time: ' || " + text +
           ")::timestamp END";
  }

  // The server takes words for numbers: NaN, Infinity.
  static std::string number_text(const std::string& sql) {
    const std::string text = "(" + sql + ")";
    return "CASE WHEN " + text + " ~ '^\\s*[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?\\s*$' THEN " + text +
           " WHEN " + text + " IS NOT NULL THEN 'no number: ' || " + text + " END";
  }

  static std::string lowered(const std::string& sql) { return "lower(" + sql + " COLLATE \"C.utf8\")"; }

  std::string list_of(const std::vector<Value>& parts, Type type) {
    const std::string name(cast_name(type));
    if (parts.empty()) return "'{}'::" + name;
    std::string sql = "ARRAY[";
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + value(parts[i], type == Type::kStringArray ? Type::kString : Type::kInteger);
    }
    return sql + "]::" + name;
  }

  std::string format(const BoundExpr& one) {
    const std::string time = "(" + expr(*one.children[0]) + ")::timestamp";
    const auto part = [&](std::string_view pattern) { return "to_char(" + time + ", '" + std::string(pattern) + "')"; };
    return format_time(one, time,
                       {{'Y', part("YYYY")},
                        {'m', part("MM")},
                        {'d', part("DD")},
                        {'H', part("HH24")},
                        {'M', part("MI")},
                        {'S', part("SS")},
                        {'j', part("DDD")},
                        {'f', part("US")},
                        {'w', "extract(dow FROM " + time + ")::text"}});
  }
};

}  // namespace

std::unique_ptr<Dialect> make_postgres(const Storage& storage) { return std::make_unique<PostgresDialect>(storage); }

}  // namespace candor::lower
