// The canonical text of a statement. Where it must be read back with care stands beside the place: the grammar takes some
// words for keywords that are functions or names elsewhere.
#include "dialect/printer.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace candor::dialect {
namespace {

// How closely an expression holds together, loosest first; what stands in a place that asks for more is put in parentheses.
enum class Bond : std::uint8_t { kOr, kAnd, kNot, kPredicate, kConcat, kSum, kProduct, kUnary, kPrimary };

std::string upper_ascii(std::string_view word) {
  std::string upper(word);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

std::string quoted(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) made.append(c == quote ? 2 : 1, c);
  return made += quote;
}

// NOT over OVERLAP or CONTAINS is their own negation.
bool is_negated_array_operator(const Expr& expr) {
  if (expr.kind != ExprKind::kUnary || expr.op != Op::kNot) return false;
  const Expr& child = *expr.children.front();
  return child.kind == ExprKind::kBinary && (child.op == Op::kOverlap || child.op == Op::kContains);
}

Bond bond_of(Op op) {
  if (op == Op::kOr) return Bond::kOr;
  if (op == Op::kAnd) return Bond::kAnd;
  if (op == Op::kConcat) return Bond::kConcat;
  if (op == Op::kAdd || op == Op::kSubtract) return Bond::kSum;
  return op >= Op::kMultiply && op <= Op::kModulo ? Bond::kProduct : Bond::kPredicate;
}

bool is_number(LiteralKind kind) {
  return kind == LiteralKind::kInteger || kind == LiteralKind::kDecimal || kind == LiteralKind::kReal;
}

Bond bond_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return is_number(expr.literal) && expr.text.starts_with('-') ? Bond::kUnary : Bond::kPrimary;
    case ExprKind::kUnary:
      if (expr.op == Op::kNegate) return Bond::kUnary;
      return is_negated_array_operator(expr) ? Bond::kPredicate : Bond::kNot;
    case ExprKind::kBinary:
      return bond_of(expr.op);
    case ExprKind::kIs:
    case ExprKind::kBetween:
    case ExprKind::kIn:
    case ExprKind::kInArray:
    case ExprKind::kLike:
      return Bond::kPredicate;
    case ExprKind::kExists:
      return expr.negated ? Bond::kNot : Bond::kPrimary;
    default:
      return Bond::kPrimary;
  }
}

class Printer {
 public:
  void statement(const Statement& statement);
  void expr(const Expr& expr, Bond asked = Bond::kOr);
  std::string text() && { return std::move(out_); }

 private:
  void bare(const Expr& expr);
  void literal(const Expr& expr);
  void unary(const Expr& expr);
  void binary(const Expr& expr);
  void is(const Expr& expr);
  void between(const Expr& expr);
  void in(const Expr& expr);
  void in_array(const Expr& expr);
  void like(const Expr& expr);
  void case_expression(const Expr& expr);
  void function(const Expr& expr);
  void array(const Expr& expr);
  void interval(const Expr& expr);
  void guarded(const Expr& expr, Bond asked, std::initializer_list<std::string_view> words);

  void name(const Name& name);
  void names(const std::vector<Name>& names);
  void name_list(const std::vector<Name>& names);
  void items(const std::vector<SelectItem>& items);
  void order_by(const std::vector<OrderItem>& items);
  void select(const Select& select);
  void subquery(const Select& select);
  void table(const TableRef& ref, bool first);
  void clause(std::string_view keyword, const ExprPtr& expr, Bond asked = Bond::kOr);

  void write(const Write& write);
  void insert(const Write& write);
  void conflict(const Conflict& conflict);
  void assignments(const std::vector<Assignment>& set);
  void discovery(const Discovery& discovery);

  template <typename List, typename Print>
  void list(const List& list, const Print& print) {
    bool first = true;
    for (const auto& one : list) {
      if (!first) out_ += ", ";
      first = false;
      print(one);
    }
  }
  void expressions(const std::vector<ExprPtr>& list, std::size_t from = 0);

  std::string out_;
};

// ---- names ----

void Printer::name(const Name& name) { out_ += name_in_sql(name.text); }

void Printer::names(const std::vector<Name>& names) {
  bool first = true;
  for (const Name& one : names) {
    if (!first) out_ += '.';
    first = false;
    name(one);
  }
}

void Printer::name_list(const std::vector<Name>& names) {
  out_ += " (";
  list(names, [&](const Name& one) { name(one); });
  out_ += ')';
}

// ---- expressions ----

void Printer::expr(const Expr& expr, Bond asked) {
  // Of a literal the parentheses say that it is a list of one.
  const bool parentheses = bond_of(expr) < asked || (expr.kind == ExprKind::kLiteral && expr.grouped);
  if (parentheses) out_ += '(';
  bare(expr);
  if (parentheses) out_ += ')';
}

