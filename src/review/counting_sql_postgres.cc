// The counting statement of PostgreSQL; see counting_sql.h. EXISTS is its semi-join: the planner hashes one side whatever
// the fan-out. The comparison stands there with the operands of the query's own, in their order, so that the server
// chooses the same operator and collation.
#include <optional>
#include <utility>
#include <vector>

#include "review/counting_sql.h"
#include "review/syntax/expression_text.h"

namespace candor::review {
namespace {

using syntax::always_quoted;

struct SideText {
  std::string from;     // "public"."labs" AS "l"
  std::string sampled;  // the same, a sample of it where one is taken
  std::vector<std::string> keys;
  std::string filter;  // empty: none
};

Result<SideText> side_text(const CountedSide& side) {
  SideText text;
  const engine::TableName& name = side.facts->resolved;
  text.from =
      always_quoted(name.schema) + "." + always_quoted(name.table) + " AS " + always_quoted(side.plan->ref.alias);
  text.sampled = text.from;
  if (side.one_in > 1) {
    // Rows by chance, the same ones for each count of an unchanged table.
    text.sampled += " TABLESAMPLE BERNOULLI (100.0 / " + std::to_string(side.one_in) + ") REPEATABLE (1)";
  }
  for (const json::Node& key : *side.keys) {
    std::optional<std::string> printed = syntax::postgres_expression(key);
    if (!printed) return make_error("unsupported-syntax", "a key has a part that is not measured in PostgreSQL");
    text.keys.push_back(*std::move(printed));
  }
  for (const json::Node& filter : side.plan->filters) {
    const std::optional<std::string> printed = syntax::postgres_expression(filter);
    if (!printed) return make_error("unsupported-syntax", "a filter has a part that is not measured in PostgreSQL");
    text.filter += (text.filter.empty() ? "" : " AND ") + *printed;
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

class Writer {
 public:
  Writer(SideText left, SideText right) : left_(std::move(left)), right_(std::move(right)) {
    for (std::size_t i = 0; i < left_.keys.size(); ++i) {
      equalities_ += (i > 0 ? " AND " : "") + left_.keys[i] + " = " + right_.keys[i];
    }
  }

  std::string write(bool unfiltered) const {
    std::string sql = "SELECT " + rows(left_, "left_rows") + ", " + matched(left_, right_, true, "left_matched") +
                      ", " + rows(right_, "right_rows") + ", " + matched(right_, left_, true, "right_matched");
    if (unfiltered) {
      sql += ", " + matched(left_, right_, false, "left_matched_unfiltered") + ", " +
             matched(right_, left_, false, "right_matched_unfiltered");
    }
    return sql;
  }

 private:
  static std::string rows(const SideText& side, const std::string& name) {
    return "(SELECT count(*) FROM " + side.sampled + where({side.filter}) + ") AS " + name;
  }

  std::string matched(const SideText& side, const SideText& other, bool filtered, const std::string& name) const {
    const std::string exists =
        "EXISTS (SELECT 1 FROM " + other.from + where({filtered ? other.filter : "", equalities_}) + ")";
    return "(SELECT count(*) FROM " + side.sampled + where({side.filter, exists}) + ") AS " + name;
  }

  SideText left_, right_;
  std::string equalities_;
};

}  // namespace

Result<std::string> postgres_counting_sql(const CountingRequest& request) {
  CANDOR_ASSIGN(SideText left, side_text(request.left));
  CANDOR_ASSIGN(SideText right, side_text(request.right));
  return Writer(std::move(left), std::move(right)).write(request.unfiltered);
}

}  // namespace candor::review
