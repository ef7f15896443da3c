// Calls of functions.
#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/near_names.h"
#include "bind/binding.h"
#include "bind/literals.h"

namespace candor::bind {

using dialect::ExprKind;
using dialect::LiteralKind;

namespace {

constexpr std::array<std::string_view, 8> kTruncUnits = {"second", "minute", "hour",    "day",
                                                         "week",   "month",  "quarter", "year"};
constexpr std::array<std::string_view, 12> kExtractUnits = {"year", "month", "day",    "hour", "minute",  "second",
                                                            "dow",  "doy",   "isodow", "week", "quarter", "epoch"};

std::string unit_of(std::string text) {
  text = lower_ascii(text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOthers = {{{"dayofweek", "dow"},
                                                                                     {"dayofyear", "doy"},
                                                                                     {"yyyy", "year"},
                                                                                     {"mm", "month"},
                                                                                     {"dd", "day"},
                                                                                     {"hh", "hour"},
                                                                                     {"mi", "minute"},
                                                                                     {"weekday", "dow"}}};
  for (const auto& [other, unit] : kOthers) {
    if (text == other) return std::string(unit);
  }
  if (text.size() > 2 && text.ends_with('s')) text.pop_back();
  return text;
}

// MySQL's %i is the minute, and %s the second; strftime's are %M and %S.
std::string strftime_of(std::string format) {
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (format[i + 1] == 'i') format[i + 1] = 'M';
    if (format[i + 1] == 's') format[i + 1] = 'S';
    ++i;
  }
  return format;
}

bool known_format(std::string_view format) {
  constexpr std::string_view kLetters = "YmdHMSjwf%";
  constexpr std::size_t kFormatMax = 200;  // each letter becomes a call
  if (format.size() > kFormatMax) return false;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    if (i + 1 == format.size() || kLetters.find(format[i + 1]) == std::string_view::npos) return false;
    ++i;
  }
  return true;
}

bool is_extract_unit(const std::string& name) {
  return std::ranges::find(kExtractUnits, unit_of(name)) != kExtractUnits.end();
}

}  // namespace

BoundPtr Binding::function(const Ast& ast) {
  const std::string& name = ast.names.front().text;
  if (name == "match") return match(ast);
  if (name == "if" || name == "iif") return conditional(ast);
  if (name == "mod") return modulo(ast);
  if (const AggregateSpelling* spelling = find_aggregate(name)) return aggregate(ast, spelling->aggregate);
  if (name == "countif" || name == "count_if") return count_if(ast);
  if (ast.children.size() == 1 && !ast.distinct && is_extract_unit(name)) return part_of_time(ast);
  const FunctionSpelling* spelling = find_function(name);
  if (spelling == nullptr) return unknown_function(ast);
  if (ast.distinct || ast.star || !ast.order.empty() || ast.filter != nullptr) {
    return error("syntax-error", "DISTINCT, *, ORDER BY and FILTER belong to aggregates, and " + name + " is none",
                 ast.span, "leave it out");
  }
  return scalar_function(ast, *spelling);
}

BoundPtr Binding::unknown_function(const Ast& ast) {
  if (told_enough()) return error("unknown-function", {}, ast.span);
  const std::string& name = ast.names.front().text;
  std::vector<std::string> known;
  for (const FunctionSpelling& one : all_functions()) known.emplace_back(one.name);
  for (const std::string_view one : {"count", "sum", "avg", "min", "max", "string_agg", "match", "if", "mod"})
    known.emplace_back(one);
  const std::vector<std::string> near = near_names(name, known);
  std::string all;
  for (const FunctionSpelling& one : all_functions()) all += (all.empty() ? "" : ", ") + std::string(one.name);
  return error("unknown-function", "there is no function '" + text_of(ast.names.front().span) + "' in the dialect",
               ast.names.front().span,
               near.empty() ? "write it with the functions that are there" : "did you mean " + list_of(near) + "?",
               "the functions are " + all + "; and COUNT, SUM, AVG, MIN, MAX, STRING_AGG");
}