// In a place where the grammar takes one of these words for its own: an expression that begins with a function of such a name
// is put in parentheses. A column of such a name is quoted.
void Printer::guarded(const Expr& one, Bond asked, std::initializer_list<std::string_view> words) {
  const std::size_t begin = out_.size();
  expr(one, asked);
  const std::string_view printed = std::string_view(out_).substr(begin);
  const bool taken =
      std::ranges::any_of(words, [&](std::string_view word) { return printed.starts_with(std::string(word) + "("); });
  if (!taken) return;
  out_.insert(begin, 1, '(');
  out_ += ')';
}

void Printer::bare(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return literal(expr);
    case ExprKind::kColumn:
      return names(expr.names);
    case ExprKind::kStar:
      names(expr.names);
      out_ += expr.names.empty() ? "*" : ".*";
      return;
    case ExprKind::kUnary:
      return unary(expr);
    case ExprKind::kBinary:
      return binary(expr);
    case ExprKind::kIs:
      return is(expr);
    case ExprKind::kBetween:
      return between(expr);
    case ExprKind::kIn:
      return in(expr);
    case ExprKind::kInArray:
      return in_array(expr);
    case ExprKind::kLike:
      return like(expr);
    case ExprKind::kExists:
      out_ += expr.negated ? "NOT EXISTS " : "EXISTS ";
      return subquery(*expr.select);
    case ExprKind::kSubquery:
      return subquery(*expr.select);
    case ExprKind::kFunction:
      return function(expr);
    case ExprKind::kCase:
      return case_expression(expr);
    case ExprKind::kCast:
      out_ += "CAST(";
      this->expr(*expr.children.front());
      out_ += " AS " + expr.text + ")";
      return;
    case ExprKind::kList:
      return array(expr);
    case ExprKind::kInterval:
      return interval(expr);
    case ExprKind::kDefault:
      out_ += "DEFAULT";
      return;
  }
}

void Printer::literal(const Expr& expr) {
  const LiteralKind kind = expr.literal;
  if (kind == LiteralKind::kNull) out_ += "NULL";
  if (kind == LiteralKind::kBoolean) out_ += upper_ascii(expr.text);
  if (is_number(kind)) out_ += expr.text;
  // 5. is a decimal of scale 0.
  if (kind == LiteralKind::kDecimal && expr.text.find('.') == std::string::npos) out_ += '.';
  if (kind == LiteralKind::kDate) out_ += "DATE ";
  if (kind == LiteralKind::kDatetime) out_ += "TIMESTAMP ";
  if (kind >= LiteralKind::kText) out_ += quoted(expr.text, '\'');
}

void Printer::unary(const Expr& parent) {
  const Expr& child = *parent.children.front();
  if (parent.op == Op::kNegate) {
    out_ += '-';
    const std::size_t begin = out_.size();
    expr(child, Bond::kUnary);
    if (out_[begin] == '-') out_.insert(begin, 1, ' ');  // two signs side by side begin a comment
    return;
  }
  if (is_negated_array_operator(parent)) {
    expr(*child.children[0], Bond::kConcat);
    out_ += " NOT " + std::string(to_string(child.op)) + ' ';
    return expr(*child.children[1], Bond::kConcat);
  }
  out_ += "NOT ";
  const bool again = child.kind == ExprKind::kUnary && child.op == Op::kNot && !is_negated_array_operator(child);
  if (again) return expr(child, Bond::kNot);
  const bool exists = child.kind == ExprKind::kExists && !child.negated;  // else it were the negation of EXISTS itself
  if (exists) out_ += '(';
  expr(child, Bond::kConcat);
  if (exists) out_ += ')';
}

void Printer::binary(const Expr& parent) {
  const std::string op = ' ' + std::string(to_string(parent.op)) + ' ';
  if (parent.op == Op::kOr || parent.op == Op::kAnd) {
    bool first = true;
    for (const ExprPtr& child : parent.children) {
      if (!first) out_ += op;
      first = false;
      expr(*child, Bond::kNot);
    }
    return;
  }
  // Operators of one bond go from the left; a comparison takes no other one beside it.
  const Bond own = bond_of(parent);
  const auto tighter = static_cast<Bond>(static_cast<std::uint8_t>(own) + 1);
  expr(*parent.children[0], own == Bond::kPredicate ? Bond::kConcat : own);
  out_ += op;
  expr(*parent.children[1], tighter);
}

void Printer::is(const Expr& parent) {
  expr(*parent.children.front(), Bond::kConcat);
  out_ += parent.negated ? " IS NOT " : " IS ";
  out_ += parent.literal == LiteralKind::kNull ? "NULL" : upper_ascii(parent.text);
}

