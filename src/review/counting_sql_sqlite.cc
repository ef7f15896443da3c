// The counting statement of SQLite; see counting_sql.h. IN over an uncorrelated subquery is SQLite's semi-join: it builds
// the other side once. Row values with a NULL in them are not found by it (unlike in DuckDB), and its comparisons have
// the affinity of `=` as long as the columns are read from their tables: no projection may stand between.
#include <optional>
#include <utility>
#include <vector>

#include "review/counting_sql.h"
#include "review/syntax/expression_text.h"

namespace candor::review {
namespace {

using syntax::always_quoted;

// One side as text.
struct SideText {
  std::string from;    // "main"."labs" AS "l"
  std::string keys;    // one key, or (key, key)
  std::string listed;  // key, key
  std::string filter;  // empty: none
  std::string sample;  // empty: all
};

Result<SideText> side_text(const CountedSide& side) {
  SideText text;
  const engine::TableName& name = side.facts->resolved;
  const std::string alias = always_quoted(side.plan->ref.alias);
  text.from =
      always_quoted(name.schema.empty() ? "main" : name.schema) + "." + always_quoted(name.table) + " AS " + alias;
  for (const json::Node& key : *side.keys) {
    const std::optional<std::string> printed = syntax::sqlite_expression(key);
    if (!printed) return make_error("unsupported-syntax", "a key has a part that is not measured in SQLite");
    text.listed += (text.listed.empty() ? "" : ", ") + *printed;
  }
  text.keys = side.keys->size() > 1 ? "(" + text.listed + ")" : text.listed;
  for (const json::Node& filter : side.plan->filters) {
    const std::optional<std::string> printed = syntax::sqlite_expression(filter);
    if (!printed) return make_error("unsupported-syntax", "a filter has a part that is not measured in SQLite");
    text.filter += (text.filter.empty() ? "" : " AND ") + *printed;
  }
  if (side.one_in > 1) {
    // Fibonacci hashing of the row's number, within 64 bits.
    text.sample = "(((" + alias + ".rowid & 2147483647) * 2654435761) >> 11) % " + std::to_string(side.one_in) + " = 0";
  }
  return text;
}

std::string where(const std::vector<std::string>& conditions) {
  std::string text;
  for (const std::string& condition : conditions) {
    if (!condition.empty()) text += (text.empty() ? " WHERE " : " AND ") + condition;
  }
  return text;
}

std::string rows(const SideText& side, const std::string& name) {
  return "(SELECT count(*) FROM " + side.from + where({side.filter, side.sample}) + ") AS " + name;
}

std::string matched(const SideText& side, const SideText& other, bool filtered, const std::string& name) {
  const std::string in =
      side.keys + " IN (SELECT " + other.listed + " FROM " + other.from + where({filtered ? other.filter : ""}) + ")";
  return "(SELECT count(*) FROM " + side.from + where({side.filter, side.sample, in}) + ") AS " + name;
}

}  // namespace

Result<std::string> sqlite_counting_sql(const CountingRequest& request) {
  CANDOR_ASSIGN(const SideText left, side_text(request.left));
  CANDOR_ASSIGN(const SideText right, side_text(request.right));
  std::string sql = "SELECT " + rows(left, "left_rows") + ", " + matched(left, right, true, "left_matched") + ", " +
                    rows(right, "right_rows") + ", " + matched(right, left, true, "right_matched");
  if (request.unfiltered) {
    sql += ", " + matched(left, right, false, "left_matched_unfiltered") + ", " +
           matched(right, left, false, "right_matched_unfiltered");
  }
  return sql;
}

}  // namespace candor::review
