// What the binder makes of a statement: a logical plan whose names are resolved and whose expressions have types. The
// engines' SQL is made from it in lower/; nothing here has a text of the agent's but literals.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/value.h"
#include "contract/contract.h"
#include "dialect/ast.h"

namespace candor::bind {

using contract::Type;
using dialect::Op;

// A function of the catalogue (functions.h). Spellings of other systems are one of these.
enum class Function : std::uint8_t {
  kLower,
  kUpper,
  kTrim,
  kTrimLeft,
  kTrimRight,
  kLength,
  kSubstring,
  kReplace,
  kPosition,
  kConcat,  // skips NULLs
  kLeft,
  kRight,
  kCoalesce,
  kNullIf,
  kAbs,
  kRound,
  kFloor,
  kCeiling,
  kGreatest,
  kLeast,
  kNow,          // datetime
  kCurrentDate,  // date
  kToDate,       // DATE(x)
  kDateTrunc,    // literal unit, datetime
  kExtract,      // literal unit, datetime: number
  kFormatTime,   // datetime, literal format of strftime
  kRandom,
  kArrayLength,
};

enum class Aggregate : std::uint8_t { kCount, kSum, kAverage, kMinimum, kMaximum, kJoin };

enum class BoundKind : std::uint8_t {
  kLiteral,       // value
  kColumn,        // relation, column
  kNot,           // children[0]
  kAnd,           // children
  kOr,            // children
  kCompare,       // op, children[0..1] of one type
  kArithmetic,    // op, children[0..1] of numbers
  kNegate,        // children[0]
  kConcat,        // children[0..1], texts: NULL when one is
  kAddInterval,   // children[0] date or datetime; months, days, microseconds
  kIsNull,        // children[0]
  kIsTruth,       // children[0] IS TRUE or, when not `truth`, IS FALSE
  kBetween,       // children[0..2]
  kIn,            // children[0] in children[1…]
  kInSelect,      // children[0] in select
  kLike,          // children[0..1], escape character in `text`; fold
  kExists,        // select
  kScalar,        // select
  kFunction,      // function, children; a literal unit or format in `text`
  kAggregate,     // aggregate, children, distinct, order, filter in `condition`; COUNT(*) has no children
  kCase,          // WHEN, THEN, …; ELSE last when the number of children is odd
  kCast,          // children[0] to `type`
  kArray,         // children: literals of one element type
  kOverlap,       // children[0..1], arrays
  kContainsAll,   // children[0..1], arrays
  kHas,           // children[0] array, children[1] element
  kArrayEqual,    // children[0..1], arrays, as multisets
  kContainsText,  // children[0] holds children[1], both folded: MATCH
};

struct BoundSelect;
struct BoundExpr;
using BoundPtr = std::unique_ptr<BoundExpr>;

struct BoundOrder {
  BoundPtr expr;
  bool descending = false;
  bool nulls_first = false;
};

// One node for all expressions: which members a kind uses stands beside BoundKind.
struct BoundExpr {
  BoundKind kind = BoundKind::kLiteral;
  std::optional<Type> type;  // nothing: NULL, of any type
  bool nullable = true;
  Span span;
  Op op = Op::kNone;
  Value value;
  std::size_t relation = 0;  // Relation::id
  std::size_t column = 0;    // position in Relation::columns
  std::vector<BoundPtr> children;
  std::unique_ptr<BoundSelect> select;
  Function function = Function::kLower;
  Aggregate aggregate = Aggregate::kCount;
  std::string text;
  std::vector<BoundOrder> order;
  BoundPtr condition;
  std::int64_t months = 0, days = 0, microseconds = 0;
  bool distinct = false;
  bool fold = false;
  bool truth = true;