void Printer::between(const Expr& parent) {
  expr(*parent.children[0], Bond::kConcat);
  out_ += parent.negated ? " NOT BETWEEN " : " BETWEEN ";
  guarded(*parent.children[1], Bond::kConcat, {"SYMMETRIC"});
  out_ += " AND ";
  expr(*parent.children[2], Bond::kConcat);
}

void Printer::in(const Expr& parent) {
  expr(*parent.children.front(), Bond::kConcat);
  out_ += parent.negated ? " NOT IN " : " IN ";
  if (parent.select != nullptr) return subquery(*parent.select);
  out_ += '(';
  expressions(parent.children, 1);
  out_ += ')';
}

void Printer::in_array(const Expr& parent) {
  expr(*parent.children[0], Bond::kConcat);
  out_ += parent.negated ? " <> ALL(" : " = ANY(";
  expr(*parent.children[1]);
  out_ += ')';
}

void Printer::like(const Expr& parent) {
  expr(*parent.children[0], Bond::kConcat);
  if (parent.negated) out_ += " NOT";
  out_ += parent.fold ? " ILIKE " : " LIKE ";
  expr(*parent.children[1], Bond::kConcat);
  if (parent.children.size() < 3) return;
  out_ += " ESCAPE ";
  expr(*parent.children[2], Bond::kPrimary);
}

void Printer::case_expression(const Expr& parent) {
  out_ += "CASE";
  std::size_t i = 0;
  if (parent.has_operand) {
    out_ += ' ';
    expr(*parent.children[i++]);
  }
  for (; i + 1 < parent.children.size(); i += 2) {
    out_ += " WHEN ";
    expr(*parent.children[i]);
    out_ += " THEN ";
    expr(*parent.children[i + 1]);
  }
  if (parent.has_else) {
    out_ += " ELSE ";
    expr(*parent.children.back());
  }
  out_ += " END";
}

void Printer::function(const Expr& call) {
  const std::string& called = call.names.front().text;
  const bool special =
      called == "trim" || called == "position" || called == "try_cast" || called == "substr" || called == "substring";
  const bool value = called == "current_date" || called == "current_timestamp" || called == "localtimestamp" ||
                     called == "current_time";
  const bool empty = call.children.empty() && !call.star;
  out_ += upper_ascii(called);
  if (value && empty && call.order.empty() && call.filter == nullptr) return;
  out_ += '(';
  if (call.star) out_ += '*';
  if (call.distinct) out_ += "DISTINCT ";
  if (called == "position") {
    expr(*call.children[0], Bond::kConcat);
    out_ += " IN ";
    expr(*call.children[1]);
  } else if (called == "trim") {
    guarded(*call.children.front(), Bond::kOr, {"BOTH", "LEADING", "TRAILING"});
    if (call.children.size() > 1) out_ += ", ";
    expressions(call.children, 1);
  } else {
    expressions(call.children);
  }
  if (called == "try_cast") out_ += " AS " + call.text;
  const bool inside = !special && !call.children.empty();
  if (!call.order.empty() && inside) order_by(call.order);
  out_ += ')';
  if (!call.order.empty() && !inside) {
    out_ += " WITHIN GROUP (";
    order_by(call.order);
    out_ += ')';
  }
  if (call.filter != nullptr) {
    out_ += " FILTER (WHERE ";
    expr(*call.filter);
    out_ += ')';
  }
}

void Printer::array(const Expr& parent) {
  const bool one = parent.children.size() == 1;  // in parentheses it were the element itself
  out_ += one ? "ARRAY[" : "(";
  expressions(parent.children);
  out_ += one ? ']' : ')';
}

void Printer::interval(const Expr& parent) {
  const bool one = parent.text == "1" || parent.text == "-1";
  out_ += "INTERVAL '" + parent.text + ' ' + parent.names.front().text + (one ? "'" : "s'");
}

void Printer::expressions(const std::vector<ExprPtr>& list, std::size_t from) {
  for (std::size_t i = from; i < list.size(); ++i) {
    if (i > from) out_ += ", ";
    expr(*list[i]);
  }
}

// ---- SELECT ----

void Printer::clause(std::string_view keyword, const ExprPtr& one, Bond asked) {
  if (one == nullptr) return;
  out_ += ' ';
  out_ += keyword;
  out_ += ' ';
  expr(*one, asked);
}

void Printer::items(const std::vector<SelectItem>& items) {
  list(items, [&](const SelectItem& item) {
    guarded(*item.expr, Bond::kOr, {"TOP"});
    if (!item.alias) return;
    out_ += " AS ";
    name(*item.alias);
  });
}

void Printer::order_by(const std::vector<OrderItem>& items) {
  out_ += out_.ends_with('(') ? "ORDER BY " : " ORDER BY ";
  list(items, [&](const OrderItem& item) {
    expr(*item.expr);
    if (item.descending) out_ += " DESC";
    if (item.nulls == Nulls::kFirst) out_ += " NULLS FIRST";
  });
}