bool Binding::argument(BoundPtr& made, const Ast& ast, Argument wanted, const Ast& call) {
  const std::string& name = call.names.front().text;
  if (ast.kind == ExprKind::kList && wanted == Argument::kArray) {
    BoundExpr beside;
    made = array_value(ast, Type::kStringArray, beside);
    return made != nullptr;
  }
  made = expr(ast);
  if (made == nullptr) return false;
  const bool literal = made->kind == BoundKind::kLiteral;
  const auto bad = [&](std::string_view what) {
    error("bad-literal-type", name + " takes " + std::string(what) + ", and '" + text_of(ast.span) + "' is none",
          ast.span, "write " + std::string(what));
    return false;
  };
  switch (wanted) {
    case Argument::kText:
      return text(*made, call);
    case Argument::kNumber:
      if (literal && made->type == Type::kString) return coerce(*made, Type::kNumber, nullptr);
      if (made->type && contract::is_array(*made->type)) return text(*made, call);
      return number(*made, name);
    case Argument::kInteger:
      return !made->type || made->type == Type::kInteger || bad("a whole number");
    case Argument::kTime:
      if (literal && made->type == Type::kString && made->value.text == "now") {
        made = make_bound(BoundKind::kFunction, Type::kDatetime, ast.span, false);
        made->function = Function::kNow;
        return true;
      }
      if (literal && made->type == Type::kString) return coerce(*made, Type::kDatetime, nullptr);
      if (made->type && contract::is_array(*made->type)) return text(*made, call);
      return !made->type || is_time(made->type) || bad("a date or time");
    case Argument::kArray:
      if (made->type && !contract::is_array(*made->type)) {
        error("not-an-array",
              name + " takes an array, and " + text_of(ast.span) + " is a " +
                  std::string(contract::to_string(*made->type)),
              ast.span,
              made->type == Type::kString ? "write LENGTH(" + text_of(ast.span) + ")" : "name an array column");
        return false;
      }
      return true;
    case Argument::kUnit:
    case Argument::kFormat:
      return (literal && made->type == Type::kString) || bad("a text in quotes");
    case Argument::kAny:
      return true;
  }
  return false;
}

// The unit of DATE_TRUNC and EXTRACT, the format of STRFTIME: a literal, which becomes the function's own.
bool Binding::named_part(BoundExpr& made, const Ast& ast, const FunctionSpelling& spelling) {
  const std::string name(spelling.name);
  const bool unit = spelling.function == Function::kDateTrunc || spelling.function == Function::kExtract;
  if (unit || spelling.function == Function::kFormatTime) {
    made.text = unit ? unit_of(made.children[0]->value.text) : strftime_of(made.children[0]->value.text);
    const bool known = unit ? (spelling.function == Function::kExtract
                                   ? std::ranges::find(kExtractUnits, made.text) != kExtractUnits.end()
                                   : std::ranges::find(kTruncUnits, made.text) != kTruncUnits.end())
                            : known_format(made.text);
    if (!known) {
      (void)error("unsupported-construct", "'" + made.text + "' is not known to " + name, ast.children.front()->span,
                  unit ? "units are year, quarter, month, week, day, hour, minute, second"
                       : "formats are %Y %m %d %H %M %S %j %w %f");
      return false;
    }
    made.children.erase(made.children.begin());
  }
  return true;
}

bool Binding::substring_start(BoundExpr& made, const Ast& ast) {
  const bool part =
      made.function == Function::kSubstring || made.function == Function::kLeft || made.function == Function::kRight;
  const std::size_t last = made.function == Function::kSubstring ? 2 : 1;
  if (part && made.children.size() > last && made.children[last]->kind == BoundKind::kLiteral &&
      made.children[last]->value.integer < 0) {
    (void)error("bad-argument", "a part of a text can't have a negative length", ast.children[last]->span,
                "count the characters that are kept");
    return false;
  }
  if (made.function == Function::kSubstring && made.children[1]->kind == BoundKind::kLiteral &&
      made.children[1]->value.integer < 1) {
    // Systems differ: some count from the end, some from before the beginning.
    const std::int64_t from = made.children[1]->value.integer;
    (void)error("unsupported-construct",
                ast.names.front().text + " from " + std::to_string(from) + " is not part of the dialect",
                ast.children[1]->span,
                "positions begin with 1; the last characters are RIGHT(" + text_of(ast.children[0]->span) + ", " +
                    std::to_string(from == 0 ? 1 : -from) + ")");
    return false;
  }
  return true;
}

