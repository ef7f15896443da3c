// The syntax tree of the agent dialect (docs/dialect.md): what stood in the text, with spans into it. Nothing here knows a
// contract; names are bound in bind/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.h"

namespace candor::dialect {

struct Name {
  std::string text;
  Span span;
  bool double_quoted = false;  // "x": a text that an agent put into the wrong quotes looks so
};

enum class LiteralKind : std::uint8_t { kNull, kBoolean, kInteger, kDecimal, kReal, kText, kDate, kDatetime };

enum class Op : std::uint8_t {
  kNone,
  kOr,
  kAnd,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kDistinct,     // IS DISTINCT FROM
  kNotDistinct,  // IS NOT DISTINCT FROM
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,         // exact
  kDivideInteger,  // "//" and DIV
  kModulo,
  kConcat,
  kNegate,
  kOverlap,   // arrays share an element
  kContains,  // the left array holds all elements, or the one element, of the right side
};
[[nodiscard]] std::string_view to_string(Op op);  // as the dialect prints it
[[nodiscard]] bool is_comparison(Op op);

enum class ExprKind : std::uint8_t {
  kLiteral,   // literal, text
  kColumn,    // names: column, or relation and column
  kStar,      // names: empty, or the relation; only in a SELECT list, RETURNING and COUNT(*)
  kUnary,     // op, children[0]
  kBinary,    // op, children[0..1]; of AND and OR two or more
  kIs,        // children[0] IS [NOT] literal (null, boolean)
  kBetween,   // children[0..2]
  kIn,        // children[0] IN: children[1…], or `select`
  kInArray,   // children[0] IN children[1], an array; also children[0] = ANY (children[1])
  kLike,      // children[0..1], escape in children[2] when there is one; ILIKE when `fold`
  kExists,    // select
  kSubquery,  // select, of one value
  kFunction,  // names[0]; children; distinct; star; order; filter
  kCase,      // operand in children[0] when `has_operand`; then WHEN, THEN, …; ELSE last when `has_else`
  kCast,      // children[0] as `text`
  kList,      // (a, b), (), ARRAY[a, b], [a, b]: an array, where one is compared with
  kInterval,  // `text`: the number; names[0]: the unit, in the singular and lower case
  kDefault,   // DEFAULT, in VALUES and SET
};

struct Select;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

enum class Nulls : std::uint8_t { kLast, kFirst };

struct OrderItem {
  ExprPtr expr;
  bool descending = false;
  Nulls nulls = Nulls::kLast;  // last in both directions, unless the statement says otherwise
};

// One node for all expressions: which members a kind uses stands beside ExprKind.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  Span span;
  Op op = Op::kNone;
  LiteralKind literal = LiteralKind::kNull;
  std::string text;  // a literal's digits or text; a cast's type
  std::vector<Name> names;
  std::vector<ExprPtr> children;
  std::unique_ptr<Select> select;
  std::vector<OrderItem> order;  // of an aggregate
  ExprPtr filter;                // FILTER (WHERE …)
  bool negated = false;          // NOT IN, NOT LIKE, IS NOT, NOT BETWEEN, NOT EXISTS
  bool distinct = false;
  bool star = false;
  bool fold = false;
  bool has_operand = false;
  bool has_else = false;
  bool grouped = false;  // stood in parentheses of its own

  Expr();
  Expr(Expr&&) noexcept;
  Expr& operator=(Expr&&) noexcept;
  ~Expr();
};

struct SelectItem {
  ExprPtr expr;
  std::optional<Name> alias;
};

enum class JoinKind : std::uint8_t { kInner, kLeft, kCross };

enum class TableKind : std::uint8_t {
  kResource,  // names: the resource, or a schema and it
  kUnnest,    // array
  kSubquery,  // select
};

struct TableRef {
  TableKind kind = TableKind::kResource;
  Span span;
  std::vector<Name> names;
  ExprPtr array;
  std::unique_ptr<Select> select;
  std::optional<Name> alias;
  std::vector<Name> columns;  // AS t(a, b)
  bool json_each = false;     // its columns are value and key
  // How it is joined to what stands left of it; of the first one kCross without a condition.
  JoinKind join = JoinKind::kCross;
  ExprPtr on;
  std::vector<Name> using_columns;
  bool natural = false;

  TableRef();
  TableRef(TableRef&&) noexcept;
  TableRef& operator=(TableRef&&) noexcept;
  ~TableRef();
};

struct CommonTable {
  Name name;
  std::vector<Name> columns;
  std::unique_ptr<Select> select;
};

struct Select {
  Span span;
  std::vector<CommonTable> with;
  bool distinct = false;
  std::vector<SelectItem> items;
  std::vector<TableRef> from;
  ExprPtr where;
  std::vector<ExprPtr> group_by;
  ExprPtr having;
  std::vector<OrderItem> order_by;
  ExprPtr limit, offset;
};

struct Assignment {
  Name column;
  ExprPtr value;
};

struct Conflict {
  Span span;
  std::vector<Name> key;
  std::vector<Assignment> set;  // DO UPDATE; empty: DO NOTHING
  ExprPtr where;
};

// INSERT, UPDATE, DELETE.
struct Write {
  enum class Kind : std::uint8_t { kInsert, kUpdate, kDelete };
  Kind kind = Kind::kInsert;
  Span span;
  std::vector<Name> resource;
  std::optional<Name> alias;
  std::vector<Name> columns;               // of INSERT
  std::vector<std::vector<ExprPtr>> rows;  // of INSERT
  std::vector<Span> row_spans;             // of INSERT
  std::optional<Conflict> conflict;        // of INSERT
  std::vector<Assignment> set;             // of UPDATE
  ExprPtr where;                           // of UPDATE and DELETE
  std::vector<SelectItem> returning;
};

struct Discovery {
  enum class Kind : std::uint8_t { kTables, kColumns };
  Kind kind = Kind::kTables;
  Span span;
  std::vector<Name> resource;          // of kColumns
  std::optional<std::string> pattern;  // LIKE
};

struct Statement {
  Span span;  // without its semicolon
  std::unique_ptr<Select> select;
  std::unique_ptr<Write> write;
  std::unique_ptr<Discovery> discovery;
};

}  // namespace candor::dialect