  BoundExpr();
  BoundExpr(BoundExpr&&) noexcept;
  BoundExpr& operator=(BoundExpr&&) noexcept;
  ~BoundExpr();
};

// A column that a relation shows to the statement.
struct RelationColumn {
  std::string name;
  std::optional<Type> type;
  bool nullable = false;
  bool filterable = true;
  bool sortable = true;
  const contract::Column* published = nullptr;  // where it is a resource's own
};

enum class RelationKind : std::uint8_t {
  kScan,     // of a resource: its published columns, inside the scope, without rows deleted softly
  kUnnest,   // array: one row an element, lateral to what stands before it
  kDerived,  // select: a subquery in FROM or a common table expression
  kRows,     // rows: what the contract itself tells
};

struct Relation {
  RelationKind kind = RelationKind::kScan;
  std::size_t id = 0;  // unique in the statement
  std::string alias;   // as the statement calls it
  Span span;
  const contract::Resource* resource = nullptr;
  BoundPtr array;
  std::shared_ptr<BoundSelect> select;  // shared by the references of one common table expression
  bool common = false;                  // a common table expression
  std::vector<std::vector<Value>> rows;
  std::vector<RelationColumn> columns;
  std::set<std::size_t> used;  // columns that the statement reads
  dialect::JoinKind join = dialect::JoinKind::kCross;
  BoundPtr on;
  std::set<std::string> merged;  // columns of USING and NATURAL: a bare name means the left one
};

struct BoundItem {
  BoundPtr expr;
  std::string name;
};

struct BoundSelect {
  std::vector<std::unique_ptr<Relation>> from;
  BoundPtr where;
  std::vector<BoundPtr> group_by;
  BoundPtr having;
  bool grouped = false;  // by GROUP BY, or as a whole by an aggregate
  bool distinct = false;
  std::vector<BoundItem> items;
  std::vector<BoundOrder> order_by;
  std::optional<std::int64_t> limit;
  std::int64_t offset = 0;
  bool correlated = false;  // reads a row of a SELECT around it
};

struct BoundAssignment {
  std::size_t column = 0;  // of the resource
  BoundPtr value;
};

// INSERT, UPDATE or DELETE of one resource.
struct BoundWrite {
  dialect::Write::Kind kind = dialect::Write::Kind::kInsert;
  const contract::Resource* resource = nullptr;
  std::unique_ptr<Relation> target;         // a scan of the resource, which WHERE, SET and RETURNING read
  std::vector<std::size_t> columns;         // of INSERT
  std::vector<std::vector<BoundPtr>> rows;  // of INSERT; a null pointer stands for DEFAULT
  bool on_conflict = false;
  std::unique_ptr<Relation> excluded;  // the row that could not be inserted, as DO UPDATE reads it
  std::vector<BoundAssignment> conflict_set;
  BoundPtr conflict_where;
  std::vector<BoundAssignment> set;
  BoundPtr where;
  std::vector<BoundItem> returning;
};

struct BoundDiscovery {
  dialect::Discovery::Kind kind = dialect::Discovery::Kind::kTables;
  const contract::Resource* resource = nullptr;
  std::optional<std::string> pattern;
};

struct BoundWarning {
  std::string code, message, hint;
  std::string kind = {};  // of `read-as`: which repair it was
};

struct BoundStatement {
  Span span;
  std::string text;  // as it was understood, in the one form of dialect/printer.h
  std::unique_ptr<BoundSelect> select;
  std::unique_ptr<BoundWrite> write;
  std::unique_ptr<BoundDiscovery> discovery;
  std::vector<BoundWarning> warnings;
};

[[nodiscard]] BoundPtr make_bound(BoundKind kind, std::optional<Type> type, Span span, bool nullable);
[[nodiscard]] BoundPtr copy_of(const BoundExpr& expr);  // of an expression without a subquery
[[nodiscard]] bool same_expr(const BoundExpr& a, const BoundExpr& b);
[[nodiscard]] bool is_number(std::optional<Type> type);
[[nodiscard]] bool is_time(std::optional<Type> type);
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);

// What the text of a condition says of it whatever the rows: true, false, or nothing.
// `evaluate` is asked about what reads no row and is not plain from the text; without it nothing is known of that.
using Evaluate = std::function<std::optional<bool>(const BoundExpr&)>;
[[nodiscard]] std::optional<bool> constant_truth(const BoundExpr& condition, const Evaluate& evaluate = {});

}  // namespace candor::bind