BoundPtr Binding::scalar_function(const Ast& ast, const FunctionSpelling& spelling) {
  const std::string name(spelling.name);
  const std::size_t count = ast.children.size();
  if (count < spelling.arguments_min || count > spelling.arguments_max) {
    const std::string most =
        spelling.arguments_max == spelling.arguments_min
            ? std::to_string(spelling.arguments_min)
            : std::to_string(spelling.arguments_min) + " to " + std::to_string(spelling.arguments_max);
    return error("syntax-error", name + " takes " + most + " arguments, and there are " + std::to_string(count),
                 ast.span, "count the arguments");
  }
  if (spelling.function == Function::kLength && count == 1) {
    // LENGTH of an array is a habit from other systems; which of the two is meant is plain.
    const std::size_t faults = faults_;
    BoundPtr looked = expr(*ast.children.front());
    if (looked == nullptr || faults_ > faults) return nullptr;
    if (looked->type && contract::is_array(*looked->type)) {
      const std::string form = "CARDINALITY(" + text_of(ast.children.front()->span) + ")";
      const Span whole = construct_.end > construct_.start ? construct_ : ast.span;
      return error(
          "text-function-on-array",
          "'" + text_of(whole) + "' treats " + text_of(ast.children.front()->span) + " as a text, and it is an array",
          ast.span, "write " + form + " for the number of its elements", {}, Edit{ast.span, form});
    }
  }
  BoundPtr made = make_bound(BoundKind::kFunction, std::nullopt, ast.span, false);
  made->function = spelling.function;
  bool fine = true;
  for (std::size_t i = 0; i < count; ++i) {
    BoundPtr one;
    fine = argument(one, *ast.children[i], i == 0 ? spelling.first : spelling.rest, ast) && fine;
    if (one != nullptr) made->children.push_back(std::move(one));
  }
  if (!fine) return nullptr;
  if (spelling.reversed) std::swap(made->children[0], made->children[1]);
  if (!named_part(*made, ast, spelling) || !substring_start(*made, ast)) return nullptr;
  if (spelling.function == Function::kArrayLength) made->children.resize(1);
  if (spelling.function == Function::kNow || spelling.function == Function::kCurrentDate) made->children.clear();
  if (spelling.function == Function::kRandom && use_ != Use::kOrder) {
    return error("unsupported-construct", "RANDOM() stands in ORDER BY alone", ast.span,
                 "write ORDER BY RANDOM() LIMIT n");
  }
  if (spelling.function == Function::kConcat) {
    for (BoundPtr& child : made->children) {
      if (child->type == Type::kInteger || child->type == Type::kDecimal || is_time(child->type) ||
          child->type == Type::kUuid) {
        BoundPtr cast = make_bound(BoundKind::kCast, Type::kString, child->span, child->nullable);
        cast->children.push_back(std::move(child));
        child = std::move(cast);
      } else if (!text(*child, ast)) {
        return nullptr;
      }
    }
  }
  set_function_type(*made);
  return made->type || made->children.empty() || made->function == Function::kCoalesce ? std::move(made) : nullptr;
}

BoundPtr Binding::modulo(const Ast& ast) {
  if (ast.children.size() != 2) {
    return error("syntax-error", "mod takes 2 arguments, and there are " + std::to_string(ast.children.size()),
                 ast.span, "write MOD(7, 3)");
  }
  BoundPtr left = expr(*ast.children[0]);
  BoundPtr right = expr(*ast.children[1]);
  if (left == nullptr || right == nullptr) return nullptr;
  return arithmetic_bound(Op::kModulo, std::move(left), std::move(right), ast);
}

// YEAR(x), MONTH(x) and their like.
BoundPtr Binding::part_of_time(const Ast& ast) {
  BoundPtr time;
  if (!argument(time, *ast.children.front(), Argument::kTime, ast)) return nullptr;
  BoundPtr made = make_bound(BoundKind::kFunction, std::nullopt, ast.span, false);
  made->function = Function::kExtract;
  made->text = unit_of(ast.names.front().text);
  made->children.push_back(std::move(time));
  set_function_type(*made);
  return made;
}

BoundPtr Binding::conditional(const Ast& ast) {
  if (ast.children.size() != 3) {
    return error("syntax-error", "IF takes a condition and two values", ast.span,
                 "write CASE WHEN … THEN … ELSE … END");
  }
  BoundPtr when = condition(*ast.children[0]);
  BoundPtr then = expr(*ast.children[1]);
  BoundPtr otherwise = expr(*ast.children[2]);
  if (when == nullptr || then == nullptr || otherwise == nullptr) return nullptr;
  std::optional<Type> type;
  if (!unify({&then, &otherwise}, ast.span, type)) return nullptr;
  BoundPtr made = make_bound(BoundKind::kCase, type, ast.span, then->nullable || otherwise->nullable);
  made->children.push_back(std::move(when));
  made->children.push_back(std::move(then));
  made->children.push_back(std::move(otherwise));
  return made;
}