void Printer::subquery(const Select& query) {
  out_ += '(';
  select(query);
  out_ += ')';
}

void Printer::select(const Select& query) {
  if (!query.with.empty()) {
    out_ += "WITH ";
    list(query.with, [&](const CommonTable& table) {
      name(table.name);
      if (!table.columns.empty()) name_list(table.columns);
      out_ += " AS ";
      subquery(*table.select);
    });
    out_ += ' ';
  }
  out_ += query.distinct ? "SELECT DISTINCT " : "SELECT ";
  items(query.items);
  if (!query.from.empty()) out_ += " FROM ";
  bool first = true;
  for (const TableRef& ref : query.from) {
    table(ref, first);
    first = false;
  }
  clause("WHERE", query.where);
  if (!query.group_by.empty()) {
    out_ += " GROUP BY ";
    list(query.group_by, [&](const ExprPtr& one) { guarded(*one, Bond::kOr, {"CUBE", "GROUPING", "ROLLUP"}); });
  }
  clause("HAVING", query.having);
  if (!query.order_by.empty()) order_by(query.order_by);
  clause("LIMIT", query.limit, Bond::kSum);
  clause("OFFSET", query.offset, Bond::kSum);
}

void Printer::table(const TableRef& ref, bool first) {
  if (!first) {
    out_ += ref.natural ? " NATURAL" : "";
    out_ += ref.join == JoinKind::kCross ? " CROSS JOIN " : ref.join == JoinKind::kLeft ? " LEFT JOIN " : " JOIN ";
  }
  switch (ref.kind) {
    case TableKind::kResource:
      names(ref.names);
      break;
    case TableKind::kUnnest:
      out_ += ref.json_each ? "JSON_EACH(" : "UNNEST(";
      expr(*ref.array);
      out_ += ')';
      break;
    case TableKind::kSubquery:
      subquery(*ref.select);
      break;
  }
  if (ref.alias) {
    out_ += " AS ";
    name(*ref.alias);
    if (!ref.columns.empty()) name_list(ref.columns);
  }
  clause("ON", ref.on);
  if (ref.using_columns.empty()) return;
  out_ += " USING";
  name_list(ref.using_columns);
}

// ---- the other statements ----

void Printer::assignments(const std::vector<Assignment>& set) {
  list(set, [&](const Assignment& one) {
    name(one.column);
    out_ += " = ";
    expr(*one.value);
  });
}

void Printer::conflict(const Conflict& conflict) {
  out_ += " ON CONFLICT";
  if (!conflict.key.empty()) name_list(conflict.key);
  out_ += conflict.set.empty() ? " DO NOTHING" : " DO UPDATE SET ";
  assignments(conflict.set);
  clause("WHERE", conflict.where);
}

void Printer::insert(const Write& write) {
  if (!write.columns.empty()) name_list(write.columns);
  const bool defaults = write.columns.empty() && write.rows.size() == 1 && write.rows.front().empty();
  out_ += defaults ? " DEFAULT VALUES" : " VALUES ";
  if (!defaults) {
    list(write.rows, [&](const std::vector<ExprPtr>& row) {
      out_ += '(';
      expressions(row);
      out_ += ')';
    });
  }
  if (write.conflict) conflict(*write.conflict);
}

void Printer::write(const Write& write) {
  const bool inserts = write.kind == Write::Kind::kInsert;
  const bool updates = write.kind == Write::Kind::kUpdate;
  out_ += inserts ? "INSERT INTO " : updates ? "UPDATE " : "DELETE FROM ";
  names(write.resource);
  if (write.alias) {
    out_ += " AS ";
    name(*write.alias);
  }
  if (inserts) insert(write);
  if (updates) {
    out_ += " SET ";
    assignments(write.set);
  }
  clause("WHERE", write.where);
  if (write.returning.empty()) return;
  out_ += " RETURNING ";
  items(write.returning);
}

void Printer::discovery(const Discovery& discovery) {
  const bool tables = discovery.kind == Discovery::Kind::kTables;
  // DESCRIBE takes no pattern.
  out_ += tables ? "SHOW TABLES" : discovery.pattern ? "SHOW COLUMNS FROM " : "DESCRIBE ";
  names(discovery.resource);
  if (discovery.pattern) out_ += " LIKE " + quoted(*discovery.pattern, '\'');
}

void Printer::statement(const Statement& statement) {
  if (statement.select != nullptr) select(*statement.select);
  if (statement.write != nullptr) write(*statement.write);
  if (statement.discovery != nullptr) discovery(*statement.discovery);
}

}  // namespace

std::string print(const Statement& statement) {
  Printer printer;
  printer.statement(statement);
  return std::move(printer).text();
}

std::string print(const Expr& expr) {
  Printer printer;
  printer.expr(expr);
  return std::move(printer).text();
}

}  // namespace candor::dialect
