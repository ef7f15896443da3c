// A logical plan as an engine's SQL. Values are bound parameters, never text of the statement; names are those of the
// contract and of the source's own catalog.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "bind/bound.h"
#include "contract/contract.h"

namespace candor::lower {

enum class Target : std::uint8_t { kDuckdb, kSqlite, kPostgres };

// A table or view of the source as it stores things.
struct StoredTable {
  std::string schema;
  std::string name;
  std::vector<std::string> columns;                       // in the table's order
  std::map<std::string, std::string, std::less<>> types;  // column in lower case -> type as the engine names it
  std::set<std::string, std::less<>> collated;            // columns, likewise, that compare by a rule of their own
  std::set<std::string, std::less<>> primary_key;         // its columns, likewise
  std::vector<std::string> kept;                          // columns that undoing puts back: those that are not computed
  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] std::string declared_type(std::string_view column) const;  // as the engine names it; empty: not known
  [[nodiscard]] std::string type_of(std::string_view column) const;        // the same in lower case
  [[nodiscard]] bool is_collated(std::string_view column) const;
};

// Where the resources of a contract are, and which rows of them the caller may see.
struct Storage {
  Target target = Target::kDuckdb;
  std::string source;  // the catalog's name in full names
  std::map<const contract::Resource*, StoredTable> tables;
  std::string scope_column;  // empty: no scope
  std::string scope_value;
  std::string now;  // canonical datetime, one for a whole batch
};

struct Lowered {
  std::string sql;
  std::vector<Value> parameters;
  std::vector<std::optional<contract::Type>> types;  // of its columns
  std::vector<std::optional<int>> scales = {};       // digits behind the point that their decimals are shown with
  std::vector<bool> reckoned = {};     // times that nobody stored: out of range, they are no fault of the data
  std::vector<std::size_t> keys = {};  // the columns that hold the values of ORDER BY, where they were asked for
};

class Dialect;

// Lowers statements; one object for one statement.
class Lowering {
 public:
  explicit Lowering(const Storage& storage);
  ~Lowering();

  struct SelectOptions {
    std::optional<std::int64_t> limit;   // in place of the plan's
    std::optional<std::int64_t> offset;  // likewise
    bool with_order = true;
    bool with_limit = true;
    // Behind the plan's items, as the engine has them, the values of ORDER BY that are none of the items.
    bool with_keys = false;
  };
  [[nodiscard]] Lowered select(const bind::BoundSelect& plan, const SelectOptions& options);
  [[nodiscard]] Lowered select(const bind::BoundSelect& plan);
  // Its rows counted, without its LIMIT.
  [[nodiscard]] Lowered count(const bind::BoundSelect& plan);
  // Of a plan with an ORDER BY, all in one pass: its rows counted without its LIMIT, and for each of `borders`, which are
  // values of its ORDER BY, the rows that equal it under the ORDER BY.
  using Border = std::vector<Value>;
  [[nodiscard]] Lowered count_equal(const bind::BoundSelect& plan, const std::vector<Border>& borders);
  // Of a plan with an ORDER BY, by the place that each row has in it (equal rows have that of the first of them): rows with a
  // place up to `end`, rows with one up to `begin`, and the last place among these.
  [[nodiscard]] Lowered places(const bind::BoundSelect& plan, std::int64_t begin, std::int64_t end);

  // Up to one row when one of the divisors is zero for a row (or, of those with aggregates, a group) that the plan reads.
  [[nodiscard]] Lowered zero_divisors(const bind::BoundSelect& plan,
                                      const std::vector<const bind::BoundExpr*>& divisors, bool groups,
                                      bool with_where);

  // Up to one row when one of the divisors, of the condition, is zero for a row of the resource.
  [[nodiscard]] Lowered zero_divisors(const bind::BoundWrite& plan,
                                      const std::vector<const bind::BoundExpr*>& divisors);

  // A last column of matched_rows, values and conflict_row: 1 where one of these is zero. None: no such column.
  using Divisors = std::vector<const bind::BoundExpr*>;
  // Rows that an UPDATE or DELETE matches: the key, then the new values of `set` in their order. At most `limit` rows.
  // `with_kept`: behind them what undoing keeps of the row (kept_rows).
  [[nodiscard]] Lowered matched_rows(const bind::BoundWrite& plan, std::int64_t limit, bool with_kept = false,
                                     const Divisors& divisors = {});
  [[nodiscard]] Lowered matched_count(const bind::BoundWrite& plan);
  // All rows of the resource that the caller sees, counted.
  [[nodiscard]] Lowered count_all(const contract::Resource& resource);
  // One row: the values of a row of VALUES that are no literals.
  [[nodiscard]] Lowered values(const std::vector<const bind::BoundExpr*>& row, const Divisors& divisors = {});
  // Which of the keys are there: the key and whether the caller sees the row.
  [[nodiscard]] Lowered known_keys(const contract::Resource& resource, const std::vector<Value>& keys);
  // Of the row with the key, what DO UPDATE makes of it; no row when its WHERE does not hold. `excluded`: the row that was not
  // inserted, by column of the resource.
  [[nodiscard]] Lowered conflict_row(const bind::BoundWrite& plan, const Value& key, const std::vector<Value>& excluded,
                                     const Divisors& divisors = {});
  // The items of RETURNING for the keys, each row begun by its key.
  [[nodiscard]] Lowered returning(const bind::BoundWrite& plan, const std::vector<Value>& keys);

  // ---- undoing: whole rows of the table, of the caller's scope, those deleted softly too ----

  // Why rows of the resource can't be put back exactly; empty: they can.
  [[nodiscard]] std::string cannot_keep(const contract::Resource& resource) const;
  // The rows with these keys: the key, then each column of StoredTable::kept, exact.
  [[nodiscard]] Lowered kept_rows(const contract::Resource& resource, const std::vector<Value>& keys);
  struct KeptValue {
    std::size_t column = 0;  // of StoredTable::kept
    Value value;             // as kept_rows gives it
  };
  [[nodiscard]] Lowered put_back(const contract::Resource& resource, const std::vector<Value>& row);
  [[nodiscard]] Lowered put_back(const contract::Resource& resource, const Value& key,
                                 const std::vector<KeptValue>& values);
  [[nodiscard]] Lowered take_away(const contract::Resource& resource, const Value& key);

  struct ColumnValue {
    const contract::Column* column = nullptr;  // of the resource
    Value value;
  };
  // INSERT of one row, giving its key.
  [[nodiscard]] Lowered insert(const contract::Resource& resource, const std::vector<ColumnValue>& values);
  [[nodiscard]] Lowered update(const contract::Resource& resource, const Value& key,
                               const std::vector<ColumnValue>& values);
  [[nodiscard]] Lowered remove(const contract::Resource& resource, const Value& key);

 private:
  std::unique_ptr<Dialect> dialect_;
};

}  // namespace candor::lower