// What a function gives, and whether it can be NULL.
void Binding::set_function_type(BoundExpr& made) {
  bool any_nullable = false;
  bool all_nullable = !made.children.empty();
  for (const BoundPtr& child : made.children) {
    any_nullable = any_nullable || child->nullable;
    all_nullable = all_nullable && child->nullable;
  }
  made.nullable = any_nullable;
  switch (made.function) {
    case Function::kLower:
    case Function::kUpper:
    case Function::kTrim:
    case Function::kTrimLeft:
    case Function::kTrimRight:
    case Function::kSubstring:
    case Function::kReplace:
    case Function::kLeft:
    case Function::kRight:
    case Function::kFormatTime:
      made.type = Type::kString;
      return;
    case Function::kConcat:
      made.type = Type::kString;
      made.nullable = false;
      return;
    case Function::kLength:
    case Function::kPosition:
    case Function::kArrayLength:
      made.type = Type::kInteger;
      return;
    case Function::kExtract:
      made.type = made.text == "second" || made.text == "epoch" ? Type::kNumber : Type::kInteger;
      return;
    case Function::kRandom:
      made.type = Type::kNumber;
      return;
    case Function::kNow:
    case Function::kDateTrunc:
      made.type = Type::kDatetime;
      return;
    case Function::kCurrentDate:
    case Function::kToDate:
      made.type = Type::kDate;
      return;
    case Function::kAbs:
      made.type = made.children[0]->type;
      return;
    case Function::kRound:
    case Function::kFloor:
    case Function::kCeiling:
      made.type = made.children[0]->type == Type::kInteger ? Type::kInteger : Type::kNumber;
      return;
    case Function::kCoalesce:
    case Function::kNullIf:
    case Function::kGreatest:
    case Function::kLeast: {
      std::vector<BoundPtr*> all;
      for (BoundPtr& child : made.children) all.push_back(&child);
      std::optional<Type> type;
      if (!unify(all, made.span, type)) return;
      // NULLIF gives its first value or nothing.
      made.type = made.function == Function::kNullIf && made.children[0]->type ? made.children[0]->type : type;
      made.nullable =
          made.function == Function::kCoalesce ? all_nullable : made.function == Function::kNullIf || all_nullable;
      return;
    }
  }
}

// MATCH('text'): in any text of the row. MATCH(column, 'text'): in one.
BoundPtr Binding::match(const Ast& ast) {
  const std::size_t count = ast.children.size();
  if (count == 0 || count > 2)
    return error("syntax-error", "MATCH takes a text, or a column and a text", ast.span, "write MATCH('text')");
  const Ast& wanted_ast = *ast.children.back();
  if (wanted_ast.kind != ExprKind::kLiteral || wanted_ast.literal != LiteralKind::kText) {
    return error("bad-literal-type", "MATCH looks for a text in quotes", wanted_ast.span, "write MATCH('text')");
  }
  const Span before = std::exchange(construct_, ast.span);
  const Use use = std::exchange(use_, use_ == Use::kRead ? Use::kFilter : use_);
  std::vector<BoundPtr> columns;
  if (count == 2) {
    columns.push_back(expr(*ast.children.front()));
  } else {
    for (Relation* relation : level_->relations) {
      for (std::size_t i = 0; i < relation->columns.size(); ++i) {
        const RelationColumn& column = relation->columns[i];
        const bool searched = column.filterable && (column.type == Type::kString || column.type == Type::kStringArray);
        if (!searched) continue;
        relation->used.insert(i);
        BoundPtr one = make_bound(BoundKind::kColumn, column.type, ast.span, column.nullable);
        one->relation = relation->id;
        one->column = i;
        columns.push_back(std::move(one));
      }
    }
  }
  use_ = use;
  construct_ = before;
  if (columns.empty())
    return error("not-filterable", "there is no text to look into", ast.span, "compare a column with a value");
  BoundPtr any = make_bound(BoundKind::kOr, Type::kBoolean, ast.span, false);
  for (BoundPtr& column : columns) {
    if (column == nullptr) return nullptr;
    const bool texts = !column->type || column->type == Type::kString || column->type == Type::kStringArray;
    if (!texts) {
      (void)text(*column, ast);
      return nullptr;
    }
    BoundPtr wanted = make_bound(BoundKind::kLiteral, Type::kString, wanted_ast.span, false);
    wanted->value = text_value(wanted_ast.text);
    BoundPtr part = make_bound(BoundKind::kContainsText, Type::kBoolean, ast.span, column->nullable);
    any->nullable = any->nullable || column->nullable;
    part->children.push_back(std::move(column));
    part->children.push_back(std::move(wanted));
    any->children.push_back(std::move(part));
  }
  if (any->children.size() == 1) return std::move(any->children.front());
  return any;
}

}  // namespace candor::bind
