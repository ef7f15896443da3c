// CAST and `::`: which types can become which.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "bind/binding.h"
#include "bind/literals.h"

namespace candor::bind {

using dialect::ExprKind;

namespace {

std::optional<Type> cast_type(std::string type) {
  const bool array = type.ends_with("[]");
  if (array) type.resize(type.size() - 2);
  if (const std::size_t open = type.find('('); open != std::string::npos) type.resize(open);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, type) != names.end();
  };
  std::optional<Type> found;
  if (is({"text", "varchar", "char", "character", "character varying", "string", "nvarchar", "bpchar", "clob"}))
    found = Type::kString;
  if (is({"integer", "int", "bigint", "smallint", "tinyint", "int2", "int4", "int8", "signed", "long", "hugeint"}))
    found = Type::kInteger;
  if (is({"real", "double", "double precision", "float", "float4", "float8", "number"})) found = Type::kNumber;
  if (is({"numeric", "decimal", "dec", "money"})) found = Type::kDecimal;
  if (is({"boolean", "bool", "bit"})) found = Type::kBoolean;
  if (is({"date"})) found = Type::kDate;
  if (is({"timestamp", "datetime", "timestamptz", "timestamp without time zone", "timestamp with time zone",
          "datetime2"}))
    found = Type::kDatetime;
  if (is({"uuid", "uniqueidentifier"})) found = Type::kUuid;
  if (is({"json", "jsonb"})) found = Type::kJson;
  if (!array || !found) return found;
  if (*found == Type::kString) return Type::kStringArray;
  return *found == Type::kInteger ? std::optional(Type::kIntegerArray) : std::nullopt;
}

// The number of "varchar(8)"; nothing without one.
std::optional<int> cast_length(const std::string& type) {
  const std::size_t open = type.find('(');
  if (open == std::string::npos || open + 1 >= type.size() || type[open + 1] < '0' || type[open + 1] > '9')
    return std::nullopt;
  return std::atoi(type.c_str() + open + 1);
}

// The second number of "numeric(8,2)"; 0 of "numeric(8)"; nothing without numbers.
std::optional<int> cast_scale(const std::string& type) {
  const std::size_t open = type.find('(');
  if (open == std::string::npos) return std::nullopt;
  const std::size_t comma = type.find(',', open);
  if (comma == std::string::npos) return 0;
  const int scale = std::atoi(type.c_str() + comma + 1);
  return std::clamp(scale, 0, 18);
}

}  // namespace

// VARCHAR(n) keeps the first n characters. What CHAR(n) makes of a shorter text, systems don't agree on.
BoundPtr Binding::cast(const Ast& ast) {
  BoundPtr made = cast_whole(ast);
  const std::optional<int> length = cast_length(ast.text);
  if (made == nullptr || !length || cast_type(ast.text) != Type::kString) return made;
  const std::string value = text_of(ast.children.front()->span);
  if (ast.text.find("var") == std::string::npos || *length < 1) {
    return error("unsupported-construct", "a cast to " + ast.text + " is not part of the dialect", ast.span,
                 "write LEFT(CAST(" + value + " AS VARCHAR), " + std::to_string(std::max(*length, 1)) +
                     ") for the first characters");
  }
  BoundPtr count = make_bound(BoundKind::kLiteral, Type::kInteger, ast.span, false);
  count->value = integer_value(*length);
  BoundPtr cut = make_bound(BoundKind::kFunction, Type::kString, ast.span, made->nullable);
  cut->function = Function::kLeft;
  cut->children.push_back(std::move(made));
  cut->children.push_back(std::move(count));
  return cut;
}

BoundPtr Binding::cast_whole(const Ast& ast) {
  const std::optional<Type> type = cast_type(ast.text);
  if (!type || *type == Type::kJson) {
    return error("unsupported-construct", "a cast to " + ast.text + " is not part of the dialect", ast.span,
                 "types are string, integer, number, decimal, boolean, date, datetime, uuid");
  }
  const Ast& inner = *ast.children.front();
  if (inner.kind == ExprKind::kList) {
    BoundExpr beside;
    return contract::is_array(*type)
               ? array_value(inner, *type, beside)
               : error("bad-literal-type", "a list is no " + ast.text, ast.span, "cast it to text[]");
  }
  BoundPtr child = expr(inner);
  if (child == nullptr) return nullptr;
  if (child->kind == BoundKind::kLiteral && child->type) {
    const bool to_text = *type == Type::kString && child->type != Type::kString;
    if (to_text) {
      const CellKind kind = child->value.kind;
      const bool spelled = kind == CellKind::kInteger || kind == CellKind::kReal64 || kind == CellKind::kDecimal;
      const std::string truth = child->value.integer != 0 ? "true" : "false";
      const std::string text = spelled ? as_sql(child->value) : kind == CellKind::kBoolean ? truth : child->value.text;
      child->value = text_value(text);
      child->type = Type::kString;
      return child;
    }
    const bool number = is_number(child->type) && is_number(type);
    if (!number) return coerce(*child, *type, nullptr, true) ? std::move(child) : nullptr;
    if (child->type == *type && *type != Type::kDecimal) return child;
  }
  const std::optional<int> scale = *type == Type::kDecimal ? cast_scale(ast.text) : std::nullopt;
  if (!child->type || (*child->type == *type && !scale)) return child;
  const Type from = *child->type;
  const Type to = *type;
  if (to == Type::kString && (contract::is_array(from) || from == Type::kJson || from == Type::kNumber)) {
    (void)text(*child, ast);
    return nullptr;
  }
  const bool fine = to == Type::kString || (is_number(from) && is_number(to)) || (is_time(from) && is_time(to)) ||
                    (from == Type::kString && !contract::is_array(to)) ||
                    (from == Type::kBoolean && to == Type::kInteger);
  if (!fine) {
    return error(
        "bad-literal-type",
        "a " + std::string(contract::to_string(from)) + " can't be cast to " + std::string(contract::to_string(to)),
        ast.span, "compare it with a value of its type: " + std::string(example_of(from)));
  }
  BoundPtr made = make_bound(BoundKind::kCast, to, ast.span, child->nullable);
  if (scale) made->text = std::to_string(*scale);
  made->children.push_back(std::move(child));
  return made;
}

}  // namespace candor::bind
